//! Takes a release of ONNX Runtime or of onnx into the database, from its real package.
//!
//! onnx lists the schemas of all its operators. An ONNX Runtime does not: it is asked with models of one node, one for
//! each form of an operator and each choice of element types, what it makes a session of
//! (`lab/harvest/probes/onnx_kernels.py`). From 1.16 on it lists the schemas that it adds to those of onnx.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use unskew_core::Version;
use unskew_definitions::Rows;
use unskew_lab_harness::{Package, run_command};

use crate::command::set_day;
use crate::harvest::enter_definitions;
use crate::onnx_kernels::{ask_kernels, head, kernels};
use crate::row::{self, Row};

/// Where the tables lie, from the root of the repository.
const DATA: &str = "crates/judging/releases/data";

/// The first ONNX Runtime that lists schemas.
const LISTS: Version = Version::pair(1, 16);

/// Domains of ONNX Runtime that no model may use.
const INTERNAL: [&str; 5] = [
    "com.microsoft.nchwc",
    "com.ms.internal.nhwc",
    "com.microsoft.internal",
    "com.microsoft.experimental",
    "org.pytorch",
];

/// Takes `onnx==version`. `site`: the folder that it was installed into, if it is there already.
///
/// # Errors
/// If the package cannot be installed or asked.
pub(crate) fn harvest_onnx(version: &str, site: Option<&Path>) -> Result<()> {
    let package = Package::new("onnx", version, site)?;
    let said = package.ask("harvest", "onnx_schemas.py", &["onnx"])?;
    let mut row = numbers(version, &said);
    set_day(&mut row, "onnx", version);
    row::enter(&format!("{DATA}/onnx/releases.toml"), &format!("onnx {version}"), &row)?;
    let context: Vec<&str> =
        said.lines().filter_map(|line| line.strip_prefix("#context ")).collect();
    println!("functions that depend on the node: {}", context.join(" "));
    let schemas = said.lines().filter(|line| !line.starts_with('#')).map(str::to_owned);
    enter("onnx/operators.tsv", version, schemas.collect())
}

/// Takes `onnxruntime==version`.
///
/// # Errors
/// As [`harvest_onnx`].
pub(crate) fn harvest_runtime(version: &str, site: Option<&Path>) -> Result<()> {
    let package = Package::new("onnxruntime", version, site)?;
    let release: Version = version.parse()?;
    let onnx = Rows::from_text(fs::read_to_string(data("onnx/operators.tsv"))?)?;
    let mut listed: Option<BTreeSet<String>> = None;
    if release >= LISTS {
        let said = package.ask("harvest", "onnx_schemas.py", &["onnxruntime"])?;
        listed = Some(said.lines().map(|line| head(line).to_owned()).collect());
        let newest = onnx.releases().last().copied().context("no onnx in the database")?;
        let known: BTreeSet<&str> = onnx.definitions_of(newest).collect();
        let own = said.lines().filter(|line| !known.contains(line));
        let own = own.filter(|line| !INTERNAL.iter().any(|domain| line.starts_with(domain)));
        enter("onnxruntime/operators.tsv", version, own.map(str::to_owned).collect())?;
    }
    let schemas = schemas_to_ask()?;
    let ask = |probe: &str, argument: &str| package.ask("harvest", probe, &[argument]);
    let said = ask_kernels(&schemas, ask)?;
    let mut row = numbers(version, &said);
    set_day(&mut row, "onnxruntime", version);
    let name = format!("onnxruntime {version}");
    row::enter(&format!("{DATA}/onnxruntime/releases.toml"), &name, &row)?;
    let kernels = kernels(&said, &schemas, listed.as_ref())?;
    enter("onnxruntime/kernels.tsv", version, kernels)
}

/// Takes what the CUDA provider of `onnxruntime-gpu==version` runs, without a GPU: the libraries of CUDA are stand-ins
/// (`lab/harvest/probes/cuda_stand_ins.py`), and ONNX Runtime says where it puts each node.
///
/// # Errors
/// As [`harvest_onnx`]; if there is no compiler of C.
pub(crate) fn harvest_cuda(version: &str, site: Option<&Path>) -> Result<()> {
    let package = Package::new("onnxruntime-gpu", version, site)?;
    let release: Version = version.parse()?;
    let stand_ins = tempfile::tempdir()?;
    let provider = package.path("onnxruntime/capi/libonnxruntime_providers_cuda.so");
    run_command(
        Command::new("python3")
            .arg(unskew_peers::probe("harvest", "cuda_stand_ins.py"))
            .args([&provider, stand_ins.path()]),
    )?;
    let libraries = stand_ins.path().to_str().context("a temporary folder that is no text")?;
    let environment = [("UNSKEW_ASK_CUDA", "1"), ("LD_LIBRARY_PATH", libraries)];
    let ask =
        |probe: &str, argument: &str| package.ask_with("harvest", probe, &[argument], &environment);
    let listed = match release >= LISTS {
        true => {
            let said = ask("onnx_schemas.py", "onnxruntime")?;
            Some(said.lines().map(|line| head(line).to_owned()).collect())
        }
        false => None,
    };
    let schemas = schemas_to_ask()?;
    let said = ask_kernels(&schemas, ask)?;
    let mut kernels = kernels(&said, &schemas, listed.as_ref())?;
    // What it does not run the CPU may: most forms are such.
    kernels.retain(|row| !row.ends_with("()"));
    enter("onnxruntime/cuda_kernels.tsv", version, kernels)?;
    if site.is_none() {
        package.remove()?;
    }
    Ok(())
}

/// The newest form of every operator that onnx and ONNX Runtime list.
fn schemas_to_ask() -> Result<Vec<String>> {
    let newest = |table: &str| -> Result<Vec<String>> {
        let rows = Rows::from_text(fs::read_to_string(data(table))?)?;
        let Some(release) = rows.releases().last() else { return Ok(Vec::new()) };
        Ok(rows.definitions_of(*release).map(str::to_owned).collect())
    };
    let mut schemas = newest("onnx/operators.tsv")?;
    let known: BTreeSet<String> = schemas.iter().map(|schema| head(schema).to_owned()).collect();
    let own = newest("onnxruntime/operators.tsv")?;
    schemas.extend(own.into_iter().filter(|schema| !known.contains(head(schema))));
    Ok(schemas)
}

/// The numbers that a probe says: `#ir 8`, `#opset ai.onnx 17`, `#ort 1 5`.
fn numbers(version: &str, said: &str) -> Row {
    let mut row = Row::new(version);
    let mut opsets = Vec::new();
    for line in said.lines().filter_map(|line| line.strip_prefix('#')) {
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["ir", number] => row.set("ir", (*number).to_owned()),
            // A probe that ends at the highest number that it tries has found no limit.
            ["opset", _, "19"] if !line.contains(" ai.onnx ") => {}
            ["opset", domain, number] => opsets.push(format!("\"{domain}\" = {number}")),
            ["ort", low, high] => row.set("ort_format", format!("[{low}, {high}]")),
            _ => {}
        }
    }
    row.set("opsets", format!("{{ {} }}", opsets.join(", ")));
    row
}

fn data(table: &str) -> PathBuf {
    unskew_peers::root().join(DATA).join(table)
}

/// Merges definitions into a table, writes it, and says what changed.
fn enter(table: &str, version: &str, definitions: Vec<String>) -> Result<()> {
    if definitions.is_empty() {
        bail!("{version}: nothing for {table}");
    }
    let (path, label) = (format!("{DATA}/{table}"), format!("{table}, {version}"));
    enter_definitions(&path, &label, version.parse()?, definitions)
}
