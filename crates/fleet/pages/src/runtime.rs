//! One runtime: what it is, what it gets of every model, and how old it is on every axis.

use maud::{Markup, html};
use unskew_fleet::RuntimeAnswer;
use unskew_fleet::store::KeptRuntime;

use crate::address::{Address, PageView};
use crate::amount;
use crate::frame::{Frame, Section, heading, wide};
use crate::listing::ListPage;
use crate::overview;
use crate::runtimes::ProfileSummary;

/// How long a profile is shown whole.
const LONGEST: usize = 20_000;

/// A runtime on an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisPosition {
    /// The name of the axis.
    pub axis: String,
    /// What it reads, or has.
    pub has: String,
    /// What was in force on the day of its release.
    pub then: Option<String>,
    /// What is in force on the day of the view.
    pub now: Option<String>,
    /// What is promised, and how that stands on the day of the view.
    pub promise: Option<String>,
}

/// What a runtime was at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Was {
    /// The moment from which it was so.
    pub since: String,
    /// What happened then, in words.
    pub what: String,
    /// How many devices had it.
    pub devices: u64,
    /// The profile; empty if it was taken out.
    pub profile: String,
}

/// What the page shows.
#[derive(Clone, Debug)]
pub struct RuntimePage {
    /// How it is looked at.
    pub view: PageView,
    /// The runtime that is shown.
    pub runtime: KeptRuntime,
    /// The day on which its release came out.
    pub released: Option<String>,
    /// How it stands on every axis.
    pub standing: Vec<AxisPosition>,
    /// Everything that was said of it, newest first: what it is, was, and may be from a later day on.
    pub history: Vec<Was>,
    /// Which models are shown.
    pub listing: ListPage,
    /// Those, and what it gets of them.
    pub models: Vec<(String, RuntimeAnswer)>,
}

impl RuntimePage {
    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let name = &self.runtime.name;
        let address = Address::runtime(name).seen(&self.view);
        let main = html! {
            (heading(&[("Runtimes", Address::runtimes().seen(&self.view))], &html! { (name) }))
            (self.facts())
            (crate::terms::form(&self.view, &Address::runtime(name).with_some("contains", &self.listing.contains)))
            h2 { "What it gets" }
            (self.listing.search("Name of a model", &address))
            @if !self.models.is_empty() { (wide("What it gets", &self.models())) }
            (self.listing.pager("model", &address))
            (self.windows())
            (self.history())
            h2 { "Profile" }
            @if self.runtime.profile.len() <= LONGEST { pre { (self.runtime.profile) } }
            @else { p { "The profile has " (amount::bytes(self.runtime.profile.len() as u64)) "; " code { "unskew fleet runtime show " (name) } " prints it." } }
        };
        frame.page(Section::Runtimes, name, main)
    }

    fn facts(&self) -> Markup {
        let gist = ProfileSummary::from_profile(&self.runtime.profile);
        html! {
            dl {
                dt { "What it is" } dd { (gist.in_words()) }
                @if let Some((family, version)) = gist.release.split_once('@')
                    && let Ok(family) = family.parse::<unskew_releases::Family>() {
                    dt { "Release" }
                    dd { a href=(Address::release(family, version)) { (gist.release) } @if let Some(day) = &self.released { ", of " (day) } }
                }
                dt { "Devices" } dd { (amount::count(self.runtime.devices)) }
                dt { "Like this since" } dd { (self.runtime.since) }
                dt { "Digest" } dd { code { (self.runtime.digest) } }
            }
        }
    }

    fn models(&self) -> Markup {
        html! {
            table {
                thead { tr { th scope="col" { "Model" } th scope="col" { "Gets" } th scope="col" { "Why" } } }
                tbody {
                    @for (model, gets) in &self.models {
                        tr {
                            th scope="row" { a href=(Address::model(model).seen(&self.view)) { (model) } }
                            td { (overview::gets(*gets)) }
                            td {
                                a href=(Address::decision(model, &self.runtime.name).seen(&self.view))
                                    aria-label={ "The decision about " (model) } {
                                    @if *gets == RuntimeAnswer::NotAsked { "decide" } @else { "decision" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn windows(&self) -> Markup {
        html! {
            h2 { "Windows" }
            @if self.standing.is_empty() { p { "It has no number on any axis with a history." } }
            @else {
                (wide("Windows", &html! {
                    table {
                        thead { tr {
                            th scope="col" { "Axis" } th scope="col" { "It reads" } th scope="col" { "In force at its release" }
                            th scope="col" { "In force on " (self.view.policy.as_of) } th scope="col" { "Promised" }
                        } }
                        tbody {
                            @for one in &self.standing {
                                tr {
                                    th scope="row" { a href=(Address::axis(&one.axis).seen(&self.view)) { (one.axis) } }
                                    td { (one.has) }
                                    td { (one.then.as_deref().unwrap_or("-")) }
                                    td { (one.now.as_deref().unwrap_or("-")) }
                                    td { (one.promise.as_deref().unwrap_or("nothing that is known")) }
                                }
                            }
                        }
                    }
                }))
            }
        }
    }

    fn history(&self) -> Markup {
        html! {
            @if !self.history.is_empty() {
                h2 { "History" }
                (wide("History", &html! {
                    table {
                        thead { tr { th scope="col" { "Since" } th scope="col" { "What happened" } th scope="col" { "Devices" } th scope="col" { "What it was" } } }
                        tbody {
                            @for was in &self.history {
                                tr {
                                    th scope="row" class="whole" { (was.since) }
                                    td { (was.what) }
                                    td class="number" { (amount::count(was.devices)) }
                                    td { @if was.profile.is_empty() { "-" } @else { (ProfileSummary::from_profile(&was.profile).in_words()) } }
                                }
                            }
                        }
                    }
                }))
            }
        }
    }
}
