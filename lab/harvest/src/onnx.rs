//! Takes a release of ONNX Runtime or of onnx into the database, from its real package.
//!
//! onnx lists the schemas of all its operators. An ONNX Runtime does not: it is asked with models of one node, one for
//! each form of an operator and each choice of element types, what it makes a session of
//! (`lab/harvest/probes/onnx_kernels.py`). From 1.16 on it lists the schemas that it adds to those of onnx.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use unskew_core::Version;
use unskew_definitions::Rows;
use unskew_lab_harness::Package;

use crate::command::set_day;
use crate::harvest::enter_definitions;
use crate::row::{self, Row};

/// Where the tables lie, from the root of the repository.
const DATA: &str = "crates/judging/releases/data";

/// The first ONNX Runtime that lists schemas.
const LISTS: Version = Version::pair(1, 16);

/// The forms whose functions depend on the node, as the newest onnx lists them.
const CONTEXT: &str = include_str!("onnx_context.txt");

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
    // What a release lists is what it knows: a later form under the same opset would be taken for the one before.
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
    let own = Rows::from_text(fs::read_to_string(data("onnxruntime/operators.tsv"))?)?;
    let newest = |rows: &Rows| -> Vec<String> {
        let Some(release) = rows.releases().last() else { return Vec::new() };
        rows.definitions_of(*release).map(str::to_owned).collect()
    };
    let mut schemas = newest(&onnx);
    let known: BTreeSet<String> = schemas.iter().map(|schema| head(schema).to_owned()).collect();
    schemas.extend(newest(&own).into_iter().filter(|schema| !known.contains(head(schema))));
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), schemas.join("\n"))?;
    let path = file.path().to_str().context("a temporary folder that is no text")?;
    let said = package.ask("harvest", "onnx_kernels.py", &[path])?;
    let mut row = numbers(version, &said);
    set_day(&mut row, "onnxruntime", version);
    let name = format!("onnxruntime {version}");
    row::enter(&format!("{DATA}/onnxruntime/releases.toml"), &name, &row)?;
    let variables: BTreeMap<&str, Vec<String>> =
        schemas.iter().map(|schema| (head(schema), variables(schema))).collect();
    let context: BTreeSet<&str> = CONTEXT.lines().filter(|line| !line.starts_with('#')).collect();
    let mut kernels = Vec::new();
    for line in said.lines().filter(|line| !line.starts_with('#')) {
        let (line, some) = match line.match_indices('\t').nth(1) {
            Some((at, _)) => (&line[..at], &line[at + 1..]),
            None => (line, ""),
        };
        let (key, types) = line.split_once('\t').with_context(|| line.to_owned())?;
        if listed.as_ref().is_some_and(|listed| !listed.contains(key)) {
            continue;
        }
        let variables = variables.get(key).with_context(|| key.to_owned())?;
        kernels.extend(
            kernel(key, types, variables)
                .into_iter()
                .filter(|_| some.is_empty() || !types.is_empty()),
        );
        if !some.is_empty() {
            kernels
                .extend(kernel(key, some, variables).iter().map(|row| row.replacen('(', "(? ", 1)));
        }
        // A function that depends on the node may do what it does not do for a node of the probe.
        if context.contains(key) && !matches!(types, "?" | "!unknown") {
            kernels.push(format!("{key}(?)"));
        }
    }
    enter("onnxruntime/kernels.tsv", version, kernels)
}

/// `Clip.13` of `Clip.13(input: T) ...`.
fn head(schema: &str) -> &str {
    schema.split('(').next().unwrap_or(schema)
}

/// The variables of a schema in the order in which the probe names their types.
fn variables(schema: &str) -> Vec<String> {
    let Some(parsed) = unskew_onnx::OpSchema::parse(schema) else { return Vec::new() };
    if parsed.name.ends_with("If") || &*parsed.name == "Loop" || &*parsed.name == "Scan" {
        return vec!["V".to_owned()];
    }
    let mut found: Vec<usize> = Vec::new();
    for input in &parsed.inputs {
        if let unskew_onnx::ParameterKind::Variable(at) = input.kind
            && !found.contains(&at)
        {
            found.push(at);
        }
    }
    found.extend(parsed.typed_by().map(|(_, at)| at));
    let name = |at: usize| parsed.variables.get(at).map(|(name, _)| name.to_string());
    found.into_iter().filter_map(name).collect()
}

/// The rows of one form of an operator.
fn kernel(key: &str, types: &str, variables: &[String]) -> Vec<String> {
    match types {
        "!unknown" => Vec::new(),
        "" | "?" | "*" => vec![format!("{key}({types})")],
        _ => {
            let choices: Vec<Vec<BTreeSet<String>>> = types
                .split(';')
                .map(|choice| split(choice).into_iter().map(|one| BTreeSet::from([one])).collect())
                .collect();
            let row = |product: Vec<BTreeSet<String>>| {
                let cells = variables.iter().zip(product).map(|(name, types)| {
                    let types: Vec<String> = types.into_iter().collect();
                    format!("{name}: {}", types.join(" "))
                });
                format!("{key}({})", cells.collect::<Vec<_>>().join("; "))
            };
            products(choices).into_iter().map(row).collect()
        }
    }
}

/// Choices of types as products of sets, few of them: choices that differ in one variable only become one.
fn products(mut choices: Vec<Vec<BTreeSet<String>>>) -> Vec<Vec<BTreeSet<String>>> {
    let width = choices.first().map_or(0, Vec::len);
    for at in (0..width).rev() {
        let mut merged: BTreeMap<Vec<BTreeSet<String>>, BTreeSet<String>> = BTreeMap::new();
        for mut choice in choices {
            let one = choice.remove(at);
            merged.entry(choice).or_default().extend(one);
        }
        choices = merged
            .into_iter()
            .map(|(mut rest, set)| {
                rest.insert(at, set);
                rest
            })
            .collect();
    }
    choices
}

/// The types of a choice: commas inside of brackets belong to one type.
fn split(choice: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut depth = 0_usize;
    for letter in choice.chars() {
        match letter {
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(last) = all.last_mut() {
            last.push(letter);
        }
    }
    all
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_become_products_of_sets() {
        let schema = "Like.6(x: T1, y: T2?) -> (z: T1) {T1: float double; T2: int32 int64}";
        let names = variables(schema);
        assert_eq!(names, ["T1", "T2"]);
        let types = "float,int32;float,int64;double,int32;double,int64";
        assert_eq!(kernel("Like.6", types, &names), ["Like.6(T1: double float; T2: int32 int64)"]);
        let two = kernel("Like.6", "float,int32;double,int64", &names);
        assert_eq!(two, ["Like.6(T1: float; T2: int32)", "Like.6(T1: double; T2: int64)"]);
        assert_eq!(kernel("Like.6", "", &names), ["Like.6()"]);
        assert_eq!(kernel("Like.6", "seq(map(int64,float)),int32", &names).len(), 1);
        assert!(kernel("Like.6", "!unknown", &names).is_empty());
    }
}
