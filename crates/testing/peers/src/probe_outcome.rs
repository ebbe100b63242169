//! Outcome of a run of the probe.

use std::fmt;

use serde::Deserialize;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessEnd {
    /// By itself: it got through, whatever the steps said.
    Finished,
    /// By itself, with this exit code: the backend cannot be had.
    Code(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It was still running when its time was up.
    TimedOut,
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished => f.write_str("finished"),
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(4) => f.write_str("SIGILL"),
            Self::Signal(6) => f.write_str("SIGABRT"),
            Self::Signal(7) => f.write_str("SIGBUS"),
            Self::Signal(9) => f.write_str("SIGKILL"),
            Self::Signal(11) => f.write_str("SIGSEGV"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::TimedOut => f.write_str("time limit"),
        }
    }
}

/// One line of the probe.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ProbeStep {
    /// The name of the step that was begun last.
    pub step: String,
    /// Whether it gave the right result.
    pub ok: bool,
    /// The result, or the text of the exception.
    pub detail: String,
    /// How long it took.
    pub seconds: f64,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeOutcome {
    /// The steps that were begun and ended.
    pub steps: Vec<ProbeStep>,
    /// How the process ended.
    pub end: ProcessEnd,
    /// What it wrote to its error stream.
    pub errors: String,
}

impl ProbeOutcome {
    /// Reads what the probe printed. Other lines, which a library may have written, are passed over.
    pub fn new(printed: &str, errors: &str, end: ProcessEnd) -> Self {
        let steps = printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Self { steps, end, errors: errors.to_owned() }
    }

    /// How many steps passed.
    pub fn passed(&self) -> usize {
        self.steps.iter().filter(|step| step.ok).count()
    }

    /// The names of the steps that failed, but for those that were not reached.
    pub fn failed(&self) -> Vec<&str> {
        self.steps.iter().filter(|step| !step.ok).map(|step| step.step.as_str()).collect()
    }

    /// The first thing that went wrong: the step, or how the process ended, and what was said.
    pub fn failure(&self) -> Option<(String, String)> {
        if let Some(step) = self.steps.iter().find(|step| !step.ok) {
            return Some((step.step.clone(), step.detail.clone()));
        }
        (self.end != ProcessEnd::Finished)
            .then(|| (self.end.to_string(), self.last_words().to_owned()))
    }

    /// The line of the error stream that says why: a fatal one of XLA if there is one, else the last.
    fn last_words(&self) -> &str {
        let mut lines = self.errors.lines().filter(|line| !line.trim().is_empty());
        let fatal = lines.clone().find(|line| line.starts_with('F') && line.contains(".cc:"));
        fatal.or_else(|| lines.next_back()).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_died_says_so_with_its_last_words() {
        let errors =
            "warning\nF0000 00:00 1 pjrt.cc:258] Unexpected error status\n*** Check failure\n";
        let outcome = ProbeOutcome::new("", errors, ProcessEnd::Signal(6));
        let (what, words) = outcome.failure().unwrap_or_default();
        assert_eq!(what, "SIGABRT");
        assert!(words.contains("Unexpected error status"), "{words}");
    }

    #[test]
    fn a_finished_process_without_a_failed_step_has_no_failure() {
        let line = r#"{"step": "import", "ok": true, "detail": "", "seconds": 1}"#;
        assert_eq!(ProbeOutcome::new(line, "noise", ProcessEnd::Finished).failure(), None);
    }
}
