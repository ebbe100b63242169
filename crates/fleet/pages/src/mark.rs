//! An answer in one word.

use maud::{Markup, html};
use unskew_core::Severity;
use unskew_fleet::{ArtifactAnswer, Compatibility, DeliveryMode, DeliveryPolicy};
use unskew_report::VerdictMark;

/// The mark of an answer under a policy.
pub(crate) fn mark(answer: Option<&ArtifactAnswer>, policy: &DeliveryPolicy) -> VerdictMark {
    let Some(answer) = answer else { return VerdictMark::NotAsked };
    let as_is = &answer.as_is;
    match policy.way(answer) {
        Some(DeliveryMode::AsIs)
            if as_is.findings.iter().any(|one| one.severity == Severity::Warning) =>
        {
            return VerdictMark::Warns;
        }
        Some(DeliveryMode::AsIs) if !as_is.unjudged.is_empty() => return VerdictMark::Unsure,
        Some(DeliveryMode::AsIs) => return VerdictMark::Works,
        Some(DeliveryMode::Converted) => return VerdictMark::Converts,
        None => {}
    }
    match as_is.outcome {
        Compatibility::Unrelated => VerdictMark::Unrelated,
        Compatibility::Unjudged if !policy.accept_unjudged.accepts(&as_is.unjudged) => {
            VerdictMark::Unjudged
        }
        Compatibility::Compatible | Compatibility::Unjudged => VerdictMark::Denied,
        Compatibility::Adaptable | Compatibility::Incompatible => {
            VerdictMark::failing(as_is.first_failure)
        }
    }
}

/// What the words on a page mean.
pub(crate) fn legend(used: impl Fn(VerdictMark) -> bool) -> Markup {
    html! {
        ul class="legend" {
            @for mark in VerdictMark::ALL.into_iter().filter(|mark| used(*mark)) {
                li { span class={ "key " (mark.class()) } { (mark.word()) } " " (mark.meaning()) }
            }
        }
    }
}
