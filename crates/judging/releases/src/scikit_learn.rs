//! The releases of scikit-learn: `data/scikit-learn`.

use std::sync::{Arc, LazyLock};

use unskew_core::{Fact, Party, Role};
use unskew_definitions::Rows;
use unskew_scikit_learn::{SklearnNames, SklearnRelease};
use unskew_tables::{packed_rows, toml_as_json};

use crate::{ReleaseRow, embedded};

static NAMES: LazyLock<Option<Arc<SklearnNames>>> = LazyLock::new(|| {
    embedded::rows(SklearnNames::from_text(packed_rows!("data/scikit-learn/names.tsv")))
});

static ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| embedded::release_rows(toml_as_json!("data/scikit-learn/releases.toml")));

/// Every release, oldest first.
pub(crate) fn rows() -> &'static [ReleaseRow] {
    &ROWS
}

/// What every release has as one history.
pub(crate) fn history() -> Option<&'static Rows> {
    NAMES.as_deref().map(SklearnNames::rows)
}

/// How many classes and functions a release has.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let Some(history) = history() else { return Vec::new() };
    let names = history.definitions_of(row.version).filter(|one| !one.contains("(trouble "));
    vec![Fact { label: "classes and functions".to_owned(), value: names.count().to_string() }]
}

/// The release of `row` as a party.
pub(crate) fn party(row: &ReleaseRow) -> Party {
    match &*NAMES {
        Some(names) => {
            SklearnRelease { version: row.version, released: row.released, names: names.clone() }
                .party()
        }
        None => Party::new(
            format!("scikit-learn {}", row.version),
            Role::Runtime,
            "scikit-learn release",
        ),
    }
}

#[cfg(test)]
mod tests {
    use unskew_scikit_learn::MeasuredTrouble;

    use super::*;

    #[test]
    fn every_row_has_its_names_and_every_line_is_read() {
        let history = history().unwrap();
        let parse = |text: &str| {
            let is_read = match text.contains("(trouble ") {
                true => MeasuredTrouble::from_row(text, "0.22.2").is_some(),
                false => {
                    text.split_once("(sklearn").is_some_and(|(_, module)| module.ends_with(')'))
                }
            };
            is_read.then_some(()).ok_or("neither a name nor a trouble".into())
        };
        history.validate(parse).unwrap();
        let versions: Vec<_> = rows().iter().map(|row| row.version).collect();
        assert_eq!(versions, history.releases());
    }
}
