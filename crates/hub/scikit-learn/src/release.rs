//! The other side: a release of scikit-learn.

use std::sync::Arc;

use unskew_core::{Date, Party, Role, Version};
use unskew_definitions::{DefinitionRowsError, Rows, RowsText, Runs};

use crate::file::UsedClass;

/// What all releases have, and what was measured between them. A line of the first kind is a class or function in its module,
/// with the releases that have it: `LogisticRegression(sklearn.linear_model._logistic)`. One of the second kind is what
/// happens to an estimator, with the releases that load it:
/// `SVC(trouble 0.22.2-0.24.2; use; AttributeError: 'SVC' object has no attribute 'n_support_')`, where the first part are the
/// releases that wrote it.
#[derive(Debug)]
pub struct SklearnNames(Rows);

/// What an estimator that another release wrote does in a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    /// It does not load.
    Load,
    /// A method that answered in the release that wrote it raises.
    Use,
    /// A method answers otherwise.
    Differs,
}

impl TroubleKind {
    /// As it is written in the table.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Use => "use",
            Self::Differs => "differs",
        }
    }
}

/// A measured row: what went wrong with a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredTrouble {
    /// The releases that wrote it.
    pub writers: Runs,
    /// The releases that loaded it.
    pub readers: Runs,
    /// What happened.
    pub kind: TroubleKind,
    /// The error, or which method answers otherwise.
    pub what: String,
}

impl MeasuredTrouble {
    /// The trouble of a row; none if the row is a name.
    pub fn from_row(definition: &str, runs: &str) -> Option<(String, Self)> {
        let (name, rest) = definition.split_once("(trouble ")?;
        let mut parts = rest.strip_suffix(')')?.splitn(3, "; ");
        let writers = parts.next()?.parse().ok()?;
        let kind = match parts.next()? {
            "load" => TroubleKind::Load,
            "use" => TroubleKind::Use,
            "differs" => TroubleKind::Differs,
            _ => return None,
        };
        let what = parts.next()?.to_owned();
        Some((name.to_owned(), Self { writers, readers: runs.parse().ok()?, kind, what }))
    }
}

impl SklearnNames {
    /// The names of a text.
    ///
    /// # Errors
    /// If its first line does not name the releases.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        Rows::from_text(text).map(Self)
    }

    /// Every row, as it is stored.
    pub fn rows(&self) -> &Rows {
        &self.0
    }

    /// The releases that have this class or function in this module.
    pub(crate) fn having(&self, class: &UsedClass) -> Option<Runs> {
        let wanted = format!("{}({})", class.name, class.module);
        let mut rows = self.0.named(&class.name);
        rows.find(|(text, _)| *text == wanted).and_then(|(_, runs)| runs.parse().ok())
    }

    /// What was measured of the estimators of this name.
    pub(crate) fn troubles<'n>(
        &'n self,
        name: &'n str,
    ) -> impl Iterator<Item = MeasuredTrouble> + 'n {
        let rows = self.0.named(name);
        rows.filter_map(|(text, runs)| Some(MeasuredTrouble::from_row(text, runs)?.1))
    }

    /// The measured release of the same minor version: patch releases are alike.
    pub(crate) fn measured(&self, version: Version) -> Option<Version> {
        let minor = |version: Version| {
            let text = version.to_string();
            let mut parts = text.split('.').map(str::to_owned);
            (parts.next(), parts.next())
        };
        self.0.releases().iter().copied().find(|known| minor(*known) == minor(version))
    }
}

/// A release that loads estimators. A capability of its party.
#[derive(Clone, Debug)]
pub struct SklearnRelease {
    /// The version of the package.
    pub version: Version,
    /// The day of its upload.
    pub released: Date,
    /// What all releases have.
    pub names: Arc<SklearnNames>,
}

impl SklearnRelease {
    /// The release as one side of a check.
    pub fn party(&self) -> Party {
        Party::new(self.label(), Role::Runtime, "scikit-learn release")
            .from_origin(format!("released {}", self.released))
            .dated(self.released)
            .with_capability(Arc::new(self.clone()))
    }

    /// In words, for messages: `scikit-learn 1.5.2`.
    pub(crate) fn label(&self) -> String {
        format!("scikit-learn {}", self.version)
    }

    /// All releases of the database.
    pub(crate) fn all(&self) -> impl Iterator<Item = Self> + '_ {
        let one = |version: &Version| Self { version: *version, ..self.clone() };
        self.names.rows().releases().iter().map(one)
    }
}
