//! Files that real Keras wrote, and what releases made of them, against the verdicts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::sync::Arc;

use unskew_core::Phase;
use unskew_keras::{KerasConvertOptions, KerasFormat, KerasModel, KerasRelease, judge};
use unskew_releases::Family;
use unskew_source::{ConvertedArtifact, FileSource, Source};

/// The Keras of a TensorFlow release, or that of `keras VERSION`.
fn keras_of(release: &str) -> KerasRelease {
    let Some(version) = release.strip_prefix("keras ") else {
        return unskew_releases::keras::of_tensorflow(release.parse().unwrap()).unwrap();
    };
    let version = version.parse().unwrap();
    let row = Family::Keras.rows().iter().find(|row| row.version == version).unwrap();
    unskew_releases::keras::runtime(row).unwrap()
}

#[test]
fn verdicts_say_what_load_model_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tensorflow/keras/tests/data");
    let loads = std::fs::read_to_string(folder.join("loads.tsv")).unwrap();
    assert_eq!(loads.lines().count(), 65);
    for line in loads.lines() {
        let [file, release, came] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&folder.join(file)).unwrap());
        let model = KerasModel::read(&source).unwrap().unwrap();
        let keras = keras_of(release);
        let judgement = judge(&model, &keras);
        let fails = judgement.findings.iter().any(|one| one.rule.phase == Some(Phase::Load));
        assert_eq!(fails, came == "fails", "{line}: {:?}", judgement.findings);
    }
}

#[test]
fn what_is_converted_is_loaded_and_what_is_not_says_why() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tensorflow/keras/tests/data");
    for (file, release, possible) in [
        ("depthwise2d-2.15.1.h5", "2.21.0", true),
        ("bidirectional-2.4.4.h5", "2.21.0", true),
        ("lstm-2.15.1.keras", "2.21.0", true),
        ("dense-2.21.0.keras", "2.15.1", true),
        ("custom-2.15.1.h5", "2.21.0", false),
        ("dense-2.21.0.keras", "2.4.4", true),
        ("lstm-2.15.1.keras", "2.9.3", true),
        // Layers with weights are counted twice there.
        ("two_bidirectional-2.13.1.keras", "2.14.1", true),
        // By the modules of their classes, which Keras 3 reads in HDF5 files too.
        ("functional_slice-2.21.0.h5", "2.21.0", true),
        ("functional_slice-2.4.4.h5", "2.21.0", true),
        ("thresholded_relu-2.4.4.h5", "2.21.0", true),
        ("multi_head-2.15.1.h5", "2.21.0", true),
        ("dot-3.1.1.keras", "keras 3.1.1", true),
        ("dense_float8-3.9.2.h5", "keras 3.9.2", false),
    ] {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&folder.join(file)).unwrap());
        let keras = keras_of(release);
        let (plan, output) = unskew_keras::convert(&source, &keras, KerasConvertOptions::default())
            .unwrap()
            .unwrap();
        assert_eq!(plan.is_possible(), possible, "{file} for {release}: {:?}", plan.blockers);
        let ConvertedArtifact::File(new) = output else { panic!("{file}") };
        if possible {
            assert!(!plan.changes_nothing());
            let new: Arc<dyn Source> = new;
            // HDF5 is changed in place; what is longer stands at its end.
            let grows =
                ["functional", "thresholded", "multi"].iter().any(|one| file.starts_with(one));
            assert!(new.size() == source.size() || file.ends_with(".keras") || grows, "{file}");
            let model = KerasModel::read(&new).unwrap().unwrap();
            let old = file.ends_with(".h5") || matches!(release, "2.4.4" | "2.9.3" | "2.14.1");
            assert_eq!(model.form, if old { KerasFormat::Hdf5 } else { KerasFormat::Archive });
            assert!(model.unread.is_empty());
            let judgement = judge(&model, &keras);
            assert!(judgement.findings.is_empty(), "{file}: {:?}", judgement.findings);
            assert_eq!(model.weights, KerasModel::read(&source).unwrap().unwrap().weights);
        }
    }
}
