//! For people: a block for each finding, then the verdict.
//!
//! ```text
//! div.pt2 with torch 2.15.0
//!
//! error PT204 pt2-schema-major: schema 5.3, torch 2.15.0 reads major 8 only
//!   phase     load
//!   artifact  div.pt2, torch.export archive, written by torch 2.4
//!   runtime   torch 2.15.0, PyTorch release, released 2026-10-07
//!   where     serialized_exported_program.json
//!   fix       re-export with torch 2.15
//!
//! not promised  torch.export: no compatibility across majors
//!
//! incompatible, fails at load: 1 error
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use unskew_core::{Finding, Outcome, Padded, Promise, PromiseState, Severity, Unjudged};

use crate::style::{BAD, DIM, EMPHASIS, GOOD, WARN, of_severity};
use crate::{CheckedPair, Plain, Report, Tally};

/// The width of the labels on the left.
const LABEL: usize = 8;

/// How many findings of one rule are shown of a pair.
const SHOWN: usize = 20;

/// What the runtime prints when it fails; the longest label, so that findings without it stay narrow.
const SYMPTOM: &str = "error you will see";

pub(crate) fn write(report: &Report, out: &mut dyn Write) -> fmt::Result {
    for (index, pair) in report.pairs.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write_pair(pair, if report.verbose { usize::MAX } else { SHOWN }, out)?;
    }
    if report.pairs.len() > 1 {
        writeln!(out)?;
        summary(report, out)?;
    }
    Ok(())
}

fn write_pair(pair: &CheckedPair, shown: usize, out: &mut dyn Write) -> fmt::Result {
    writeln!(
        out,
        "{EMPHASIS}{} with {}{EMPHASIS:#}",
        Plain(pair.a.label()),
        Plain(pair.b.label())
    )?;
    write_findings(&pair.verdict.findings, shown, out)?;
    if !pair.verdict.promises.is_empty() || !pair.verdict.unjudged.is_empty() {
        writeln!(out)?;
    }
    for promise in &pair.verdict.promises {
        write_promise(promise, shown, out)?;
    }
    for unjudged in &pair.verdict.unjudged {
        write_unjudged(unjudged, out)?;
    }
    writeln!(out)?;
    write_verdict(pair, out)
}

/// The first findings of each rule, and how many more of it there are.
fn write_findings(findings: &[Finding], shown: usize, out: &mut dyn Write) -> fmt::Result {
    let mut counts: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for finding in findings {
        let (_, count) = counts.entry(finding.rule.code).or_insert((finding.rule.name, 0));
        *count += 1;
        if *count <= shown {
            writeln!(out)?;
            write_finding(finding, out)?;
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

/// One finding with all that is known about it.
pub(crate) fn write_finding(finding: &Finding, out: &mut dyn Write) -> fmt::Result {
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
    let mut line = |label: &str, text: &str| aligned(width, label, text, out);
    // Only what we write ourselves has lines.
    let single = |text: &str| Plain(text).to_string();
    if let Some(phase) = finding.phase {
        line("phase", phase.as_str())?;
    }
    for side in finding.subject.iter().chain(&finding.other) {
        let comma = if side.origin.is_empty() { "" } else { ", " };
        line(side.role.as_str(), &single(&format!("{}{comma}{}", side.name, side.origin)))?;
    }
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

/// A promise; of one that is unknown the first line says that it is, and the others are for whoever asks for all.
fn write_promise(promise: &Promise, shown: usize, out: &mut dyn Write) -> fmt::Result {
    let style = match promise.state {
        PromiseState::Promised => GOOD,
        PromiseState::Expired | PromiseState::NotPromised => WARN,
        PromiseState::Unknown => DIM,
    };
    write!(out, "{style}{}{style:#}: {}", promise.state, Plain(&promise.policy))?;
    match window(promise) {
        Some(window) => writeln!(out, " ({})", Plain(&window))?,
        None => writeln!(out)?,
    }
    let lines = match promise.state {
        PromiseState::Unknown if shown < usize::MAX => 1,
        _ => usize::MAX,
    };
    for part in promise.statement.lines().take(lines) {
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
pub(crate) fn write_unjudged(unjudged: &Unjudged, out: &mut dyn Write) -> fmt::Result {
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
    let style = match verdict.outcome {
        _ if verdict.consequence().is_some() => WARN,
        Outcome::Compatible | Outcome::Adaptable(_) => GOOD,
        Outcome::Unjudged => WARN,
        Outcome::Incompatible | Outcome::Unrelated => BAD,
    };
    let tally: Tally = verdict.findings.iter().collect();
    writeln!(
        out,
        "{style}{}{style:#}: {}",
        Plain(&pair.outcome()),
        tally.with_unjudged(verdict.unjudged.len())
    )
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
    let partly = match unjudged {
        0 => String::new(),
        unjudged => format!(", {unjudged} not judged in part"),
    };
    writeln!(
        out,
        "{style}{work} of {} pairs work{partly}{style:#}: {}",
        report.pairs.len(),
        report.tally()
    )
}
