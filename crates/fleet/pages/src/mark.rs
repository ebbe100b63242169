//! An answer in one word.

use maud::{Markup, html};
use unskew_core::Severity;
use unskew_fleet::{Answer, Fit, Policy, Way};
use unskew_report::Mark;

/// The mark of an answer under a policy.
pub(crate) fn mark(answer: Option<&Answer>, policy: &Policy) -> Mark {
    let Some(answer) = answer else { return Mark::NotAsked };
    let as_is = &answer.as_is;
    match policy.way(answer) {
        Some(Way::AsIs) if as_is.findings.iter().any(|one| one.severity == Severity::Warning) => {
            return Mark::Warns;
        }
        Some(Way::AsIs) if !as_is.unjudged.is_empty() => return Mark::Unsure,
        Some(Way::AsIs) => return Mark::Works,
        Some(Way::Converted) => return Mark::Converts,
        None => {}
    }
    match as_is.outcome {
        Fit::Unrelated => Mark::Unrelated,
        Fit::Unjudged if !policy.accept_unjudged.accepts(&as_is.unjudged) => Mark::Unjudged,
        Fit::Compatible | Fit::Unjudged => Mark::Denied,
        Fit::Adaptable | Fit::Incompatible => Mark::failing(as_is.first_failure),
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
