//! `.npy` files: what is read is written and read again, as every type that fits.

use unskew_array::{ArrayElementType, npy};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(loose) = npy::read(bytes) else { return };
    for element in ArrayElementType::ALL {
        if let Ok(array) = loose.as_type(element) {
            let again = npy::read(&npy::write(&array)).and_then(|loose| loose.as_type(element));
            assert_eq!(again.as_ref(), Ok(&array));
            let _ = array.to_string();
        }
    }
}
