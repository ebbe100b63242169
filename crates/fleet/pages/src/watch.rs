//! Pages of jobs and of the audit log: what the service does, and who did what with it.

use maud::{Markup, html};
use serde_json::Value;
use unskew_fleet::store::{AuditEntry, Job, JobState};

use crate::address::Address;
use crate::frame::{Frame, Section, heading, wide};

/// Some jobs, newest first; `more` if there are older ones.
pub fn jobs(frame: &Frame<'_>, jobs: &[Job], more: bool) -> String {
    let main = html! {
        (heading(&[], &html! { "Jobs" }))
        p { "Decisions and plans that are computed in the background." }
        @if jobs.is_empty() { p { "There is none." } }
        @else {
            (wide("Jobs", &html! {
                table {
                    thead { tr {
                        th scope="col" { "Job" } th scope="col" { "What" } th scope="col" { "State" } th scope="col" { "Done" }
                        th scope="col" { "Asked" } th scope="col" { "Over" } th scope="col" { "By" }
                    } }
                    tbody { @for job in jobs { tr { (row(job)) } } }
                }
            }))
        }
        (older(Address::jobs(), jobs.last().map(|job| job.number), more))
    };
    frame.page(Section::Jobs, "Jobs", main)
}

fn row(job: &Job) -> Markup {
    let class = match job.state {
        JobState::Failed => "error",
        JobState::Cancelled => "dim",
        _ => "",
    };
    html! {
        th scope="row" class="number" { (job.number) }
        td { (what(&job.ask)) @if let Some(problem) = &job.problem { div class="error" { (problem) } } }
        td { b class=(class) { (job.state.as_str()) } @if job.attempts > 1 { span class="dim" { ", begun " (job.attempts) " times" } } }
        td class="number" { @if job.total > 0 { (job.done) " of " (job.total) } @else { "-" } }
        td class="whole" { (job.created) }
        td class="whole" { @match &job.finished { Some(moment) => (moment), None => "-" } }
        td { (job.who) }
    }
}

/// What a job is asked for, with the way to the page that shows it.
fn what(ask: &str) -> Markup {
    let ask: Value = serde_json::from_str(ask).unwrap_or_default();
    let text = |key: &str| ask.get(key).and_then(Value::as_str).unwrap_or_default();
    let (model, runtime) = (text("model"), text("runtime"));
    html! {
        @match text("kind") {
            "decision" if !runtime.is_empty() => {
                a href=(Address::decision(model, runtime)) { "decision about " (model) " for " (runtime) }
            }
            "decision" => { "decision about " a href=(Address::model(model)) { (model) } " for a profile" }
            "plan" => { a href=(Address::plan(model)) { "plan for " (model) } }
            other => { (other) " " (model) }
        }
    }
}

/// Some rows of the audit log, newest first; `more` if there are older ones.
pub fn audit(frame: &Frame<'_>, entries: &[AuditEntry], more: bool) -> String {
    let main = html! {
        (heading(&[], &html! { "Audit" }))
        p { "Every change, recorded in the same transaction, and every refusal of a known caller." }
        @if entries.is_empty() { p { "Nothing was changed yet." } }
        @else {
            (wide("Audit", &html! {
                table {
                    thead { tr {
                        th scope="col" { "Row" } th scope="col" { "When" } th scope="col" { "Who" } th scope="col" { "What" }
                        th scope="col" { "To what" } th scope="col" { "Result" } th scope="col" { "Request" }
                    } }
                    tbody {
                        @for one in entries {
                            tr {
                                th scope="row" class="number" { (one.number) }
                                td class="whole" { (one.signature.moment) }
                                td { (one.signature.who) }
                                td { code { (one.act) } }
                                td { (one.subject) }
                                td { (one.result) }
                                td { code { (one.signature.request) } }
                            }
                        }
                    }
                }
            }))
        }
        (older(Address::audit(), entries.last().map(|one| one.number), more))
    };
    frame.page(Section::Audit, "Audit", main)
}

/// The way to what is older.
fn older(address: Address, last: Option<i64>, more: bool) -> Markup {
    html! {
        @if let Some(last) = last.filter(|_| more) {
            nav class="pager" aria-label="Pages" { a rel="next" href=(address.with("below", last)) { "Older" } }
        }
    }
}
