//! The exit status: one scheme for every verb.

use std::process::ExitCode;

use unskew_core::{Answer, Severity, Verdict};
use unskew_report::Report;

use crate::args::{Global, RequiredAnswer};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStatus {
    /// No finding of the denied severity, and nothing unjudged where that is denied.
    Clean = 0,
    /// At least one finding of the denied severity, something that was not judged where that is denied, or something could not be read among others that
    /// could: what was not judged is no pass.
    Found = 1,
    /// Nothing could be done: wrong arguments, or nothing could be read.
    Failed = 2,
}

/// What decides the status.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// How much could be read and judged.
    pub done: usize,
    /// How much could not.
    pub failed: usize,
    /// The most severe finding; none without findings.
    pub worst: Option<Severity>,
    /// From which severity on findings count.
    pub deny: Severity,
    /// How many aspects were not judged, where that counts.
    pub unjudged: usize,
}

impl Ending {
    /// How a call ended that made this report, of so much that could be read.
    pub fn for_report(report: &Report, done: usize, global: &Global) -> Self {
        Self {
            done,
            failed: report.failures.len(),
            worst: report.severity(),
            deny: global.deny(),
            unjudged: global.unjudged(report.unjudged().count()),
        }
    }

    /// The same where `--require` says what each of these pairs has to do: this counts then, and nothing else that was
    /// found.
    pub fn requiring<'v>(
        self,
        what: Option<RequiredAnswer>,
        verdicts: impl Iterator<Item = &'v Verdict>,
    ) -> Self {
        let Some(what) = what else { return self };
        let falls_short = |verdict: &&Verdict| verdict.answer(what.into()) != Answer::Yes;
        Self { worst: None, unjudged: verdicts.filter(falls_short).count(), ..self }
    }
}

impl From<Ending> for CallStatus {
    fn from(ending: Ending) -> Self {
        if ending.failed > 0 && ending.done == 0 {
            Self::Failed
        } else if ending.failed > 0
            || ending.unjudged > 0
            || ending.worst.is_some_and(|worst| worst >= ending.deny)
        {
            Self::Found
        } else {
            Self::Clean
        }
    }
}

impl From<CallStatus> for ExitCode {
    fn from(status: CallStatus) -> Self {
        Self::from(status as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_core::{Unjudged, aspect};

    fn status(done: usize, failed: usize, worst: Option<Severity>, deny: Severity) -> CallStatus {
        Ending { done, failed, worst, deny, unjudged: 0 }.into()
    }

    #[test]
    fn a_warning_counts_only_where_warnings_are_denied() {
        let worst = Some(Severity::Warning);
        assert_eq!(status(1, 0, worst, Severity::Error), CallStatus::Clean);
        assert_eq!(status(1, 0, worst, Severity::Warning), CallStatus::Found);
    }

    #[test]
    fn what_was_not_judged_counts_where_it_is_denied() {
        let deny = Severity::Error;
        let ending = Ending { done: 1, failed: 0, worst: None, deny, unjudged: 1 };
        assert_eq!(CallStatus::from(ending), CallStatus::Found);
    }

    #[test]
    fn what_is_required_counts_alone() {
        let worst = Some(Severity::Error);
        let ending = Ending { done: 1, failed: 0, worst, deny: Severity::Error, unjudged: 1 };
        let verdict = Verdict::new(
            Vec::new(),
            Vec::new(),
            vec![Unjudged::new(aspect::KERNELS, "no table of them")],
        );
        let status =
            |what| CallStatus::from(ending.requiring(Some(what), std::iter::once(&verdict)));
        assert_eq!(CallStatus::from(ending.requiring(None, std::iter::empty())), CallStatus::Found);
        assert_eq!(
            [RequiredAnswer::Load, RequiredAnswer::Run].map(status),
            [CallStatus::Clean, CallStatus::Found]
        );
    }

    #[test]
    fn what_could_not_be_read_is_no_pass() {
        assert_eq!(status(1, 1, None, Severity::Error), CallStatus::Found);
        assert_eq!(status(0, 1, None, Severity::Error), CallStatus::Failed);
        assert_eq!(status(0, 0, None, Severity::Error), CallStatus::Clean);
    }
}
