//! The releases of tokenizers: `data/tokenizers`.

use std::sync::{Arc, LazyLock};

use unskew_core::{Fact, Party, Role};
use unskew_definitions::Rows;
use unskew_tables::{packed_rows, toml_as_json};
use unskew_tokenizers::{TokenizersNames, TokenizersRelease};

use crate::{ReleaseRow, embedded};

static NAMES: LazyLock<Option<Arc<TokenizersNames>>> = LazyLock::new(|| {
    embedded::rows(TokenizersNames::from_text(packed_rows!("data/tokenizers/names.tsv")))
});

static ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| embedded::release_rows(toml_as_json!("data/tokenizers/releases.toml")));

/// What was measured of all releases, for whoever judges by a range of them.
pub(crate) fn names() -> Option<&'static Arc<TokenizersNames>> {
    NAMES.as_ref()
}

/// Every release, oldest first.
pub(crate) fn rows() -> &'static [ReleaseRow] {
    &ROWS
}

/// What was measured of every release as one history.
pub(crate) fn history() -> Option<&'static Rows> {
    NAMES.as_deref().map(TokenizersNames::rows)
}

/// How many types of components a release knows.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let Some(history) = history() else { return Vec::new() };
    let sections = ["normalizer", "pre_tokenizer", "post_processor", "decoder", "model"];
    let is_type = |one: &&str| {
        let section = one.split_once('(').and_then(|(_, section)| section.strip_suffix(')'));
        section.is_some_and(|section| sections.contains(&section))
    };
    let count = history.definitions_of(row.version).filter(is_type).count();
    vec![Fact { label: "types of components".to_owned(), value: count.to_string() }]
}

/// The release of `row` as a party.
pub(crate) fn party(row: &ReleaseRow) -> Party {
    match names() {
        Some(names) => {
            TokenizersRelease { version: row.version, released: row.released, names: names.clone() }
                .party()
        }
        None => {
            Party::new(format!("tokenizers {}", row.version), Role::Runtime, "tokenizers release")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_names_and_every_line_is_read() {
        let history = history().unwrap();
        let parse = |text: &str| {
            let inner = text.split_once('(').and_then(|(_, inner)| inner.strip_suffix(')'));
            let is_read = inner.is_some_and(|inner| match inner.split_once(' ') {
                None => true,
                Some(("field" | "fails:" | "ids:" | "text:", rest)) => !rest.is_empty(),
                Some(("value", rest)) => rest.contains('='),
                Some(_) => false,
            });
            is_read.then_some(()).ok_or("neither a type, nor a field, nor a condition".into())
        };
        history.validate(parse).unwrap();
        let versions: Vec<_> = rows().iter().map(|row| row.version).collect();
        assert_eq!(versions, history.releases());
    }
}
