//! What words can mean.

use serde::Deserialize;
use unskew_core::Rule;

use super::NextVerb;

/// One meaning of words that a runtime prints.
#[derive(Clone, Copy, Debug)]
pub enum ErrorCause {
    /// What a rule is about.
    Rule(&'static Rule),
    /// An error that has no rule yet.
    Known(&'static KnownError),
}

/// An error that has no rule, and which verb looks at it further: an entry of `data/error_texts.toml`.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownError {
    /// What it means, in one sentence.
    pub about: String,
    /// The verb that looks further.
    pub next: NextVerb,
    /// What stands for a file in the command; empty for an environment.
    #[serde(default)]
    pub kind: String,
    /// One edit or command.
    pub fix: String,
    /// The patterns of what is printed.
    pub texts: Vec<String>,
}

/// What a text means that is not a version problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherTrouble {
    /// What it means.
    pub about: String,
    /// What fixes it.
    pub fix: String,
    /// The code of the rule that says more, if one does.
    pub code: Option<&'static str>,
}

impl ErrorCause {
    /// The rule, if it is one.
    pub fn rule(&self) -> Option<&'static Rule> {
        match self {
            Self::Rule(rule) => Some(rule),
            Self::Known(_) => None,
        }
    }

    /// What it means, in one sentence.
    pub fn about(&self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.summary,
            Self::Known(error) => &error.about,
        }
    }

    /// What fixes it.
    pub fn fix(&self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.fix,
            Self::Known(error) => &error.fix,
        }
    }
}

impl PartialEq for ErrorCause {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rule(one), Self::Rule(other)) => one.code == other.code,
            (Self::Known(one), Self::Known(other)) => one.about == other.about,
            _ => false,
        }
    }
}

/// A fix with values for its words in capitals: `Install jaxlib JAX.` names the version of the text.
pub(super) fn filled(fix: &str, values: &[(String, String)]) -> String {
    let mut filled = String::with_capacity(fix.len());
    let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    for piece in fix.split_inclusive(|letter| !is_of_word(letter)) {
        let (word, end) = match piece.char_indices().last() {
            Some((at, letter)) if !is_of_word(letter) => piece.split_at(at),
            _ => (piece, ""),
        };
        let value = values.iter().find(|(name, _)| name.to_ascii_uppercase() == word);
        filled.push_str(value.map_or(word, |(_, value)| value));
        filled.push_str(end);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn words_in_capitals_are_filled_in() {
        let values = [("jax".to_owned(), "0.4.20".to_owned())];
        assert_eq!(filled("Install jaxlib JAX.", &values), "Install jaxlib 0.4.20.");
        assert_eq!(filled("JAX or JAXLIB, `JAX`", &values), "0.4.20 or JAXLIB, `0.4.20`");
    }
}
