//! `unskew diff OLD NEW`: every change between two registries of operators, two C headers or other files that
//! people make promises about, and what should have been done.

mod files;
mod subject;

use anyhow::{Context as _, bail};
use unskew_c_headers::change::ALLOWED;
use unskew_core::{Finding, Outcome, Promise, Severity, Unjudged, Verdict};
use unskew_releases::Family;
use unskew_report::{CheckedPair, Report};

use crate::args::{Diff, Global};
use crate::exit::{CallStatus, Ending};
use crate::kinds::tables;
use crate::print;
pub use subject::{DiffSubject, NamedSubject, subject};

pub fn run(args: &Diff, global: &Global) -> anyhow::Result<CallStatus> {
    if let Some(pairs) = files::pairs(args, global)? {
        return show(pairs, args, global);
    }
    let new = args.new.as_ref().context("no file of a kind that can be compared")?;
    let (old, new) = (subject(&args.old)?, subject(new)?);
    let findings = match (&old.thing, &new.thing) {
        (DiffSubject::Registry(a), DiffSubject::Registry(b)) => {
            unskew_tensorflow::diff::findings(a, b)
        }
        (DiffSubject::Operators(a, before), DiffSubject::Operators(b, after)) => {
            let mut findings =
                unskew_torch_schemas::diff_findings(&unskew_torch_schemas::diff(a, b));
            if let (Some(before), Some(after)) = (before, after) {
                findings.extend(tables::narrowed(before, after));
            }
            findings
        }
        (DiffSubject::Onnx(a), DiffSubject::Onnx(b)) if a.reader == b.reader => {
            unskew_onnx::diff::findings(a, b).unwrap_or_default()
        }
        (DiffSubject::Opset(a), DiffSubject::Opset(b)) => {
            let onnx = unskew_releases::all().filter(|one| one.family() == Family::Onnx).last();
            let onnx = onnx.and_then(unskew_releases::onnx::runtime_of);
            let onnx = onnx.context("no release of onnx in the database")?;
            unskew_onnx::forms::opsets(&onnx.schemas, onnx.version, "", *a, *b)
        }
        _ => bail!(
            "two of one kind can be compared, not {} and {}",
            old.thing.kind(),
            new.thing.kind()
        ),
    };
    show(vec![pair(&old, &new, findings)], args, global)
}

fn show(pairs: Vec<CheckedPair>, args: &Diff, global: &Global) -> anyhow::Result<CallStatus> {
    let mut report = Report::new(global.context());
    report.pairs = pairs;
    print::found(print::rendered(&mut report, args.format.into()))?;
    // What changed and was not understood is no pass.
    let unjudged = report.unjudged().count();
    Ok(Ending { done: 1, failed: 0, worst: report.severity(), deny: global.deny(), unjudged }
        .into())
}

/// Two sides with what changed between them, gravest first.
pub fn pair(old: &NamedSubject, new: &NamedSubject, mut findings: Vec<Finding>) -> CheckedPair {
    findings.sort_by_key(Finding::gravity);
    // What is committed is the new file: the annotations of a change belong there.
    if new.subject.path.is_some() {
        let side = &new.subject.side;
        findings = findings.into_iter().map(|finding| finding.about(side.clone())).collect();
    }
    let verdict = verdict(findings, Vec::new(), Vec::new());
    CheckedPair { a: old.subject.clone(), b: new.subject.clone(), verdict }
}

/// What breaks makes the two incompatible, and what a raised major number allows breaks as well.
pub fn verdict(findings: Vec<Finding>, promises: Vec<Promise>, unjudged: Vec<Unjudged>) -> Verdict {
    let counts = |finding: &&Finding| finding.accepted.is_none();
    let is_break = |f: &Finding| f.severity == Severity::Error || f.consequence == Some(ALLOWED);
    let outcome = if findings.iter().filter(counts).any(is_break) {
        Outcome::Incompatible
    } else if unjudged.is_empty() {
        Outcome::Compatible
    } else {
        Outcome::Unjudged
    };
    Verdict { outcome, findings, promises, unjudged }
}
