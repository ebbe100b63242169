//! `unskew ops run MODEL --input A.npy`: what a model calculates with the operators of a release.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unskew_interpreter::{OperatorProfile, RunLimits, ScriptValue};
use unskew_source::{FileSource, Source};

use super::release::interpreter;
use super::values::{called, named, save, shown};
use crate::args::OpsRun;
use crate::exit::CallStatus;
use crate::print;

/// The operators that a profile names.
const MOST_OPERATORS: usize = 30;

pub fn run(args: &OpsRun) -> anyhow::Result<CallStatus> {
    let began = Instant::now();
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&args.call.model)?);
    let (program, inputs) = called(&args.call, &source)?;
    let read = began.elapsed();
    let profile = Rc::new(OperatorProfile::default());
    let mut interpreter = interpreter(args.release.as_deref())?
        .with_limits(limits(&*source, &inputs))
        .with_engine(args.engine)
        .with_threads(args.threads.map_or_else(cores, usize::from));
    if args.profile {
        interpreter = interpreter.with_profile(profile.clone());
    }
    let began = Instant::now();
    let result = interpreter.method(&program, &args.call.method, inputs);
    let ran = began.elapsed();
    if args.profile {
        print::aside(&table(&profile, read, ran));
    }
    let outputs = named(&result?)?;
    match &args.output {
        Some(folder) => save(folder, &outputs)?,
        None => print::out(shown(&outputs))?,
    }
    Ok(CallStatus::Clean)
}

/// What a model may take that is given these inputs.
pub(super) fn limits(source: &dyn Source, inputs: &[ScriptValue]) -> RunLimits {
    let tensors = inputs.iter().filter_map(ScriptValue::tensor);
    // An element takes sixteen bytes at most.
    let given: u64 = tensors.map(|tensor| tensor.count() as u64 * 16).sum();
    RunLimits::for_bytes(source.size().saturating_add(given))
}

/// How many threads can run at a time.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The time of each operator, the one that took most first.
fn table(profile: &OperatorProfile, read: Duration, ran: Duration) -> String {
    let line = |time: Duration, calls: &str, what: &str| {
        let ms = time.as_secs_f64() * 1e3;
        let percent = 100.0 * time.as_secs_f64() / ran.as_secs_f64().max(1e-9);
        format!("{ms:>10.2} ms {percent:>5.1} % {calls:>7}  {what}\n")
    };
    let rows = profile.rows();
    let counted: Duration = rows.iter().map(|row| row.time).sum();
    let mut text = format!("read in {:.2} ms, ran in {:.2} ms\n", ms(read), ms(ran));
    text.push_str("      time     share   calls  operator\n");
    for row in rows.iter().take(MOST_OPERATORS) {
        text.push_str(&line(row.time, &row.calls.to_string(), &row.operator));
    }
    if let Some(others) = rows.get(MOST_OPERATORS..).filter(|others| !others.is_empty()) {
        let calls: u64 = others.iter().map(|row| row.calls).sum();
        let what = format!("{} other operators", others.len());
        text.push_str(&line(others.iter().map(|row| row.time).sum(), &calls.to_string(), &what));
    }
    text.push_str(&line(ran.saturating_sub(counted), "", "between operators"));
    text
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
