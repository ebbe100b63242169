//! For people: answers, timeline, faults.

use std::fmt::Write as _;

use unskew_core::Severity;
use unskew_history::{EndOfSupport, HistoryAnswers, text as timeline};
use unskew_report::{BAD, DIM, EMPHASIS, Plain};

use super::HistorySummary;
use crate::args::{HistoryArgs, ReportFormat};

/// How many versions are named that may be removed or fall out next.
const NAMED: usize = 6;

pub(super) fn page(told: &HistorySummary<'_>, args: &HistoryArgs) -> anyhow::Result<String> {
    let mut text = String::new();
    let chronicle = &told.named.chronicle;
    let title = if chronicle.title.is_empty() { &chronicle.axis } else { &chronicle.title };
    let side = told.named.side();
    writeln!(text, "{EMPHASIS}{}{EMPHASIS:#}: {}", Plain(&side.name), Plain(&side.origin))?;
    if !title.is_empty() {
        writeln!(text, "  {DIM}title{DIM:#}         {}", Plain(title))?;
    }
    match (&told.answers, &told.silent) {
        (Some(answers), _) => {
            answered(answers, args, &mut text)?;
            if args.format == ReportFormat::Full {
                write!(text, "\n{}", timeline(answers, args.since))?;
            }
        }
        (None, silent) => {
            let why = silent.as_deref().unwrap_or_default();
            writeln!(text, "  no answers: {}", Plain(why))?;
        }
    }
    faults(told, args, &mut text)?;
    Ok(text)
}

fn answered(answers: &HistoryAnswers, args: &HistoryArgs, text: &mut String) -> anyhow::Result<()> {
    let mut line =
        |label: &str, value: String| writeln!(text, "  {DIM}{label:13}{DIM:#} {}", Plain(&value));
    line("day", answers.day.to_string())?;
    let current = answers.current.map_or_else(|| "none yet".to_owned(), |v| v.to_string());
    let since = answers.history.entries().iter().rev().find(|entry| entry.landed <= answers.day);
    let since = since.map(|entry| format!(", since {}", entry.landed)).unwrap_or_default();
    line("in force", format!("{current}{since}"))?;
    match answers.undated {
        0 => {}
        1 => line("", "1 later version has no day and is in no answer".to_owned())?,
        more => line("", format!("{more} later versions have no day and are in no answer"))?,
    }
    line("minimum", answers.minimum.to_string())?;
    let Some(window) = &answers.window else {
        line("window", "none known; name one with --window \"12 weeks\"".to_owned())?;
        return Ok(());
    };
    line("window", window.to_string())?;
    match &answers.supported {
        Some(supported) => {
            let what = format!("{}, in force since {}", supported.range, supported.from);
            line("must support", what)?;
        }
        None => line("must support", "nothing: no version had landed".to_owned())?,
    }
    let free: Vec<String> =
        answers.removable.iter().map(|(version, day)| format!("{version} (since {day})")).collect();
    line("may remove", listed(&free))?;
    let next: Vec<String> = answers
        .falling()
        .iter()
        .map(|(version, last)| format!("{version} (after {last})"))
        .collect();
    line("falls out", listed(&next))?;
    for version in &args.when {
        line("when", format!("{version}: {}", when(answers, *version)?))?;
    }
    Ok(())
}

/// When a version falls out of its window, in words.
pub(super) fn when(
    answers: &HistoryAnswers,
    version: unskew_core::Version,
) -> anyhow::Result<String> {
    if answers.history.landed(version).is_none() {
        return Ok("not in the part of the history that has days".to_owned());
    }
    Ok(match answers.fall(version)? {
        EndOfSupport::InForce => {
            "in force; its window begins when the next version lands".to_owned()
        }
        EndOfSupport::Open => "waits for a release that has not happened".to_owned(),
        EndOfSupport::Last(last) if last < answers.day => format!("fell out after {last}"),
        EndOfSupport::Last(last) => format!("counts until {last}"),
    })
}

fn listed(items: &[String]) -> String {
    match items {
        [] => "nothing".to_owned(),
        items if items.len() <= NAMED => items.join(", "),
        [first, .., last] => format!("{first} to {last}: {} versions", items.len()),
        [one] => one.clone(),
    }
}

fn faults(told: &HistorySummary<'_>, args: &HistoryArgs, text: &mut String) -> anyhow::Result<()> {
    let mut faults: Vec<_> = told.faults.iter().map(|fault| &fault.finding).collect();
    faults.sort_by_key(|finding| finding.gravity());
    if !faults.is_empty() {
        text.push('\n');
    }
    for finding in faults {
        let (severity, code) = (finding.severity, finding.rule.code);
        let style = if severity == Severity::Error { BAD } else { EMPHASIS };
        let message = Plain(&finding.message);
        writeln!(text, "{style}{severity}{style:#} {code}: {message}")?;
        writeln!(text, "  {DIM}at{DIM:#} {}", Plain(&finding.places.to_string()))?;
        if let (Some(fix), ReportFormat::Full) = (&finding.fix, args.format) {
            writeln!(text, "  {DIM}fix:{DIM:#} {}", Plain(fix))?;
        }
    }
    Ok(())
}
