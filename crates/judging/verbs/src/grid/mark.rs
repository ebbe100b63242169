//! What a cell shows.

use anstyle::Style;
use unskew_core::{Outcome, Phase, Severity, Verdict};
use unskew_report::{BAD, DIM, GOOD, WARN};

/// A verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// It works as it is.
    Works,
    /// It works, and something is to be said about it.
    Warns,
    /// Nothing that was judged stands against it, but a part was not judged.
    Unsure,
    /// The same, and something is to be said about what was judged.
    WarnsUnsure,
    /// It works after an adaptation.
    Adapts,
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
    /// The row could not be read.
    Unread,
}

impl Mark {
    /// Every mark, in the order of the legend.
    pub const ALL: [Self; 11] = [
        Self::Works,
        Self::Warns,
        Self::Unsure,
        Self::WarnsUnsure,
        Self::Adapts,
        Self::Load,
        Self::FirstUse,
        Self::Silent,
        Self::Fails,
        Self::Unrelated,
        Self::Unread,
    ];

    /// The mark of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        match verdict.outcome {
            Outcome::Unrelated => Self::Unrelated,
            Outcome::Adaptable(_) => Self::Adapts,
            Outcome::Unjudged if verdict.severity() >= Some(Severity::Warning) => Self::WarnsUnsure,
            Outcome::Unjudged => Self::Unsure,
            Outcome::Compatible if verdict.severity() >= Some(Severity::Warning) => Self::Warns,
            Outcome::Compatible => Self::Works,
            // What gives wrong answers where it runs is graver than what stops.
            Outcome::Incompatible => match verdict.first_failure() {
                Some(Phase::Load) => Self::Load,
                Some(Phase::FirstUse) => Self::FirstUse,
                Some(Phase::Silent) => Self::Silent,
                None => Self::Fails,
            },
        }
    }

    /// The word in the cell.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Works => "ok",
            Self::Warns => "warn",
            Self::Unsure => "ok?",
            Self::WarnsUnsure => "warn?",
            Self::Adapts => "adapt",
            Self::Load => "load",
            Self::FirstUse => "use",
            Self::Silent => "silent",
            Self::Fails => "fails",
            Self::Unrelated => "-",
            Self::Unread => "unread",
        }
    }

    /// What the word means.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Warns => "works, with warnings",
            Self::Unsure => "not judged in part; nothing found in the rest",
            Self::WarnsUnsure => "not judged in part; warnings in the rest",
            Self::Adapts => "works after an adaptation",
            Self::Load => "fails at load",
            Self::FirstUse => "fails at first use",
            Self::Silent => "wrong answer, silently",
            Self::Fails => "does not work",
            Self::Unrelated => "nothing in common",
            Self::Unread => "could not be read",
        }
    }

    /// Its style on a terminal.
    pub const fn style(self) -> Style {
        match self {
            Self::Works | Self::Adapts => GOOD,
            Self::Warns | Self::Unsure | Self::WarnsUnsure => WARN,
            Self::Load | Self::FirstUse | Self::Silent | Self::Fails | Self::Unread => BAD,
            Self::Unrelated => DIM,
        }
    }

    /// Its class on a page.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Works | Self::Adapts => "good",
            Self::Warns | Self::Unsure | Self::WarnsUnsure => "warn",
            Self::Load | Self::FirstUse | Self::Fails => "bad",
            Self::Silent | Self::Unread => "grave",
            Self::Unrelated => "none",
        }
    }
}
