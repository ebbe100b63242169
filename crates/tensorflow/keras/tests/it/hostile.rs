//! Any bytes are a file of Keras, something else, or an error.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use unskew_core::Date;
use unskew_keras::hdf5::SIGNATURE;
use unskew_keras::{ClassTable, KerasConvertOptions, KerasRelease};
use unskew_source::{BytesSource, ConvertedArtifact, Source, SourceExt as _};

use crate::file;

fn read(name: &str, bytes: Vec<u8>) {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new(name, bytes));
    let _ = unskew_keras::party(&source);
    for keras in RELEASES.iter() {
        let made = unskew_keras::convert(&source, keras, KerasConvertOptions { uncompiled: true });
        if let Ok(Some((plan, ConvertedArtifact::File(new)))) = made
            && plan.is_possible()
            && let Ok(bytes) = new.all()
        {
            let new: Arc<dyn Source> = Arc::new(BytesSource::new(name, bytes));
            unskew_keras::party(&new).unwrap();
        }
    }
}

/// One that reads no archives, one that does, one of Keras 3; with the classes of the files here.
static RELEASES: LazyLock<Vec<KerasRelease>> = LazyLock::new(|| {
    let classes = "#releases\t2.4.0 2.15.0 3.15.1\n\
        Dense(layer) keras.layers.Dense @keras.layers **\t2.4.0-\n\
        InputLayer(layer) keras.layers.InputLayer @keras.layers **\t2.4.0-\n\
        LSTM(layer) keras.layers.LSTM @keras.layers **\t2.4.0-\n\
        Sequential(model) keras.Sequential @keras.models **\t2.4.0-\n";
    let classes = Arc::new(ClassTable::from_text(classes).unwrap());
    let of = |version: &str| KerasRelease {
        version: version.parse().unwrap(),
        released: Date::constant(2026, 11, 1),
        of_tensorflow: None,
        package: unskew_keras::KerasPackage::Keras,
        classes: classes.clone(),
    };
    ["2.4.0", "2.15.0", "3.15.1"].map(of).into()
});

#[test]
fn a_file_cut_anywhere_is_an_error_or_a_file() {
    for name in ["custom-2.15.1.h5", "latest.h5", "lstm-2.15.1.keras"] {
        let whole = file(name).all().unwrap();
        (0..whole.len()).step_by(7).for_each(|end| read(name, whole[..end].to_vec()));
    }
}

#[test]
fn a_byte_that_is_another_does_no_harm() {
    for name in ["custom-2.15.1.h5", "latest.h5"] {
        let whole = file(name).all().unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] = [0, 1, 0x7f, 0xff][at % 4];
            read(name, bytes);
        }
    }
}

#[test]
fn a_group_that_holds_itself_has_an_end() {
    let mut bytes = file("custom-2.15.1.h5").all().unwrap();
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("a.h5", bytes.clone()));
    let hdf5 = unskew_keras::hdf5::Hdf5File::open(&source).unwrap().unwrap();
    let root = hdf5.root().unwrap();
    let inner = root.link("model_weights").unwrap();
    // Every address of the group becomes that of the root, which holds the group.
    let (from, to) = (inner.to_le_bytes(), 96_u64.to_le_bytes());
    for at in 0..bytes.len() - 8 {
        if bytes[at..at + 8] == from {
            bytes[at..at + 8].copy_from_slice(&to);
        }
    }
    read("a.h5", bytes);
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(mut bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        read("a.keras", bytes.clone());
        bytes.splice(0..0, SIGNATURE.iter().copied());
        read("a.h5", bytes.clone());
        // A superblock whose addresses have 8 bytes leads further.
        if bytes.len() > 110 {
            bytes[8] = 0;
            bytes[13] = 8;
            bytes[14] = 8;
            bytes[64..72].copy_from_slice(&96_u64.to_le_bytes());
            bytes[96] = 1;
        }
        read("a.h5", bytes);
    }
}
