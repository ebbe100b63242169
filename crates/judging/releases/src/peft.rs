//! The releases of PEFT: `data/peft`.

use std::sync::{Arc, LazyLock};

use unskew_core::{Fact, Party, Role};
use unskew_definitions::Rows;
use unskew_peft::{PeftNames, PeftRelease};
use unskew_tables::{packed_rows, toml_as_json};

use crate::{ReleaseRow, embedded};

static NAMES: LazyLock<Option<Arc<PeftNames>>> =
    LazyLock::new(|| embedded::rows(PeftNames::from_text(packed_rows!("data/peft/names.tsv"))));

static ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| embedded::release_rows(toml_as_json!("data/peft/releases.toml")));

/// Every release, oldest first.
pub(crate) fn rows() -> &'static [ReleaseRow] {
    &ROWS
}

/// What was measured of every release as one history.
pub(crate) fn history() -> Option<&'static Rows> {
    NAMES.as_deref().map(PeftNames::rows)
}

/// How many types of adapters a release knows.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let Some(history) = history() else { return Vec::new() };
    let count = history.definitions_of(row.version).filter(|one| one.ends_with("(type)")).count();
    vec![Fact { label: "types of adapters".to_owned(), value: count.to_string() }]
}

/// The release of `row` as a party.
pub(crate) fn party(row: &ReleaseRow) -> Party {
    match &*NAMES {
        Some(names) => {
            PeftRelease { version: row.version, released: row.released, names: names.clone() }
                .party()
        }
        None => Party::new(format!("PEFT {}", row.version), Role::Runtime, "PEFT release"),
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
                Some(("field", rest)) => rest.contains(" = "),
                Some(("fails", rest)) => rest.starts_with('-') || rest.ends_with("=null"),
                _ => ["type", "ignored", "refused", "warned", "all lost"].contains(&inner),
            });
            is_read.then_some(()).ok_or("neither a type, nor a field, nor a value".into())
        };
        history.validate(parse).unwrap();
        let versions: Vec<_> = rows().iter().map(|row| row.version).collect();
        assert_eq!(versions, history.releases());
    }
}
