//! `cargo lab onnx-behaviour`: what releases of ONNX Runtime answer, against each other and against what is said of it.
//!
//! Made models (`lab/onnx/probes/onnx_made.py`) run on each release, optimized and not (`lab/onnx/probes/onnx_values.py`). What
//! differs from the newest release without optimization (`lab/onnx/probes/onnx_other_values.py`) is a case that a verdict has
//! to say: a row `values` of `limits.tsv`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use unskew_core::{Party, Phase, check};
use unskew_lab_harness::{Package, today};
use unskew_releases::find;
use unskew_source::{FileSource, Source};

use crate::differential::OPERATORS;

/// The releases that are asked unless others are named; the last one is what the others are held against.
const RELEASES: [&str; 10] = [
    "1.8.1", "1.12.1", "1.14.1", "1.16.3", "1.18.1", "1.20.1", "1.23.2", "1.26.0", "1.28.0",
    "1.32.0",
];

/// Runs made models on releases of ONNX Runtime, and says where one gives other values without a word.
#[derive(Args)]
pub struct OnnxBehaviour {
    /// What decides the models.
    #[arg(long, default_value = "one")]
    seed: String,
    /// How many are made of each form of an operator.
    #[arg(long, default_value_t = 12)]
    count: usize,
    /// The release of onnx that makes them.
    #[arg(long, default_value = "1.23.2")]
    onnx: String,
    /// A release that is asked, the newest last.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// A folder with packages that are installed already: `VERSION` and `onnx-VERSION`.
    #[arg(long)]
    installed: Option<PathBuf>,
    /// Takes the models of this folder, with their inputs beside them, in the place of made ones.
    #[arg(long)]
    models: Option<PathBuf>,
    /// Writes every case that is not said into this file.
    #[arg(long)]
    list: Option<PathBuf>,
}

/// Makes, runs, compares, and holds the verdicts against it.
///
/// # Errors
/// If a package cannot be had or asked.
pub fn run(arguments: &OnnxBehaviour) -> anyhow::Result<()> {
    let made = tempfile::tempdir()?;
    let folder = arguments.models.clone().unwrap_or_else(|| made.path().join("cases"));
    let text = |path: &Path| path.to_str().map(str::to_owned).context("a folder that is no text");
    let site = |name: &str| arguments.installed.as_ref().map(|folder| folder.join(name));
    if arguments.models.is_none() {
        let onnx = Package::new(
            "onnx",
            &arguments.onnx,
            site(&format!("onnx-{}", arguments.onnx)).as_deref(),
        )?;
        let (out, count) = (text(&folder)?, arguments.count.to_string());
        onnx.ask("onnx", "onnx_made.py", &[&out, &arguments.seed, &count, OPERATORS])?;
    }
    let answers = made.path().join("answers");
    fs::create_dir_all(&answers)?;
    let named: Vec<&str> = match arguments.releases.as_slice() {
        [] => RELEASES.to_vec(),
        named => named.iter().map(String::as_str).collect(),
    };
    let mut newest = None;
    for version in &named {
        let package = Package::new("onnxruntime", version, site(version).as_deref())?;
        let out = text(&answers.join(format!("{version}.pickle")))?;
        package.ask("onnx", "onnx_values.py", &[&text(&folder)?, &out])?;
        newest = Some(package);
    }
    let newest = newest.context("no release to ask")?;
    let all: Vec<&str> = named.clone();
    let answers = text(&answers)?;
    let asked: Vec<&str> = std::iter::once(&*answers).chain(all).collect();
    let differs = newest.ask("onnx", "onnx_other_values.py", &asked)?;
    let (mut counts, mut list) = (BTreeMap::<&str, (usize, usize)>::new(), String::new());
    let parties: BTreeMap<&str, Arc<Party>> = named
        .iter()
        .map(|version| Ok((*version, find(&format!("onnxruntime=={version}"))?.party())))
        .collect::<anyhow::Result<_>>()?;
    for line in differs.lines() {
        let mut cells = line.split('\t');
        let (Some(name), Some(version), Some(how)) = (cells.next(), cells.next(), cells.next())
        else {
            continue;
        };
        let Some((version, party)) = parties.get_key_value(version) else { continue };
        let (said, all) = counts.entry(version).or_default();
        *all += 1;
        match is_said(&folder.join(name), party)? {
            true => *said += 1,
            false => list.push_str(&format!("{version}\t{name}\t{how}\n")),
        }
    }
    println!("| ONNX Runtime | other values | said |\n| --- | --: | --: |");
    for (version, (said, all)) in &counts {
        println!("| {version} | {all} | {said} |");
    }
    if let Some(path) = &arguments.list {
        fs::write(path, list)?;
    }
    Ok(())
}

/// Whether a verdict says that a model runs and answers otherwise, or leaves it open.
fn is_said(model: &Path, release: &Arc<Party>) -> anyhow::Result<bool> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(model)?);
    let Some(party) = unskew_onnx::party(&source)? else { return Ok(false) };
    let verdict = check(&party, release, &today());
    let silent = verdict.findings.iter().any(|one| one.rule.phase == Some(Phase::Silent));
    Ok(silent || !verdict.unjudged.is_empty())
}
