//! Any of the fuzz targets: `UNSKEW_FUZZ_TARGET` names the one that gets the bytes.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use unskew_fuzz_targets::TARGETS;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("UNSKEW_FUZZ_TARGET").unwrap_or_default();
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    let known: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    target.unwrap_or_else(|| panic!("UNSKEW_FUZZ_TARGET names none of: {}", known.join(" "))).1
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
