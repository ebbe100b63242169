//! Kind of a file of a package, by its name.

use unskew_extensions::OWN_CHECK_FILE;

/// What a file is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Object,
    Protobuf,
    Grpc,
    Jax,
    Ffi,
    PluginSupport,
    OwnCheck,
    Other,
}

impl FileKind {
    pub(crate) fn from_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.ends_with(".so") || (name.contains(".so.") && !name.ends_with(".py")) {
            Self::Object
        } else if name.ends_with("_pb2_grpc.py") {
            Self::Grpc
        } else if name.ends_with("_pb2.py") || (name.contains("_pb2_") && name.ends_with(".py")) {
            Self::Protobuf
        } else if path == "jax/version.py" {
            Self::Jax
        } else if path == "jaxlib/include/xla/ffi/api/c_api.h" {
            Self::Ffi
        } else if path == "jaxlib/plugin_support.py" {
            Self::PluginSupport
        } else if path == OWN_CHECK_FILE {
            Self::OwnCheck
        } else {
            Self::Other
        }
    }
}
