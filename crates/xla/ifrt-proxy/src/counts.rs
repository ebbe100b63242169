//! Counters of a server that serves: plain numbers, which processes send one another and add up.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::status::StatusCode;

/// Upper bounds of the durations that are counted together, in seconds: from ten microseconds to more than half a
/// minute. What takes longer is counted behind the last.
pub const BOUNDS: [f64; 12] = [
    10e-6, 40e-6, 160e-6, 640e-6, 2.56e-3, 10.24e-3, 40.96e-3, 163.84e-3, 655.36e-3, 2.621_44,
    10.485_76, 41.943_04,
];

/// A name, which is constant where it is counted and owned where it was sent.
type Name = Cow<'static, str>;

/// All that is counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Answered requests by their kinds.
    pub requests: BTreeMap<Name, KindCounts>,
    /// Sessions that began.
    pub opened: u64,
    /// Sessions that were refused, by codes.
    pub refused: BTreeMap<Name, u64>,
}

/// The answered requests of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KindCounts {
    /// By the codes of their answers, `OK` among them.
    pub codes: BTreeMap<Name, u64>,
    /// How many took so long: one count for each of [`BOUNDS`], and one for what took longer.
    pub durations: [u64; BOUNDS.len() + 1],
    /// How long all of them took together, in seconds.
    pub seconds: f64,
}

impl Counts {
    /// A request was answered after so long.
    pub fn answered(&mut self, kind: &'static str, took: Duration, error: Option<StatusCode>) {
        let of = self.requests.entry(Cow::Borrowed(kind)).or_default();
        *of.codes.entry(Cow::Borrowed(error.map_or(OK, StatusCode::name))).or_default() += 1;
        let seconds = took.as_secs_f64();
        of.durations[BOUNDS.partition_point(|bound| *bound < seconds)] += 1;
        of.seconds += seconds;
    }

    /// A session was refused.
    pub fn refused(&mut self, code: StatusCode) {
        *self.refused.entry(Cow::Borrowed(code.name())).or_default() += 1;
    }

    /// Adds what another process counted.
    pub fn add(&mut self, other: &Self) {
        for (kind, counts) in &other.requests {
            let of = self.requests.entry(kind.clone()).or_default();
            add_all(&mut of.codes, &counts.codes);
            of.durations.iter_mut().zip(counts.durations).for_each(|(to, more)| *to += more);
            of.seconds += counts.seconds;
        }
        self.opened += other.opened;
        add_all(&mut self.refused, &other.refused);
    }
}

impl KindCounts {
    /// How many were answered, and how many of them with an error.
    pub fn answered_and_failed(&self) -> (u64, u64) {
        let all: u64 = self.codes.values().sum();
        (all, all - self.codes.get(OK).copied().unwrap_or_default())
    }
}

/// What stands for no error.
const OK: &str = "OK";

fn add_all(to: &mut BTreeMap<Name, u64>, more: &BTreeMap<Name, u64>) {
    for (name, count) in more {
        *to.entry(name.clone()).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_two_processes_add_up() {
        let mut one = Counts::default();
        one.answered("compile_request", Duration::from_micros(5), None);
        one.answered("compile_request", Duration::from_secs(90), Some(StatusCode::NotFound));
        one.refused(StatusCode::ResourceExhausted);
        let sent = serde_json::to_string(&one).unwrap();
        one.opened = 2;
        one.add(&serde_json::from_str(&sent).unwrap());
        let of = &one.requests["compile_request"];
        assert_eq!(of.answered_and_failed(), (4, 2));
        assert_eq!((of.durations[0], of.durations[BOUNDS.len()]), (2, 2));
        assert!((of.seconds - 180.0).abs() < 0.1);
        assert_eq!((one.opened, one.refused["RESOURCE_EXHAUSTED"]), (2, 2));
    }
}
