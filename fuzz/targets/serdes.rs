//! Versioned serialization: a value of derived types, as bytes of any age.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::stored::{Spec, Stored};
use unskew_serdes::{default_version, read, view, write};

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = read::<Stored, Spec>(bytes) else {
        assert!(view::<Stored, Spec>(bytes).is_err());
        return;
    };
    assert!(view::<Stored, Spec>(bytes).is_ok());
    // A removed field that holds something cannot stand beside a newer one; all else reads back.
    let mut again = Vec::new();
    if write(&value, default_version::<Stored>(), &mut again).is_ok() {
        assert_eq!(read::<Stored, Spec>(&again).ok().as_ref(), Some(&value));
    }
});
