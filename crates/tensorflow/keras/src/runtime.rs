//! The other side: a release of Keras, alone or as a TensorFlow release brings it.

use std::sync::Arc;

use unskew_core::{Date, Party, Role, Version};

use crate::ClassTable;
use crate::table::KerasClass;

/// The first Keras that may read archives.
const ARCHIVES: Version = Version::pair(2, 11);

/// The package that a Keras comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KerasPackage {
    /// `keras`.
    Keras,
    /// `tf_keras`: Keras 2 for TensorFlow 2.16 and later.
    TfKeras,
}

/// A Keras that loads files. A capability of its party, and of that of a TensorFlow release.
#[derive(Clone, Debug)]
pub struct KerasRelease {
    /// The version of Keras.
    pub version: Version,
    /// The day of its release.
    pub released: Date,
    /// The TensorFlow release that brings it; none if Keras itself was named.
    pub of_tensorflow: Option<Version>,
    /// The package that it comes in.
    pub package: KerasPackage,
    /// The classes of all releases.
    pub classes: Arc<ClassTable>,
}

impl KerasPackage {
    /// Its name in an index of packages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Keras => "keras",
            Self::TfKeras => "tf_keras",
        }
    }
}

impl KerasRelease {
    /// The release as one side of a check.
    pub fn party(&self) -> Party {
        Party::new(
            format!("{} {}", self.package.as_str(), self.version),
            Role::Runtime,
            "Keras release",
        )
        .from_origin(format!("released {}", self.released))
        .dated(self.released)
        .with_capability(Arc::new(self.clone()))
    }

    /// Whether it is Keras 3.
    pub fn is_three(&self) -> bool {
        self.version >= Version::pair(3, 0)
    }

    /// Whether it may read `.keras` archives.
    pub fn reads_archives(&self) -> bool {
        self.version >= ARCHIVES
    }

    /// Its classes of this name.
    pub fn named(&self, name: &str) -> Vec<Arc<KerasClass>> {
        self.classes.classes_of(self.version, name)
    }

    /// Its class of this name and kind, the public one if there are several.
    pub fn class(&self, name: &str, kind: &str) -> Option<Arc<KerasClass>> {
        let all = self.named(name).into_iter().filter(|class| *class.kind == *kind);
        all.max_by_key(|class| class.is_public())
    }

    /// The classes by which the optimizer of an HDF5 file is made. Before 2.11 there is one of each name; up to 2.15 those
    /// that are now called legacy, for what was not written by a newer one.
    pub(crate) fn old_optimizers(&self, name: &str) -> Vec<Arc<KerasClass>> {
        let module = match self.version {
            old if old < Version::pair(2, 11) || self.is_three() => "keras.optimizers",
            _ => "keras.optimizers.legacy",
        };
        let public = format!("{module}.{name}");
        let mut all = self.named(name);
        all.retain(|one| one.exports.iter().any(|export| **export == *public));
        all
    }

    /// How messages name it: `TensorFlow 2.15.1 (KerasRelease 2.15.0)`.
    pub fn name(&self) -> String {
        match self.of_tensorflow {
            Some(release) => format!("TensorFlow {release} (Keras {})", self.version),
            None if self.package == KerasPackage::TfKeras => format!("tf_keras {}", self.version),
            None => format!("Keras {}", self.version),
        }
    }
}
