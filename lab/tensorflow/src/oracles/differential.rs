//! `cargo lab tensorflow-differential`: random graphs on real TensorFlow releases, against the verdicts.
//!
//! The newest release writes the graphs, so to say: only those that it runs are asked for. Each older release loads
//! them as they are and, where `check` announces adaptations, converted. A verdict is right if the phase is, and a
//! conversion if its results are those of the newest release; a failure or another answer that the verdict says was
//! not judged is counted by itself. What is wrong is made smaller and kept for a test.

mod kernels;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use unskew_artifact::{ConvertOptions, OpenOptions, open};
use unskew_core::{Context, Date, Outcome, Phase, Verdict, aspect, check};
use unskew_lab_harness::{Comparison, Tally};
use unskew_lab_tensorflow::random::{RandomGraph, sample, usable};
use unskew_lab_tensorflow::{GraphLoader, LoadJob, LoadOutcome, LoadStage, TensorFlowHost};
use unskew_random::Random;
use unskew_releases::{Release, find};

/// The release whose ops the graphs have, and whose results count.
const NEWEST: &str = "2.21.0";

/// The releases that are asked if none is named.
const RELEASES: [&str; 3] = ["2.15.1", "2.4.4", "1.15.0"];

/// How far results may lie apart.
const TOLERANCE: f64 = 2e-3;

const KEPT: &str = "lab/tensorflow/tests/data/tensorflow/differential";

/// Makes graphs at random and holds verdicts and conversions against real releases.
#[derive(Args)]
pub struct TensorflowDifferential {
    /// A release to ask; several may be named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// How many graphs are made.
    #[arg(long, default_value_t = 600)]
    graphs: usize,
    /// Another seed makes other graphs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The most nodes of a graph, its constants apart.
    #[arg(long, default_value_t = 3)]
    nodes: usize,
    /// Takes every op with every type instead, and asks whether there is a kernel.
    #[arg(long)]
    kernels: bool,
    /// Keeps disagreements, made smaller, where a test reads them.
    #[arg(long)]
    file: bool,
}

/// What came of a release.
#[derive(Default)]
struct Column {
    tally: Tally,
    converted: usize,
    wrong: Vec<(String, RandomGraph, LoadOutcome)>,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment is not there, or a graph cannot be written or read.
pub fn run(arguments: &TensorflowDifferential) -> anyhow::Result<()> {
    let releases = if arguments.releases.is_empty() {
        RELEASES.map(str::to_owned).to_vec()
    } else {
        arguments.releases.clone()
    };
    if arguments.kernels {
        return kernels::run(&releases, arguments.seed);
    }
    let newest = find(&format!("tensorflow@{NEWEST}"))?;
    let runtime = unskew_releases::tensorflow::runtime_of(newest);
    let runtime = runtime.ok_or_else(|| anyhow::anyhow!("no op registry of {NEWEST}"))?;
    let ops = usable(runtime.ops.history(), &runtime.ops);
    let mut random = Random::new(arguments.seed);
    let producer = runtime.graph_def.version;
    let samples: Vec<RandomGraph> = (0..arguments.graphs)
        .map(|_| sample(&mut random, &ops, producer, arguments.nodes))
        .filter(|sample| !sample.steps.is_empty())
        .collect();
    let folder = tempfile::tempdir()?;
    let reference = loaded(NEWEST, &samples, folder.path())?;
    let runs: Vec<&RandomGraph> = samples
        .iter()
        .enumerate()
        .filter(|(at, _)| reference.get(&name(*at)).is_some_and(|it| it.phase == LoadStage::Ok))
        .map(|(_, sample)| sample)
        .collect();
    let runs: Vec<RandomGraph> = runs.into_iter().cloned().collect();
    println!("{} ops; {} of {} graphs run on {NEWEST}", ops.len(), runs.len(), samples.len());
    let reference = loaded(NEWEST, &runs, folder.path())?;
    println!("\n| release | verdicts | right | not judged | wrong | conversions |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut wrong = Vec::new();
    for release in &releases {
        let column = ask(release, &runs, &reference, folder.path())?;
        let Column { tally, converted, .. } = &column;
        println!(
            "| {release} | {} | {} | {} | {} | {converted} |",
            runs.len() + converted,
            tally.right,
            tally.unjudged,
            tally.wrong(),
        );
        wrong.extend(column.wrong.into_iter().map(|found| (release.clone(), found)));
    }
    for (release, (what, sample, found)) in &wrong {
        let said: String = found.said.chars().take(160).collect();
        println!("\n{release}: {what}: {}; {}", sample.ops(), said.replace('\n', " "));
        if arguments.file {
            file(release, sample, found, folder.path())?;
        }
    }
    Ok(())
}

fn name(at: usize) -> String {
    format!("graph-{at}")
}

fn loaded(
    release: &str,
    samples: &[RandomGraph],
    folder: &Path,
) -> anyhow::Result<BTreeMap<String, LoadOutcome>> {
    let mut jobs = Vec::new();
    for (at, sample) in samples.iter().enumerate() {
        let path = folder.join(format!("{}.pb", name(at)));
        fs::write(&path, sample.bytes())?;
        jobs.push(LoadJob { name: name(at), path, loader: GraphLoader::Graph, strict: true });
    }
    Ok(TensorFlowHost::named(release)?.load_each(&jobs, Duration::from_secs(900))?)
}

fn verdict(path: &Path, release: Release) -> anyhow::Result<Verdict> {
    let artifact = open(path, &OpenOptions::default())?;
    let party = artifact.pieces.first().map(|piece| &piece.party);
    let party = party.ok_or_else(|| anyhow::anyhow!("{} is nothing", path.display()))?;
    Ok(check(party, &release.party(), &Context::on(Date::constant(2026, 11, 21))))
}

fn expected(verdict: &Verdict) -> LoadStage {
    match verdict.first_failure() {
        Some(Phase::Load) => LoadStage::Import,
        Some(Phase::FirstUse) => LoadStage::Run,
        Some(Phase::Silent) | None => LoadStage::Ok,
    }
}

/// Whether the verdict is right about what came of it, or says that it does not judge that.
fn compared(verdict: &Verdict, found: &LoadOutcome, reference: &LoadOutcome) -> Comparison {
    let silent = verdict.first_failure() == Some(Phase::Silent);
    let says = |wanted: &str| verdict.unjudged.iter().any(|it| it.aspect == wanted);
    let same = found.phase != LoadStage::Ok || found.computes_what(reference, TOLERANCE);
    let compatible = |how: &str| Comparison::FalseCompatible(how.to_owned());
    let refused = |how: &str| Comparison::FalseRefused(how.to_owned());
    match (expected(verdict), found.phase) {
        (LoadStage::Ok, LoadStage::Ok) if same != silent => Comparison::Right,
        (LoadStage::Ok, LoadStage::Ok) if !same && says(aspect::BEHAVIOUR) => Comparison::NotJudged,
        (LoadStage::Ok, LoadStage::Run) if says(aspect::KERNELS) => Comparison::NotJudged,
        (LoadStage::Ok, LoadStage::Ok) if silent => refused("another answer was announced"),
        (LoadStage::Ok, LoadStage::Ok) => compatible("computes something else"),
        (expected, phase) if expected == phase => Comparison::Right,
        (LoadStage::Ok, _) => compatible("was refused"),
        (_, LoadStage::Ok) => refused("runs, although refused by the verdict"),
        _ => Comparison::WrongPhase("fails in another phase".to_owned()),
    }
}

impl Column {
    fn add(
        &mut self,
        comparison: &Comparison,
        what: &str,
        sample: &RandomGraph,
        found: &LoadOutcome,
    ) {
        self.tally.add(comparison);
        let wrong = comparison.wrong();
        self.wrong
            .extend(wrong.map(|how| (format!("{what} {how}"), sample.clone(), found.clone())));
    }
}

/// Holds all graphs, as they are and converted, against a release.
fn ask(
    release: &str,
    samples: &[RandomGraph],
    reference: &BTreeMap<String, LoadOutcome>,
    folder: &Path,
) -> anyhow::Result<Column> {
    let row = find(&format!("tensorflow@{release}"))?;
    let found = loaded(release, samples, folder)?;
    let mut column = Column::default();
    let mut converted = Vec::new();
    for (at, sample) in samples.iter().enumerate() {
        let (path, name) = (folder.join(format!("{}.pb", name(at))), name(at));
        let (Some(found), Some(reference)) = (found.get(&name), reference.get(&name)) else {
            continue;
        };
        let verdict = verdict(&path, row)?;
        column.add(&compared(&verdict, found, reference), "the graph", sample, found);
        if matches!(verdict.outcome, Outcome::Adaptable(_)) {
            let made = unskew_artifact::convert(&path, row, &ConvertOptions::default())?;
            let path = folder.join(format!("{name}-converted.pb"));
            made.output.write(&path)?;
            converted.push((at, LoadJob { name, path, loader: GraphLoader::Graph, strict: true }));
        }
    }
    let jobs: Vec<LoadJob> = converted.iter().map(|(_, job)| job.clone()).collect();
    let after = TensorFlowHost::named(release)?.load_each(&jobs, Duration::from_secs(900))?;
    column.converted = converted.len();
    for (at, job) in converted {
        let (Some(found), Some(reference)) = (after.get(&job.name), reference.get(&job.name))
        else {
            continue;
        };
        let verdict = verdict(&job.path, row)?;
        let Some(sample) = samples.get(at) else { continue };
        column.add(&compared(&verdict, found, reference), "the conversion", sample, found);
    }
    Ok(column)
}

/// Keeps a graph, as small as it shows the same, for a test: its bytes and what the release did.
fn file(
    release: &str,
    sample: &RandomGraph,
    found: &LoadOutcome,
    folder: &Path,
) -> anyhow::Result<()> {
    let (mut least, mut found) = (sample.clone(), found.clone());
    while let Some(smaller) = least.smaller() {
        let one = std::slice::from_ref(&smaller);
        let (newest, here) = (loaded(NEWEST, one, folder)?, loaded(release, one, folder)?);
        let (Some(newest), Some(here)) = (newest.get(&name(0)), here.get(&name(0))) else { break };
        let row = find(&format!("tensorflow@{release}"))?;
        let verdict = verdict(&folder.join(format!("{}.pb", name(0))), row)?;
        if newest.phase != LoadStage::Ok || compared(&verdict, here, newest).wrong().is_none() {
            break;
        }
        (least, found) = (smaller, here.clone());
    }
    let phase = match found.phase {
        LoadStage::Ok => "ok",
        LoadStage::Import => "import",
        LoadStage::Run => "run",
    };
    let place = unskew_peers::root().join(KEPT);
    fs::create_dir_all(&place)?;
    let ops = least.ops().replace(", ", "-");
    fs::write(place.join(format!("{ops}.{release}.{phase}.pb")), least.bytes())?;
    Ok(())
}
