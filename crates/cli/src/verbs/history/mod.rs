//! `unskew history HISTORY`: what was current, what must be supported, what may be removed.

mod json;
mod landed;
mod source;
mod text;

use anyhow::Context as _;
use unskew_core::Verdict;
use unskew_history::{HistoryAnswers, HistoryCheckOptions, HistoryFault, findings, svg};
use unskew_report::{CheckedPair, Report, Subject};

use crate::args::{Global, HistoryArgs, ReportFormat};
use crate::exit::{CallStatus, Ending};
use crate::print::{self, Printable};
use source::NamedHistory;

/// A history with what was found out about it.
struct HistorySummary<'a> {
    named: &'a NamedHistory,
    answers: Option<HistoryAnswers>,
    /// Why there are no answers.
    silent: Option<String>,
    faults: &'a [HistoryFault],
}

pub fn run(args: &HistoryArgs, global: &Global) -> anyhow::Result<CallStatus> {
    // What is wrong is judged as of today, whatever day is asked about.
    let today = global.context().as_of;
    let day = args.at.unwrap_or(today);
    let mut named = source::open(&args.source)?;
    if let Some(from) = &args.landed {
        landed::add(&mut named, from)?;
    }
    let own = named.chronicle.window.clone();
    let of_axis = || unskew_releases::window(&named.chronicle.axis, day);
    let window = args.window.clone().or(own).or_else(of_axis);
    let terms = HistoryCheckOptions { today: Some(today), window: window.as_ref() };
    let faults = findings(&named.chronicle, terms);
    let answers = HistoryAnswers::for_day(&named.chronicle, day, window.as_ref());
    let (answers, silent) = match answers {
        Ok(answers) => (Some(answers), None),
        Err(error) => (None, Some(error.to_string())),
    };
    if let Some(path) = &args.svg {
        let answers = answers.as_ref().with_context(|| {
            format!("nothing to draw: {}", silent.as_deref().unwrap_or_default())
        })?;
        print::file(path, Printable::document(&svg(answers, args.since)))?;
    }
    let worst = faults.iter().map(|fault| fault.finding.severity).max();
    let told = HistorySummary { named: &named, answers, silent, faults: &faults };
    match args.format {
        ReportFormat::Full | ReportFormat::Concise => print::found(text::page(&told, args)?)?,
        ReportFormat::Json => print::found(Printable::json(&json::document(&told, args)?))?,
        ReportFormat::Sarif | ReportFormat::Github | ReportFormat::Junit => {
            let mut report = Report::new(global.context());
            report.pairs = vec![pair(&told)];
            print::found(print::rendered(&mut report, args.format.into()))?;
        }
    }
    Ok(Ending { done: 1, failed: 0, worst, deny: global.deny(), unjudged: 0 }.into())
}

/// The history as both sides of a pair: it is held against its own days.
fn pair(told: &HistorySummary<'_>) -> CheckedPair {
    let subject = Subject { path: told.named.path.clone(), side: told.named.side() };
    let about = |fault: &HistoryFault| fault.finding.clone().about(subject.side.clone());
    let findings: Vec<_> = told.faults.iter().map(about).collect();
    let verdict = Verdict::new(findings, Vec::new(), Vec::new());
    CheckedPair { a: subject.clone(), b: subject, verdict }
}
