//! `unskew scan URI... --with B... -o TABLE`: stores of artifacts into a table of verdicts.

mod processes;
mod query;

use std::fmt::Write as _;
use std::sync::{Mutex, OnceLock, PoisonError};

use indicatif::HumanBytes;
use unskew_core::Severity;
use unskew_report::Plain;
use unskew_scan::{
    ArtifactJudge, Inventory, Question, ScanEvent, ScanSettings, Summary, VerdictTable, inventory,
    scan,
};

use crate::args::{Global, Scan, ScanTask, Watch};
use crate::exit::{CallStatus, Ending};
use crate::{guard, print, progress};

/// How many artifacts of a store are judged at once: requests wait far more than they work.
const STORE_JOBS: usize = 16;

pub fn run(args: &Scan, global: &Global) -> anyhow::Result<CallStatus> {
    if let Some(ScanTask::Query(args)) = &args.task {
        return query::run(args);
    }
    // The arguments demand one where there is no task.
    let output = args.output.as_deref().unwrap_or_default();
    // A table is about one day: whoever goes on with it asks the question of that day.
    let begun = VerdictTable::asked(output)?.map(|asked| asked.as_of);
    let day = global.day().or(begun).unwrap_or_else(|| global.context().as_of);
    let question = guard::while_done(Watch::MemoryAndTime, || Question::new(&args.with, day))?;
    let judge = ArtifactJudge::in_processes(&question, processes::processes(&question))?;
    let sources: Vec<Box<dyn Inventory>> =
        args.uris.iter().map(|uri| inventory(uri)).collect::<Result<_, _>>()?;
    let table = VerdictTable::open(output, &question)?;
    let far = args.uris.iter().any(|uri| {
        (unskew_artifact::is_uri(uri) && !uri.starts_with("file:"))
            || unskew_registries::Registry::parse(uri).is_some()
    });
    let jobs = args.jobs.or(far.then_some(STORE_JOBS));
    let settings = ScanSettings { shard: args.shard, jobs, ..ScanSettings::default() };
    let bar: OnceLock<progress::Bar> = OnceLock::new();
    let judged = Mutex::new(Vec::new());
    let watch = |step: ScanEvent<'_>| match step {
        ScanEvent::Begun(artifacts) => {
            bar.get_or_init(|| progress::bar("scanning", artifacts, progress::MANY_FILES));
        }
        ScanEvent::Judged(rows) => {
            if args.report
                && let Ok(mut judged) = judged.lock()
            {
                judged.extend(rows.iter().filter(|row| row.collection.is_some()).cloned());
            }
            if let Some(bar) = bar.get() {
                bar.step();
            }
        }
    };
    let summary = scan(&sources, &judge, &table, &settings, &watch);
    if let Some(bar) = bar.get() {
        bar.finish();
    }
    let summary = summary?;
    print::out(text(&summary, &table))?;
    if args.report {
        let judged = judged.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut reported = 0;
        for source in &sources {
            reported += source.report(&judged, &question)?;
        }
        print::out(format!("{reported} entries of registries have a report\n"))?;
    }
    let done = summary.artifacts - summary.unread + summary.done_before;
    Ok(Ending {
        done,
        failed: summary.unread,
        worst: worst(&summary),
        deny: global.deny(),
        unjudged: global.unjudged(summary.unjudged),
    }
    .into())
}

fn worst(summary: &Summary) -> Option<Severity> {
    let found = |severity: &Severity| summary.severities.contains_key(&severity.to_string());
    [Severity::Error, Severity::Warning, Severity::Note].into_iter().find(found)
}

fn text(summary: &Summary, table: &VerdictTable) -> String {
    let Summary { artifacts, done_before, unread, bytes, verdicts, parts, .. } = summary;
    let mut text = format!("{artifacts} artifacts judged");
    let _ = match done_before {
        0 => Ok(()),
        n => write!(text, ", {n} were in the table"),
    };
    let _ = match unread {
        0 => Ok(()),
        n => write!(text, ", {n} could not be read"),
    };
    let _ = writeln!(text, "; {} read", HumanBytes(*bytes));
    for (verdict, rows) in verdicts {
        let _ = writeln!(text, "  {verdict:13} {rows}");
    }
    let _ = writeln!(
        text,
        "{}: {parts} new {}",
        Plain(&table.uri()),
        if *parts == 1 { "part" } else { "parts" }
    );
    text
}
