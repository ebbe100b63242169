//! Generated code, and what it says of the runtime that it needs.

use unskew_core::Version;

/// What a file that protoc or grpc's plug-in wrote demands when it is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generated {
    /// Code of protobuf before 3.20, which makes descriptors itself: runtimes since 4 refuse it.
    Descriptors,
    /// Code of protobuf 3.20 to 4 and 5.26, which has its classes made by `google.protobuf.internal.builder`.
    Builder,
    /// Code that names its version and has the runtime compare it: protobuf 5.27 and later.
    Checked(Version),
    /// Code with a branch for each of several generations, which asks for the version of the runtime.
    Conditional,
    /// Code of grpc's plug-in that names the release of grpcio that it needs.
    Grpc(Version),
}

impl Generated {
    /// What the text of a generated file demands.
    pub fn parse(text: &str) -> Vec<Self> {
        let mut all = Vec::new();
        if text.contains("Version(google.protobuf.__version__)") {
            all.push(Self::Conditional);
        } else if let Some(version) = checked(text) {
            all.push(Self::Checked(version));
        } else if text.contains("_descriptor.FieldDescriptor(") {
            all.push(Self::Descriptors);
        } else if text.contains("google.protobuf.internal import builder") {
            all.push(Self::Builder);
        }
        all.extend(grpc(text).map(Self::Grpc));
        all
    }
}

/// The numbers in `ValidateProtobufRuntimeVersion(_runtime_version.Domain.PUBLIC, 6, 31, 1, '', 'x.proto')`.
fn checked(text: &str) -> Option<Version> {
    let (_, call) = text.split_once(".ValidateProtobufRuntimeVersion(")?;
    let mut arguments = call.split(',').skip(1).map(str::trim);
    let numbers: Vec<&str> = arguments.by_ref().take(3).collect();
    if numbers.iter().any(|number| number.is_empty() || number.contains('.')) {
        return None;
    }
    (numbers.len() == 3).then(|| numbers.join(".").parse().ok()).flatten()
}

/// The number in `GRPC_GENERATED_VERSION = '1.68.0'`.
fn grpc(text: &str) -> Option<Version> {
    let (_, value) = text.split_once("\nGRPC_GENERATED_VERSION = ")?;
    let value = value.lines().next()?.trim().trim_matches(['"', '\'']);
    value.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_of_each_generation_are_read() {
        let new = "from google.protobuf import runtime_version as _runtime_version\n\
            _runtime_version.ValidateProtobufRuntimeVersion(\n    _runtime_version.Domain.PUBLIC,\n    6,\n    31,\n    1,\n    '',\n    'a.proto'\n)\n\
            from google.protobuf.internal import builder as _builder";
        assert_eq!(Generated::parse(new), [Generated::Checked(Version::triple(6, 31, 1))]);
        let builder = "from google.protobuf.internal import builder as _builder";
        assert_eq!(Generated::parse(builder), [Generated::Builder]);
        let old = "x = _descriptor.FieldDescriptor(name='a')";
        assert_eq!(Generated::parse(old), [Generated::Descriptors]);
        let both = format!(
            "if Version(google.protobuf.__version__).major >= 5:\n  {builder}\nelse:\n  {old}"
        );
        assert_eq!(Generated::parse(&both), [Generated::Conditional]);
        let grpc = "import grpc\nGRPC_GENERATED_VERSION = '1.68.0'\n";
        assert_eq!(Generated::parse(grpc), [Generated::Grpc(Version::triple(1, 68, 0))]);
        for text in
            ["", ".ValidateProtobufRuntimeVersion(", ".ValidateProtobufRuntimeVersion(a,b,c,d"]
        {
            assert!(Generated::parse(text).is_empty(), "{text}");
        }
    }
}
