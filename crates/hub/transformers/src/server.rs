//! Another other side: a release of a server of language models, which loads the same folders with code of its own.

use std::sync::Arc;

use unskew_core::{Date, Party, Role, Version};

use crate::KnownNames;
use crate::known_names::releases_in;

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
    pub names: Arc<KnownNames>,
    /// What the releases of transformers know, of which it accepts a range; none where that is not known.
    pub transformers: Option<Arc<KnownNames>>,
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
        self.names.knows(name, kind, self.version)
    }

    /// Whether it has a table of methods of quantization.
    pub(crate) fn lists_quantizations(&self) -> bool {
        self.names.rows().definitions_of(self.version).any(|one| one.ends_with("(quantization)"))
    }

    /// The releases of transformers that it declares to accept, as it writes them; none if it declares nothing.
    pub(crate) fn accepted_text(&self) -> Option<&str> {
        self.names.accepted_versions("transformers", self.version)
    }

    /// The releases of transformers in the database that it accepts, the oldest first.
    pub(crate) fn accepted(&self) -> Vec<Version> {
        let (Some(names), Some(range)) = (&self.transformers, self.accepted_text()) else {
            return Vec::new();
        };
        releases_in(range, names.rows().releases()).collect()
    }

    /// All releases of the server in the database.
    pub(crate) fn all(&self) -> impl Iterator<Item = Self> + '_ {
        let one = |version: &Version| Self { version: *version, ..self.clone() };
        self.names.rows().releases().iter().map(one)
    }
}
