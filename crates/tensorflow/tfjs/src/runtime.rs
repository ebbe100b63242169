//! The other side: a release of TensorFlow.js.

use std::sync::Arc;

use unskew_core::{Date, Party, Phase, Role, Version};
use unskew_definitions::{DefinitionRowsError, Rows, RowsText, Runs};

/// The ops and classes of all releases: a line for each, such as `AddV2(op)`, `Dense(layer)` and `GlorotNormal(class)`.
#[derive(Debug)]
pub struct TfjsNames(Rows);

impl TfjsNames {
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

    /// The releases that have `name` as one of these kinds.
    fn runs(&self, name: &str, kinds: &[&str]) -> Vec<Runs> {
        let kind = |text: &str| {
            let kind = text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
            Some(kinds.contains(&kind))
        };
        let fits = self.0.named(name).filter(|(text, _)| kind(text) == Some(true));
        fits.filter_map(|(_, runs)| runs.parse().ok()).collect()
    }
}

/// A release that loads models. A capability of its party.
#[derive(Clone, Debug)]
pub struct TfjsRelease {
    /// The version of the package `@tensorflow/tfjs`.
    pub version: Version,
    /// The day of its release.
    pub released: Date,
    /// When a graph with an op that it does not have fails.
    pub unknown: Phase,
    /// The types of weights that it reads: `float32`.
    pub weights: Vec<String>,
    /// The types in which it reads packed weights: `uint8`.
    pub quantized: Vec<String>,
    /// The ops and classes of all releases.
    pub names: Arc<TfjsNames>,
}

impl TfjsRelease {
    /// The release as one side of a check.
    pub fn party(&self) -> Party {
        Party::new(format!("tfjs {}", self.version), Role::Runtime, "TensorFlow.js release")
            .from_origin(format!("released {}", self.released))
            .dated(self.released)
            .with_capability(Arc::new(self.clone()))
    }

    /// Whether a graph may have this op.
    pub fn has_op(&self, op: &str) -> bool {
        self.has(op, &["op"])
    }

    /// Whether a configuration may name this class.
    pub fn has_class(&self, name: &str) -> bool {
        self.has(name, &["layer", "class"])
    }

    fn has(&self, name: &str, kinds: &[&str]) -> bool {
        self.names.runs(name, kinds).iter().any(|runs| runs.contains(self.version))
    }

    /// Which releases have what this one lacks, in words.
    pub(crate) fn elsewhere(&self, name: &str, kinds: &[&str]) -> String {
        let runs = self.names.runs(name, kinds);
        let first = runs.iter().filter_map(|runs| runs.iter().next().map(|run| run.since)).min();
        match first {
            Some(first) if first > self.version => format!("{first} is the first that does"),
            Some(_) => "an older one did".to_owned(),
            None => "no release does".to_owned(),
        }
    }
}
