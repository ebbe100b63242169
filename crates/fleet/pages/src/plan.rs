//! Page of a plan: the artifacts of a model that a fleet needs, and what if it were another one.

use maud::{Markup, html};
use unskew_fleet::{DeliveryCandidate, DeliveryMode, Needing, Plan, Served, WhatIf};

use crate::address::{Address, PageView};
use crate::amount;
use crate::curve;
use crate::frame::{Frame, Section, heading, wide};
use crate::terms;
use crate::what_if;

/// How many candidates are columns.
const COLUMNS: usize = 24;
/// How many runtimes are rows.
const ROWS: usize = 400;
/// How many names a cell has.
const NAMED: usize = 12;

/// What is asked of a plan, as it stands in an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanQuery {
    /// The most artifacts that the plan may have.
    pub most: Option<usize>,
    /// Whether older versions count where newer ones are taken.
    pub any_version: bool,
    /// Hypothetical changes, in the order in which they are applied.
    pub what_if: Vec<WhatIf>,
}

impl PlanQuery {
    /// The address of the plan that answers this.
    pub fn address(&self, model: &str, view: &PageView) -> Address {
        let mut address = Address::plan(model).seen(view);
        if let Some(most) = self.most {
            address = address.with("max", most);
        }
        if self.any_version {
            address = address.with("any_version", true);
        }
        self.what_if.iter().fold(address, |address, what_if| address.with("what_if", what_if))
    }
}

/// What the page shows.
#[derive(Clone, Debug)]
pub struct PlanPage {
    /// How it is looked at.
    pub view: PageView,
    /// What the plan was asked for.
    pub asked: PlanQuery,
    /// What of it could not be done, in words.
    pub wrong: Option<String>,
    /// The plan: for the fleet as it would be, if there are hypothetical changes.
    pub plan: Plan,
    /// The plan for the fleet as it is, if there are hypothetical changes.
    pub now: Option<Plan>,
    /// The names of runtimes, which the form proposes.
    pub runtimes: Vec<String>,
}

impl PlanPage {
    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let model = self.plan.model.as_str();
        let title = format!("Plan for {model}");
        let way = [
            ("Fleet", Address::overview().seen(&self.view)),
            (model, Address::model(model).seen(&self.view)),
        ];
        let main = html! {
            (heading(&way, &html! { (title) }))
            @if let Some(wrong) = &self.wrong {
                div class="banner bad" role="alert" { p { (wrong) } }
            }
            (what_if::applied(&self.asked, model, &self.view))
            (sections(&self.plan, self.now.as_ref(), Some(&self.view)))
            h2 id="what-if" { "What if?" }
            (what_if::form(self, model))
            (terms::form(&self.view, &self.asked.address(model, &self.view)))
        };
        frame.page(Section::Fleet, &title, main)
    }
}

/// A plan; with links if a view says how to look at them.
pub(crate) fn sections(plan: &Plan, now: Option<&Plan>, view: Option<&PageView>) -> Markup {
    let served = plan.choice().map_or(0, |point| point.devices);
    let artifacts = plan.choice().map_or(0, |point| point.artifacts.len());
    html! {
        p class="big" {
            b { (amount::count(served)) } " of " (amount::counted(plan.devices, "device")) " on "
            (amount::counted(plan.runtimes.len() as u64, "runtime")) " served with " (amount::counted(artifacts as u64, "artifact"))
            " (" (amount::share(served, plan.devices)) ")"
        }
        @if plan.servable > served {
            p { "All candidates together would serve " (amount::count(plan.servable)) "." }
        }
        @if let Some(now) = now { (compared(now, plan)) }
        h2 { "Coverage" }
        (curve::inline(plan))
        (wide("Coverage", &points(plan)))
        h2 { "Proposed artifacts" }
        @if artifacts == 0 { p { "No artifact serves any device." } } @else { (wide("Proposed artifacts", &proposed(plan))) }
        (left_out(plan, view))
        (blocks(plan, view))
        @if !plan.candidates.is_empty() && !plan.runtimes.is_empty() {
            h2 { "Candidates and runtimes" }
            p {
                "Which candidate serves which runtime; the proposed ones come first, with a star."
                @if plan.candidates.len() > COLUMNS { " Of " (plan.candidates.len()) " candidates " (COLUMNS) " are shown." }
                @if plan.runtimes.len() > ROWS { " Of " (plan.runtimes.len()) " runtimes " (ROWS) " are shown." }
            }
            (wide("Candidates and runtimes", &candidates(plan, view)))
        }
    }
}

fn points(plan: &Plan) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Artifacts" } th scope="col" { "Devices" } th scope="col" { "Share" }
                th scope="col" { "Adds" } th scope="col" { "Best possible" }
            } }
            tbody {
                @for (at, point) in plan.curve.iter().enumerate() {
                    tr class=[(plan.chosen == Some(at)).then_some("chosen")] {
                        th scope="row" class="number" { (at + 1) }
                        td class="number" { (amount::count(point.devices)) }
                        td class="number" { (amount::share(point.devices, plan.devices)) }
                        td class="number" { "+" (amount::count(point.adds)) }
                        td class="number" { @if point.optimal { "yes" } @else { "at most " (amount::count(point.at_most)) } }
                    }
                }
            }
        }
    }
}

fn proposed(plan: &Plan) -> Markup {
    let places = plan.choice().map_or(&[][..], |point| &point.artifacts);
    let chosen = places.iter().filter_map(|place| Some((*place, plan.candidates.get(*place)?)));
    html! {
        table {
            thead { tr {
                th scope="col" { "Artifact" } th scope="col" { "Digest" } th scope="col" { "Size" }
                th scope="col" { "Devices" } th scope="col" { "Serves" }
            } }
            tbody {
                @for (place, candidate) in chosen {
                    @let served: Vec<&Served> = plan.runtimes.iter().filter(|one| one.served_by == Some(place)).collect();
                    tr {
                        th scope="row" { (label(candidate)) div class="dim" { (candidate.file) } }
                        td { code title=(candidate.artifact) { (candidate.artifact.short()) } }
                        td class="number" { (amount::bytes(candidate.size)) }
                        td class="number" { (amount::count(served.iter().map(|one| one.devices).sum())) }
                        td { (names(served.iter().map(|one| one.name.as_str()))) }
                    }
                }
            }
        }
    }
}

/// What a candidate is called.
pub(crate) fn label(candidate: &DeliveryCandidate) -> String {
    let version = candidate.version;
    match (candidate.way, &candidate.made_for) {
        (DeliveryMode::Converted, Some(runtime)) => {
            format!("version {version} converted for {runtime}")
        }
        (DeliveryMode::Converted, None) => format!("version {version} converted"),
        (DeliveryMode::AsIs, _) => format!("version {version} as it is"),
    }
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let more = names.len().saturating_sub(NAMED);
    let shown = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// The name of a runtime, with the way to the decision if there is one.
fn decided(plan: &Plan, runtime: &str, view: Option<&PageView>) -> Markup {
    html! {
        @match view {
            Some(view) => { a href=(Address::decision(&plan.model, runtime).seen(view)) { (runtime) } }
            None => { (runtime) }
        }
    }
}

fn left_out(plan: &Plan, view: Option<&PageView>) -> Markup {
    let left: Vec<&Served> = plan.runtimes.iter().filter(|one| one.served_by.is_none()).collect();
    let count = left.iter().map(|one| one.devices).sum();
    html! {
        @if !left.is_empty() {
            h2 { "Left out" }
            p { b class="error" { (amount::counted(count, "device")) } " get nothing." }
            ul {
                @for one in left.iter().take(ROWS) {
                    li {
                        (decided(plan, &one.name, view)) ", " (amount::counted(one.devices, "device")) ": "
                        @match one.version {
                            None => "no version fits",
                            Some(version) => { "version " (version) " would, with one artifact more" }
                        }
                    }
                }
            }
        }
        @if !plan.unrelated.is_empty() {
            p class="dim" { "Nothing in common with the model: " (names(plan.unrelated.iter().map(String::as_str))) "." }
        }
    }
}

fn blocks(plan: &Plan, view: Option<&PageView>) -> Markup {
    html! {
        @if !plan.blocks.is_empty() {
            h2 { "Versions that cannot be dropped" }
            (wide("Versions that cannot be dropped", &html! {
                table {
                    thead { tr { th scope="col" { "Version" } th scope="col" { "Devices" } th scope="col" { "Kept alive by" } } }
                    tbody {
                        @for block in &plan.blocks {
                            tr {
                                th scope="row" { (block.version) }
                                td class="number" { (amount::count(block.devices)) }
                                td {
                                    @for (at, needing) in block.runtimes.iter().take(ROWS).enumerate() {
                                        @if at > 0 { ", " }
                                        (kept_alive(plan, needing, view))
                                    }
                                }
                            }
                        }
                    }
                }
            }))
        }
    }
}

fn kept_alive(plan: &Plan, needing: &Needing, view: Option<&PageView>) -> Markup {
    html! {
        (decided(plan, &needing.name, view))
        span class="dim" {
            " ("
            @match needing.falls_back_to {
                Some(version) => { "else version " (version) }
                None => "else nothing",
            }
            ")"
        }
    }
}

fn candidates(plan: &Plan, view: Option<&PageView>) -> Markup {
    let chosen = plan.choice().map_or(&[][..], |point| &point.artifacts);
    let others = (0..plan.candidates.len()).filter(|place| !chosen.contains(place));
    let columns: Vec<usize> = chosen.iter().copied().chain(others).take(COLUMNS).collect();
    html! {
        table {
            thead { tr {
                th scope="col" { "Runtime" } th scope="col" { "Devices" }
                @for place in &columns {
                    @let candidate = &plan.candidates[*place];
                    th scope="col" title=(candidate.artifact) {
                        "v" (candidate.version)
                        @if let Some(runtime) = &candidate.made_for { " for " (runtime) }
                        @if chosen.contains(place) { " *" }
                    }
                }
            } }
            tbody {
                @for one in plan.runtimes.iter().take(ROWS) {
                    tr {
                        th scope="row" { (decided(plan, &one.name, view)) }
                        td class="number" { (amount::count(one.devices)) }
                        @for place in &columns {
                            @let serves = plan.candidates[*place].serves.contains(&one.name);
                            td class=(if serves { "mark good" } else { "mark none" }) {
                                @if one.served_by == Some(*place) { b { "gets" } } @else if serves { "could" } @else { "-" }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn compared(now: &Plan, then: &Plan) -> Markup {
    let served = |plan: &Plan| plan.choice().map_or(0, |point| point.devices);
    let count = |plan: &Plan| plan.choice().map_or(0, |point| point.artifacts.len());
    let how = |plan: &Plan, name: &str| {
        if plan.unrelated.iter().any(|one| one == name) {
            return "nothing in common".to_owned();
        }
        let Some(runtime) = plan.runtimes.iter().find(|one| one.name == name) else {
            return "not there".to_owned();
        };
        let candidate = runtime.served_by.and_then(|place| plan.candidates.get(place));
        candidate.map_or("nothing".to_owned(), label)
    };
    let all = [now, then].into_iter().flat_map(|plan| {
        plan.runtimes
            .iter()
            .map(|one| one.name.as_str())
            .chain(plan.unrelated.iter().map(String::as_str))
    });
    let mut all: Vec<&str> = all.collect();
    all.sort_unstable();
    all.dedup();
    let changed = all.into_iter().map(|name| (name, how(now, name), how(then, name)));
    let changed: Vec<_> = changed.filter(|(_, before, after)| before != after).collect();
    html! {
        p {
            "Before: " (amount::count(served(now))) " of " (amount::counted(now.devices, "device")) " with "
            (amount::counted(count(now) as u64, "artifact")) "."
        }
        @if changed.is_empty() { p { "Nobody gets anything else." } }
        @else {
            (wide("What changes", &html! {
                table {
                    thead { tr { th scope="col" { "Runtime" } th scope="col" { "Before" } th scope="col" { "Then" } } }
                    tbody {
                        @for (name, before, after) in changed.iter().take(ROWS) {
                            tr { th scope="row" { (name) } td { (before) } td class=[(after == "nothing").then_some("error")] { (after) } }
                        }
                    }
                }
            }))
        }
    }
}
