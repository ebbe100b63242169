//! An operator: every definition it ever had, and which releases have which.

use maud::{Markup, html};
use unskew_releases::{Defined, Family, OperatorListing};

use crate::address::Address;
use crate::frame::{Frame, Section, heading, wide};

use super::runs;

/// The most other operators that are named.
const RELATED: usize = 40;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct OperatorPage {
    family: Family,
    listed: &'static OperatorListing,
    definitions: Vec<Defined>,
    related: Vec<&'static str>,
}

impl OperatorPage {
    /// The operator of this name, with its overload; none if no release has it.
    pub fn find(family: Family, name: &str) -> Option<Self> {
        let all = family.catalogue();
        let at = all.binary_search_by(|one| one.name.as_str().cmp(name)).ok()?;
        let base = |name: &'static str| name.split('.').next().unwrap_or(name);
        let listed = &all[at];
        let related = all.iter().map(|one| one.name.as_str());
        let related = related.filter(|one| *one != listed.name && base(one) == base(&listed.name));
        Some(Self {
            family,
            listed,
            definitions: family.definitions(name),
            related: related.take(RELATED).collect(),
        })
    }

    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let way = [
            ("Releases", Address::releases()),
            (self.family.title(), Address::family(self.family)),
        ];
        let main = html! {
            (heading(&way, &html! { code { (self.listed.name) } }))
            p class="big" {
                "It is there "
                (runs::in_words(self.family, &self.listed.runs))
                @if self.listed.until().is_none() { ", up to now" }
                "."
            }
            p class="dim" { "The days are those of the releases in the database." }
            h2 { "Definitions, newest first" }
            @for (at, one) in self.definitions.iter().enumerate().rev() {
                h3 id={ "definition-" (at + 1) } { "Definition " (at + 1) }
                pre { code { (one.text) } }
                p { (runs::strip(self.family, &one.runs)) (runs::in_words(self.family, &one.runs)) }
            }
            @if self.definitions.len() > 1 {
                h2 { "By release" }
                (wide("By release", &self.table()))
            }
            @if !self.related.is_empty() {
                h2 { "Overloads" }
                p {
                    @for (at, name) in self.related.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href=(Address::operator(self.family, name)) { code { (name) } }
                    }
                }
            }
        };
        frame.page(Section::Releases, &self.listed.name, main)
    }

    /// A column for each definition, a row for each release.
    fn table(&self) -> Markup {
        html! {
            table {
                thead { tr {
                    th scope="col" { "Release" } th scope="col" { "Day" }
                    @for at in 1..=self.definitions.len() { th scope="col" { a href={ "#definition-" (at) } { "Definition " (at) } } }
                } }
                tbody {
                    @for row in self.family.rows().iter().rev() {
                        tr {
                            th scope="row" { a href=(Address::release(self.family, row.version)) { (row.version) } }
                            td class="whole" { (row.released) }
                            @for one in &self.definitions {
                                @let has = one.runs.contains(row.version);
                                td class=(if has { "mark good" } else { "mark none" }) { @if has { "has it" } @else { "-" } }
                            }
                        }
                    }
                }
            }
        }
    }
}
