//! What is read of HDF5 that h5py wrote.

use unskew_keras::hdf5::{Hdf5File, Hdf5Scalar};
use unskew_keras::{KerasFormat, KerasModel};

use crate::file;

#[test]
fn groups_attributes_and_datasets_of_the_old_layout_are_read() {
    let file = Hdf5File::open(&file("dense-2.4.4.h5")).unwrap().unwrap();
    let root = file.root().unwrap();
    let text = |name: &str| root.attribute(name).unwrap().text(&file).unwrap().unwrap();
    assert_eq!(text("keras_version"), b"2.4.0");
    let weights = file.object(root.link("model_weights").unwrap()).unwrap();
    let names = weights.attribute("layer_names").unwrap().texts(&file).unwrap().unwrap();
    assert_eq!(names.len(), 1);
    let layer = String::from_utf8(names[0].clone()).unwrap();
    let group = file.object(weights.link(&layer).unwrap()).unwrap();
    let inner = file.object(group.link(&layer).unwrap()).unwrap();
    let kernel = file.object(inner.link("kernel:0").unwrap()).unwrap().dataset.unwrap();
    assert_eq!((kernel.scalar, &*kernel.shape), (Hdf5Scalar::Float(4), &[4, 3][..]));
    assert_eq!(kernel.stored.unwrap().1, 48);
}

#[test]
fn the_newest_layout_is_read_too() {
    let source = file("latest.h5");
    let file = Hdf5File::open(&source).unwrap().unwrap();
    let root = file.root().unwrap();
    assert_eq!(root.attribute("backend").unwrap().text(&file).unwrap().unwrap(), b"tensorflow");
    let model = KerasModel::read(&source).unwrap().unwrap();
    assert_eq!((model.form, model.weights), (KerasFormat::Hdf5, (4, 32)));
    assert!(model.unread.is_empty(), "{:?}", model.unread);
}

#[test]
fn models_of_both_forms_say_who_wrote_them() {
    for (name, form, keras, weights) in [
        ("dense-2.4.4.h5", KerasFormat::Hdf5, "2.4.0", 2),
        ("bidirectional-2.4.4.h5", KerasFormat::Hdf5, "2.4.0", 6),
        ("lstm-2.15.1.keras", KerasFormat::Archive, "2.15.0", 3),
        ("dense-2.21.0.keras", KerasFormat::Archive, "3.15.1", 2),
        ("functional_slice-2.21.0.h5", KerasFormat::Hdf5, "3.15.1", 2),
    ] {
        let model = KerasModel::read(&file(name)).unwrap().unwrap();
        assert_eq!(model.form, form, "{name}");
        assert_eq!(model.keras.as_deref(), Some(keras), "{name}");
        assert_eq!(model.weights.0, weights, "{name}");
        assert!(model.config.is_some() && model.unread.is_empty(), "{name}");
    }
}
