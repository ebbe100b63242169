//! StableHLO: native bytecode of 2023 and 2024, rewritten for readers of today.

use std::borrow::Cow;

use unskew_stablehlo::convert::upgrade_native;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(Cow::Owned(new)) = upgrade_native(bytes) {
        let again = upgrade_native(&new).expect("what was written is read");
        assert!(matches!(again, Cow::Borrowed(_)), "a program is rewritten once");
    }
}
