//! A family: its releases, and its operators as a table that can be searched.

use maud::{Markup, html};
use unskew_core::Fact;
use unskew_releases::{Family, OperatorListing};

use crate::address::Address;
use crate::amount;
use crate::frame::{Frame, Section, heading, wide};
use crate::listing::ListPage;

use super::runs;

/// How many operators stand on a page.
const SIZE: u64 = 50;

/// Which operators are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    #[default]
    All,
    /// Those that the newest release has.
    There,
    /// Those that it has no more.
    Gone,
}

impl Which {
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::All, "", "all"),
        (Self::There, "there", "in the newest release"),
        (Self::Gone, "gone", "gone"),
    ];

    fn parse(text: &str) -> Self {
        Self::ALL.iter().find(|(_, key, _)| *key == text).map_or(Self::All, |(which, _, _)| *which)
    }

    fn key(self) -> &'static str {
        Self::ALL.iter().find(|(which, _, _)| *which == self).map_or("", |(_, key, _)| key)
    }

    fn has(self, one: &OperatorListing) -> bool {
        match self {
            Self::All => true,
            Self::There => one.until().is_none(),
            Self::Gone => one.until().is_some(),
        }
    }
}

/// What the page shows.
#[derive(Clone, Debug)]
pub struct FamilyPage {
    family: Family,
    which: Which,
    listing: ListPage,
    rows: Vec<&'static OperatorListing>,
}

impl FamilyPage {
    /// The operators whose names contain a text, in upper or lower case; of those that are `there` or `gone`, or all;
    /// a page of them, from 1.
    pub fn new(family: Family, contains: &str, which: &str, page: u64) -> Self {
        let which = Which::parse(which);
        let wanted = contains.trim().to_lowercase();
        let found =
            |one: &&OperatorListing| which.has(one) && one.name.to_lowercase().contains(&wanted);
        let all: Vec<&'static OperatorListing> = family.catalogue().iter().filter(found).collect();
        let mut listing = ListPage {
            contains: contains.trim().to_owned(),
            page: page.max(1),
            size: SIZE,
            all: all.len() as u64,
        };
        listing.page = listing.page.min(listing.pages());
        let skip = usize::try_from(listing.skip()).unwrap_or(usize::MAX);
        let rows = all.into_iter().skip(skip).take(SIZE as usize).collect();
        Self { family, which, listing, rows }
    }

    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let title = self.family.title();
        let main = html! {
            (heading(&[("Releases", Address::releases())], &html! { (title) }))
            @if !self.family.catalogue().is_empty() { (self.operators()) }
            h2 id="releases" { "Releases" }
            (wide("Releases", &self.releases()))
        };
        frame.page(Section::Releases, title, main)
    }

    fn operators(&self) -> Markup {
        let address = Address::family(self.family).with_some("which", self.which.key());
        html! {
            form class="find" role="search" method="get" action=(Address::family(self.family).path()) {
                label { "Name of an operator" input type="search" name="contains" value=(self.listing.contains) size="32"; }
                label {
                    "Which"
                    select name="which" {
                        @for (which, key, words) in Which::ALL { option value=(key) selected[which == self.which] { (words) } }
                    }
                }
                button { "Search" }
            }
            @if !self.rows.is_empty() { (wide("Operators", &self.table())) }
            (self.listing.pager("operator", &address))
        }
    }

    fn table(&self) -> Markup {
        html! {
            table {
                thead { tr {
                    th scope="col" { "Operator" } th scope="col" { "Since" } th scope="col" { "Until" }
                    th scope="col" { "Definitions" } th scope="col" { "Releases, oldest first" }
                } }
                tbody {
                    @for one in &self.rows {
                        tr {
                            th scope="row" { a href=(Address::operator(self.family, &one.name)) { code { (one.name) } } }
                            td class="whole" { @if let Some(since) = one.since() { (runs::release(self.family, since)) } }
                            td class="whole" { @match one.until() { Some(until) => (runs::release(self.family, until)), None => "now" } }
                            td class="number" { (one.definitions) }
                            td class="whole" {
                                (runs::strip(self.family, &one.runs))
                                @if one.runs.iter().count() > 1 { span class="dim" { "with a gap" } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn releases(&self) -> Markup {
        let rows = self.family.rows();
        let axes: Vec<Vec<Fact>> = rows.iter().map(|row| self.family.axes(row)).collect();
        let mut labels: Vec<&str> = Vec::new();
        for fact in axes.iter().flatten() {
            if !labels.contains(&fact.label.as_str()) {
                labels.push(&fact.label);
            }
        }
        html! {
            table {
                thead { tr {
                    th scope="col" { "Release" } th scope="col" { "Day" }
                    @for label in &labels { th scope="col" { (label) } }
                } }
                tbody {
                    @for (row, axes) in rows.iter().zip(&axes).rev() {
                        tr {
                            th scope="row" { a href=(Address::release(self.family, row.version)) { (row.version) } }
                            td class="whole" { (row.released) }
                            @for label in &labels {
                                td { (axes.iter().find(|fact| fact.label == *label).map_or("-", |fact| fact.value.as_str())) }
                            }
                        }
                    }
                }
            }
            @if self.family.known_operator().is_empty() { p class="dim" { (self.family.title()) " has no table of operators: " (amount::counted(rows.len() as u64, "release")) " by their versions." } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_found_by_a_part_of_their_name_page_by_page() {
        let page = FamilyPage::new(Family::Torch, " GELU ", "", 1);
        assert!(page.rows.iter().any(|one| one.name == "aten::gelu"));
        assert!(page.rows.iter().all(|one| one.name.to_lowercase().contains("gelu")));
        let all = FamilyPage::new(Family::Torch, "", "", u64::MAX);
        assert_eq!(all.listing.page, all.listing.pages(), "no page stands behind the last");
        let gone = FamilyPage::new(Family::Torch, "", "gone", 1);
        let there = FamilyPage::new(Family::Torch, "", "there", 1);
        assert_eq!(gone.listing.all + there.listing.all, all.listing.all);
        assert!(gone.rows.iter().all(|one| one.until().is_some()));
        assert_eq!(FamilyPage::new(Family::Jax, "", "", 1).listing.all, 0);
    }
}
