//! The other side: a release of llama.cpp, or of a package that has one inside.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use unskew_core::{Date, Party, Role, Version};
use unskew_definitions::{DefinitionRowsError, Rows, RowsText, Runs};

/// What all releases of a family know: a line for each, such as `qwen3(architecture)`, `Q4_0_4_4(type)` and
/// `attention.head_count(key of bert)`.
#[derive(Debug)]
pub struct LlamaNames {
    rows: Rows,
    /// The rows as they are looked up, read at the first question: a fix asks for every release.
    read: OnceLock<ReadNames>,
}

#[derive(Debug, Default)]
struct ReadNames {
    /// The releases of a row by its whole text.
    runs: HashMap<String, Runs>,
    /// Keys that are demanded, by the architecture; those of every model under an empty name.
    demanded: HashMap<String, Vec<(String, Runs)>>,
}

impl LlamaNames {
    /// The names of a text.
    ///
    /// # Errors
    /// If its first line does not name the releases.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        Ok(Self { rows: Rows::from_text(text)?, read: OnceLock::new() })
    }

    /// Every row, as it is stored.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    fn read(&self) -> &ReadNames {
        self.read.get_or_init(|| {
            let mut read = ReadNames::default();
            for (text, runs) in self.rows.iter() {
                let Ok(runs) = runs.parse::<Runs>() else { continue };
                if let Some((key, kind)) =
                    text.strip_suffix(')').and_then(|text| text.split_once('('))
                    && let Some(architecture) = kind.strip_prefix("key")
                {
                    let architecture = architecture.strip_prefix(" of ").unwrap_or_default();
                    let keys = read.demanded.entry(architecture.to_owned()).or_default();
                    keys.push((key.to_owned(), runs.clone()));
                }
                read.runs.insert(text.to_owned(), runs);
            }
            read
        })
    }

    /// The releases that know `name` as something of this kind.
    fn runs(&self, name: &str, kind: &str) -> Option<&Runs> {
        self.read().runs.get(&format!("{name}({kind})"))
    }

    /// The keys that any release demands of models of `architecture`, with the releases that do.
    fn demanded(&self, architecture: &str) -> impl Iterator<Item = (String, &Runs)> {
        let of = |name: &str| self.read().demanded.get(name).into_iter().flatten();
        let own = (!architecture.is_empty()).then(|| of(architecture)).into_iter().flatten();
        of("").chain(own).map(move |(key, runs)| {
            // Keys of the tokenizer stand alone, all others behind the architecture.
            let whole = match key.starts_with("tokenizer.") {
                true => key.clone(),
                false => format!("{architecture}.{key}"),
            };
            (whole, runs)
        })
    }
}

/// Whose releases they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LlamaFamily {
    /// llama.cpp itself, by the number of the build: `b3889`.
    LlamaCpp,
    /// The package for Python, by its own version.
    LlamaCppPython,
}

impl LlamaFamily {
    /// The name of the family.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LlamaCpp => "llama.cpp",
            Self::LlamaCppPython => "llama-cpp-python",
        }
    }

    /// A version as its makers write it.
    pub fn version(self, version: impl fmt::Display) -> String {
        match self {
            Self::LlamaCpp => format!("b{version}"),
            Self::LlamaCppPython => version.to_string(),
        }
    }
}

/// What follows a release that has no sources of its own in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextRelease {
    /// The next one that has: what both know or lack, those between do too.
    Known(Version),
    /// None that is known: what the last one knows, a later one does too, and of the rest nothing is known.
    Unknown,
}

/// A release that loads models. A capability of its party.
#[derive(Clone, Debug)]
pub struct LlamaRelease {
    /// Whose release it is.
    pub family: LlamaFamily,
    /// The release whose sources were read: its own, or the last one before it.
    pub version: Version,
    /// The release behind it, if these are not its own sources.
    pub next: Option<NextRelease>,
    /// The day of the release.
    pub released: Date,
    /// What all releases know.
    pub names: Arc<LlamaNames>,
}

impl LlamaRelease {
    /// The release as one side of a check.
    pub fn party(&self) -> Party {
        let name = format!("{} {}", self.family.as_str(), self.family.version(self.version));
        Party::new(name, Role::Runtime, format!("{} release", self.family.as_str()))
            .from_origin(format!("released {}", self.released))
            .dated(self.released)
            .with_capability(Arc::new(self.clone()))
    }

    /// In words, for messages: `llama.cpp b3889`; of a release between two others `llama.cpp b3889 to b3995`.
    pub(crate) fn label(&self) -> String {
        let version = self.family.version(self.version);
        match self.next {
            Some(NextRelease::Known(next)) => {
                format!("{} {version} to {}", self.family.as_str(), self.family.version(next))
            }
            _ => format!("{} {version}", self.family.as_str()),
        }
    }

    fn holds(&self, runs: Option<&Runs>) -> Option<bool> {
        let has = |version| runs.is_some_and(|runs| runs.contains(version));
        match self.next {
            None => Some(has(self.version)),
            Some(NextRelease::Known(next)) => {
                Some(has(self.version)).filter(|known| *known == has(next))
            }
            Some(NextRelease::Unknown) => Some(true).filter(|_| has(self.version)),
        }
    }

    /// Whether it knows `name` as something of this kind; none if that cannot be told.
    pub(crate) fn knows(&self, name: &str, kind: &str) -> Option<bool> {
        self.holds(self.names.runs(name, kind))
    }

    /// Whether its sources have this check or habit; none if that cannot be told.
    pub(crate) fn checks(&self, name: &str) -> Option<bool> {
        self.knows(name, "check")
    }

    /// The keys that it demands of models of `architecture`; none for those of which that cannot be told.
    pub(crate) fn demands(&self, architecture: &str) -> Vec<(String, Option<bool>)> {
        let held = |(key, runs)| (key, self.holds(Some(runs)));
        self.names.demanded(architecture).map(held).collect()
    }

    /// All releases of the family of which there are sources.
    pub(crate) fn all(&self) -> impl Iterator<Item = Self> + '_ {
        let one = |version: &Version| Self { version: *version, next: None, ..self.clone() };
        self.names.rows().releases().iter().map(one)
    }
}
