//! Routes on which the service tells about itself.

use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use unskew_fleet::{Digest, JudgeIdentity};

use crate::call::{EndpointCall, json};
use crate::endpoint::{Endpoint, Gives, schema};
use crate::metrics;
use crate::openapi;
use crate::problem::{HttpProblem, ProblemKind};
use crate::verb::HttpMethod;

/// The endpoints about the process.
pub(super) const HEALTH: &[Endpoint] = &[
    Endpoint::new(HttpMethod::Get, "/health", "health", "Whether the process lives", |call| {
        Box::pin(health(call))
    })
    .role(None)
    .gives(&[Gives::json(200, "it lives", schema::<Health>)]),
    Endpoint::new(
        HttpMethod::Get,
        "/ready",
        "ready",
        "Whether the process can answer: the database and the artifacts are there, and it was not told to stop",
        |call| Box::pin(ready(call)),
    )
    .role(None)
    .gives(&[Gives::json(200, "it can answer", schema::<Health>)]),
    Endpoint::new(
        HttpMethod::Get,
        "/metrics",
        "metrics",
        "What was counted, as a text of OpenMetrics",
        |call| Box::pin(metrics(call)),
    )
    .gives(&[Gives::media(200, "the counters", metrics::MEDIA_TYPE)]),
];

/// The endpoint of what can go wrong.
pub(super) const PROBLEMS: &[Endpoint] = &[Endpoint::new(
    HttpMethod::Get,
    "/v1/problems",
    "problems",
    "All kinds of problems, with what helps",
    |call| Box::pin(problems(call)),
)
.role(None)
.gives(&[Gives::json(200, "the kinds", schema::<Vec<KindBody>>)])];

/// How the process is.
#[derive(Serialize, JsonSchema)]
pub struct Health {
    /// Always `ok`: a service that is not does not answer so.
    pub status: &'static str,
    /// Which version judges, with which database.
    pub judge: JudgeIdentity,
}

/// A kind of problem.
#[derive(Serialize, JsonSchema)]
pub struct KindBody {
    /// The stable code, such as `FL004`.
    pub code: &'static str,
    /// The status of such an answer.
    pub status: u16,
    /// The kind in words.
    pub title: &'static str,
    /// What the caller can do about it.
    pub fix: &'static str,
}

async fn health(_: EndpointCall) -> Result<Response, HttpProblem> {
    Ok(json(StatusCode::OK, &Health { status: "ok", judge: JudgeIdentity::of_this_program() }))
}

async fn ready(call: EndpointCall) -> Result<Response, HttpProblem> {
    if call.service.is_stopping() {
        return Err(HttpProblem::new(ProblemKind::Unavailable, "the service was told to stop"));
    }
    call.fleet(|fleet| {
        fleet.store().ping()?;
        // One that is not there is as good as any: what counts is that the store can be asked.
        fleet.depot().has(&Digest::sha256("ready"))?;
        Ok(())
    })
    .await?;
    health(call).await
}

async fn metrics(call: EndpointCall) -> Result<Response, HttpProblem> {
    let jobs = call.fleet(|fleet| Ok(fleet.store().job_counts()?)).await?;
    let text = call.service.metrics().text(jobs);
    Ok(([(header::CONTENT_TYPE, metrics::MEDIA_TYPE)], text).into_response())
}

async fn problems(_: EndpointCall) -> Result<Response, HttpProblem> {
    let kinds = openapi::kinds().map(|row| KindBody {
        code: row.code,
        status: row.status,
        title: row.title,
        fix: row.fix,
    });
    Ok(json(StatusCode::OK, &kinds.collect::<Vec<_>>()))
}
