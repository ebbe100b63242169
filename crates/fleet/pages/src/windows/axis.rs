//! One axis: the drawing of `unskew history`, and every version with its days.

use maud::{Markup, PreEscaped, html};
use unskew_core::{Date, HistoryEntry};
use unskew_history::{EndOfSupport, HistoryAnswers, svg_in_page};

use crate::address::{Address, PageView};
use crate::frame::{Frame, Section, drawing, heading, wide};
use crate::terms;

/// How many versions are drawn unless all are asked for.
const DRAWN: usize = 40;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct AxisPage {
    view: PageView,
    answers: HistoryAnswers,
    all: bool,
}

impl AxisPage {
    /// The axis of this name, with `all` its versions drawn or the newest; none if there is no such axis.
    pub fn find(name: &str, view: &PageView, all: bool) -> Option<Self> {
        let histories = unskew_releases::histories();
        let history = histories.iter().find(|history| history.axis.as_str() == name)?;
        let answers = super::answers(history, view.policy.as_of)?;
        Some(Self { view: *view, answers, all })
    }

    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let axis = self.answers.history.axis.as_str();
        let way = [("Windows", Address::windows().seen(&self.view))];
        let since = self.since();
        let main = html! {
            (heading(&way, &html! { (self.answers.history.title) " " code { (axis) } }))
            (self.facts())
            (terms::day(&self.view, &Address::axis(axis)))
            (drawing("Timeline", &PreEscaped(svg_in_page(&self.answers, since))))
            @if let Some(since) = since {
                p { a href=(Address::axis(axis).seen(&self.view).with("all", 1)) { "Draw what was before " (since) ", too" } }
            }
            h2 { "Versions" }
            (wide("Versions", &self.table()))
        };
        frame.page(Section::Windows, axis, main)
    }

    fn since(&self) -> Option<Date> {
        let entries = self.answers.history.entries();
        let at = entries.len().checked_sub(DRAWN).filter(|at| *at > 0 && !self.all)?;
        entries.get(at).map(|entry| entry.landed)
    }

    fn facts(&self) -> Markup {
        let HistoryAnswers { day, current, minimum, window, supported, removable, .. } =
            &self.answers;
        html! {
            dl {
                dt { "In force on " (day) } dd { @match current { Some(version) => (version), None => "nothing yet" } }
                dt { "Lowest that is read" } dd { (minimum) }
                dt { "Window" } dd { @match window { Some(window) => (window), None => "its makers promise none that is known" } }
                @if let Some(supported) = supported {
                    dt { "A release of this day must support" } dd { (supported.range) ", in force since " (supported.from) }
                }
                @if let (Some((first, _)), Some((last, _))) = (removable.first(), removable.last()) {
                    dt { "May be removed" } dd { (first) @if first != last { " to " (last) } }
                }
            }
        }
    }

    fn table(&self) -> Markup {
        let entries = self.answers.history.entries();
        html! {
            table {
                thead { tr {
                    th scope="col" { "Version" } th scope="col" { "Landed" } th scope="col" { "In force until" }
                    th scope="col" { "Counts until" } th scope="col" { "Change" }
                } }
                tbody {
                    @for (at, entry) in entries.iter().enumerate().rev() {
                        tr { (self.row(entry, entries.get(at + 1))) }
                    }
                }
            }
        }
    }

    fn row(&self, entry: &HistoryEntry, next: Option<&HistoryEntry>) -> Markup {
        let HistoryEntry { version, landed, header, change, parts } = entry;
        let until = next.and_then(|next| next.landed.yesterday().ok()).map(|day| day.max(*landed));
        html! {
            th scope="row" class="number" { (version) }
            td class="whole" {
                (landed)
                @if let Some(header) = header.filter(|header| header != landed) { span class="dim" { " (dated " (header) ")" } }
            }
            td class="whole" { @match until { Some(day) => (day), None => "now" } }
            td class="whole" {
                @match (&self.answers.window, self.answers.fall(*version)) {
                    (None, _) => "-",
                    (_, Ok(EndOfSupport::Last(day))) => (day),
                    (_, Ok(EndOfSupport::InForce)) => "in force",
                    _ => "open",
                }
            }
            td { (change) @if !parts.is_empty() { span class="dim" { " (" (parts.join(", ")) ")" } } }
        }
    }
}
