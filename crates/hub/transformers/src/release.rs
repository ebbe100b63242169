//! The other side: a release of transformers.

use std::sync::Arc;

use unskew_core::{Date, Party, Role, Version};
use unskew_tokenizers::TokenizersNames;

use crate::KnownNames;

/// A release that loads model folders. A capability of its party.
#[derive(Clone, Debug)]
pub struct TransformersRelease {
    /// The version of the package.
    pub version: Version,
    /// The day of its upload.
    pub released: Date,
    /// What all releases know.
    pub names: Arc<KnownNames>,
    /// What was measured of the releases of tokenizers, of which it accepts a range; none where that is not known.
    pub tokenizers: Option<Arc<TokenizersNames>>,
}

impl TransformersRelease {
    /// The release as one side of a check.
    pub fn party(&self) -> Party {
        Party::new(self.label(), Role::Runtime, "transformers release")
            .from_origin(format!("released {}", self.released))
            .dated(self.released)
            .with_capability(Arc::new(self.clone()))
    }

    /// In words, for messages: `transformers 4.57.6`.
    pub(crate) fn label(&self) -> String {
        format!("transformers {}", self.version)
    }

    /// Whether it knows `name` as something of this kind.
    pub(crate) fn knows(&self, name: &str, kind: &str) -> bool {
        self.names.knows(name, kind, self.version)
    }

    /// Whether any release knows `name` as something of this kind.
    pub(crate) fn is_known_to_any(&self, name: &str, kind: &str) -> bool {
        let is = |text: &str| {
            let rest = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('('));
            rest.and_then(|rest| rest.strip_suffix(')')) == Some(kind)
        };
        self.names.rows().named(name).any(|(text, _)| is(text))
    }

    /// Whether its code does this: see `FEATURES` of the probe.
    pub(crate) fn does(&self, feature: &str) -> bool {
        self.knows(feature, "feature")
    }

    /// The `rope_theta` of models of this type whose configuration has none; none if the release has no such number.
    pub(crate) fn default_theta(&self, model_type: &str) -> Option<f64> {
        let module = module_of(model_type);
        let mut kinds = self.names.kinds(&module, self.version);
        kinds.find_map(|kind| kind.strip_prefix("theta ")?.parse().ok())
    }

    /// The versions of the package tokenizers that it accepts: `>=0.22.0,<=0.23.0`.
    pub(crate) fn wanted_tokenizers(&self) -> Option<&str> {
        self.names.accepted_versions("tokenizers", self.version)
    }

    /// Whether it refuses a `rope_scaling` of other than two fields for models of this type.
    pub(crate) fn wants_two_fields(&self, model_type: &str) -> bool {
        self.knows(&module_of(model_type), "two-fields")
    }

    /// All releases of the database.
    pub(crate) fn all(&self) -> impl Iterator<Item = Self> + '_ {
        let one = |version: &Version| Self { version: *version, ..self.clone() };
        self.names.rows().releases().iter().map(one)
    }
}

/// The module in which the configuration of a model type stands: `gpt-sw3` is in `gpt_sw3`.
fn module_of(model_type: &str) -> String {
    model_type.replace('-', "_")
}
