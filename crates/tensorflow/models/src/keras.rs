//! Files of Keras: `.keras` archives and whole models in HDF5, as far as `keras.models.load_model` of a release is known to
//! refuse them.
//!
//! Which layers and which of their arguments each Keras has is not known here. Measured on TensorFlow 2.4.4, 2.9.3, 2.15.1
//! and 2.21.0 with 60 files that 2.9.3, 2.15.1 and 2.21.0 wrote: what is refused by these rules was refused by all.

use memchr::memmem;
use unskew_core::{Context, Finding, Judgement, Matcher, Party, Version};

use crate::{Runtime, rules};

/// The axis on which files of Keras meet a release.
pub const KERAS_AXIS: &str = "tf.keras";

/// How Keras 3 writes the layer with which most models begin. Keras 2 writes `batch_input_shape`, and knows no other name.
const INPUT: &[u8] = b"\"class_name\": \"InputLayer\", \"config\": {\"batch_shape\"";

/// The first TensorFlow whose Keras is Keras 3.
const KERAS_3: Version = Version::pair(2, 16);

/// The oldest TensorFlow whose Keras was asked.
const OLDEST: Version = Version::pair(2, 4);

/// The first TensorFlow whose Keras may read archives.
const ARCHIVES: Version = Version::pair(2, 11);

/// What a file of Keras says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KerasFile {
    /// Whether it is an archive; else HDF5.
    pub archive: bool,
    /// The Keras that wrote it, if it says so.
    pub keras: Option<Version>,
    /// Whether it has an input layer as Keras 3 writes it.
    pub batch_shape: bool,
}

impl KerasFile {
    /// What is said by a file with this version and this configuration of the model.
    pub fn new(archive: bool, keras: Option<&str>, config: &[u8]) -> Self {
        let keras = keras.and_then(|text| text.parse().ok());
        Self { archive, keras, batch_shape: memmem::find(config, INPUT).is_some() }
    }

    /// What stands against loading it on `release`.
    fn finding(&self, release: Version) -> Option<Finding> {
        if release < OLDEST {
            return None;
        }
        let consumer = &release;
        if self.archive && release < ARCHIVES {
            let rule = rules::KerasArchiveNotRead { consumer };
            let symptom = match release < Version::pair(2, 5) {
                true => "SavedModel file does not exist at",
                false => "file signature not found",
            };
            return Some(rule.finding().with_symptom(symptom));
        }
        if self.batch_shape && release < KERAS_3 {
            let keras = self.keras.map_or("3".to_owned(), |version| version.to_string());
            let rule = rules::KerasInputNotRead { keras: &keras, consumer };
            let symptom = match release < Version::pair(2, 12) {
                true => "Unrecognized keyword arguments",
                false => "Error when deserializing class 'InputLayer'",
            };
            return Some(rule.finding().with_symptom(symptom));
        }
        None
    }
}

/// Judges a file of Keras against a release.
pub struct KerasMatcher(pub KerasFile);

impl Matcher for KerasMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime = other.capability::<Runtime>()?;
        let findings = self.0.finding(runtime.version).into_iter().collect();
        Some(Judgement { findings, ..Judgement::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_four_releases_refused_is_refused() {
        let config =
            [b"{\"module\": \"keras.layers\", ".as_slice(), INPUT, b": [null, 4]}}"].concat();
        let new = |archive| KerasFile::new(archive, Some("3.15.1"), &config);
        let old = |archive| KerasFile::new(archive, Some("2.15.0"), b"{\"batch_input_shape\": 1}");
        let code = |file: KerasFile, release: &str| {
            file.finding(release.parse().unwrap()).map(|finding| finding.rule.code)
        };
        for release in ["2.4.4", "2.9.3"] {
            assert_eq!(code(new(true), release), Some("TF014"));
            assert_eq!(code(old(true), release), Some("TF014"));
            assert_eq!(code(new(false), release), Some("TF013"));
            assert_eq!(code(old(false), release), None);
        }
        assert_eq!(code(new(true), "2.15.1"), Some("TF013"));
        assert_eq!(code(new(false), "2.15.1"), Some("TF013"));
        assert_eq!(code(old(true), "2.15.1"), None);
        assert_eq!(code(new(true), "2.21.0"), None);
    }
}
