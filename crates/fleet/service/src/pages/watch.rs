//! The pages about the service itself: its jobs, and who did what.

use axum::response::Response;
use unskew_fleet::store::TokenRole;
use unskew_fleet_pages::{audit, jobs};

use super::framed::{filled, framed, view};
use crate::call::EndpointCall;
use crate::endpoint::{Endpoint, EndpointParameter, ParameterShape};
use crate::problem::HttpProblem;
use crate::verb::HttpMethod;

/// How many stand on a page.
const MOST: u32 = 50;

const BELOW: EndpointParameter =
    EndpointParameter::query("below", ParameterShape::Number, "those before this one");

pub(super) const PAGES: &[Endpoint] = &[
    Endpoint::new(HttpMethod::Get, "/jobs", "page.jobs", "The jobs", |call| {
        Box::pin(all_jobs(call))
    })
    .parameters(&[BELOW]),
    Endpoint::new(HttpMethod::Get, "/audit", "page.audit", "Who did what", |call| {
        Box::pin(log(call))
    })
    .role(Some(TokenRole::Admin))
    .parameters(&[BELOW]),
];

fn below(call: &EndpointCall) -> Option<i64> {
    filled(call, "below").and_then(|below| below.parse().ok())
}

async fn all_jobs(call: EndpointCall) -> Result<Response, HttpProblem> {
    let below = below(&call);
    let all = call.fleet(move |fleet| Ok(fleet.store().jobs(below, MOST)?)).await?;
    Ok(framed(&call, &view(&call)?, |frame| jobs(frame, &all, all.len() == MOST as usize)))
}

async fn log(call: EndpointCall) -> Result<Response, HttpProblem> {
    let below = below(&call);
    let all = call.fleet(move |fleet| Ok(fleet.store().audit(below, MOST)?)).await?;
    Ok(framed(&call, &view(&call)?, |frame| audit(frame, &all, all.len() == MOST as usize)))
}
