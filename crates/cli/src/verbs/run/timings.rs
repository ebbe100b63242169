//! Timings of each step.

use std::time::{Duration, Instant};

/// A clock that is read after each step.
pub struct LapTimer {
    last: Instant,
    laps: Vec<(&'static str, Duration)>,
    again: Vec<Duration>,
}

/// What the clock read.
pub struct Taken {
    /// Each step by name.
    pub laps: Vec<(&'static str, Duration)>,
    /// The repeated executions, the fastest first.
    pub again: Vec<Duration>,
}

impl LapTimer {
    pub fn start() -> Self {
        Self { last: Instant::now(), laps: Vec::new(), again: Vec::new() }
    }

    /// Ends the step `name`, and begins the next.
    pub fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.laps.push((name, now - self.last));
        self.last = now;
    }

    /// Measures one more execution.
    pub fn again(&mut self, run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
        let start = Instant::now();
        run()?;
        self.again.push(start.elapsed());
        Ok(())
    }

    pub fn stop(mut self) -> Taken {
        self.again.sort_unstable();
        Taken { laps: self.laps, again: self.again }
    }
}

impl Taken {
    /// Every number by name: the steps, and the best and the median of the repeated executions.
    pub fn rows(&self) -> Vec<(&'static str, Duration)> {
        let mut rows = self.laps.clone();
        if let (Some(best), Some(median)) =
            (self.again.first(), self.again.get(self.again.len() / 2))
        {
            rows.push(("best execution", *best));
            rows.push(("median execution", *median));
        }
        rows
    }
}
