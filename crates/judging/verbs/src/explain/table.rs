//! All patterns there are: those of the rules, and those of errors without one.

use std::sync::LazyLock;

use unskew_error_texts::Pattern;
use unskew_tables::toml_table;

use super::{Cause, KnownError};

/// A pattern and what its words mean.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) pattern: Pattern,
    pub(super) cause: Cause,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    error: Vec<KnownError>,
}

static KNOWN: LazyLock<File> = LazyLock::new(|| toml_table!("data/error_texts.toml"));

static PATTERNS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    // The build of the rules and a test below refuse what is no pattern.
    let entry = |text: &str, cause| Some(Entry { pattern: Pattern::parse(text).ok()?, cause });
    let mut all = Vec::new();
    for rule in unskew_artifact::every_rule() {
        let lines = rule.error_texts.text().lines();
        all.extend(lines.filter_map(|text| entry(text, Cause::Rule(rule))));
    }
    for error in &KNOWN.error {
        all.extend(error.texts.iter().filter_map(|text| entry(text, Cause::Known(error))));
    }
    all
});

/// Every pattern, in the order of the codes of the rules.
pub(super) fn patterns() -> &'static [Entry] {
    &PATTERNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_a_pattern() {
        for text in KNOWN.error.iter().flat_map(|error| &error.texts) {
            Pattern::parse(text).unwrap_or_else(|error| panic!("{error}"));
        }
        for rule in unskew_artifact::every_rule() {
            for text in rule.error_texts.text().lines() {
                Pattern::parse(text).unwrap_or_else(|error| panic!("{}: {error}", rule.code));
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
