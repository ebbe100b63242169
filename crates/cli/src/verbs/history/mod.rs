//! `unskew history HISTORY`: what was current, what must be supported, what may be removed.

mod json;
mod landed;
mod source;
mod text;

use anyhow::Context as _;
use unskew_core::Verdict;
use unskew_history::{Answers, Fault, Terms, findings, svg};
use unskew_report::{Pair, Report, Subject};

use crate::args::{Global, History, ReportFormat};
use crate::exit::{Ending, Status};
use crate::print::{self, Printable};
use source::Named;

/// A history with what was found out about it.
struct Told<'a> {
    named: &'a Named,
    answers: Option<Answers>,
    /// Why there are no answers.
    silent: Option<String>,
    faults: &'a [Fault],
}

pub fn run(args: &History, global: &Global) -> anyhow::Result<Status> {
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
    let terms = Terms { today: Some(today), window: window.as_ref() };
    let faults = findings(&named.chronicle, terms);
    let answers = Answers::of(&named.chronicle, day, window.as_ref());
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
    let told = Told { named: &named, answers, silent, faults: &faults };
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
fn pair(told: &Told<'_>) -> Pair {
    let subject = Subject { path: told.named.path.clone(), side: told.named.side() };
    let about = |fault: &Fault| fault.finding.clone().about(subject.side.clone());
    let findings: Vec<_> = told.faults.iter().map(about).collect();
    let verdict = Verdict::of(findings, Vec::new(), Vec::new());
    Pair { a: subject.clone(), b: subject, verdict }
}
