//! The releases of TensorFlow.js: `data/tfjs`.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use unskew_core::{Date, Fact, Party, Phase, Role};
use unskew_definitions::Rows;
use unskew_tables::{packed_rows, toml_as_json};
use unskew_tfjs::{TfjsNames, TfjsRelease};

use crate::{ReleaseRow, embedded};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    version: String,
    released: Date,
    /// When a graph with an op that it does not have fails.
    unknown_op: UnknownOp,
    weights: Vec<String>,
    quantized: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum UnknownOp {
    Load,
    Run,
}

static NAMES: LazyLock<Option<Arc<TfjsNames>>> =
    LazyLock::new(|| embedded::rows(TfjsNames::from_text(packed_rows!("data/tfjs/names.tsv"))));

static RELEASES: LazyLock<Vec<(ReleaseRow, Release)>> = LazyLock::new(|| {
    let releases = embedded::releases::<Release>(toml_as_json!("data/tfjs/releases.toml"));
    let row = |release: Release| {
        let row = ReleaseRow { version: release.version.parse().ok()?, released: release.released };
        Some((row, release))
    };
    releases.into_iter().filter_map(row).collect()
});

static ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| RELEASES.iter().map(|(row, _)| row.clone()).collect());

/// Every release, oldest first.
pub(crate) fn rows() -> &'static [ReleaseRow] {
    &ROWS
}

/// The ops and classes of every release as one history.
pub(crate) fn history() -> Option<&'static Rows> {
    NAMES.as_deref().map(TfjsNames::rows)
}

fn release_of_row(row: &ReleaseRow) -> Option<TfjsRelease> {
    let (_, release) = RELEASES.iter().find(|(known, _)| known.version == row.version)?;
    Some(TfjsRelease {
        version: row.version,
        released: row.released,
        unknown: match release.unknown_op {
            UnknownOp::Load => Phase::Load,
            UnknownOp::Run => Phase::FirstUse,
        },
        weights: release.weights.clone(),
        quantized: release.quantized.clone(),
        names: NAMES.as_ref()?.clone(),
    })
}

/// The types of weights that a release reads, in words.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let Some(tfjs) = release_of_row(row) else { return Vec::new() };
    let fact =
        |label: &str, types: &[String]| Fact { label: label.to_owned(), value: types.join(", ") };
    vec![fact("weights", &tfjs.weights), fact("packed weights", &tfjs.quantized)]
}

/// The release of `row` as a party.
pub(crate) fn party(row: &ReleaseRow) -> Party {
    match release_of_row(row) {
        Some(tfjs) => tfjs.party(),
        None => Party::new(format!("tfjs {}", row.version), Role::Runtime, "TensorFlow.js release"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_names_and_every_line_is_read() {
        let rows = history().unwrap();
        let parse = |text: &str| {
            let kind = text.split_once('(').map(|(_, kind)| kind);
            matches!(kind, Some("op)" | "layer)" | "class)")).then_some(()).ok_or("no kind".into())
        };
        rows.validate(parse).unwrap();
        let versions: Vec<_> = self::rows().iter().map(|row| row.version).collect();
        assert_eq!(versions, rows.releases());
        let has = |release: &str, op: &str| {
            let row = ROWS.iter().find(|row| row.version == release.parse().unwrap()).unwrap();
            release_of_row(row).unwrap().has_op(op)
        };
        assert!(has("4.22.0", "Einsum") && !has("3.3.0", "Einsum") && !has("4.22.0", "Erfinv"));
    }
}
