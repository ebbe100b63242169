//! `unskew lint`: what changed since a baseline, held to the promises of `unskew.toml`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use unskew_core::{Role, Side};
use unskew_lint::{
    FileVerdict, Known, LintConfig, LintRequest, LintResult, PackageSource, Sources, lint,
};
use unskew_report::{CheckedPair, ReadFailure, Report, Subject};
use unskew_source::read_text;

use super::diff::verdict;
use crate::args::{Global, Lint};
use crate::exit::{CallStatus, Ending};
use crate::{kinds, print};

const FILE: &str = "unskew.toml";

/// How large it may be, in bytes.
const LARGEST: u64 = 1 << 20;

pub fn run(args: &Lint, global: &Global) -> anyhow::Result<CallStatus> {
    let path = match &args.config {
        Some(path) => path.clone(),
        None => nearest()?,
    };
    let text = read_text(&path, LARGEST).context("cannot read the promises")?;
    let known = Known {
        kinds: kinds::ALL,
        is_rule: &|code| unskew_artifact::every_rule().any(|rule| rule.code == code),
    };
    let config = LintConfig::from_toml(&path.display().to_string(), &text, known)?;
    let root = path.parent().unwrap_or(Path::new(""));
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let (context, baseline) = (global.context(), args.baseline.as_deref());
    let as_of = context.as_of;
    let index = args.packages.index()?;
    let sources = Sources::new(root, index.as_ref().map(|index| index as &dyn PackageSource));
    let request = LintRequest { sources: &sources, file: &file, config: &config, baseline, as_of };
    let outcome = lint(&request);
    let checked = outcome.checked;
    let mut report = Report::new(context);
    fill(&mut report, outcome, root);
    print::found(print::rendered(&mut report, args.format.into()))?;
    for failure in &report.failures {
        print::failure(&format!("{}: {}", failure.path, failure.message));
    }
    let (worst, failed) = (report.severity(), report.failures.len());
    // What changed and was not understood is no pass.
    let unjudged = report.unjudged().count();
    Ok(Ending { done: checked, failed, worst, deny: global.deny(), unjudged }.into())
}

/// The `unskew.toml` of this folder, or the nearest one above it.
fn nearest() -> anyhow::Result<PathBuf> {
    if Path::new(FILE).is_file() {
        return Ok(FILE.into());
    }
    let here = std::env::current_dir().context("cannot tell the current folder")?;
    match here.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file()) {
        Some(path) => Ok(path),
        None => bail!(
            "no {FILE} in this folder or above it; write one (docs/guide/lint.md) or name it by --config: {}",
            here.display()
        ),
    }
}

/// One pair for every file: as it was in the baseline, and as it is.
fn fill(report: &mut Report, outcome: LintResult, root: &Path) {
    let path = |file: &str| root.join(file).to_string_lossy().replace('\\', "/");
    report.pairs = outcome.judged.into_iter().map(|judged| pair(judged, &path)).collect();
    let failures = outcome.failures.into_iter();
    let failure = |failure: unskew_lint::LintFailure| ReadFailure {
        path: path(&failure.path),
        message: failure.why,
    };
    report.failures = failures.map(failure).collect();
}

fn pair(judged: FileVerdict, path: &dyn Fn(&str) -> String) -> CheckedPair {
    let FileVerdict { boundary, file, baseline, origins, mut findings, promises, unjudged } =
        judged;
    let [was, is] = origins;
    let name = if file.is_empty() { boundary } else { path(&file) };
    let now = Side { role: Role::Artifact, name: name.clone(), origin: is };
    let then = Side { role: Role::Artifact, name: baseline, origin: was };
    for finding in &mut findings {
        finding.subject.get_or_insert_with(|| now.clone());
    }
    let place = (!file.is_empty()).then_some(name);
    CheckedPair {
        a: Subject { path: place, side: now },
        b: Subject { path: None, side: then },
        verdict: verdict(findings, promises, unjudged),
    }
}
