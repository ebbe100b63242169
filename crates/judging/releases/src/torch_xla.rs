//! Releases of PyTorch/XLA: hosts of PJRT plug-ins, as JAX is one.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Date, Fact, Party, Role, Version};
use unskew_pjrt::Host;
use unskew_tables::toml_as_json;

use crate::Row;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    release: Vec<Record>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    version: String,
    released: Date,
    pjrt: Option<i32>,
    stablehlo: Option<String>,
}

/// Every release, oldest version first.
pub(crate) fn rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let row = |record: &Record| {
            Some(Row { version: record.version.parse().ok()?, released: record.released })
        };
        records().iter().filter_map(row).collect()
    });
    &ROWS
}

/// A release as a host of plug-ins. It hands programs over in XLA's own form (`hlo`), so the StableHLO version of a plug-in
/// does not matter to it unless `XLA_STABLEHLO_COMPILE` is set.
pub(crate) fn party(row: &Row) -> Party {
    match rows().iter().position(|one| one.version == row.version) {
        Some(index) => hosts()[index].clone().among(hosts).party(),
        None => Party::new(format!("torch_xla {}", row.version), Role::Host, KIND),
    }
}

const KIND: &str = "PyTorch/XLA release";

/// Every release as a host of plug-ins, in the order of the rows.
fn hosts() -> &'static [Host] {
    static HOSTS: LazyLock<Vec<Host>> = LazyLock::new(|| {
        let host = |(row, record): (&Row, &Record)| Host {
            name: format!("torch_xla {}", row.version),
            kind: KIND.to_owned(),
            released: row.released,
            minor: record.pjrt,
            stablehlo: None,
            siblings: None,
        };
        rows().iter().zip(records()).map(host).collect()
    });
    &HOSTS
}

/// The versions of a release, in words.
pub(crate) fn axes(row: &Row) -> Vec<Fact> {
    let Some(record) = rows().iter().zip(records()).find(|(one, _)| one.version == row.version)
    else {
        return Vec::new();
    };
    let fact = |label: &str, value: String| Fact { label: label.to_owned(), value };
    let pjrt = record.1.pjrt.map(|minor| fact("PJRT C API", format!("0.{minor}")));
    let stablehlo = record.1.stablehlo.as_deref().and_then(|text| text.parse::<Version>().ok());
    let stablehlo = stablehlo.map(|version| fact("StableHLO", format!("writes {version}")));
    pjrt.into_iter().chain(stablehlo).collect()
}

/// The table, read once. It is part of this crate, and a test reads every row.
fn records() -> &'static [Record] {
    static RECORDS: LazyLock<Vec<Record>> = LazyLock::new(|| {
        let table: Option<Table> =
            serde_json::from_str(toml_as_json!("data/torch_xla/releases.toml")).ok();
        table.map(|table| table.release).unwrap_or_default()
    });
    &RECORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_they_stand_in_order() {
        let written =
            include_str!("../data/torch_xla/releases.toml").matches("[[release]]").count();
        assert_eq!(rows().len(), written);
        assert!(rows().windows(2).all(|pair| pair[0].version < pair[1].version));
        for record in records() {
            let parsed =
                record.stablehlo.as_ref().is_none_or(|text| text.parse::<Version>().is_ok());
            assert!(parsed && record.pjrt.is_some(), "{}", record.version);
        }
    }

    #[test]
    fn no_release_has_a_pjrt_version_from_its_future() {
        let history = unskew_pjrt::history().unwrap();
        for (row, record) in rows().iter().zip(records()) {
            let minor = Version::pair(0, record.pjrt.unwrap().into());
            assert!(history.landed(minor).unwrap() <= row.released, "torch_xla {}", row.version);
        }
    }
}
