//! Versioned serialization: a value of derived types, as bytes of any age.

use crate::stored::{StoredSpec, StoredFamily};
use unskew_serdes::{default_version, read, view, write};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(value) = read::<StoredFamily, StoredSpec>(bytes) else {
        assert!(view::<StoredFamily, StoredSpec>(bytes).is_err());
        return;
    };
    assert!(view::<StoredFamily, StoredSpec>(bytes).is_ok());
    // A removed field that holds something cannot stand beside a newer one; all else reads back.
    let mut again = Vec::new();
    if write(&value, default_version::<StoredFamily>(), &mut again).is_ok() {
        assert_eq!(read::<StoredFamily, StoredSpec>(&again).ok().as_ref(), Some(&value));
    }
}
