//! Calls in real releases.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::ensure;
use serde_json as json;
use unskew_changes::{FormOutcome, RunOutcome};
use unskew_core::Version;
use unskew_torch_schemas::OperatorHistory;

use super::cases::{CallForm, forms};
use super::inputs::{all_runs, trial_runs};
use super::shapes::Shapes;
use crate::TorchHost;

/// What is not called: what asks for other machines or files, waits, or prints.
const NEVER: [&str; 26] = [
    "cudnn",
    "miopen",
    "mkldnn",
    "cuda",
    "fbgemm",
    "nnpack",
    "from_file",
    "quantiz",
    "save",
    "print",
    "wait",
    "warn",
    "record_stream",
    "sparse",
    "nested",
    "xnnpack",
    "vulkan",
    "mps",
    "_cslt",
    "choose_qparams",
    "fused_adam",
    "fused_sgd",
    "fused_adagrad",
    "_foreach_",
    "dist_",
    "_jagged",
];

/// Calls of every operator that one of these releases has, with the inputs on which they are run. `trial` runs calls
/// in some of the releases, by which it is found which shapes they take.
///
/// # Errors
/// If a release cannot be run.
pub fn plan(
    history: &OperatorHistory,
    releases: &[Version],
    hosts: &[&TorchHost],
) -> anyhow::Result<Vec<CallForm>> {
    let mut all: BTreeMap<String, Vec<CallForm>> = BTreeMap::new();
    for name in names(history) {
        for definition in history.named(&name).iter() {
            let Some(schema) = definition.schema() else { continue };
            let is_had = releases.iter().any(|release| definition.runs.contains(*release));
            let outs = schema.arguments.iter().filter(|one| one.is_out()).count();
            if !is_had || outs > 1 {
                continue;
            }
            let known = all.entry(schema.full_name()).or_default();
            for one in forms(schema) {
                if !known
                    .iter()
                    .any(|other| (&other.params, &other.body) == (&one.params, &one.body))
                {
                    known.push(one);
                }
            }
        }
    }
    // Which shapes are taken.
    let mut trial: Vec<CallForm> = all.values().flatten().cloned().collect();
    for form in &mut trial {
        form.runs = trial_runs(form, &Shapes::for_operator(&form.name));
    }
    let told: Vec<Vec<FormOutcome>> =
        hosts.iter().map(|host| run(host, &trial, 1)).collect::<Result<_, _>>()?;
    let mut before = String::new();
    for (at, form) in trial.iter_mut().enumerate() {
        let is_first = form.name != before;
        before.clone_from(&form.name);
        let plans = Shapes::for_operator(&form.name);
        let works = |run: usize| {
            told.iter().any(|told| {
                matches!(&told[at], FormOutcome::Runs(runs) if matches!(runs.get(run), Some(RunOutcome::Value(_))))
            })
        };
        let found = (0..plans.len()).find(|plan| (0..3).any(|kind| works(plan * 3 + kind)));
        form.runs = match found {
            Some(which) => all_runs(form, plans[which], is_first),
            None => all_runs(form, plans[0], false).into_iter().take(3).collect(),
        };
    }
    Ok(trial)
}

/// The operators of `aten` that are called.
fn names(history: &OperatorHistory) -> Vec<String> {
    let mut names: Vec<String> = history
        .rows()
        .iter()
        .filter_map(|(text, _)| Some(text.split_once('(')?.0.split('.').next()?.to_owned()))
        .filter(|name| name.starts_with("aten::") && !NEVER.iter().any(|one| name.contains(one)))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Runs calls in a release. A seed is for what is random, and for what stands in memory that nobody wrote.
///
/// # Errors
/// If the release cannot be run.
pub fn run(host: &TorchHost, forms: &[CallForm], seed: u8) -> anyhow::Result<Vec<FormOutcome>> {
    let folder = tempfile::tempdir()?;
    let (list, out) = (folder.path().join("forms.jsonl"), folder.path().join("out.tsv"));
    write(forms, &list)?;
    let mut command = host.command();
    command.env("LD_PRELOAD", quiet(folder.path())?);
    command.arg(unskew_peers::root().join("lab/torch/probes/torch_operators.py"));
    command.env("PYTHONPATH", unskew_peers::root().join(unskew_changes::NUMBERS));
    command.arg(&list).arg(&out).arg(seed.to_string());
    command.env("MALLOC_PERTURB_", (seed * 85).to_string());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "torch {}: {}",
        host.version,
        said.trim().lines().last().unwrap_or_default()
    );
    let text = String::from_utf8_lossy(&fs::read(&out)?).into_owned();
    let told: Vec<FormOutcome> = text.lines().map(FormOutcome::read).collect();
    ensure!(
        told.len() == forms.len(),
        "torch {}: {} of {} forms",
        host.version,
        told.len(),
        forms.len()
    );
    Ok(told)
}

/// A library without `backtrace`: releases up to 2.3 look up the names of all functions on the stack for every error, which
/// takes 25 ms each, and most of what is tried raises one.
fn quiet(folder: &Path) -> anyhow::Result<PathBuf> {
    let (source, library) = (folder.join("quiet.c"), folder.join("quiet.so"));
    fs::write(
        &source,
        "int backtrace(void **frames, int count) { (void)frames; return count * 0; }\n",
    )?;
    let made =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status()?;
    ensure!(made.success(), "cc made no library without backtrace()");
    Ok(library)
}

pub(super) fn write(forms: &[CallForm], to: &Path) -> io::Result<()> {
    let mut file = io::BufWriter::new(fs::File::create(to)?);
    for form in forms {
        json::to_writer(&mut file, form)?;
        file.write_all(b"\n")?;
    }
    file.flush()
}
