//! Another other side: a release of a server of language models, which loads the same folders with code of its own.

use std::str::FromStr as _;
use std::sync::Arc;

use pep440_rs::VersionSpecifiers;
use unskew_core::{Date, Party, Role, Version};
use unskew_definitions::{DefinitionRowsError, Rows, RowsText, Runs};

use crate::TransformersNames;

/// Which server it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKind {
    /// vLLM.
    Vllm,
    /// SGLang.
    Sglang,
}

impl ServerKind {
    /// As the package is called.
    pub fn package(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
        }
    }
}

/// What all releases of a server know: a line for each, such as `Qwen3ForCausalLM(architecture)`, `gptq(quantization)`,
/// `transformers-fallback(feature)`, `transformers(requires >=4.51.1)`.
#[derive(Debug)]
pub struct ServerNames(Rows);

impl ServerNames {
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
}

/// A release that serves model folders. A capability of its party.
#[derive(Clone, Debug)]
pub struct ServerRelease {
    /// Which server.
    pub kind: ServerKind,
    /// The version of the package.
    pub version: Version,
    /// The day of its upload.
    pub released: Date,
    /// What all releases know.
    pub names: Arc<ServerNames>,
    /// What the releases of transformers know, of which it accepts a range; none where that is not known.
    pub transformers: Option<Arc<TransformersNames>>,
}

impl ServerRelease {
    /// The release as one side of a check.
    pub fn party(&self) -> Party {
        Party::new(self.label(), Role::Runtime, "server of language models")
            .from_origin(format!("released {}", self.released))
            .dated(self.released)
            .with_capability(Arc::new(self.clone()))
    }

    /// In words, for messages: `vLLM 0.8.5`.
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.kind.title(), self.version)
    }

    /// Whether it knows `name` as something of this kind: `architecture`, `quantization`, `feature`.
    pub(crate) fn knows(&self, name: &str, kind: &str) -> bool {
        self.texts(name).any(|text| text == kind)
    }

    /// Whether it has a table of methods of quantization.
    pub(crate) fn lists_quantizations(&self) -> bool {
        self.names.0.definitions_of(self.version).any(|one| one.ends_with("(quantization)"))
    }

    /// The releases of transformers that it declares to accept, as it writes them; none if it declares nothing.
    pub(crate) fn accepted_text(&self) -> Option<&str> {
        self.texts("transformers").find_map(|text| text.strip_prefix("requires "))
    }

    /// The releases of transformers in the database that it accepts, the oldest first.
    pub(crate) fn accepted(&self) -> Vec<Version> {
        let Some(names) = &self.transformers else { return Vec::new() };
        let Some(Ok(range)) = self.accepted_text().map(VersionSpecifiers::from_str) else {
            return Vec::new();
        };
        let is_accepted = |version: &Version| {
            let version = pep440_rs::Version::from_str(&version.to_string());
            version.is_ok_and(|version| range.contains(&version))
        };
        names.rows().releases().iter().copied().filter(is_accepted).collect()
    }

    /// All releases of the server in the database.
    pub(crate) fn all(&self) -> impl Iterator<Item = Self> + '_ {
        let one = |version: &Version| Self { version: *version, ..self.clone() };
        self.names.0.releases().iter().map(one)
    }

    /// What the release has of this name.
    fn texts<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n str> {
        let has = |runs: &str| runs.parse().is_ok_and(|runs: Runs| runs.contains(self.version));
        self.names.0.named(name).filter(move |(_, runs)| has(runs)).filter_map(move |(text, _)| {
            text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')
        })
    }
}
