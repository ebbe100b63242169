//! Every op of a release with every type, on the release: whether it has a kernel for each.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use unskew_core::{Finding, aspect};
use unskew_lab_harness::{Comparison, Prediction, Tally};
use unskew_lab_tensorflow::kernels::{KernelQuery, graphs};
use unskew_lab_tensorflow::{GraphLoader, LoadJob, LoadOutcome, LoadStage, TensorFlowHost};
use unskew_random::Random;
use unskew_releases::find;

use super::verdict;

/// What TensorFlow prints where it has no kernel.
const WORDS: [&str; 4] = [
    "No OpKernel was registered",
    "Could not find device for node",
    "OpKernel for '",
    "Cannot assign a device",
];

/// How many jobs one process is given.
const JOBS: usize = 4000;

const RULE: &str = "TF313";

#[derive(Default)]
struct Column {
    tally: Tally,
    /// Graphs of which it was said rightly that there is no kernel.
    without: usize,
    /// Graphs that are not imported, of which nothing is said of kernels.
    refused: usize,
    wrong: Vec<String>,
}

/// Holds verdicts about kernels against these releases.
///
/// # Errors
/// If an environment is not there, or a graph cannot be written or read.
pub(super) fn run(releases: &[String], seed: u64) -> anyhow::Result<()> {
    println!(
        "| release | graphs | right | of these without a kernel | not judged | not imported | wrong |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut wrong = Vec::new();
    for release in releases {
        let (count, column) = ask(release, seed)?;
        let Column { tally, without, refused, .. } = &column;
        println!(
            "| {release} | {count} | {} | {without} | {} | {refused} | {} |",
            tally.right,
            tally.unjudged,
            tally.wrong()
        );
        wrong.extend(column.wrong.into_iter().map(|what| format!("{release}: {what}")));
    }
    wrong.iter().for_each(|what| println!("{what}"));
    Ok(())
}

fn ask(release: &str, seed: u64) -> anyhow::Result<(usize, Column)> {
    let row = find(&format!("tensorflow@{release}"))?;
    let runtime = unskew_releases::tensorflow::runtime_of(row);
    let runtime = runtime.ok_or_else(|| anyhow::anyhow!("no op registry of {release}"))?;
    let mut random = Random::new(seed);
    let mut asked: Vec<KernelQuery> = Vec::new();
    for text in runtime.ops.texts().filter(|text| !text.starts_with('_')) {
        let op = text.parse().map_err(|_| anyhow::anyhow!("not an op: {text}"))?;
        asked.extend(graphs(&mut random, &op, runtime.graph_def.version));
    }
    let folder = tempfile::tempdir()?;
    let mut jobs = Vec::new();
    for (at, one) in asked.iter().enumerate() {
        let path = folder.path().join(format!("{at}.pb"));
        fs::write(&path, &one.graph)?;
        jobs.push(LoadJob { name: at.to_string(), path, loader: GraphLoader::Place, strict: true });
    }
    let mut found: BTreeMap<String, LoadOutcome> = BTreeMap::new();
    for jobs in jobs.chunks(JOBS) {
        found.extend(TensorFlowHost::named(release)?.load_each(jobs, Duration::from_secs(1800))?);
    }
    let mut column = Column::default();
    for (job, one) in jobs.iter().zip(&asked) {
        let Some(loaded) = found.get(&job.name) else { continue };
        if loaded.phase == LoadStage::Import {
            column.refused += 1;
            continue;
        }
        let verdict = verdict(&job.path, row)?;
        let says = verdict.findings.iter().any(|finding: &Finding| finding.rule.code == RULE);
        let is = loaded.phase == LoadStage::Run && WORDS.iter().any(|it| loaded.said.contains(it));
        let unjudged = verdict.unjudged.iter().any(|it| it.aspect == aspect::KERNELS);
        let prediction = match says {
            _ if is != says && unjudged => Prediction::NotJudged,
            true => Prediction::Fails,
            false => Prediction::Works,
        };
        let comparison = Comparison::new(prediction, !is, || {
            let what = if is { "false compatible" } else { "false error" };
            let said: String = loaded.said.chars().take(200).collect();
            format!("{what}: {}; {}", one.name, said.replace('\n', " "))
        });
        column.tally.add(&comparison);
        column.without += usize::from(is && comparison == Comparison::Right);
        column.wrong.extend(comparison.wrong().map(str::to_owned));
    }
    Ok((asked.len(), column))
}
