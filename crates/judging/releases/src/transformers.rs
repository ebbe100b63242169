//! The releases of transformers: `data/transformers`.

use std::sync::{Arc, LazyLock};

use unskew_core::{Fact, Party, Role};
use unskew_definitions::Rows;
use unskew_tables::{packed_rows, toml_as_json};
use unskew_transformers::{KnownNames, TransformersRelease};

use crate::{ReleaseRow, embedded, tokenizers};

static NAMES: LazyLock<Option<Arc<KnownNames>>> = LazyLock::new(|| {
    embedded::rows(KnownNames::from_text(packed_rows!("data/transformers/names.tsv")))
});

static ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| embedded::release_rows(toml_as_json!("data/transformers/releases.toml")));

/// Every release, oldest first.
pub(crate) fn rows() -> &'static [ReleaseRow] {
    &ROWS
}

/// What all releases know; none if the table cannot be read.
pub(crate) fn names() -> Option<&'static Arc<KnownNames>> {
    NAMES.as_ref()
}

/// What every release knows as one history.
pub(crate) fn history() -> Option<&'static Rows> {
    NAMES.as_deref().map(KnownNames::rows)
}

/// How many types of models and methods of quantization a release knows.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let Some(history) = history() else { return Vec::new() };
    let definitions: Vec<&str> = history.definitions_of(row.version).collect();
    let counted = |label: &str, kind: &str| {
        let count = definitions.iter().filter(|one| one.ends_with(kind)).count();
        Fact { label: label.to_owned(), value: count.to_string() }
    };
    vec![
        counted("model types", "(model)"),
        counted("classes", "(class)"),
        counted("methods of quantization", "(quantization)"),
        counted("types of rope", "(rope)"),
    ]
}

/// The release of `row` as a party.
pub(crate) fn party(row: &ReleaseRow) -> Party {
    match &*NAMES {
        Some(names) => TransformersRelease {
            version: row.version,
            released: row.released,
            names: names.clone(),
            tokenizers: tokenizers::names().cloned(),
        }
        .party(),
        None => Party::new(
            format!("transformers {}", row.version),
            Role::Runtime,
            "transformers release",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_names_and_every_line_is_read() {
        let history = history().unwrap();
        let kinds = ["model", "class", "quantization", "rope", "two-fields", "feature"];
        let parse = |text: &str| {
            let kind = text.split_once('(').and_then(|(_, kind)| kind.strip_suffix(')'));
            let is_theta = |kind: &str| {
                kind.strip_prefix("theta ").is_some_and(|theta| theta.parse::<f64>().is_ok())
            };
            let is_kind = kind.is_some_and(|kind| {
                kinds.contains(&kind) || is_theta(kind) || kind.starts_with("requires ")
            });
            is_kind.then_some(()).ok_or("no kind".into())
        };
        history.validate(parse).unwrap();
        let versions: Vec<_> = rows().iter().map(|row| row.version).collect();
        assert_eq!(versions, history.releases());
    }
}
