//! All patterns there are: those of the rules, and those of errors without one.

use std::sync::LazyLock;

use unskew_error_texts::ErrorPattern;
use unskew_tables::toml_table;

use super::{ErrorCause, KnownError};

/// A pattern and what its words mean.
#[derive(Debug)]
pub(super) struct ErrorEntry {
    pub(super) pattern: ErrorPattern,
    pub(super) cause: ErrorCause,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    error: Vec<KnownError>,
}

static KNOWN: LazyLock<File> = LazyLock::new(|| toml_table!("data/error_texts.toml"));

static PATTERNS: LazyLock<Vec<ErrorEntry>> = LazyLock::new(|| {
    // The build of the rules and a test below refuse what is no pattern.
    let entry =
        |text: &str, cause| Some(ErrorEntry { pattern: ErrorPattern::parse(text).ok()?, cause });
    let mut all = Vec::new();
    for rule in unskew_artifact::every_rule() {
        let lines = rule.error_texts.text().lines();
        all.extend(lines.filter_map(|text| entry(text, ErrorCause::Rule(rule))));
    }
    for error in &KNOWN.error {
        all.extend(error.texts.iter().filter_map(|text| entry(text, ErrorCause::Known(error))));
    }
    all
});

/// Every pattern, in the order of the codes of the rules.
pub(super) fn patterns() -> &'static [ErrorEntry] {
    &PATTERNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_a_pattern() {
        for text in KNOWN.error.iter().flat_map(|error| &error.texts) {
            ErrorPattern::parse(text).unwrap_or_else(|error| panic!("{error}"));
        }
        for rule in unskew_artifact::every_rule() {
            for text in rule.error_texts.text().lines() {
                ErrorPattern::parse(text).unwrap_or_else(|error| panic!("{}: {error}", rule.code));
            }
        }
    }

    #[test]
    fn an_error_has_its_words_once() {
        for error in &KNOWN.error {
            for (at, text) in error.texts.iter().enumerate() {
                assert!(!error.texts[..at].contains(text), "{text}");
            }
        }
    }
}
