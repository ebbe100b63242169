//! `cargo lab tf-behaviour`: what TensorFlow's ops do, release by release, as data:
//! `crates/tensorflow/models/data/behaviour.tsv`.
//!
//! Nodes of every op are made from its definition and run by every release that is named, was measured or is in the corpus.
//! What came out otherwise becomes rows, `--write` puts them into the data and the page of them. `--measured` keeps what
//! releases gave in a folder, and takes from there what it has: a release may be measured, and its environment removed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use unskew_changes::{
    FormOutcome, RecordedRuns, RunPosition, SEEDS, mark_unsteady, table_row, unsteady,
};
use unskew_core::Version;
use unskew_lab_tensorflow::TensorFlowHost;
use unskew_lab_tensorflow::behaviour::{self, BehaviourRow, InputPlan, NodeForm};
use unskew_releases::find;
use unskew_tensorflow::TensorFlowRuntime;

/// The table that `--write` makes, and the page of it.
const DATA: &str = "crates/tensorflow/models/data/behaviour.tsv";
const PAGE: &str = "docs/reference/tensorflow-behaviour.md";

/// The release whose ops are tried.
const NEWEST: &str = "2.21.0";

/// Compares what ops do in TensorFlow releases, and writes the data of what changed.
#[derive(Args)]
pub struct TfBehaviour {
    /// A release; those that were measured if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// A folder that keeps what releases gave.
    #[arg(long)]
    measured: PathBuf,
    /// Measures these releases with a second seed too.
    #[arg(long)]
    twice: bool,
    /// Writes the data and the page.
    #[arg(long)]
    write: bool,
}

/// Runs what was asked for.
///
/// # Errors
/// If a release cannot be run.
pub fn run(arguments: &TfBehaviour) -> anyhow::Result<()> {
    let kept = RecordedRuns::open(&arguments.measured)?;
    let forms = kept.forms(made)?;
    let mut told = Vec::new();
    for release in kept.releases(&arguments.releases)? {
        let gave = measured(&kept, release, &forms, SEEDS[0])?;
        told.push((release, behaviour::without_unasked(release, gave)));
        if arguments.twice {
            measured(&kept, release, &forms, SEEDS[1])?;
        }
    }
    let random = random(&kept, &told);
    mark_unsteady(&mut told, &random);
    let rows = behaviour::rows(&forms, &told);
    let covered = behaviour::covered(&forms, &told);
    println!(
        "{} releases, {covered} ops in at least two of them, {} nodes, {} runs, {} of them random; {} rows, {} of them \
         for verdicts",
        told.len(),
        forms.len(),
        forms.iter().map(|form| form.runs.len()).sum::<usize>(),
        random.len(),
        rows.len(),
        rows.iter().filter(|row| row.is_told()).count()
    );
    if arguments.write {
        let releases: Vec<String> = told.iter().map(|(release, _)| release.to_string()).collect();
        write(&releases, covered, &forms, &rows)?;
    }
    Ok(())
}

/// A release, with its ops and kernels.
fn runtime(release: &str) -> anyhow::Result<TensorFlowRuntime> {
    let runtime = unskew_releases::tensorflow::runtime_of(find(&format!("tensorflow@{release}"))?);
    runtime.with_context(|| format!("no op registry of {release}"))
}

/// Nodes of every op with inputs that the newest release takes.
fn made() -> anyhow::Result<Vec<NodeForm>> {
    let newest = runtime(NEWEST)?;
    let forms = behaviour::forms(&newest);
    let mut plans: Vec<InputPlan> =
        behaviour::plans(&TensorFlowHost::named(NEWEST)?, &newest, &forms)?;
    let found = |plans: &[InputPlan]| plans.iter().filter(|plan| !plan.plans.is_empty()).count();
    eprintln!("{} ops, {} of them with inputs that {NEWEST} takes", plans.len(), found(&plans));
    plans.retain(|plan| !plan.plans.is_empty());
    Ok(behaviour::with_runs(&forms, &plans))
}

/// What a release gave: from the folder, or by running it.
fn measured(
    kept: &RecordedRuns,
    release: Version,
    forms: &[NodeForm],
    seed: u8,
) -> anyhow::Result<Vec<FormOutcome>> {
    let name = release.to_string();
    let run = || behaviour::run(&TensorFlowHost::named(&name)?, &runtime(&name)?, forms, seed);
    kept.told(release, seed, forms.len(), run)
}

/// The runs that any of the releases gives otherwise by another seed, where it was run with two.
fn random(kept: &RecordedRuns, told: &[(Version, Vec<FormOutcome>)]) -> BTreeSet<RunPosition> {
    let of = |(release, first): &(Version, Vec<FormOutcome>)| {
        unsteady(first, &kept.known(*release, SEEDS[1]))
    };
    told.iter().flat_map(of).collect()
}

fn write(
    releases: &[String],
    covered: usize,
    forms: &[NodeForm],
    rows: &[BehaviourRow],
) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let mut data = format!(
        "# What ops do otherwise by release under one definition: ops, attributes with the values of which they have one, what \
         must hold of the values, releases, the error. Made by `cargo lab tf-behaviour --write`.\n# measured on {}\n",
        releases.join(" ")
    );
    let useful: Vec<&BehaviourRow> = rows.iter().filter(|row| row.is_told()).collect();
    for row in &useful {
        let _ = writeln!(data, "{row}");
    }
    fs::write(root.join(DATA), &data)?;
    let mut page = format!(
        "<!-- made by `cargo lab tf-behaviour --write` -->\n\n# Ops that changed what they do\n\n\
         Under the definition that they have, so that no registry shows it. {} nodes of {covered} ops were made from their \
         definitions, one for each type and for other values of attributes, and run on {} inputs by {} TensorFlow releases on \
         CPU, without oneDNN: {}. Ops with state, of TPUs and XLA, of data sets and of files were not measured, nor those whose \
         inputs could not be made. `unskew check` holds a graph to {} of these {} rows; the others are about numbers near the \
         largest, inputs without numbers, or shapes that were tried once. What differs by rounding only, and what is not the same twice, is no row.\n\n\
         *raises*, *works*: the release raises an error, or no longer does; *values*, *shape*: the result is another. A change \
         is written with the newest measured release without it and the first one with it; those in between ran no such node, \
         for want of a kernel for example. A graph is told of a row as *not judged*, never as an error. *Values* are what the inputs had on which it showed, \
         `halves` numbers such as 0.5 and 1.5; `some` stands for other shapes.\n\n\
         | ops | attributes | values | releases | error | runs |\n| --- | --- | --- | --- | --- | ---: |\n",
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
