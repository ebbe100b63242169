//! The pages about the service itself: its jobs, and who did what.

use axum::response::Response;
use unskew_fleet::store::Role;
use unskew_fleet_pages::{audit, jobs};

use super::framed::{filled, framed, view};
use crate::call::Call;
use crate::endpoint::{Endpoint, Parameter, Shape};
use crate::problem::Problem;
use crate::verb::Verb;

/// How many stand on a page.
const MOST: u32 = 50;

const BELOW: Parameter = Parameter::query("below", Shape::Number, "those before this one");

pub(super) const PAGES: &[Endpoint] = &[
    Endpoint::new(Verb::Get, "/jobs", "page.jobs", "The jobs", |call| Box::pin(all_jobs(call)))
        .parameters(&[BELOW]),
    Endpoint::new(Verb::Get, "/audit", "page.audit", "Who did what", |call| Box::pin(log(call)))
        .role(Some(Role::Admin))
        .parameters(&[BELOW]),
];

fn below(call: &Call) -> Option<i64> {
    filled(call, "below").and_then(|below| below.parse().ok())
}

async fn all_jobs(call: Call) -> Result<Response, Problem> {
    let below = below(&call);
    let all = call.fleet(move |fleet| Ok(fleet.store().jobs(below, MOST)?)).await?;
    Ok(framed(&call, &view(&call)?, |frame| jobs(frame, &all, all.len() == MOST as usize)))
}

async fn log(call: Call) -> Result<Response, Problem> {
    let below = below(&call);
    let all = call.fleet(move |fleet| Ok(fleet.store().audit(below, MOST)?)).await?;
    Ok(framed(&call, &view(&call)?, |frame| audit(frame, &all, all.len() == MOST as usize)))
}
