//! A release: its numbers, and which operators came, went and changed with it.

use maud::{Markup, html};
use unskew_releases::{Family, Release, Turnover};

use crate::address::Address;
use crate::amount;
use crate::frame::{Frame, Section, heading};

/// The most names that are listed openly.
const OPEN: usize = 60;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct ReleasePage {
    release: Release,
    operators: usize,
    change: Option<Turnover>,
}

impl ReleasePage {
    /// The release of this version, which may be shortened; none if the database has none.
    pub fn find(family: Family, version: &str) -> Option<Self> {
        let release = unskew_releases::find(&format!("{family}@{version}")).ok()?;
        let version = release.row().version;
        let has = |one: &&unskew_releases::OperatorListing| one.runs.contains(version);
        let operators = family.catalogue().iter().filter(has).count();
        Some(Self { release, operators, change: family.turnover(version) })
    }

    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let (family, row) = (self.release.family(), self.release.row());
        let title = format!("{} {}", family.title(), row.version);
        let way = [
            ("Releases", Address::releases()),
            (family.title(), Address::family(family).place("releases")),
        ];
        let rows = family.rows();
        let at = rows.iter().position(|one| one.version == row.version).unwrap_or(0);
        let before = at.checked_sub(1).and_then(|at| rows.get(at));
        let promised = self.release.promised();
        let main = html! {
            (heading(&way, &html! { (title) }))
            dl {
                dt { "Released" } dd { (row.released) }
                @for fact in family.axes(row).iter().chain(&promised) { dt { (fact.label) } dd { (fact.value) } }
                @if self.operators > 0 { dt { "Operators" } dd { (amount::count(self.operators as u64)) } }
                dt { "As a runtime" } dd { code { "unskew fleet runtime add " (self.release) " --devices N" } }
            }
            nav class="pager" aria-label="Releases" {
                @if let Some(before) = before { a rel="prev" href=(Address::release(family, before.version)) { "Before: " (before.version) } }
                @if let Some(after) = rows.get(at + 1) { a rel="next" href=(Address::release(family, after.version)) { "After: " (after.version) } }
            }
            @if let (Some(change), Some(before)) = (&self.change, before) {
                p { "Against " (before.version) ", the release before it in the database:" }
                (list(family, "Came", &change.came))
                (list(family, "Went", &change.went))
                (list(family, "Changed", &change.changed))
            }
        };
        frame.page(Section::Releases, &title, main)
    }
}

fn list(family: Family, title: &str, names: &[&str]) -> Markup {
    let all = html! {
        p {
            @for (at, name) in names.iter().enumerate() {
                @if at > 0 { ", " }
                a href=(Address::operator(family, name)) { code { (name) } }
            }
        }
    };
    html! {
        h2 { (title) ": " (amount::counted(names.len() as u64, "operator")) }
        @if names.len() > OPEN { details { summary { "Show them" } (all) } }
        @else if !names.is_empty() { (all) }
    }
}
