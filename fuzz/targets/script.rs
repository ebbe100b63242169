//! TorchScript: a text is read or refused; what is read can be shown and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_script::parse;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(module) = parse(text) {
        let _ = parse(&module.to_string());
    }
});
