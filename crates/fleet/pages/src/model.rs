//! One model: its versions, and what every runtime says to them.

use std::sync::Arc;

use maud::{Markup, html};
use unskew_fleet::store::{KeptRuntime, PublishedVersion};
use unskew_fleet::{ArtifactAnswer, Coverage, RuntimeAnswer};

use crate::address::{Address, PageView};
use crate::amount;
use crate::frame::{Frame, Section, heading, wide};
use crate::listing::ListPage;
use crate::matrix::VersionMatrix;
use crate::{overview, terms};

/// What the page shows.
#[derive(Clone, Debug)]
pub struct ModelPage {
    /// How it is looked at.
    pub view: PageView,
    /// The name of the model.
    pub name: String,
    /// How far it reaches in the whole fleet.
    pub coverage: Coverage,
    /// The versions as of the day, newest first.
    pub versions: Vec<PublishedVersion>,
    /// Where those begin that are columns of the matrix, and how many they are.
    pub columns: std::ops::Range<usize>,
    /// Which runtimes are rows.
    pub listing: ListPage,
    /// The runtimes that are rows.
    pub runtimes: Vec<KeptRuntime>,
    /// What each of these runtimes gets.
    pub gets: Vec<RuntimeAnswer>,
    /// What they say to the versions that are columns, row by row.
    pub answers: Vec<Option<Arc<ArtifactAnswer>>>,
}

impl ModelPage {
    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let columns = self.versions.get(self.columns.clone()).unwrap_or_default();
        let matrix = VersionMatrix {
            view: &self.view,
            model: &self.name,
            versions: columns,
            runtimes: &self.runtimes,
            gets: &self.gets,
            answers: &self.answers,
            linked: true,
        };
        let address = Address::model(&self.name).seen(&self.view);
        let main = html! {
            (heading(&[("Fleet", Address::overview().seen(&self.view))], &html! { (self.name) }))
            (self.summary())
            (terms::form(&self.view, &Address::model(&self.name).with_some("contains", &self.listing.contains)))
            h2 { "Versions" }
            @if self.versions.is_empty() { p { "None was published by " (self.view.policy.as_of) "." } }
            @else { (wide("Versions", &self.versions())) }
            p { a href=(Address::publish().with("model", &self.name)) { "Publish a version" } }
            h2 { "On runtimes" }
            (self.listing.search("Name of a runtime", &address))
            (self.older())
            @if self.runtimes.is_empty() || columns.is_empty() { p { "There is nothing to show." } } @else { (matrix.render()) }
            (self.listing.pager("runtime", &address))
        };
        frame.page(Section::Fleet, &self.name, main)
    }

    fn summary(&self) -> Markup {
        let Coverage { served, unserved, not_asked, .. } = self.coverage;
        html! {
            p class="big" {
                (overview::served(&self.coverage))
                @if self.coverage.concerned() > 0 {
                    " of " (amount::counted(self.coverage.concerned(), "device")) " served"
                }
            }
            p {
                (amount::count(served)) " served"
                @if unserved > 0 { ", " b class="error" { (amount::count(unserved)) " not" } }
                @if not_asked > 0 { ", " (amount::count(not_asked)) " not asked yet" }
                ". " a href=(Address::plan(&self.name).seen(&self.view)) { "Plan and what-if" }
                @if not_asked > 0 { " asks every runtime" }
                "."
            }
        }
    }

    fn versions(&self) -> Markup {
        html! {
            table {
                thead { tr {
                    th scope="col" { "Version" } th scope="col" { "Published" } th scope="col" { "File" }
                    th scope="col" { "Size" } th scope="col" { "Artifact" }
                } }
                tbody {
                    @for version in self.versions.iter().take(50) {
                        tr {
                            th scope="row" { (version.number) }
                            td class="whole" { (version.published) }
                            td { (version.file) }
                            td class="number" { (amount::bytes(version.size)) }
                            td { code title=(version.artifact) { (version.artifact.short()) } }
                        }
                    }
                }
            }
            @if self.versions.len() > 50 { p class="dim" { "and " (self.versions.len() - 50) " older" } }
        }
    }

    /// The ways to the versions that are no columns.
    fn older(&self) -> Markup {
        let address = || {
            let address = Address::model(&self.name).seen(&self.view);
            address.with_some("contains", &self.listing.contains)
        };
        let before = self.versions.get(self.columns.end);
        html! {
            @if self.columns.start > 0 || before.is_some() {
                nav class="pager" aria-label="Versions" {
                    @if let (Some(first), Some(last)) = (self.versions.get(self.columns.start), self.versions.get(self.columns.end.saturating_sub(1))) {
                        span { "Versions " (first.number) " to " (last.number) " of " (self.versions.len()) }
                    }
                    @if self.columns.start > 0 { a href=(address()) { "Newest versions" } }
                    @if let Some(before) = before { a href=(address().with("from", before.number)) { "Older versions" } }
                }
            }
        }
    }
}
