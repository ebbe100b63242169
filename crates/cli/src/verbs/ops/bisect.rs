//! `unskew ops bisect MODEL --input X`: the releases at which the answer of a model changes, and where.

mod real;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use unskew_core::Version;
use unskew_interpreter::{ScriptValue, Tensor, Trace, TraceStep, digest_of};
use unskew_releases::ReleaseRow;
use unskew_source::{FileSource, Source};
use unskew_torch::{ExecutedArgument, changed_call};

use super::release::{between, playing};
use super::run::{cores, limits};
use super::values::called;
use crate::args::OpsBisect;
use crate::exit::CallStatus;
use crate::print;

/// What a release makes of a model.
struct Run {
    release: Version,
    /// A digest of the answer with its types and shapes in words, or the error.
    answer: Result<(u64, String), String>,
    steps: Vec<TraceStep>,
}

pub fn run(args: &OpsBisect) -> anyhow::Result<CallStatus> {
    let rows = between(args.from.as_deref(), args.to.as_deref())?;
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&args.call.model)?);
    let (mut text, mut changes) = (String::new(), 0);
    let mut last: Option<Run> = None;
    // The newest release that runs it makes the calls of today.
    let mut newest: Option<Run> = None;
    for row in &rows {
        let run = one(args, &source, row)?;
        if let Some(change) = last.as_ref().and_then(|old| difference(old, &run)) {
            changes += 1;
            text.push_str(&change);
        }
        if let Some(old) = last.replace(run).filter(|old| old.answer.is_ok()) {
            newest = Some(old);
        }
    }
    if let (Some(first), Some(last)) = (rows.first(), &last) {
        let (first, count) = (first.version, rows.len());
        let _ = match (changes, &last.answer) {
            (0, Ok((_, gave))) => writeln!(
                text,
                "the interpreter gives the same with the operators of all {count} releases from \
                 {first} to {}: {gave}",
                last.release
            ),
            (0, Err(error)) => writeln!(text, "no release runs it: {error}"),
            _ => writeln!(
                text,
                "{changes} {} over {count} releases from {first} to {}",
                if changes == 1 { "change" } else { "changes" },
                last.release
            ),
        };
        let run = if last.answer.is_ok() { Some(last) } else { newest.as_ref() };
        if let Some(run) = run {
            text.push_str(&measured(run, first, last.release));
        }
    }
    print::out(&text)?;
    if !args.python.is_empty() {
        print::out(&real::compared(args)?)?;
    }
    Ok(CallStatus::Clean)
}

/// The model is read anew for each release: a run may write to its weights.
fn one(args: &OpsBisect, source: &Arc<dyn Source>, row: &ReleaseRow) -> anyhow::Result<Run> {
    let (program, inputs) = called(&args.call, source)?;
    let trace = Rc::new(Trace::default());
    let interpreter = playing(row)
        .with_limits(limits(&**source, &inputs))
        .with_threads(cores())
        .with_trace(trace.clone());
    let answer = match interpreter.method(&program, &args.call.method, inputs) {
        Ok(value) => Ok((digest_of(&value), in_words(&value))),
        Err(error) => Err(error.to_string()),
    };
    Ok(Run { release: row.version, answer, steps: trace.take() })
}

/// The types and shapes of an answer.
fn in_words(value: &ScriptValue) -> String {
    let tensors = value.tensors();
    if tensors.is_empty() {
        return format!("{} {value}", value.type_name());
    }
    let one = |tensor: &Tensor| match tensor.count() {
        0..=8 => format!("{tensor} {}", ScriptValue::from(tensor.clone())),
        _ => tensor.to_string(),
    };
    tensors.iter().take(8).map(one).collect::<Vec<_>>().join(", ")
}

/// How the answer of a release differs from that of the one before; none if it does not.
fn difference(old: &Run, new: &Run) -> Option<String> {
    let mut text = match (&old.answer, &new.answer) {
        (Ok((a, _)), Ok((b, _))) if a == b => return None,
        // Messages name the release.
        (Err(_), Err(_)) => return None,
        (Ok((_, before)), Ok((_, after))) => {
            format!(
                "{}: another answer\n  {}: {before}\n  {}: {after}\n",
                new.release, old.release, new.release
            )
        }
        (Ok((_, before)), Err(error)) => {
            format!(
                "{}: fails\n  {}: {before}\n  {}: {error}\n",
                new.release, old.release, new.release
            )
        }
        (Err(error), Ok((_, after))) => {
            format!(
                "{}: runs\n  {}: {error}\n  {}: {after}\n",
                new.release, old.release, new.release
            )
        }
    };
    if let (Ok(_), Ok(_)) = (&old.answer, &new.answer) {
        let same = |(a, b): &(&TraceStep, &TraceStep)| {
            (&a.operator, a.digest, &a.gave) == (&b.operator, b.digest, &b.gave)
        };
        if let Some((a, b)) = old.steps.iter().zip(&new.steps).find(|pair| !same(pair)) {
            let place = a.place.as_deref().map(|place| format!("{place}: ")).unwrap_or_default();
            let given: Vec<String> =
                a.given.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let _ =
                writeln!(text, "  first differs at {place}{}({})", a.operator, given.join(", "));
            let what = match a.gave == b.gave {
                true => "other values".to_owned(),
                false => format!("{}, then {}", a.gave, b.gave),
            };
            let _ = writeln!(text, "    gives {what}");
        }
    }
    Some(text)
}

/// What was measured in real releases of the calls that the model makes, and is not played here.
fn measured(run: &Run, first: Version, last: Version) -> String {
    let mut found: BTreeMap<(bool, Version, String), (Option<String>, u64)> = BTreeMap::new();
    for step in &run.steps {
        let (operator, overload) = step.operator.split_once('.').unwrap_or((&step.operator, ""));
        let argument = |name: &str| {
            let given = step.given.iter().find(|(known, _)| known == name);
            given.map_or(ExecutedArgument::Absent, |(_, value)| carried(value))
        };
        let all = changed_call(operator, overload, &argument, first, last);
        for one in all.into_iter().take(1) {
            let key = (!one.certain, one.since, format!("{} {}", step.operator, one.what));
            found.entry(key).or_insert((step.place.clone(), 0)).1 += 1;
        }
    }
    if found.is_empty() {
        return "nothing else was measured in real releases for the calls that it makes\n"
            .to_owned();
    }
    let mut text = "measured in real releases, for calls that it makes:\n".to_owned();
    for ((possible, since, what), (place, calls)) in found {
        let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
        let sure = if possible { "may differ" } else { "differs" };
        let more = if calls > 1 { format!(" ({calls} calls)") } else { String::new() };
        let _ = writeln!(text, "  {since}: {sure}: {place}{what}{more}");
    }
    text
}

/// An argument, of the words that the trace has for it.
fn carried(words: &str) -> ExecutedArgument {
    let (kind, rest) = words.split_once([' ', '[']).unwrap_or((words, ""));
    let negative = rest.starts_with('-');
    match kind {
        "None" => ExecutedArgument::Absent,
        "int" => ExecutedArgument::Int(negative),
        "float" => ExecutedArgument::Float(negative),
        "bool" if !words.contains('[') => ExecutedArgument::Bool(rest.eq_ignore_ascii_case("true")),
        other => match unskew_interpreter::Dtype::named(other) {
            Some(dtype) => ExecutedArgument::Tensor(dtype.name()),
            None => ExecutedArgument::Other,
        },
    }
}
