//! Verdicts with all that they come from.

use maud::{Markup, html};
use unskew_core::Phase;
use unskew_fleet::{Attempt, Compatibility, FindingRecord, Promised, VerdictRecord};

use crate::amount;

/// A finding, whole. `number` is where cells of a matrix lead to.
pub(crate) fn reason(reason: &FindingRecord, number: Option<usize>, cells: &[String]) -> Markup {
    let id = number.map(|number| format!("reason-{number}"));
    html! {
        div class="reason" id=[id] {
            p {
                @if let Some(number) = number { b { (number) } " " }
                b class=(reason.severity) { (reason.severity) " " code { (reason.code) } }
                " " (reason.name)
            }
            p { (reason.message) }
            dl {
                @for cell in cells { dt { "where" } dd { (cell) } }
                @if let Some(phase) = reason.phase { dt { "fails" } dd { (when(phase)) } }
                @if !reason.places.is_empty() {
                    dt { "location" }
                    dd {
                        @for (at, place) in reason.places.iter().enumerate() {
                            @if at > 0 { ", " }
                            code { (place) }
                        }
                        @let more = reason.places_count.saturating_sub(reason.places.len());
                        @if more > 0 { " and " (more) " more" }
                    }
                }
                @if let Some(symptom) = &reason.symptom { dt { "error you will see" } dd { (symptom) } }
                @if let Some(fix) = &reason.fix { dt { "fix" } dd { (fix) } }
            }
        }
    }
}

const fn when(phase: Phase) -> &'static str {
    match phase {
        Phase::Load => "at load",
        Phase::FirstUse => "at first use",
        Phase::Silent => "silently, with a wrong answer",
    }
}

pub(crate) fn judged(verdict: &VerdictRecord) -> Markup {
    html! {
        p {
            b class=(if matches!(verdict.outcome, Compatibility::Compatible | Compatibility::Unjudged) { "" } else { "error" }) { (outcome(verdict.outcome)) }
            @if let Some(phase) = verdict.first_failure { ", fails " (when(phase)) }
        }
        @for one in &verdict.findings { (reason(one, None, &[])) }
        @for one in &verdict.unjudged {
            p {
                b class="warning" { "not judged" } ": " (one.aspect) ": " (one.reason)
                @if one.places_count > 0 { " (" (one.places_count) " places)" }
                @if let Some(remedy) = &one.remedy { "; to judge it: " code { (remedy) } }
            }
        }
        @if !verdict.promises.is_empty() { (promises(&verdict.promises)) }
    }
}

fn promises(all: &[Promised]) -> Markup {
    html! {
        ul {
            @for one in all {
                li {
                    (one.policy) ": " b { (one.state) }
                    @if let Some(window) = &one.window { ", " (window) }
                    @if let Some(from) = &one.from { " from " (from) }
                    @if let Some(until) = &one.until { " until " (until) }
                    ". " (one.statement)
                    span class="dim" { " (" (one.reference) ")" }
                }
            }
        }
    }
}

pub(crate) fn outcome(fit: Compatibility) -> &'static str {
    match fit {
        Compatibility::Compatible => "works",
        Compatibility::Adaptable => "works after a conversion",
        Compatibility::Unjudged => "not judged in part",
        Compatibility::Incompatible => "does not work",
        Compatibility::Unrelated => "nothing in common",
    }
}

/// What a conversion does, or why there is none.
pub(crate) fn attempted(attempt: &Attempt) -> Markup {
    html! {
        @if let Some(error) = &attempt.error {
            p { b class="error" { "could not be made" } ": " (error) }
        }
        @if !attempt.blockers.is_empty() {
            p { b class="error" { "no exact form exists" } }
            @for one in &attempt.blockers { (reason(one, None, &[])) }
        } @else if attempt.error.is_none() && attempt.verdict.is_none() {
            p { b class="error" { "nothing to rewrite" } }
        }
        @if let Some(result) = &attempt.result {
            p {
                "makes " code { (result) }
                @if let Some(size) = attempt.size { ", " (amount::bytes(size)) }
            }
        }
        @if !attempt.rewrites.is_empty() {
            div class="wide" tabindex="0" role="region" aria-label="Changes" {
                table {
                    thead { tr { th scope="col" { "Change" } th scope="col" { "What" } th scope="col" { "Places" } th scope="col" { "Exact" } } }
                    tbody {
                        @for step in &attempt.rewrites {
                            tr {
                                th scope="row" { code { (step.adaptation) } }
                                td { (step.what) }
                                td class="number" title=(step.places.join(", ")) { (step.places_count) }
                                td { @if step.lossy { b class="warning" { "loses something" } } @else { "exact" } }
                            }
                        }
                    }
                }
            }
        }
        @if let Some(verdict) = &attempt.verdict { (judged(verdict)) }
    }
}
