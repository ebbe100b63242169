//! HDF5, as much as files of Keras need: groups, attributes, datasets.

use crate::{judge, source};
use unskew_keras::hdf5::SIGNATURE;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let mut file = bytes.to_vec();
    file.resize(file.len().max(SIGNATURE.len()), 0);
    file[..SIGNATURE.len()].copy_from_slice(SIGNATURE);
    let file = source("f.h5", &file);
    if let Ok(Some(party)) = unskew_keras::party(&file) {
        judge(&party);
    }
    if let Ok(Some(hdf5)) = unskew_keras::hdf5::Hdf5File::open(&file) {
        let _ = hdf5.root();
    }
}
