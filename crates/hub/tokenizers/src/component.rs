//! Components: the objects with a type that a tokenizer is made of.

use std::fmt;

use serde_json::{Map, Value};

/// A part of the file, by its name in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenizerSection {
    /// The object itself.
    Top,
    /// `truncation`.
    Truncation,
    /// `padding`.
    Padding,
    /// One of `added_tokens`.
    AddedToken,
    /// `normalizer`.
    Normalizer,
    /// `pre_tokenizer`.
    PreTokenizer,
    /// `post_processor`.
    PostProcessor,
    /// `decoder`.
    Decoder,
    /// `model`.
    Model,
}

impl TokenizerSection {
    /// Those that hold a component with a type, or a sequence of some.
    pub(crate) const TYPED: [Self; 4] =
        [Self::Normalizer, Self::PreTokenizer, Self::PostProcessor, Self::Decoder];

    /// Its name in the database, and its key in the file where there is one.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Truncation => "truncation",
            Self::Padding => "padding",
            Self::AddedToken => "added_token",
            Self::Normalizer => "normalizer",
            Self::PreTokenizer => "pre_tokenizer",
            Self::PostProcessor => "post_processor",
            Self::Decoder => "decoder",
            Self::Model => "model",
        }
    }

    /// In words, for messages.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Self::Top => "file",
            Self::AddedToken => "added token",
            Self::PreTokenizer => "pre-tokenizer",
            Self::PostProcessor => "post-processor",
            other => other.as_str(),
        }
    }

    /// The field of a `Sequence` that has its members.
    pub(crate) const fn members(self) -> Option<&'static str> {
        match self {
            Self::Normalizer => Some("normalizers"),
            Self::PreTokenizer => Some("pretokenizers"),
            Self::PostProcessor => Some("processors"),
            Self::Decoder => Some("decoders"),
            _ => None,
        }
    }
}

impl fmt::Display for TokenizerSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One component of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenizerComponent {
    /// The part of the file that it belongs to.
    pub section: TokenizerSection,
    /// Its type: `Metaspace`. Empty for what has none: truncation, padding, added tokens.
    pub kind: String,
    /// Where it stands: `pre_tokenizer, pretokenizers[1]`.
    pub place: String,
    /// Its fields. Of a model, a text that describes it stands in place of the vocabulary and of the merges.
    pub fields: Map<String, Value>,
}

impl TokenizerComponent {
    /// In words, for messages: `pre-tokenizer Metaspace`.
    pub(crate) fn in_words(&self) -> String {
        match self.kind.is_empty() {
            true => self.section.in_words().to_owned(),
            false => format!("{} {}", self.section.in_words(), self.kind),
        }
    }

    /// Whether it should have a type and has none.
    pub(crate) fn is_untyped(&self) -> bool {
        self.kind.is_empty()
            && (TokenizerSection::TYPED.contains(&self.section)
                || self.section == TokenizerSection::Model)
    }
}

/// The type of a component; empty if it has none.
pub(crate) fn kind(fields: &Map<String, Value>) -> String {
    /// Longer than any name of a type, and short enough for a message.
    const LONGEST: usize = 100;
    let named = fields.get("type").and_then(Value::as_str).unwrap_or_default();
    named.chars().take(LONGEST).collect()
}
