//! The timeline of every axis: which version was in force when, and how long it counts.
//!
//! Each drawing has a table as its equal.

mod axis;
mod strip;

use maud::{Markup, html};
use unskew_core::{Date, History};
use unskew_history::HistoryAnswers;

use crate::address::{Address, PageView};
use crate::frame::{Frame, Section, heading, wide};
use crate::terms;

pub use axis::AxisPage;

/// What follows from the history of an axis on a day. Where its makers promise nothing that is known, no window is
/// open.
pub(crate) fn answers(history: &History, day: Date) -> Option<HistoryAnswers> {
    let window = unskew_releases::window(history.axis.as_str(), day);
    HistoryAnswers::on(history.clone(), day, window.as_ref()).ok()
}

/// The page of all axes.
pub fn axes(frame: &Frame<'_>, view: &PageView) -> String {
    let day = view.policy.as_of;
    let all: Vec<HistoryAnswers> =
        unskew_releases::histories().iter().filter_map(|history| answers(history, day)).collect();
    let main = html! {
        (heading(&[], &html! { "Windows" }))
        p { "Every axis on which a version decides, and what its makers promise on " (day) "." }
        (terms::day(view, &Address::windows()))
        (strip::drawing(&all, day))
        (wide("Axes", &table(&all, view)))
    };
    frame.page(Section::Windows, "Windows", main)
}

fn table(all: &[HistoryAnswers], view: &PageView) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Axis" } th scope="col" { "In force" } th scope="col" { "Since" } th scope="col" { "Lowest that is read" }
                th scope="col" { "Window" } th scope="col" { "A release of this day must support" } th scope="col" { "Next to fall" }
                th scope="col" { "Versions" }
            } }
            tbody {
                @for one in all {
                    tr {
                        th scope="row" {
                            a href=(Address::axis(one.history.axis.as_str()).seen(view)) { code { (one.history.axis) } }
                            div class="dim" { (one.history.title) }
                        }
                        td class="number" { @match one.current { Some(version) => (version), None => "-" } }
                        td class="whole" { @match one.current.and_then(|version| one.history.landed(version)) { Some(day) => (day), None => "-" } }
                        td class="number" { (one.minimum) }
                        td { @match &one.window { Some(window) => (window), None => "none known" } }
                        td { @match &one.supported { Some(supported) => { (supported.range) ", since " (supported.from) } None => "-" } }
                        td { @match one.falling().first() { Some((version, day)) => { (version) " after " (day) } None => "-" } }
                        td class="number" { (one.history.entries().len()) }
                    }
                }
            }
        }
    }
}
