//! StableHLO: native bytecode of 2023 and 2024, rewritten for readers of today.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use unskew_stablehlo::convert::upgrade_native;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Cow::Owned(new)) = upgrade_native(bytes) {
        let again = upgrade_native(&new).expect("what was written is read");
        assert!(matches!(again, Cow::Borrowed(_)), "a program is rewritten once");
    }
});
