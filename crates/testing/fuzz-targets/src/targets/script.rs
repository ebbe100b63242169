//! TorchScript: a text is read or refused; what is read can be shown and read again.

use unskew_script::parse;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(module) = parse(text) {
        let _ = parse(&module.to_string());
    }
}
