//! Runs of releases that have something, drawn and in words.

use maud::{Markup, html};
use unskew_core::Version;
use unskew_definitions::{ReleaseRun, Runs};
use unskew_releases::Family;

use crate::address::Address;
use crate::curve::px;

/// How wide a strip of releases is.
const WIDTH: f64 = 220.0;

/// A cell for each release of the family, filled where it has it.
pub(super) fn strip(family: Family, runs: &Runs) -> Markup {
    let rows = family.rows();
    let slot = WIDTH / rows.len().max(1) as f64;
    html! {
        svg class="bar" width=(WIDTH) height="12" viewBox={ "0 0 " (WIDTH) " 12" } aria-hidden="true" {
            @for (at, row) in rows.iter().enumerate() {
                rect class=(if runs.contains(row.version) { "served" } else { "open" }) x=(px(slot * at as f64)) y="0"
                    width=(px((slot - 0.6).max(0.8))) height="12" { title { (row.version) } }
            }
        }
    }
}

/// The releases in words, each end with its day.
pub(super) fn in_words(family: Family, runs: &Runs) -> Markup {
    html! {
        @for (at, run) in runs.iter().enumerate() {
            @if at > 0 { "; " }
            (one(family, run))
        }
    }
}

fn one(family: Family, run: &ReleaseRun) -> Markup {
    let first = family.rows().first().map(|row| row.version);
    html! {
        @if Some(run.since) == first { "since the first, " } @else { "since " }
        (release(family, run.since))
        @if let Some(until) = run.until { " until " (release(family, until)) }
    }
}

/// A release with its day.
pub(super) fn release(family: Family, version: Version) -> Markup {
    let row = family.rows().iter().find(|row| row.version == version);
    html! {
        a href=(Address::release(family, version)) { (version) }
        @if let Some(row) = row { span class="dim" { " (" (row.released) ")" } }
    }
}
