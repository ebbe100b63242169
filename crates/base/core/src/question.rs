//! Three questions that a verdict answers apart: does it load, does it run, does it mean the same.

use std::fmt;

use crate::{Outcome, Phase, Severity, Verdict};

/// What somebody wants to know of two parties. What runs has loaded, and what means the same has run: each question
/// includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VerdictQuestion {
    /// Does one side load the other?
    Loads,
    /// Does every part of it run?
    Runs,
    /// Does it give the results that it gives where it was written?
    MeansTheSame,
}

/// The answer to a [`VerdictQuestion`]; the weaker one is the lesser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// It does not, as it is.
    No,
    /// Nothing that was judged stands against it, and a part that decides it was not judged.
    NotJudged,
    /// It does.
    Yes,
}

impl VerdictQuestion {
    /// All questions, in their order.
    pub const ALL: [Self; 3] = [Self::Loads, Self::Runs, Self::MeansTheSame];
}

impl Answer {
    /// The word that users see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::NotJudged => "not judged",
            Self::Yes => "yes",
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<Phase> for VerdictQuestion {
    /// The question whose answer is no when something fails in this phase.
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Load => Self::Loads,
            Phase::FirstUse => Self::Runs,
            Phase::Silent => Self::MeansTheSame,
        }
    }
}

impl Verdict {
    /// The answer to a question. An error without a phase is one at load; what is accepted does not count, and neither do
    /// warnings: they are told beside the answer.
    pub fn answer(&self, question: VerdictQuestion) -> Answer {
        if self.outcome == Outcome::Unrelated {
            return Answer::No;
        }
        let errors = self
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error && finding.accepted.is_none());
        let fails = errors
            .map(|finding| finding.phase.map_or(VerdictQuestion::Loads, VerdictQuestion::from));
        if fails.min().is_some_and(|first| first <= question) {
            return Answer::No;
        }
        let open = self.unjudged.iter().map(|one| one.question());
        match open.min().is_some_and(|first| first <= question) {
            true => Answer::NotJudged,
            false => Answer::Yes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finding, Unjudged, aspect, rules};

    fn answers(findings: Vec<Finding>, unjudged: &[&'static str]) -> [Answer; 3] {
        let unjudged = unjudged.iter().map(|aspect| Unjudged::new(*aspect, "no table")).collect();
        let verdict = Verdict::new(findings, Vec::new(), unjudged);
        VerdictQuestion::ALL.map(|question| verdict.answer(question))
    }

    #[test]
    fn what_is_not_judged_weakens_its_question_and_those_after_it() {
        use Answer::{NotJudged, Yes};
        assert_eq!(answers(Vec::new(), &[]), [Yes; 3]);
        assert_eq!(answers(Vec::new(), &[aspect::BEHAVIOUR]), [Yes, Yes, NotJudged]);
        let kernels = [aspect::BEHAVIOUR, aspect::KERNELS];
        assert_eq!(answers(Vec::new(), &kernels), [Yes, NotJudged, NotJudged]);
        assert_eq!(answers(Vec::new(), &["torch.ops"]), [NotJudged; 3]);
    }

    #[test]
    fn what_fails_in_a_phase_is_no_from_its_question_on() {
        use Answer::{No, NotJudged, Yes};
        let failing = |phase: Phase| {
            let mut finding = Finding::new(&rules::CO001, "m");
            (finding.severity, finding.phase) = (Severity::Error, Some(phase));
            vec![finding]
        };
        assert_eq!(answers(failing(Phase::Load), &[aspect::CONTENTS]), [No; 3]);
        assert_eq!(answers(failing(Phase::FirstUse), &[]), [Yes, No, No]);
        assert_eq!(answers(failing(Phase::Silent), &[aspect::KERNELS]), [Yes, NotJudged, No]);
        let mut warned = failing(Phase::Load);
        warned[0].severity = Severity::Warning;
        assert_eq!(answers(warned, &[]), [Yes; 3]);
    }
}
