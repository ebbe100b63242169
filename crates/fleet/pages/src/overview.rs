//! The fleet on one page: what is in it, and how far its devices are served.

use maud::{Markup, html};
use unskew_fleet::store::PublishedVersion;
use unskew_fleet::{Coverage, RuntimeAnswer};

use crate::address::{Address, PageView};
use crate::amount;
use crate::frame::{Frame, Section, heading, wide};
use crate::listing::ListPage;
use crate::terms;

/// How wide a bar of coverage is.
const BAR: f64 = 120.0;

/// A model in the list.
#[derive(Clone, Debug)]
pub struct ModelOverview {
    /// The name of the model.
    pub name: String,
    /// How many versions it has.
    pub versions: u64,
    /// The newest as of the day; none if it was published later.
    pub newest: Option<PublishedVersion>,
    /// How far it reaches.
    pub coverage: Coverage,
    /// The runtimes for which nothing fits, with their devices.
    pub unserved: Vec<(String, u64)>,
}

/// What the page shows.
#[derive(Clone, Debug)]
pub struct Overview {
    /// How it is looked at.
    pub view: PageView,
    /// How many runtimes there are.
    pub runtimes: u64,
    /// How many devices have them.
    pub devices: u64,
    /// The runtimes that most devices have, with these.
    pub largest: Vec<(String, u64)>,
    /// Which models are shown.
    pub listing: ListPage,
    /// The models that are shown.
    pub models: Vec<ModelOverview>,
}

impl Overview {
    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let main = html! {
            (heading(&[], &html! { "Fleet" }))
            ul class="tiles" {
                li { b { (amount::count(self.devices)) } "devices" }
                li { b { (amount::count(self.runtimes)) } a href=(Address::runtimes().seen(&self.view)) { "runtimes" } }
                li { b { (amount::count(self.listing.all)) } "models" @if !self.listing.contains.is_empty() { " found" } }
            }
            (terms::form(&self.view, &Address::overview().with_some("contains", &self.listing.contains)))
            h2 { "Models" }
            (self.listing.search("Name of a model", &self.address()))
            @if !self.models.is_empty() { (wide("Models", &self.table())) }
            p { a href=(Address::publish()) { "Publish a version of a model" } }
            (self.listing.pager("model", &self.address()))
            (self.unserved())
            (self.largest())
        };
        frame.page(Section::Fleet, "Fleet", main)
    }

    fn address(&self) -> Address {
        Address::overview().seen(&self.view)
    }

    fn table(&self) -> Markup {
        html! {
            table {
                thead { tr {
                    th scope="col" { "Model" } th scope="col" { "Versions" } th scope="col" { "Newest" }
                    th scope="col" { "Devices served" } th scope="col" { "Not served" } th scope="col" { "Not asked yet" }
                    th scope="col" { "Plan" }
                } }
                tbody {
                    @for row in &self.models {
                        tr {
                            th scope="row" { a href=(Address::model(&row.name).seen(&self.view)) { (row.name) } }
                            td class="number" { (amount::count(row.versions)) }
                            td class="whole" {
                                @match &row.newest {
                                    Some(newest) => { (newest.number) span class="dim" { ", " (newest.published) } }
                                    None => { span class="dim" { "none by then" } }
                                }
                            }
                            td class="whole" { (served(&row.coverage)) }
                            td class="number" { (amount::count(row.coverage.unserved)) }
                            td class="number" { (amount::count(row.coverage.not_asked)) }
                            td { a href=(Address::plan(&row.name).seen(&self.view)) aria-label={ "Plan for " (row.name) } { "plan" } }
                        }
                    }
                }
            }
        }
    }

    /// The pairs of a model and a runtime that gets no artifact of it.
    fn unserved(&self) -> Markup {
        let all: Vec<(&str, &(String, u64))> = self
            .models
            .iter()
            .flat_map(|row| row.unserved.iter().map(move |runtime| (row.name.as_str(), runtime)))
            .collect();
        let most = 20;
        let everything = self.listing.pages() == 1 && self.listing.contains.is_empty();
        html! {
            h2 { "Runtimes without a working model" }
            @if all.is_empty() {
                p { "Nothing that was asked is left without an artifact" @if !everything { ", of the models on this page" } "." }
            } @else {
                @if !everything { p { "Of the models on this page:" } }
                (wide("Runtimes without a working model", &html! {
                    table {
                        thead { tr { th scope="col" { "Model" } th scope="col" { "Runtime" } th scope="col" { "Devices" } th scope="col" { "Why" } } }
                        tbody {
                            @for (model, (runtime, devices)) in all.iter().take(most) {
                                tr {
                                    th scope="row" { a href=(Address::model(model).seen(&self.view)) { (model) } }
                                    td { a href=(Address::runtime(runtime).seen(&self.view)) { (runtime) } }
                                    td class="number" { (amount::count(*devices)) }
                                    td { a href=(Address::decision(model, runtime).seen(&self.view)) aria-label={ "Why nothing of " (model) " fits " (runtime) } { "reasons" } }
                                }
                            }
                        }
                    }
                }))
                @if all.len() > most { p class="dim" { "and " (all.len() - most) " more pairs" } }
            }
            p { a href=(Address::unserved().seen(&self.view)) { "Runtimes without a working model, of all models" } }
        }
    }

    fn largest(&self) -> Markup {
        let most = self.largest.iter().map(|(_, devices)| *devices).max().unwrap_or(0);
        html! {
            h2 { "Runtimes" }
            @if self.largest.is_empty() {
                p { "No runtime yet: " code { "unskew fleet runtime add" } " adds one." }
            } @else {
                (wide("Runtimes", &html! {
                    table {
                        thead { tr { th scope="col" { "Runtime" } th scope="col" { "Devices" } th scope="col" { "Share" } } }
                        tbody {
                            @for (name, devices) in &self.largest {
                                tr {
                                    th scope="row" { a href=(Address::runtime(name).seen(&self.view)) { (name) } }
                                    td class="number" { (amount::count(*devices)) }
                                    td class="whole" { (bar(&[("open", *devices)], most)) (amount::share(*devices, self.devices)) }
                                }
                            }
                        }
                    }
                }))
                @if self.runtimes > self.largest.len() as u64 {
                    p { a href=(Address::runtimes().seen(&self.view)) { "All " (amount::count(self.runtimes)) " runtimes" } }
                }
            }
        }
    }
}

/// How far a model reaches, as a bar and in words.
pub(crate) fn served(coverage: &Coverage) -> Markup {
    let concerned = coverage.concerned();
    let newest = coverage.served - coverage.older.min(coverage.served);
    let parts = [
        ("served", newest),
        ("older", coverage.older),
        ("unserved", coverage.unserved),
        ("open", coverage.not_asked),
    ];
    html! {
        @if concerned == 0 { span class="dim" { "concerns no device" } }
        @else {
            (bar(&parts, concerned))
            (amount::share(coverage.served, concerned))
            @if coverage.older > 0 { span class="dim" { ", " (amount::count(coverage.older)) " older" } }
        }
    }
}

/// Parts of a whole, drawn beside their numbers.
pub(crate) fn bar(parts: &[(&str, u64)], whole: u64) -> Markup {
    let mut at = 0.0;
    let width = |part: u64| BAR * part as f64 / whole.max(1) as f64;
    html! {
        svg class="bar" width=(BAR) height="11" viewBox={ "0 0 " (BAR) " 11" } aria-hidden="true" {
            @for (class, part) in parts.iter().filter(|(_, part)| *part > 0) {
                rect class=(class) x={ (format!("{at:.1}")) } y="0" width={ (format!("{:.1}", width(*part).max(1.0))) } height="11" {}
                @let () = at += width(*part);
            }
        }
    }
}

/// What somebody gets, in words.
pub(crate) fn gets(gets: RuntimeAnswer) -> Markup {
    use unskew_fleet::DeliveryMode;
    html! {
        @match gets {
            RuntimeAnswer::Version(version, DeliveryMode::AsIs) => { "version " (version) " as it is" }
            RuntimeAnswer::Version(version, DeliveryMode::Converted) => { "version " (version) " converted" }
            RuntimeAnswer::Nothing => { b class="error" { "nothing fits" } }
            RuntimeAnswer::Unrelated => { span class="dim" { "nothing in common" } }
            RuntimeAnswer::NotAsked => { span class="dim" { "not asked yet" } }
        }
    }
}
