//! The profiler: which kernels ran when, and which graphs were rewritten, as a serialized `XSpace`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use unskew_stream_executor_sdk::{Construction, Context, Error, Kernel, Profiler};

use crate::device::Abacus;
use crate::protobuf::{put_bytes, put_number};

/// More than this is not written down.
const MOST: usize = 1 << 20;

/// Whether a host measures now.
static MEASURING: AtomicBool = AtomicBool::new(false);

static RECORD: Mutex<Option<Record>> = Mutex::new(None);

/// What was seen since the host began to measure.
struct Record {
    day: Duration,
    begun: Instant,
    events: Vec<Event>,
}

/// Something with a name that took its time.
struct Event {
    line: Line,
    name: String,
    at: Duration,
    took: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Kernels = 1,
    Graphs = 2,
}

impl Line {
    const ALL: [(Self, &'static str); 2] = [(Self::Kernels, "kernels"), (Self::Graphs, "graphs")];
}

fn record() -> MutexGuard<'static, Option<Record>> {
    RECORD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn note(line: Line, name: String, begun: Instant) {
    if let Some(record) = record().as_mut().filter(|record| record.events.len() < MOST) {
        let at = begun.saturating_duration_since(record.begun);
        record.events.push(Event { line, name, at, took: begun.elapsed() });
    }
}

/// Notes that the optimizer was shown a graph.
pub fn graph(rewritten: usize) {
    if MEASURING.load(Ordering::Relaxed) {
        note(Line::Graphs, format!("Relu left out: {rewritten}"), Instant::now());
    }
}

/// A kernel that notes when it ran.
pub struct TimedKernel<K>(K);

impl<K: Kernel<Abacus>> Kernel<Abacus> for TimedKernel<K> {
    fn new(construction: &Construction<'_>) -> Result<Self, Error> {
        K::new(construction).map(Self)
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        if !MEASURING.load(Ordering::Relaxed) {
            return self.0.compute(context);
        }
        let begun = Instant::now();
        let done = self.0.compute(context);
        note(Line::Kernels, name::<K>(), begun);
        done
    }
}

/// `Unary<Relu>` without the modules that it stands in.
fn name<K>() -> String {
    let parts = std::any::type_name::<K>().split('<');
    parts.map(|part| part.rsplit("::").next().unwrap_or(part)).collect::<Vec<_>>().join("<")
}

/// Writes down what the plug-in does.
pub struct Recorder;

impl Profiler for Recorder {
    fn device_type(&self) -> &str {
        "SOROBAN"
    }

    fn start(&self) -> Result<(), Error> {
        let day = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let day = day.map_err(|error| Error::internal(error.to_string()))?;
        *record() = Some(Record { day, begun: Instant::now(), events: Vec::new() });
        MEASURING.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn stop(&self) -> Result<(), Error> {
        MEASURING.store(false, Ordering::Relaxed);
        Ok(())
    }

    fn collect(&self) -> Result<Vec<u8>, Error> {
        Ok(record().as_ref().map(space).unwrap_or_default())
    }
}

/// The record as an `XSpace` with one plane.
fn space(record: &Record) -> Vec<u8> {
    let mut names = BTreeMap::new();
    for event in &record.events {
        let next = names.len() as u64 + 1;
        names.entry(event.name.as_str()).or_insert(next);
    }
    let mut plane = Vec::new();
    put_bytes(&mut plane, 2, b"/device:SOROBAN:0");
    for (line, name) in Line::ALL {
        put_bytes(&mut plane, 3, &written(record, line, name, &names));
    }
    for (name, number) in &names {
        let (mut entry, mut value) = (Vec::new(), Vec::new());
        put_number(&mut value, 1, *number);
        put_bytes(&mut value, 2, name.as_bytes());
        put_number(&mut entry, 1, *number);
        put_bytes(&mut entry, 2, &value);
        put_bytes(&mut plane, 4, &entry);
    }
    let mut space = Vec::new();
    put_bytes(&mut space, 1, &plane);
    space
}

/// One `XLine`; times in it are picoseconds since its beginning.
fn written(record: &Record, line: Line, name: &str, names: &BTreeMap<&str, u64>) -> Vec<u8> {
    let picoseconds = |time: Duration| (time.as_nanos() as u64).saturating_mul(1000);
    let mut message = Vec::new();
    put_number(&mut message, 1, line as u64);
    put_bytes(&mut message, 2, name.as_bytes());
    put_number(&mut message, 3, record.day.as_nanos() as u64);
    for event in record.events.iter().filter(|event| event.line == line) {
        let mut fields = Vec::new();
        put_number(&mut fields, 1, names.get(event.name.as_str()).copied().unwrap_or_default());
        put_number(&mut fields, 2, picoseconds(event.at));
        put_number(&mut fields, 3, picoseconds(event.took));
        put_bytes(&mut message, 4, &fields);
    }
    message
}
