//! `unskew tf evolve CASE --op OP`: the steps of a change; `--check`: a history of registries against the document.

use std::ffi::OsString;
use std::fmt::Write as _;

use anyhow::{Context as _, bail};
use unskew_releases::Family;
use unskew_report::{DIM, EMPHASIS, Plain, Report};
use unskew_tensorflow::diff::{self, ReleaseRegistry};
use unskew_tensorflow::evolve::{EvolutionQuestion, EvolutionRecord, OpPresence, case, cases};

use crate::args::{Evolve, Global};
use crate::exit::{CallStatus, Ending};
use crate::print;
use crate::verbs::diff::{DiffSubject, NamedSubject, pair, subject};

pub fn run(args: &Evolve, global: &Global) -> anyhow::Result<CallStatus> {
    if args.check {
        return check(&args.case, args, global);
    }
    let known = || cases().iter().map(|case| &*case.name).collect::<Vec<_>>().join(", ");
    let [name] = args.case.as_slice() else { bail!("one case is wanted: {}", known()) };
    let name = name.to_string_lossy();
    let case =
        case(&name).with_context(|| format!("no case is called {name}; they are {}", known()))?;
    let op = args.op.clone().context("which op? --op NAME")?;
    if case.name == "ban-consumer" && args.consumer.is_none() {
        bail!("which consumer? --consumer VERSION, its GraphDef version");
    }
    let newest = unskew_releases::select(Family::TensorFlow.as_str())?;
    let newest = newest.last().context("the database has no release of tensorflow")?;
    let runtime = unskew_releases::tensorflow::runtime(newest.row());
    let has = runtime.is_some_and(|runtime| runtime.ops.look_up(&op).op().is_some());
    let question = EvolutionQuestion {
        op: op.clone(),
        new: args.new.clone(),
        consumer: args.consumer,
        day: global.context().as_of,
        newest: newest.row().version,
    };
    let mut text = String::new();
    let _ = writeln!(text, "{EMPHASIS}{}: {}{EMPHASIS:#}", case.summary, Plain(&op));
    match (case.wants, has) {
        (OpPresence::Absent, true) => {
            let _ = writeln!(
                text,
                "{DIM}{newest} has an op of this name: a new one needs another.{DIM:#}"
            );
        }
        (OpPresence::Present, false) => {
            let _ = writeln!(text, "{DIM}{newest} has no op of this name.{DIM:#}");
        }
        _ => {}
    }
    for (i, step) in case.plan(&question).iter().enumerate() {
        let _ = writeln!(text, "\n{EMPHASIS}{}. {}{EMPHASIS:#}", i + 1, step.when);
        let _ = writeln!(text, "{}", print::wrapped(&step.what, 3));
    }
    print::out(&text)?;
    Ok(CallStatus::Clean)
}

/// The registries that are named, or all releases, each held against the one before it.
fn check(names: &[OsString], args: &Evolve, global: &Global) -> anyhow::Result<CallStatus> {
    let named: Vec<OsString> = if names.is_empty() {
        let all = unskew_releases::select(Family::TensorFlow.as_str())?;
        all.iter().map(|release| release.to_string().into()).collect()
    } else {
        names.to_vec()
    };
    let mut things: Vec<(NamedSubject, ReleaseRegistry)> = Vec::new();
    for name in &named {
        let found = subject(name)?;
        let DiffSubject::Registry(registry) = &found.thing else {
            bail!("no op registry of TensorFlow: {}", name.to_string_lossy())
        };
        let registry = registry.clone();
        things.push((found, registry));
    }
    if things.len() < 2 {
        bail!("a history has at least two registries");
    }
    let mut report = Report::new(global.context());
    for window in things.windows(2) {
        if let [(old, before), (new, after)] = window {
            report.pairs.push(pair(old, new, diff::findings(before, after)));
        }
    }
    let registries: Vec<ReleaseRegistry> =
        things.iter().map(|(_, registry)| registry.clone()).collect();
    if let (Some((first, _)), Some((last, _))) = (things.first(), things.last()) {
        let record = EvolutionRecord::from_registries(&registries).finding();
        report.pairs.push(pair(first, last, vec![record]));
    }
    print::found(print::rendered(&mut report, args.format.into()))?;
    Ok(Ending { done: 1, failed: 0, worst: report.severity(), deny: global.deny(), unjudged: 0 }
        .into())
}
