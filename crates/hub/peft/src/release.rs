//! The other side: a release of PEFT.

use std::sync::Arc;

use serde_json::Value;
use unskew_core::{Date, Party, Role, Version};
use unskew_definitions::{DefinitionRowsError, Rows, RowsText, Runs};

/// The row that says what becomes of fields that a type does not have.
const UNKNOWN: &str = "unknown-fields";

/// What was measured of all releases. A line is a type with the releases that know it, `LORA(type)`; a field with its default,
/// `LORA(field r = 8)`; a value that is refused, `ADALORA(fails total_step=null)`, or a field that is demanded,
/// `OFT(fails -oft_block_size)`; or what becomes of a field that the type does not have: `unknown-fields(refused)`.
#[derive(Debug)]
pub struct PeftNames(Rows);

/// What a release does with a field that the type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownFields {
    /// It passes it over.
    Ignored,
    /// It raises an error.
    Refused,
    /// It prints a warning and passes it over.
    Warned,
    /// The same; and `PeftConfig.from_pretrained` then passes over every field that is not common to all types.
    AllLost,
}

impl PeftNames {
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

    /// What stands in parentheses behind `name`, with the releases.
    fn in_parentheses<'n>(&'n self, name: &'n str) -> impl Iterator<Item = (&'n str, Runs)> {
        self.0.named(name).filter_map(move |(text, runs)| {
            let inner = text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
            Some((inner, runs.parse().ok()?))
        })
    }
}

/// A release that loads adapters. A capability of its party.
#[derive(Clone, Debug)]
pub struct PeftRelease {
    /// The version of the package.
    pub version: Version,
    /// The day of its upload.
    pub released: Date,
    /// What was measured of all releases.
    pub names: Arc<PeftNames>,
}

impl PeftRelease {
    /// The release as one side of a check.
    pub fn party(&self) -> Party {
        Party::new(self.label(), Role::Runtime, "PEFT release")
            .from_origin(format!("released {}", self.released))
            .dated(self.released)
            .with_capability(Arc::new(self.clone()))
    }

    /// In words, for messages: `PEFT 0.8.2`.
    pub(crate) fn label(&self) -> String {
        format!("PEFT {}", self.version)
    }

    /// What stands behind `name` of this release.
    fn own<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n str> {
        let rows = self.names.in_parentheses(name);
        rows.filter(|(_, runs)| runs.contains(self.version)).map(|(inner, _)| inner)
    }

    /// Whether it knows a type.
    pub(crate) fn knows(&self, peft_type: &str) -> bool {
        self.own(peft_type).any(|inner| inner == "type")
    }

    /// Whether a type has a field.
    pub(crate) fn has_field(&self, peft_type: &str, field: &str) -> bool {
        self.own(peft_type).any(|inner| named_field(inner).is_some_and(|(name, _)| name == field))
    }

    /// The defaults of a field in the releases that have it: mostly one; empty if no release has it.
    pub(crate) fn defaults(&self, peft_type: &str, field: &str) -> Vec<Value> {
        let rows = self.names.in_parentheses(peft_type);
        rows.filter_map(|(inner, _)| {
            let (name, default) = named_field(inner)?;
            (name == field).then(|| serde_json::from_str(default).ok())?
        })
        .collect()
    }

    /// The values that it refuses of a type: `total_step=null`, `-oft_block_size`.
    pub(crate) fn refused<'n>(&'n self, peft_type: &'n str) -> impl Iterator<Item = &'n str> {
        self.own(peft_type).filter_map(|inner| inner.strip_prefix("fails "))
    }

    /// What it does with a field that the type does not have; none where that was not measured.
    pub(crate) fn unknown_fields(&self) -> Option<UnknownFields> {
        match self.own(UNKNOWN).next()? {
            "ignored" => Some(UnknownFields::Ignored),
            "refused" => Some(UnknownFields::Refused),
            "warned" => Some(UnknownFields::Warned),
            "all lost" => Some(UnknownFields::AllLost),
            _ => None,
        }
    }

    /// All releases of the database.
    pub(crate) fn all(&self) -> impl Iterator<Item = Self> + '_ {
        let one = |version: &Version| Self { version: *version, ..self.clone() };
        self.names.rows().releases().iter().map(one)
    }
}

/// `field r = 8` as the name and the default.
fn named_field(inner: &str) -> Option<(&str, &str)> {
    inner.strip_prefix("field ")?.split_once(" = ")
}
