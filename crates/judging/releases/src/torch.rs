//! The PyTorch releases: `data/torch/releases.toml` and `data/torch/operators.tsv`.

use std::sync::{Arc, LazyLock};

use unskew_core::{Fact, Party};
use unskew_tables::{packed_rows, toml_as_json};
use unskew_torch::{ReleaseCalendar, TorchRelease, TorchRuntime};
use unskew_torch_schemas::OperatorHistory;

use crate::{ReleaseRow, embedded};

/// The numbers of every release. The file is part of the program and read by a test, so a fault in
/// it cannot reach a user; it would leave no releases.
static CALENDAR: LazyLock<Arc<ReleaseCalendar>> =
    LazyLock::new(|| Arc::new(embedded::table(toml_as_json!("data/torch/releases.toml"))));

/// The operators of every release, of which a line is read only when its operator is asked for.
static OPERATORS: LazyLock<Option<Arc<OperatorHistory>>> = LazyLock::new(|| {
    embedded::rows(OperatorHistory::from_text(packed_rows!("data/torch/operators.tsv")))
});

static ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| CALENDAR.releases().iter().map(row).collect());

fn row(release: &TorchRelease) -> ReleaseRow {
    ReleaseRow { version: release.version, released: release.released }
}

/// The versions of a release, in words.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let fact = |label: &str, value: String| Fact { label: label.to_owned(), value };
    let Some(release) = CALENDAR.releases().iter().find(|one| one.version == row.version) else {
        return Vec::new();
    };
    let mut axes = vec![fact("file format", release.file_format.to_string())];
    axes.extend(release.bytecode.map(|range| fact("bytecode", range.to_string())));
    axes.extend(release.exported.map(|schema| fact("export schema", schema.to_string())));
    axes
}

/// Every release, oldest first.
pub fn rows() -> &'static [ReleaseRow] {
    &ROWS
}

/// The release of `row` as a runtime.
pub fn runtime(row: &ReleaseRow) -> Option<TorchRuntime> {
    let release = CALENDAR.releases().iter().find(|release| release.version == row.version)?;
    let operators = OPERATORS.as_ref()?.table(release.version)?;
    let (release, calendar) = (release.clone(), CALENDAR.clone());
    Some(TorchRuntime { release, operators, calendar, device: None })
}

/// The operators of all releases, and their numbers.
pub fn database() -> Option<(&'static Arc<OperatorHistory>, &'static Arc<ReleaseCalendar>)> {
    Some((OPERATORS.as_ref()?, &*CALENDAR))
}

/// The release of `row` as a party. A row that is not one of [`rows`] gives a party that provides
/// and requires nothing.
pub fn party(row: &ReleaseRow) -> Party {
    match runtime(row) {
        Some(runtime) => runtime.party(),
        None => Party::new(
            format!("torch {}", row.version),
            unskew_core::Role::Runtime,
            "PyTorch release",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, Operator};

    fn operators(row: &ReleaseRow, pattern: &str) -> Vec<Operator> {
        Family::Torch.operators(row, pattern)
    }

    fn release(version: &str) -> &'static ReleaseRow {
        let version = version.parse().unwrap();
        rows().iter().find(|row| row.version == version).unwrap()
    }

    #[test]
    fn every_row_has_an_operator_table_and_every_table_a_row() {
        OPERATORS.as_ref().unwrap().validate().unwrap();
        let tables: Vec<_> = OPERATORS.as_ref().unwrap().releases().to_vec();
        let rows: Vec<_> = rows().iter().map(|row| row.version).collect();
        assert_eq!(rows, tables);
        assert_eq!(rows.len(), 27);
        assert!(CALENDAR.days().windows(2).all(|pair| pair[0].1 < pair[1].1));
    }

    #[test]
    fn operators_are_found_by_name_and_by_part() {
        let gelu = operators(release("2.15.0"), "aten::gelu");
        let names: Vec<&str> = gelu.iter().map(|operator| operator.name.as_str()).collect();
        assert_eq!(names, ["aten::gelu", "aten::gelu.out"]);
        assert_eq!((gelu[0].since.to_string(), gelu[0].until), ("1.12.1".to_owned(), None));
        assert_eq!(operators(release("1.10.2"), "aten::gelu").len(), 2);
        assert!(operators(release("2.15.0"), "gelu").len() > 5);
        assert!(operators(release("2.15.0"), "no such operator").is_empty());
        // A table has as many rows as the release listed distinct schemas.
        assert_eq!(operators(release("2.15.0"), "").len(), 4414);
        assert_eq!(operators(release("1.3.1"), "").len(), 1824);
    }
}
