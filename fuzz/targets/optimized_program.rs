//! PJRT: an optimized program, its instructions numbered anew.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use unskew_pjrt::convert::hlo_program::narrow_instruction_ids;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Cow::Owned(new)) = narrow_instruction_ids(bytes) {
        let again = narrow_instruction_ids(&new).expect("what was written is read");
        assert!(matches!(again, Cow::Borrowed(_)), "a program is renumbered once");
    }
});
