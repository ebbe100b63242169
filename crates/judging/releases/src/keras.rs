//! The releases of Keras: `data/keras`, and those of tf_keras, which is Keras 2 for newer TensorFlows: `data/tf_keras`. TensorFlow brings one of them, or asks for one.

use std::sync::{Arc, LazyLock};

use unskew_core::{Fact, Party, Role, Version};
use unskew_definitions::Rows;
use unskew_keras::{ClassTable, KerasPackage, KerasRelease};
use unskew_tables::{packed_rows, toml_as_json};
use unskew_tensorflow::StandaloneKeras;

use crate::{ReleaseRow, embedded};

/// The first TensorFlow that has no Keras of its own number, and asks for Keras 3.
const APART: Version = Version::pair(2, 16);

static CLASSES: LazyLock<Option<Arc<ClassTable>>> =
    LazyLock::new(|| embedded::rows(ClassTable::from_text(packed_rows!("data/keras/classes.tsv"))));

static ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| embedded::release_rows(toml_as_json!("data/keras/releases.toml")));

static TF_KERAS_CLASSES: LazyLock<Option<Arc<ClassTable>>> = LazyLock::new(|| {
    embedded::rows(ClassTable::from_text(packed_rows!("data/tf_keras/classes.tsv")))
});

static TF_KERAS_ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| embedded::release_rows(toml_as_json!("data/tf_keras/releases.toml")));

/// What a release loads, in words.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let format = match row.version {
        old if old < Version::pair(2, 12) => "HDF5, SavedModel",
        two if two < Version::pair(3, 0) => "HDF5, SavedModel, .keras",
        _ => "HDF5, .keras",
    };
    vec![Fact { label: "load_model".to_owned(), value: format.to_owned() }]
}

/// Every release, oldest first.
pub(crate) fn rows() -> &'static [ReleaseRow] {
    &ROWS
}

/// Every release of tf_keras, oldest first.
pub(crate) fn rows_of_tf_keras() -> &'static [ReleaseRow] {
    &TF_KERAS_ROWS
}

/// The classes of every release as one history.
pub(crate) fn history() -> Option<&'static Rows> {
    CLASSES.as_deref().map(ClassTable::rows)
}

/// The classes of every release of tf_keras as one history.
pub(crate) fn history_of_tf_keras() -> Option<&'static Rows> {
    TF_KERAS_CLASSES.as_deref().map(ClassTable::rows)
}

/// The release of `row` as what loads files.
pub fn runtime(row: &ReleaseRow) -> Option<KerasRelease> {
    Some(KerasRelease {
        version: row.version,
        released: row.released,
        of_tensorflow: None,
        package: KerasPackage::Keras,
        classes: CLASSES.as_ref()?.clone(),
    })
}

/// The release of tf_keras of `row` as what loads files.
pub fn runtime_of_tf_keras(row: &ReleaseRow) -> Option<KerasRelease> {
    Some(KerasRelease {
        version: row.version,
        released: row.released,
        of_tensorflow: None,
        package: KerasPackage::TfKeras,
        classes: TF_KERAS_CLASSES.as_ref()?.clone(),
    })
}

/// The Keras of a TensorFlow release: that of its own number up to 2.15, the newest from then on, which is what pip
/// installs beside it. None if it is not in the database.
pub fn of_tensorflow(release: Version) -> Option<KerasRelease> {
    let row = if release < APART {
        let same = |row: &&ReleaseRow| {
            (row.version.major(), row.version.minor()) == (release.major(), release.minor())
        };
        rows().iter().rev().find(same)
    } else {
        rows().last()
    };
    let keras = runtime(row?)?;
    Some(KerasRelease { of_tensorflow: Some(release), ..keras })
}

/// A TensorFlow release with the Keras that comes with it.
pub(crate) fn with_keras(tensorflow: Party, release: Version) -> Party {
    match of_tensorflow(release) {
        Some(keras) => tensorflow.with_capability(Arc::new(keras)),
        None => tensorflow,
    }
}

/// The release of `row` as a party.
pub(crate) fn party(row: &ReleaseRow) -> Party {
    alone(runtime(row), "keras", row)
}

/// The release of tf_keras of `row` as a party.
pub(crate) fn party_of_tf_keras(row: &ReleaseRow) -> Party {
    alone(runtime_of_tf_keras(row), "tf_keras", row)
}

fn alone(runtime: Option<KerasRelease>, package: &str, row: &ReleaseRow) -> Party {
    let Some(runtime) = runtime else {
        let name = format!("{package} {}", row.version);
        return Party::new(name, Role::Runtime, "Keras release");
    };
    let alone = StandaloneKeras { name: runtime.name(), version: runtime.version };
    runtime.party().with_capability(Arc::new(alone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_classes_and_every_line_is_read() {
        CLASSES.as_ref().unwrap().validate().unwrap();
        TF_KERAS_CLASSES.as_ref().unwrap().validate().unwrap();
        for (rows, history) in [(rows(), history()), (rows_of_tf_keras(), history_of_tf_keras())] {
            let versions: Vec<Version> = rows.iter().map(|row| row.version).collect();
            assert_eq!(versions, history.unwrap().releases());
            assert!(versions.is_sorted());
        }
    }

    #[test]
    fn a_tensorflow_release_has_the_keras_of_its_number_or_the_newest() {
        let of = |release: &str| {
            of_tensorflow(release.parse().unwrap()).map(|keras| keras.version.to_string())
        };
        assert_eq!(of("2.4.4").as_deref(), Some("2.4.0"));
        assert_eq!(of("2.15.1").as_deref(), Some("2.15.0"));
        assert_eq!(of("2.21.0"), Some(rows().last().unwrap().version.to_string()));
        assert_eq!(of("1.15.0"), None);
    }
}
