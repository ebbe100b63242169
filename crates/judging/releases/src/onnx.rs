//! The releases of ONNX Runtime and of onnx: `data/onnxruntime` and `data/onnx`.
//!
//! Forms of operators are those of onnx, which all its releases list; an ONNX Runtime does not say which onnx it was
//! built with, and was measured instead: under which types each form runs.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use unskew_core::{Date, Fact, Party, Role, Version};
use unskew_definitions::Rows;
use unskew_onnx::{CudaKernels, KernelTypeTable, ModelReader, OnnxRelease, OpSchemas};
use unskew_tables::{packed_rows, toml_as_json};

use crate::{Family, ReleaseRow, embedded};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    version: String,
    released: Date,
    ir: i64,
    opsets: BTreeMap<String, i64>,
    ort_format: Option<[i64; 2]>,
}

/// What is known of one of the two: its releases as they stand in its table, and as rows.
struct Table {
    releases: Vec<Release>,
    rows: Vec<ReleaseRow>,
}

impl Table {
    /// The table of a text. It is part of the program and read by a test, so a fault in it cannot reach a user.
    fn read(text: &str) -> Self {
        let releases = embedded::releases::<Release>(text);
        let rows = releases.iter().filter_map(row).collect();
        Self { releases, rows }
    }
}

static RUNTIMES: LazyLock<Table> =
    LazyLock::new(|| Table::read(toml_as_json!("data/onnxruntime/releases.toml")));

static CHECKERS: LazyLock<Table> =
    LazyLock::new(|| Table::read(toml_as_json!("data/onnx/releases.toml")));

static SCHEMAS: LazyLock<Option<Arc<OpSchemas>>> =
    LazyLock::new(|| embedded::rows(OpSchemas::from_text(packed_rows!("data/onnx/operators.tsv"))));

static OWN: LazyLock<Option<Arc<OpSchemas>>> = LazyLock::new(|| {
    embedded::rows(OpSchemas::from_text(packed_rows!("data/onnxruntime/operators.tsv")))
});

static KERNELS: LazyLock<Option<Arc<KernelTypeTable>>> = LazyLock::new(|| {
    embedded::rows(KernelTypeTable::from_text(packed_rows!("data/onnxruntime/kernels.tsv")))
});

static CUDA_KERNELS: LazyLock<Option<Arc<KernelTypeTable>>> = LazyLock::new(|| {
    embedded::rows(KernelTypeTable::from_text(packed_rows!("data/onnxruntime/cuda_kernels.tsv")))
});

/// What the CUDA provider of a release runs; none if no package of this minor was measured.
pub(crate) fn cuda_kernels(release: Version) -> Option<CudaKernels> {
    let table = CUDA_KERNELS.as_ref()?;
    let is = |one: &&Version| one.minor() == release.minor() && one.major() == release.major();
    let version = *table.rows().releases().iter().find(is)?;
    Some(CudaKernels { version, table: table.clone() })
}

fn row(release: &Release) -> Option<ReleaseRow> {
    release.opsets.get("ai.onnx")?;
    Some(ReleaseRow { version: release.version.parse().ok()?, released: release.released })
}

/// The versions of a release, in words.
pub(crate) fn axes(family: Family, row: &ReleaseRow) -> Vec<Fact> {
    let is = |release: &&Release| release.version.parse::<Version>() == Ok(row.version);
    let Some(release) = table(family).releases.iter().find(is) else { return Vec::new() };
    let fact = |label: &str, value: String| Fact { label: label.to_owned(), value };
    let mut axes = vec![fact("IR", release.ir.to_string())];
    axes.extend(release.opsets.get("ai.onnx").map(|opset| fact("opset", opset.to_string())));
    axes.extend(
        release.opsets.get("ai.onnx.ml").map(|ml| fact("opset ai.onnx.ml", ml.to_string())),
    );
    axes.extend(
        release.ort_format.map(|[low, high]| fact("ORT format", format!("{low} to {high}"))),
    );
    axes
}

fn table(family: Family) -> &'static Table {
    if family == Family::Onnx { &CHECKERS } else { &RUNTIMES }
}

/// Every release of one of the two families, oldest first.
pub(crate) fn rows(family: Family) -> &'static [ReleaseRow] {
    &table(family).rows
}

/// The text in which operators of a family are looked for: schemas of onnx, kernels of ONNX Runtime.
pub(crate) fn history(family: Family) -> Option<&'static Rows> {
    match family {
        Family::Onnx => SCHEMAS.as_deref().map(OpSchemas::rows),
        _ => KERNELS.as_deref().map(KernelTypeTable::rows),
    }
}

/// The forms of the operators of all releases of onnx; none if the table of the program is broken, which a test rules out.
pub fn schemas() -> Option<Arc<OpSchemas>> {
    SCHEMAS.clone()
}

/// A release as what reads models; none if it is of another family.
pub fn runtime_of(release: crate::Release) -> Option<OnnxRelease> {
    matches!(release.family(), Family::Onnx | Family::OnnxRuntime)
        .then(|| runtime(release.family(), release.row()))
        .flatten()
}

fn runtime(family: Family, row: &ReleaseRow) -> Option<OnnxRelease> {
    let is = |release: &&Release| release.version.parse::<Version>() == Ok(row.version);
    let release = table(family).releases.iter().find(is)?;
    let domain = |name: &str| if name == "ai.onnx" { Box::default() } else { name.into() };
    Some(OnnxRelease {
        reader: if family == Family::Onnx { ModelReader::Onnx } else { ModelReader::OnnxRuntime },
        version: row.version,
        released: row.released,
        ir: release.ir,
        opsets: release.opsets.iter().map(|(name, version)| (domain(name), *version)).collect(),
        ort_format: release.ort_format.map(|[low, high]| (low, high)),
        schemas: SCHEMAS.as_ref()?.clone(),
        own: OWN.as_ref()?.clone(),
        cuda: None,
        kernels: if family == Family::Onnx { None } else { Some(KERNELS.as_ref()?.clone()) },
    })
}

/// The release of `row` as a party.
pub(crate) fn party(family: Family, row: &ReleaseRow) -> Party {
    match runtime(family, row) {
        Some(runtime) => runtime.party(),
        None => Party::new(format!("{family} {}", row.version), Role::Runtime, "ONNX release"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_tables_and_every_table_a_row() {
        SCHEMAS.as_ref().unwrap().validate().unwrap();
        OWN.as_ref().unwrap().validate().unwrap();
        KERNELS.as_ref().unwrap().validate().unwrap();
        CUDA_KERNELS.as_ref().unwrap().validate().unwrap();
        for (family, text) in [
            (Family::Onnx, include_str!("../data/onnx/releases.toml")),
            (Family::OnnxRuntime, include_str!("../data/onnxruntime/releases.toml")),
        ] {
            let versions: Vec<Version> = rows(family).iter().map(|row| row.version).collect();
            assert_eq!(versions, history(family).unwrap().releases(), "{family}");
            assert_eq!(versions.len(), text.matches("[[release]]").count());
            assert!(versions.is_sorted());
        }
        assert_eq!(rows(Family::OnnxRuntime).len(), 30);
    }

    #[test]
    fn the_newest_onnx_wrote_what_an_onnx_runtime_of_its_day_refused() {
        let ir = |family, version: &str| {
            let row = rows(family).iter().find(|row| row.version.to_string() == version).unwrap();
            runtime(family, row).unwrap().ir
        };
        assert_eq!(ir(Family::Onnx, "1.23.2"), 14);
        assert_eq!(ir(Family::OnnxRuntime, "1.31.1"), 13);
    }
}
