//! `cargo lab behaviour`: what operators do, release by release, as data: `crates/torch/archives/data/changes.tsv`.
//!
//! Calls of every operator are made from its schema and run by every release of the corpus that is named or there. What
//! came out otherwise becomes rows, `--write` puts them into the data and the page of them. `--measured` keeps what releases
//! gave in a folder, and takes from there what it has. `--battery` tries verdicts and conversions on calls with
//! inputs of their own.

mod tried;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use unskew_changes::{FormOutcome, RecordedRuns, SEEDS, mark_unsteady, table_row, unsteady};
use unskew_core::Version;
use unskew_torch_matrix::TorchHost;
use unskew_torch_matrix::behaviour::{self, CallForm, OperatorRow};

use crate::differential::hosts;

/// What `--write` makes.
const DATA: &str = "crates/torch/archives/data/changes.tsv";
const PAGE: &str = "docs/reference/torch-behaviour.md";

/// Compares what operators do in PyTorch releases.
#[derive(Args)]
pub struct Behaviour {
    /// A release; all that are in the corpus if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// A folder that keeps what releases gave.
    #[arg(long)]
    measured: PathBuf,
    /// Writes the data and the page.
    #[arg(long)]
    write: bool,
    /// Tries the verdicts on this many calls, written and read by `--pair`.
    #[arg(long, default_value_t = 0)]
    battery: usize,
    /// Runs what functions of the registry make of calls from the writer to the reader of each `--pair`; `--write` puts what
    /// they do otherwise into the data.
    #[arg(long)]
    conversions: bool,
    /// Two releases, such as `1.10.2-2.15.0`: the writer and the reader.
    #[arg(long = "pair")]
    pairs: Vec<String>,
    /// What the random choices of the battery begin with.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs what was asked for.
///
/// # Errors
/// If a release cannot be run, or a conversion of the battery is silently wrong.
pub fn run(arguments: &Behaviour) -> anyhow::Result<()> {
    let kept = RecordedRuns::open(&arguments.measured)?;
    let releases = releases(&kept, &arguments.releases)?;
    let forms = kept.forms(|| made(&releases))?;
    if arguments.conversions {
        return tried::conversions(arguments, &kept, &forms);
    }
    if arguments.battery > 0 {
        return tried::battery(arguments, &forms);
    }
    let mut told = Vec::new();
    for release in &releases {
        told.push((*release, measured(&kept, *release, &forms, SEEDS[0])?));
    }
    // What the newest release gives otherwise by another seed is random, or memory that nobody wrote.
    let random = match told.last() {
        Some((newest, first)) => unsteady(first, &measured(&kept, *newest, &forms, SEEDS[1])?),
        None => BTreeSet::new(),
    };
    mark_unsteady(&mut told, &random);
    let rows = behaviour::rows(&forms, &told);
    let covered = behaviour::covered(&forms, &told);
    println!(
        "{} releases, {covered} overloads in at least two of them, {} runs, {} of them random; {} rows",
        told.len(),
        forms.iter().map(|form| form.runs.len()).sum::<usize>(),
        random.len(),
        rows.len()
    );
    if arguments.write {
        let releases: Vec<String> = told.iter().map(|(release, _)| release.to_string()).collect();
        write(&releases, covered, &forms, &rows)?;
    }
    Ok(())
}

/// The releases: those that are named, or that were measured or are in the corpus.
fn releases(kept: &RecordedRuns, named: &[String]) -> anyhow::Result<Vec<Version>> {
    let mut all = kept.releases(named)?;
    if named.is_empty() {
        all.extend(hosts(&[])?.iter().map(|host| host.version));
    }
    Ok(all.into_iter().collect())
}

/// The calls of every operator that one of the releases has.
fn made(releases: &[Version]) -> anyhow::Result<Vec<CallForm>> {
    let (history, _) = unskew_releases::torch::database().context("no operator tables")?;
    // The newest release and one in the middle show which shapes a call takes.
    let trial = releases.iter().rev().step_by((releases.len() / 2).max(1)).take(2);
    let hosts: Vec<TorchHost> =
        trial.map(|one| TorchHost::named(&one.to_string())).collect::<Result<_, _>>()?;
    behaviour::plan(history, releases, &hosts.iter().collect::<Vec<_>>())
}

/// What a release gave: from the folder, or by running it.
fn measured(
    kept: &RecordedRuns,
    release: Version,
    forms: &[CallForm],
    seed: u8,
) -> anyhow::Result<Vec<FormOutcome>> {
    let run = || behaviour::run(&TorchHost::named(&release.to_string())?, forms, seed);
    kept.told(release, seed, forms.len(), run)
}

fn write(
    releases: &[String],
    covered: usize,
    forms: &[CallForm],
    rows: &[OperatorRow],
) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let mut data = format!(
        "# What operators do otherwise by release under one schema: operators of `aten`, conditions on arguments, what \
         must hold of values, releases, the error or the types. Made by `cargo lab behaviour --write`.\n# measured on {}\n",
        releases.join(" ")
    );
    let useful: Vec<&OperatorRow> = rows.iter().filter(|row| row.is_told()).collect();
    for row in &useful {
        let _ = writeln!(data, "{row}");
    }
    fs::write(root.join(DATA), &data)?;
    let mut page = format!(
        "<!-- made by `cargo lab behaviour --write` -->\n\n# Operators that changed what they do\n\n\
         Under the schema that they have, so that no number of a file shows it. {} calls of {covered} operator overloads of \
         `aten` were made from their schemas, with {} inputs, and run by {} PyTorch releases on CPU: {}. Tensors hold floats, \
         integers of 8 to 64 bits, booleans, uint8 or complex numbers, alone and mixed. Half and bfloat16, other devices, random \
         operators and those that write nothing were not measured. `unskew check` holds a file to {} of these {} rows, those that \
         hold of all values that were tried, or of negative or equal ones, or where several results are right. Where code does \
         not show what a tensor holds, rows about booleans, uint8 and complex numbers are not mentioned: models seldom have \
         them there.\n\n\
         *raises*, *works*: the release raises an error, or no longer does; *dtype*, *shape*, *values*: the result is another. \
         *Values* are what the inputs had on which it showed; `some` stands for other arguments or shapes.\n\n\
         | operators | arguments | values | releases | error, or types before and after | runs |\n\
         | --- | --- | --- | --- | --- | ---: |\n",
        forms.len(),
        forms.iter().map(|form| form.runs.len()).sum::<usize>(),
        releases.len(),
        releases.join(", "),
        useful.len(),
        rows.len()
    );
    for row in rows {
        page.push_str(&table_row(&row.to_string(), row.runs));
    }
    fs::write(root.join(PAGE), page)?;
    println!("{DATA}: {} bytes, {} rows; {PAGE}", data.len(), useful.len());
    Ok(())
}
