//! PJRT: an optimized program, its instructions numbered anew.

use std::borrow::Cow;

use unskew_pjrt::convert::hlo_program::narrow_instruction_ids;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(Cow::Owned(new)) = narrow_instruction_ids(bytes) {
        let again = narrow_instruction_ids(&new).expect("what was written is read");
        assert!(matches!(again, Cow::Borrowed(_)), "a program is renumbered once");
    }
}
