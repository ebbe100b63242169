//! The other side: a release of a package.

use std::sync::Arc;

use unskew_core::{Party, Role};

use crate::classes::{ClassPresence, PackageClasses};

/// A release of a package. A capability of its party.
#[derive(Clone, Debug)]
pub struct PackageRelease {
    pub(crate) classes: Arc<PackageClasses>,
    /// Its place among the releases of the table.
    at: usize,
}

impl PackageRelease {
    /// The release of this version; none if it is not in the table.
    pub fn new(classes: Arc<PackageClasses>, version: &str) -> Option<Self> {
        let at = classes.releases().iter().position(|one| one == version)?;
        Some(Self { classes, at })
    }

    /// The release as one side of a check, under the version that was asked for.
    pub fn party(self, version: &str) -> Party {
        let name = format!("{} {version}", self.classes.package());
        Party::new(name, Role::Runtime, "release of a Python package")
            .with_capability(Arc::new(self))
    }

    /// Every class and function that some release of the package has, as module and name, and whether all have it.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        self.classes.names()
    }

    /// In words, for messages: `ultralytics 8.3.0`.
    pub(crate) fn label(&self) -> String {
        let version = self.classes.releases().get(self.at).map_or("", String::as_str);
        format!("{} {version}", self.classes.package())
    }

    /// Whether it has what a pickle writes as `module.name`.
    pub(crate) fn presence(&self, full: &str) -> ClassPresence {
        self.classes.presence(full, self.at)
    }

    /// What its loader takes that for.
    pub(crate) fn mapped(&self, full: &str) -> Option<String> {
        self.classes.mapped(full, self.at)
    }

    /// All releases of the table, the oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = Self> + '_ {
        (0..self.classes.releases().len()).map(|at| Self { classes: self.classes.clone(), at })
    }

    pub(crate) fn version(&self) -> &str {
        self.classes.releases().get(self.at).map_or("", String::as_str)
    }
}
