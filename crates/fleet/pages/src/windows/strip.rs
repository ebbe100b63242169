//! All axes on one scale of time.

use maud::{Markup, html};
use unskew_core::Date;
use unskew_history::HistoryAnswers;

use crate::curve::px;
use crate::frame;

const WIDTH: f64 = 1120.0;
const LEFT: f64 = 170.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 30.0;
const ROW: f64 = 30.0;
/// The room that a number needs.
const DIGIT: f64 = 7.0;

/// The versions of every axis, each from the day on which it landed to the next.
pub(super) fn drawing(all: &[HistoryAnswers], day: Date) -> Markup {
    let first = all.iter().filter_map(|one| one.history.entries().first()).map(|e| e.landed).min();
    let Some(first) = first else { return html! {} };
    let last = all.iter().filter_map(|one| one.history.entries().last()).map(|e| e.landed).max();
    let last = last.map_or(day, |last| last.max(day));
    let days = |from: Date, to: Date| f64::from((to - from).get_days());
    let whole = days(first, last).max(1.0);
    let x = |at: Date| LEFT + (WIDTH - LEFT - RIGHT) * (days(first, at) / whole).clamp(0.0, 1.0);
    let height = TOP + ROW * all.len() as f64 + 24.0;
    let bottom = height - 22.0;
    let svg = html! {
        svg role="img" viewBox={ "0 0 " (WIDTH) " " (height) } width=(WIDTH) height=(height) {
            title { "Versions of every axis over time" }
            @for year in first.year()..=last.year() {
                @if let Ok(at) = Date::new(year, 1, 1) && at >= first {
                    line class="grid" x1=(px(x(at))) y1=(TOP - 6.0) x2=(px(x(at))) y2=(bottom) {}
                    text class="dim" x=(px(x(at))) y=(TOP - 12.0) text-anchor="middle" { (year) }
                }
            }
            @for (row, one) in all.iter().enumerate() {
                @let top = TOP + ROW * row as f64;
                text x=(LEFT - 10.0) y=(px(top + 18.0)) text-anchor="end" { (one.history.axis) }
                (bars(one, top, last, &x))
            }
            line class="today" x1=(px(x(day))) y1=(TOP - 6.0) x2=(px(x(day))) y2=(bottom) {}
            text class="dim" x=(px(x(day))) y=(px(bottom + 14.0)) text-anchor="end" { (day) }
        }
    };
    frame::drawing("Timeline of every axis", &svg)
}

fn bars(one: &HistoryAnswers, top: f64, last: Date, x: &impl Fn(Date) -> f64) -> Markup {
    let entries = one.history.entries();
    html! {
        @for (at, entry) in entries.iter().enumerate() {
            @let end = entries.get(at + 1).map_or(last, |next| next.landed);
            @let (from, to) = (x(entry.landed), x(end));
            @let width = (to - from).max(1.0);
            @let number = entry.version.to_string();
            rect class=(if at % 2 == 0 { "even" } else { "odd" }) x=(px(from)) y=(px(top + 4.0)) width=(px(width)) height=(px(ROW - 10.0)) {
                title { (number) ", " (entry.landed) @if !entry.change.is_empty() { ": " (entry.change) } }
            }
            @if width > DIGIT * number.len() as f64 + 4.0 {
                text class="on" x=(px(from + width / 2.0)) y=(px(top + 18.0)) text-anchor="middle" { (number) }
            }
        }
    }
}
