//! The other side: a release of tokenizers.

use std::sync::Arc;

use unskew_core::{Date, Party, Role, Version};
use unskew_definitions::{DefinitionRowsError, Rows, RowsText, Runs};

use crate::component::{TokenizerComponent, TokenizerSection};

/// What was measured of all releases. A line is a component with the releases that know it, `Fuse(decoder)`; a field,
/// `decoder.CTC(field cleanup)`, or a name that the format gives, `pre_tokenizer.Split(value behavior=Removed)`; or what goes
/// wrong under a condition, with the releases in which it does: `model.BPE(fails: merges=pairs)`,
/// `model.BPE(ids: ignore_merges=true)`, `decoder.WordPiece(text: cleanup=true)`.
#[derive(Debug)]
pub struct TokenizersNames(Rows);

/// What goes wrong under a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasuredKind {
    /// The file is not loaded.
    Fails,
    /// A text becomes other ids than in the newest release.
    Ids,
    /// Ids become another text than in the newest release.
    Text,
}

impl TokenizersNames {
    /// The rows of a text.
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

    /// The releases that know a component; none if no release does.
    pub(crate) fn knowing(&self, kind: &str, section: TokenizerSection) -> Option<Runs> {
        let wanted = format!("{kind}({section})");
        let mut rows = self.0.named(kind);
        rows.find(|(text, _)| *text == wanted).and_then(|(_, runs)| runs.parse().ok())
    }

    /// What stands in parentheses behind `name`, with the releases.
    fn in_parentheses<'n>(&'n self, name: &'n str) -> impl Iterator<Item = (&'n str, &'n str)> {
        self.0.named(name).filter_map(move |(text, runs)| {
            let inner = text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
            Some((inner, runs))
        })
    }

    /// The fields of a component in any release.
    pub(crate) fn fields<'n>(&'n self, name: &'n str) -> Vec<&'n str> {
        self.in_parentheses(name).filter_map(|(inner, _)| inner.strip_prefix("field ")).collect()
    }

    /// The names that the format gives for a field; empty if it takes any text.
    pub(crate) fn values<'n>(&'n self, name: &'n str, field: &str) -> Vec<&'n str> {
        let value = |inner: &'n str| {
            let (known, value) = inner.strip_prefix("value ")?.split_once('=')?;
            (known == field).then_some(value)
        };
        self.in_parentheses(name).filter_map(|(inner, _)| value(inner)).collect()
    }

    /// What goes wrong with a component in a release: the kind and the condition.
    pub(crate) fn wrong<'n>(
        &'n self,
        name: &'n str,
        release: Version,
    ) -> impl Iterator<Item = (MeasuredKind, &'n str)> {
        let has = move |runs: &str| runs.parse().is_ok_and(|runs: Runs| runs.contains(release));
        self.in_parentheses(name).filter_map(move |(inner, runs)| {
            let (kind, condition) = inner.split_once(": ")?;
            let kind = match kind {
                "fails" => MeasuredKind::Fails,
                "ids" => MeasuredKind::Ids,
                "text" => MeasuredKind::Text,
                _ => return None,
            };
            has(runs).then_some((kind, condition))
        })
    }

    /// The name of a component in the rows: `decoder.Fuse`, `truncation`; `decoder.Other` for a type that no release has.
    pub(crate) fn name(&self, component: &TokenizerComponent) -> String {
        let TokenizerComponent { section, kind, .. } = component;
        match kind.is_empty() {
            true => section.to_string(),
            false if self.knowing(kind, *section).is_some() => format!("{section}.{kind}"),
            false => format!("{section}.Other"),
        }
    }
}

/// A release that loads `tokenizer.json`. A capability of its party.
#[derive(Clone, Debug)]
pub struct TokenizersRelease {
    /// The version of the package.
    pub version: Version,
    /// The day of its upload.
    pub released: Date,
    /// What was measured of all releases.
    pub names: Arc<TokenizersNames>,
}

impl TokenizersRelease {
    /// The release as one side of a check.
    pub fn party(&self) -> Party {
        Party::new(self.label(), Role::Runtime, "tokenizers release")
            .from_origin(format!("released {}", self.released))
            .dated(self.released)
            .with_capability(Arc::new(self.clone()))
    }

    /// In words, for messages: `tokenizers 0.19.1`.
    pub(crate) fn label(&self) -> String {
        format!("tokenizers {}", self.version)
    }

    /// The newest release of the database, against which ids and texts were compared.
    pub(crate) fn newest(&self) -> Version {
        self.names.rows().releases().last().copied().unwrap_or(self.version)
    }

    /// All releases of the database.
    pub(crate) fn all(&self) -> impl Iterator<Item = Self> + '_ {
        let one = |version: &Version| Self { version: *version, ..self.clone() };
        self.names.rows().releases().iter().map(one)
    }
}
