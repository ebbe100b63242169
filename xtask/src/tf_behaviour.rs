//! `cargo xtask tf-behaviour`: what TensorFlow's ops do, release by release, as data:
//! `crates/tensorflow/models/data/behaviour.tsv`.
//!
//! Nodes of every op are made from its definition and run by every release that is named, was measured or is in the corpus.
//! What came out otherwise becomes rows, `--write` puts them into the data and the page of them. `--measured` keeps what
//! releases gave in a folder, and takes from there what it has: a release may be measured, and its environment removed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use unskew_changes::{Outcome, Told};
use unskew_core::Version;
use unskew_releases::find;
use unskew_tensorflow::Runtime;
use unskew_tensorflow_matrix::Host;
use unskew_tensorflow_matrix::behaviour::{self, Form, Plan, Row};

/// What `--write` makes.
const DATA: &str = "crates/tensorflow/models/data/behaviour.tsv";
const PAGE: &str = "docs/reference/tensorflow-behaviour.md";

/// The release whose ops are tried.
const NEWEST: &str = "2.21.0";

/// The seeds of the runs; what differs by seed stood in memory that nobody wrote.
const SEEDS: [u8; 2] = [1, 2];

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
    let folder = &arguments.measured;
    fs::create_dir_all(folder)?;
    let releases = releases(folder, &arguments.releases)?;
    let forms = forms(folder)?;
    let mut told = Vec::new();
    for release in &releases {
        let gave = measured(folder, *release, &forms, SEEDS[0])?;
        told.push((*release, behaviour::without_unasked(*release, gave)));
        if arguments.twice {
            measured(folder, *release, &forms, SEEDS[1])?;
        }
    }
    let unsteady = unsteady(folder, &mut told);
    let rows = behaviour::rows(&forms, &told);
    let covered = behaviour::covered(&forms, &told);
    println!(
        "{} releases, {covered} ops in at least two of them, {} nodes, {} runs, {unsteady} of them random; {} rows, {} of them \
         for verdicts",
        told.len(),
        forms.len(),
        forms.iter().map(|form| form.runs.len()).sum::<usize>(),
        rows.len(),
        rows.iter().filter(|row| row.is_told()).count()
    );
    if arguments.write {
        let releases: Vec<String> = told.iter().map(|(release, _)| release.to_string()).collect();
        write(&releases, covered, &forms, &rows)?;
    }
    Ok(())
}

/// The releases: those that are named, or that were measured.
fn releases(folder: &Path, named: &[String]) -> anyhow::Result<Vec<Version>> {
    let mut all = BTreeSet::new();
    for name in named {
        all.insert(name.parse().with_context(|| name.clone())?);
    }
    if named.is_empty() {
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            let stem = name.to_str().and_then(|name| name.strip_suffix("-1.tsv"));
            all.extend(stem.and_then(|stem| stem.parse::<Version>().ok()));
        }
    }
    Ok(all.into_iter().collect())
}

/// A release, with its ops and kernels.
fn runtime(release: &str) -> anyhow::Result<Runtime> {
    let runtime = unskew_releases::tensorflow::runtime_of(find(&format!("tensorflow@{release}"))?);
    runtime.with_context(|| format!("no op registry of {release}"))
}

/// The nodes: those of the folder, or new ones.
fn forms(folder: &Path) -> anyhow::Result<Vec<Form>> {
    let path = folder.join("forms.jsonl");
    if let Ok(text) = fs::read_to_string(&path) {
        return text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect();
    }
    let newest = runtime(NEWEST)?;
    let forms = behaviour::forms(&newest);
    let mut plans: Vec<Plan> = behaviour::plans(&Host::named(NEWEST)?, &newest, &forms)?;
    let found = |plans: &[Plan]| plans.iter().filter(|plan| !plan.plans.is_empty()).count();
    eprintln!("{} ops, {} of them with inputs that {NEWEST} takes", plans.len(), found(&plans));
    plans.retain(|plan| !plan.plans.is_empty());
    let forms = behaviour::with_runs(&forms, &plans);
    let lines: Result<Vec<String>, _> = forms.iter().map(serde_json::to_string).collect();
    fs::write(&path, lines?.join("\n") + "\n")?;
    Ok(forms)
}

/// What a release gave: from the folder, or by running it.
fn measured(
    folder: &Path,
    release: Version,
    forms: &[Form],
    seed: u8,
) -> anyhow::Result<Vec<Told>> {
    let path = folder.join(format!("{release}-{seed}.tsv"));
    let known = fs::read_to_string(&path).unwrap_or_default();
    let told: Vec<Told> = known.lines().map(Told::read).collect();
    if told.len() == forms.len() {
        return Ok(told);
    }
    eprintln!("tensorflow {release}, seed {seed}");
    let told = behaviour::run(
        &Host::named(&release.to_string())?,
        &runtime(&release.to_string())?,
        forms,
        seed,
    )?;
    let lines: Vec<String> = told.iter().map(Told::line).collect();
    fs::write(&path, lines.join("\n") + "\n")?;
    Ok(told)
}

/// Takes out what a release gives otherwise by another seed, in all of them: it is random, or memory that nobody wrote. How
/// many runs that are.
fn unsteady(folder: &Path, told: &mut [(Version, Vec<Told>)]) -> usize {
    let mut found: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (release, first) in told.iter() {
        let path = folder.join(format!("{release}-{}.tsv", SEEDS[1]));
        let second = fs::read_to_string(path).unwrap_or_default();
        for (form, pair) in first.iter().zip(second.lines().map(Told::read)).enumerate() {
            let (Told::Runs(one), Told::Runs(other)) = pair else { continue };
            for (run, pair) in one.iter().zip(&other).enumerate() {
                if matches!(pair, (Outcome::Value(one), Outcome::Value(other)) if one != other) {
                    found.insert((form, run));
                }
            }
        }
    }
    for (_, all) in told {
        for &(form, run) in &found {
            if let Some(Told::Runs(runs)) = all.get_mut(form)
                && let Some(outcome) = runs.get_mut(run)
            {
                *outcome = Outcome::Unsteady;
            }
        }
    }
    found.len()
}

fn write(releases: &[String], covered: usize, forms: &[Form], rows: &[Row]) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let mut data = format!(
        "# What ops do otherwise by release under one definition: ops, attributes with the values of which they have one, what \
         must hold of the values, releases, the error. Made by `cargo xtask tf-behaviour --write`.\n# measured on {}\n",
        releases.join(" ")
    );
    let useful: Vec<&Row> = rows.iter().filter(|row| row.is_told()).collect();
    for row in &useful {
        let _ = writeln!(data, "{row}");
    }
    fs::write(root.join(DATA), &data)?;
    let mut page = format!(
        "<!-- made by `cargo xtask tf-behaviour --write` -->\n\n# Ops that changed what they do\n\n\
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
        let text = row.to_string().replace('|', "\\|");
        let mut columns = text.split('\t');
        let mut column = || columns.next().unwrap_or_default();
        let ops = column().split(' ').map(|one| format!("`{one}`")).collect::<Vec<_>>().join(" ");
        let (when, values, steps, remark) = (column(), column(), column(), column());
        let remark = match remark {
            "" => String::new(),
            remark => format!("`{}`", remark.replace('`', "'")),
        };
        let _ = writeln!(page, "| {ops} | {when} | {values} | {steps} | {remark} | {} |", row.runs);
    }
    fs::write(root.join(PAGE), page)?;
    println!("{DATA}: {} bytes, {} rows; {PAGE}", data.len(), useful.len());
    Ok(())
}
