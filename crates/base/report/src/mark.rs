//! Mark of a verdict in a cell of a matrix: in files, on terminals and on pages.

use anstyle::Style;
use unskew_core::{Answer, Outcome, Phase, Severity, Verdict, VerdictQuestion};

use crate::{BAD, DIM, GOOD, WARN};

/// A verdict, or what a fleet makes of one, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerdictMark {
    /// It works as it is.
    Works,
    /// It works as it is, and something is to be said about it.
    Warns,
    /// It loads and runs; whether it gives the same results was not judged.
    SameUnsure,
    /// It loads; whether it runs was not judged.
    RunUnsure,
    /// Nothing that was judged stands against it, but a part that decides whether it loads was not judged.
    Unsure,
    /// A part was not judged, and something is to be said about the rest.
    WarnsUnsure,
    /// It works after an adaptation.
    Adapts,
    /// It works after a conversion, which the fleet has made.
    Converts,
    /// A part was not judged, and the policy of the fleet does not accept that.
    Unjudged,
    /// It works, with findings that the policy of the fleet does not accept.
    Denied,
    /// It fails at load.
    Load,
    /// It fails when the part concerned runs.
    FirstUse,
    /// It gives a wrong answer.
    Silent,
    /// It fails; nothing says in which phase.
    Fails,
    /// The two have nothing in common.
    Unrelated,
    /// The file could not be read.
    Unread,
    /// Nobody has asked for this pair yet.
    NotAsked,
}

impl VerdictMark {
    /// Every mark, in the order of the legend.
    pub const ALL: [Self; 17] = [
        Self::Works,
        Self::Warns,
        Self::SameUnsure,
        Self::RunUnsure,
        Self::Unsure,
        Self::WarnsUnsure,
        Self::Adapts,
        Self::Converts,
        Self::Unjudged,
        Self::Denied,
        Self::Load,
        Self::FirstUse,
        Self::Silent,
        Self::Fails,
        Self::Unrelated,
        Self::Unread,
        Self::NotAsked,
    ];

    /// The mark of a verdict.
    pub fn for_verdict(verdict: &Verdict) -> Self {
        match verdict.outcome {
            Outcome::Unrelated => Self::Unrelated,
            Outcome::Adaptable(_) => Self::Adapts,
            Outcome::Unjudged if verdict.severity() >= Some(Severity::Warning) => Self::WarnsUnsure,
            Outcome::Unjudged if verdict.answer(VerdictQuestion::Runs) == Answer::Yes => {
                Self::SameUnsure
            }
            Outcome::Unjudged if verdict.answer(VerdictQuestion::Loads) == Answer::Yes => {
                Self::RunUnsure
            }
            Outcome::Unjudged => Self::Unsure,
            Outcome::Compatible if verdict.severity() >= Some(Severity::Warning) => Self::Warns,
            Outcome::Compatible => Self::Works,
            Outcome::Incompatible => Self::failing(verdict.first_failure()),
        }
    }

    /// The mark of what fails in this phase. What gives wrong answers is graver than what stops.
    pub const fn failing(phase: Option<Phase>) -> Self {
        match phase {
            Some(Phase::Load) => Self::Load,
            Some(Phase::FirstUse) => Self::FirstUse,
            Some(Phase::Silent) => Self::Silent,
            None => Self::Fails,
        }
    }

    /// The word in the cell.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Works => "ok",
            Self::Warns => "warn",
            Self::SameUnsure => "same?",
            Self::RunUnsure => "runs?",
            Self::Unsure => "ok?",
            Self::WarnsUnsure => "warn?",
            Self::Adapts => "adapt",
            Self::Converts => "convert",
            Self::Unjudged => "unjudged",
            Self::Denied => "denied",
            Self::Load => "load",
            Self::FirstUse => "use",
            Self::Silent => "silent",
            Self::Fails => "fails",
            Self::Unrelated => "-",
            Self::Unread => "unread",
            Self::NotAsked => "?",
        }
    }

    /// What the word means.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Warns => "works, with warnings",
            Self::SameUnsure => "loads and runs; whether it gives the same results was not judged",
            Self::RunUnsure => "loads; whether it runs was not judged",
            Self::Unsure => "not judged in part; nothing found in the rest",
            Self::WarnsUnsure => "not judged in part; warnings in the rest",
            Self::Adapts => "works after an adaptation",
            Self::Converts => "works after a conversion",
            Self::Unjudged => "kept back: not judged in part",
            Self::Denied => "works, with findings that are not accepted",
            Self::Load => "fails at load",
            Self::FirstUse => "fails at first use",
            Self::Silent => "wrong answer, silently",
            Self::Fails => "does not work",
            Self::Unrelated => "nothing in common",
            Self::Unread => "could not be read",
            Self::NotAsked => "not asked yet",
        }
    }

    /// Its style on a terminal.
    pub const fn style(self) -> Style {
        match self {
            Self::Works | Self::Adapts | Self::Converts => GOOD,
            Self::Warns
            | Self::SameUnsure
            | Self::RunUnsure
            | Self::Unsure
            | Self::WarnsUnsure
            | Self::Unjudged
            | Self::Denied => WARN,
            Self::Load | Self::FirstUse | Self::Silent | Self::Fails | Self::Unread => BAD,
            Self::Unrelated | Self::NotAsked => DIM,
        }
    }

    /// Its class on a page.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Works | Self::Adapts | Self::Converts => "good",
            Self::Warns
            | Self::SameUnsure
            | Self::RunUnsure
            | Self::Unsure
            | Self::WarnsUnsure
            | Self::Unjudged
            | Self::Denied => "warn",
            Self::Load | Self::FirstUse | Self::Fails => "bad",
            Self::Silent | Self::Unread => "grave",
            Self::Unrelated => "none",
            Self::NotAsked => "unknown",
        }
    }
}
