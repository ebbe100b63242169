//! The version of the FFI that the header of a jaxlib names.

use unskew_core::Version;

/// The version in `#define XLA_FFI_API_MAJOR 0` and `#define XLA_FFI_API_MINOR 3`.
pub(crate) fn header_version(text: &str) -> Option<Version> {
    let number = |name: &str| {
        let mut lines = text.lines().map(str::split_whitespace);
        let value = lines.find_map(|mut words| {
            let is = words.next() == Some("#define") && words.next() == Some(name);
            words.next().filter(|_| is)
        });
        value?.parse::<u16>().ok().map(i64::from)
    };
    Some(Version::pair(number("XLA_FFI_API_MAJOR")?, number("XLA_FFI_API_MINOR")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_header_of_jaxlib() {
        let text = "// x\n#define XLA_FFI_API_MAJOR 0\n#define  XLA_FFI_API_MINOR 3\n";
        assert_eq!(header_version(text), Some(Version::pair(0, 3)));
        for text in ["", "#define XLA_FFI_API_MAJOR 0", "#define XLA_FFI_API_MINOR x"] {
            assert_eq!(header_version(text), None, "{text}");
        }
    }
}
