//! All models that do not reach everybody, some hundred models at a time.
//!
//! What fits is known for each pair of a model and a runtime, and is looked up and not kept as a sum; so a page looks at
//! as many models as it can quickly, says which these are, and whoever wants to know about all goes on to the end.

use maud::{Markup, html};

use crate::address::{Address, PageView};
use crate::amount;
use crate::frame::{Frame, Section, heading, wide};
use crate::listing::ListPage;
use crate::overview::ModelOverview;
use crate::terms;

/// How many runtimes stand beside a model.
const NAMED: usize = 5;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct Unserved {
    /// How it is looked at.
    pub view: PageView,
    /// Which models are looked at.
    pub listing: ListPage,
    /// Those, also the ones that reach everybody.
    pub models: Vec<ModelOverview>,
}

impl Unserved {
    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let address = Address::unserved().seen(&self.view);
        let main = html! {
            (heading(&[("Fleet", Address::overview().seen(&self.view))], &html! { "Runtimes without a working model" }))
            (terms::form(&self.view, &Address::unserved().with_some("contains", &self.listing.contains)))
            (self.listing.search("Name of a model", &address))
            p { (self.in_words()) }
            @if self.rows().next().is_some() { (wide("Runtimes without a working model", &self.table())) }
            (self.listing.pager("model", &address))
        };
        frame.page(Section::Fleet, "Runtimes without a working model", main)
    }

    /// The models that leave somebody without an artifact.
    fn rows(&self) -> impl Iterator<Item = &ModelOverview> {
        self.models.iter().filter(|row| !row.unserved.is_empty())
    }

    /// What was looked at, and what of that does not reach everybody.
    fn in_words(&self) -> Markup {
        let found = self.rows().count() as u64;
        let open = self.models.iter().filter(|row| row.coverage.not_asked > 0).count() as u64;
        let (first, last) = (self.models.first(), self.models.last());
        html! {
            @if let (Some(first), Some(last)) = (first, last) {
                @if self.listing.pages() > 1 || !self.listing.contains.is_empty() {
                    "Of the models from " b { (first.name) } " to " b { (last.name) } ", "
                } @else {
                    "Of all models, "
                }
                @match found {
                    0 => "none leaves a runtime that was asked without an artifact.",
                    1 => "one leaves a runtime without an artifact.",
                    _ => { (amount::count(found)) " leave a runtime without an artifact." }
                }
                @if open > 0 { " Of " (amount::count(open)) " it is not known for all runtimes, because not all were asked." }
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            table {
                thead { tr {
                    th scope="col" { "Model" } th scope="col" { "Runtimes" } th scope="col" { "Devices" }
                    th scope="col" { "Why" }
                } }
                tbody {
                    @for row in self.rows() {
                        tr {
                            th scope="row" { a href=(Address::model(&row.name).seen(&self.view)) { (row.name) } }
                            td class="number" { (amount::count(row.unserved.len() as u64)) }
                            td class="number" { (amount::count(row.coverage.unserved)) }
                            td { (self.reasons(row)) }
                        }
                    }
                }
            }
        }
    }

    /// The ways to the reasons, of the runtimes with most devices.
    fn reasons(&self, row: &ModelOverview) -> Markup {
        let mut runtimes: Vec<&(String, u64)> = row.unserved.iter().collect();
        runtimes.sort_by_key(|(name, devices)| (std::cmp::Reverse(*devices), name));
        html! {
            @for (at, (runtime, _)) in runtimes.iter().take(NAMED).enumerate() {
                @if at > 0 { ", " }
                a href=(Address::decision(&row.name, runtime).seen(&self.view)) aria-label={ "Why nothing of " (row.name) " fits " (runtime) } { (runtime) }
            }
            @if runtimes.len() > NAMED {
                span class="dim" { ", and " (amount::count((runtimes.len() - NAMED) as u64)) " more" }
            }
        }
    }
}
