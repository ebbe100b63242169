//! For people: the verdict in one sentence, the two sides, a block for each finding, then promises.
//!
//! ```text
//! div.pt2 does not load with torch 2.15.0. The schema of the archive is of another major version.
//!   artifact  div.pt2, torch.export archive, written by torch 2.4
//!   runtime   torch 2.15.0, PyTorch release, released 2026-10-07
//!
//! error PT204 pt2-schema-major: schema 5.3, torch 2.15.0 reads major 8 only
//!   phase     load
//!   where     serialized_exported_program.json
//!   fix       re-export with torch 2.15
//!
//! not promised: torch.export: no compatibility across majors
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use anstyle::Style;
use unskew_core::{
    Finding, Outcome, Padded, Promise, PromiseState, Severity, Side, Unjudged, Verdict,
};

use crate::style::{BAD, DIM, EMPHASIS, GOOD, WARN, of_severity};
use crate::{CheckedPair, Plain, Report, Tally, ranges};

/// The width of the labels on the left.
const LABEL: usize = 8;

/// How many findings of one rule are shown of a pair.
const SHOWN: usize = 20;

/// What the runtime prints when it fails; the longest label, so that findings without it stay narrow.
const SYMPTOM: &str = "error you will see";

pub(crate) fn write(report: &Report, out: &mut dyn Write) -> fmt::Result {
    let mut is_first = true;
    let mut separate = |out: &mut dyn Write| match std::mem::take(&mut is_first) {
        true => Ok(()),
        false => writeln!(out),
    };
    for run in ranges::families(&report.pairs) {
        if ranges::is_long(run) && !report.verbose {
            separate(out)?;
            ranges::write(run, out)?;
            continue;
        }
        for pair in run {
            separate(out)?;
            write_pair(pair, if report.verbose { usize::MAX } else { SHOWN }, out)?;
        }
    }
    if report.pairs.len() > 1 {
        writeln!(out)?;
        summary(report, out)?;
    }
    Ok(())
}

fn write_pair(pair: &CheckedPair, shown: usize, out: &mut dyn Write) -> fmt::Result {
    let verdict = &pair.verdict;
    let style = style_of(verdict);
    writeln!(out, "{style}{}{style:#}", Plain(&pair.sentence()))?;
    let sides = [&pair.a.side, &pair.b.side];
    let told =
        verdict.findings.iter().flat_map(|finding| finding.subject.iter().chain(&finding.other));
    // Of what no finding is about, the name says enough.
    let told: Vec<&Side> = told.filter(|side| sides.contains(side)).collect();
    for side in sides.into_iter().filter(|side| told.contains(side)) {
        write_side(side, LABEL, out)?;
    }
    write_findings(&verdict.findings, &sides, shown, out)?;
    if !verdict.promises.is_empty() || !verdict.unjudged.is_empty() {
        writeln!(out)?;
    }
    for promise in &verdict.promises {
        write_promise(promise, shown, out)?;
    }
    for unjudged in &verdict.unjudged {
        write_unjudged(unjudged, out)?;
    }
    // The first line is far above by now.
    if verdict.findings.len() > 1 {
        writeln!(out)?;
        write_verdict(pair, out)?;
    }
    Ok(())
}

/// The first findings of each rule, and how many more of it there are.
fn write_findings(
    findings: &[Finding],
    sides: &[&Side],
    shown: usize,
    out: &mut dyn Write,
) -> fmt::Result {
    let mut counts: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for finding in findings {
        let (_, count) = counts.entry(finding.rule.code).or_insert((finding.rule.name, 0));
        *count += 1;
        if *count <= shown {
            writeln!(out)?;
            write_finding(finding, sides, out)?;
        }
    }
    for (code, (name, count)) in counts.into_iter().filter(|(_, (_, count))| *count > shown) {
        let more = count - shown;
        writeln!(
            out,
            "\n{EMPHASIS}{more} more{EMPHASIS:#} of {code} {name}: `-v` shows all {count}"
        )?;
    }
    Ok(())
}

/// One finding with all that is known about it; `told` are the sides that stand above it already.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_finding(finding: &Finding, told: &[&Side], out: &mut dyn Write) -> fmt::Result {
    let style = of_severity(finding.severity);
    let rule = finding.rule;
    writeln!(
        out,
        "{style}{} {}{style:#} {}: {EMPHASIS}{}{EMPHASIS:#}",
        finding.severity,
        rule.code,
        rule.name,
        Plain(&finding.message)
    )?;
    let width = if finding.symptom.is_some() { SYMPTOM.len() } else { LABEL };
    if let Some(phase) = finding.phase {
        aligned(width, "phase", phase.as_str(), out)?;
    }
    for side in finding.subject.iter().chain(&finding.other).filter(|side| !told.contains(side)) {
        write_side(side, width, out)?;
    }
    let mut line = |label: &str, text: &str| aligned(width, label, text, out);
    // Only what we write ourselves has lines.
    let single = |text: &str| Plain(text).to_string();
    if !finding.places.is_empty() {
        line("where", &single(&finding.places.to_string()))?;
    }
    if let Some(symptom) = &finding.symptom {
        line(SYMPTOM, symptom)?;
    }
    if let Some(adaptation) = &finding.adaptation {
        line("adapt", &single(adaptation))?;
    }
    if let Some(fix) = &finding.fix {
        line("fix", fix)?;
    }
    if let Some(fingerprint) = &finding.fingerprint {
        line("finding", fingerprint)?;
    }
    if let Some(accepted) = &finding.accepted {
        line("accepted", &single(&format!("until {}: {}", accepted.until, accepted.reason)))?;
    }
    Ok(())
}

/// `artifact  net.pt, TorchScript archive, written by torch 2.4`.
fn write_side(side: &Side, width: usize, out: &mut dyn Write) -> fmt::Result {
    let comma = if side.origin.is_empty() { "" } else { ", " };
    let text = Plain(&format!("{}{comma}{}", side.name, side.origin)).to_string();
    aligned(width, side.role.as_str(), &text, out)
}

/// A label and a text; the later lines of the text stand under its first.
pub(crate) fn line(label: &str, text: &str, out: &mut dyn Write) -> fmt::Result {
    aligned(LABEL, label, text, out)
}

fn aligned(width: usize, label: &str, text: &str, out: &mut dyn Write) -> fmt::Result {
    for (index, part) in text.lines().enumerate() {
        let label = if index == 0 { label } else { "" };
        writeln!(out, "  {DIM}{}{DIM:#}  {}", Padded(Plain(label), width), Plain(part))?;
    }
    Ok(())
}

/// A promise in one line; with `-v`, its window, all of its statement and where it is made.
fn write_promise(promise: &Promise, shown: usize, out: &mut dyn Write) -> fmt::Result {
    let style = match promise.state {
        PromiseState::Promised => GOOD,
        PromiseState::Expired | PromiseState::NotPromised => WARN,
        PromiseState::Unknown => DIM,
    };
    let state = match promise.state {
        PromiseState::Unknown => "promise unclear",
        known => known.as_str(),
    };
    write!(out, "{style}{state}{style:#}: {}", Plain(&promise.policy))?;
    let mut lines = promise.statement.lines();
    if shown < usize::MAX {
        return match lines.next() {
            Some(first) => writeln!(out, ": {}", Plain(first)),
            None => writeln!(out),
        };
    }
    match window(promise) {
        Some(window) => writeln!(out, " ({})", Plain(&window))?,
        None => writeln!(out)?,
    }
    for part in lines {
        writeln!(out, "  {}", Plain(part))?;
    }
    writeln!(out, "  {DIM}see {}{DIM:#}", Plain(&promise.reference))
}

/// `12 weeks, 2025-01-01 to 2025-03-26`, as far as it is known.
fn window(promise: &Promise) -> Option<String> {
    let days = match (promise.from, promise.until) {
        (Some(from), Some(until)) => Some(format!("{from} to {until}")),
        (Some(from), None) => Some(format!("from {from}")),
        (None, Some(until)) => Some(format!("until {until}")),
        (None, None) => None,
    };
    let parts: Vec<String> = promise.window.clone().into_iter().chain(days).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What was not judged, why, where, and what has it judged.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_unjudged(unjudged: &Unjudged, out: &mut dyn Write) -> fmt::Result {
    let Unjudged { aspect, reason, remedy, places } = unjudged;
    writeln!(out, "{WARN}not judged{WARN:#}: {}: {}", Plain(aspect), Plain(reason))?;
    if !places.is_empty() {
        line("where", &Plain(&places.to_string()).to_string(), out)?;
    }
    match remedy {
        Some(remedy) => line("to judge", remedy, out),
        None => Ok(()),
    }
}

fn write_verdict(pair: &CheckedPair, out: &mut dyn Write) -> fmt::Result {
    let verdict = &pair.verdict;
    let style = style_of(verdict);
    let tally: Tally = verdict.findings.iter().collect();
    writeln!(
        out,
        "{style}{}{style:#}: {}",
        Plain(&pair.outcome()),
        tally.with_unjudged(verdict.unjudged.len())
    )
}

/// The style of a verdict as a whole.
pub(crate) fn style_of(verdict: &Verdict) -> Style {
    match verdict.outcome {
        _ if verdict.consequence().is_some() => WARN,
        Outcome::Compatible | Outcome::Adaptable(_) => GOOD,
        Outcome::Unjudged => WARN,
        Outcome::Incompatible | Outcome::Unrelated => BAD,
    }
}

/// The last line where there are several pairs.
fn summary(report: &Report, out: &mut dyn Write) -> fmt::Result {
    let count = |is: fn(&Outcome) -> bool| {
        report.pairs.iter().filter(|pair| is(&pair.verdict.outcome)).count()
    };
    let work = count(|outcome| matches!(outcome, Outcome::Compatible | Outcome::Adaptable(_)));
    let unjudged = count(|outcome| matches!(outcome, Outcome::Unjudged));
    let style = match report.severity() {
        Some(Severity::Error) => BAD,
        Some(Severity::Warning) => WARN,
        _ if unjudged > 0 => WARN,
        _ => GOOD,
    };
    let all = report.pairs.len();
    // That a pair works is a claim: of what was not judged in part, only what fails is counted.
    let count = match unjudged {
        0 => format!("{work} of {all} pairs work"),
        unjudged => {
            let failing = all - work - unjudged;
            let fail = if failing == 1 { "fails" } else { "fail" };
            format!("{failing} of {all} pairs {fail}, {unjudged} not judged in part")
        }
    };
    writeln!(out, "{style}{count}{style:#}: {}", report.tally())
}
