//! An answer in one word.

use maud::{Markup, html};
use unskew_core::{Phase, Severity};
use unskew_fleet::{Answer, Fit, Policy, Way};

/// What a cell of a matrix says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It works as it is.
    Works,
    /// It works as it is, and something is to be said about it.
    Warns,
    /// It works after a conversion.
    Converts,
    /// It is delivered, though a part was not judged.
    Unsure,
    /// A part was not judged, which keeps it back.
    Unjudged,
    /// It works, but what is to be said about it is more than is accepted.
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
    /// Nobody has asked for this pair yet.
    NotAsked,
}

impl Mark {
    /// Every mark, in the order of the legend.
    pub const ALL: [Self; 12] = [
        Self::Works,
        Self::Warns,
        Self::Converts,
        Self::Unsure,
        Self::Unjudged,
        Self::Denied,
        Self::Load,
        Self::FirstUse,
        Self::Silent,
        Self::Fails,
        Self::Unrelated,
        Self::NotAsked,
    ];

    /// The mark of an answer under a policy.
    pub fn of(answer: Option<&Answer>, policy: &Policy) -> Self {
        let Some(answer) = answer else { return Self::NotAsked };
        let as_is = &answer.as_is;
        match policy.way(answer) {
            Some(Way::AsIs)
                if as_is.findings.iter().any(|one| one.severity == Severity::Warning) =>
            {
                return Self::Warns;
            }
            Some(Way::AsIs) if !as_is.unjudged.is_empty() => return Self::Unsure,
            Some(Way::AsIs) => return Self::Works,
            Some(Way::Converted) => return Self::Converts,
            None => {}
        }
        match (as_is.outcome, as_is.first_failure) {
            (Fit::Unrelated, _) => Self::Unrelated,
            (Fit::Unjudged, _) if !policy.accept_unjudged.accepts(&as_is.unjudged) => {
                Self::Unjudged
            }
            (Fit::Compatible | Fit::Unjudged, _) => Self::Denied,
            (_, Some(Phase::Load)) => Self::Load,
            (_, Some(Phase::FirstUse)) => Self::FirstUse,
            (_, Some(Phase::Silent)) => Self::Silent,
            (_, None) => Self::Fails,
        }
    }

    /// The word that stands for it on pages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Works => "ok",
            Self::Warns => "warn",
            Self::Converts => "convert",
            Self::Unsure => "ok?",
            Self::Unjudged => "unjudged",
            Self::Denied => "denied",
            Self::Load => "load",
            Self::FirstUse => "use",
            Self::Silent => "silent",
            Self::Fails => "fails",
            Self::Unrelated => "-",
            Self::NotAsked => "?",
        }
    }

    /// What the word means.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Works => "works as it is",
            Self::Warns => "works as it is, with warnings",
            Self::Converts => "works after a conversion",
            Self::Unsure => "delivered; not judged in part",
            Self::Unjudged => "kept back: not judged in part",
            Self::Denied => "works, with findings that are not accepted",
            Self::Load => "fails at load",
            Self::FirstUse => "fails at first use",
            Self::Silent => "wrong answer, silently",
            Self::Fails => "does not work",
            Self::Unrelated => "nothing in common",
            Self::NotAsked => "not asked yet",
        }
    }

    /// Its class in the style.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Works | Self::Converts => "good",
            Self::Warns | Self::Unsure | Self::Unjudged | Self::Denied => "warn",
            Self::Load | Self::FirstUse | Self::Fails => "bad",
            Self::Silent => "grave",
            Self::Unrelated => "none",
            Self::NotAsked => "unknown",
        }
    }
}

/// What the words on a page mean.
pub(crate) fn legend(used: impl Fn(Mark) -> bool) -> Markup {
    html! {
        ul class="legend" {
            @for mark in Mark::ALL.into_iter().filter(|mark| used(*mark)) {
                li { span class={ "key " (mark.class()) } { (mark.word()) } " " (mark.meaning()) }
            }
        }
    }
}
