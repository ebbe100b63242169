//! Work in the background: what waits, what runs, how far it is.

use std::time::{Duration, Instant};

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use unskew_fleet::Fleet;
use unskew_fleet::store::{Job, JobState, TokenRole};

use crate::ask::JobRequest;
use crate::call::{EndpointCall, empty, json};
use crate::endpoint::{Endpoint, EndpointParameter, Gives, ParameterShape, Takes, schema};
use crate::problem::{HttpProblem, ProblemKind};
use crate::verb::HttpMethod;

const NUMBER: EndpointParameter =
    EndpointParameter::path("job", ParameterShape::Number, "the number of the job");

/// How many jobs a list has at most.
const MOST: u32 = 100;

/// How often a job is looked at while somebody waits for it to change.
const LOOK: Duration = Duration::from_millis(200);

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::new(
        HttpMethod::Get,
        "/v1/jobs",
        "jobs.list",
        "The newest jobs, at most 100, newest first",
        |call| Box::pin(list(call)),
    )
    .parameters(&[EndpointParameter::query(
        "below",
        ParameterShape::Number,
        "only jobs with a lower number",
    )])
    .gives(&[Gives::json(200, "the jobs", schema::<Vec<JobBody>>)]),
    Endpoint::new(
        HttpMethod::Post,
        "/v1/jobs",
        "jobs.post",
        "Has a decision or a plan computed; the same that waits or runs already is found instead",
        |call| Box::pin(post(call)),
    )
    .role(Some(TokenRole::Publish))
    .takes(Takes::Json(schema::<JobRequest>))
    .gives(&[Gives::json(202, "the job", schema::<JobBody>)])
    .refuses(&[ProblemKind::NotThere, ProblemKind::Refused, ProblemKind::Full]),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/jobs/{job}",
        "jobs.get",
        "One job, and how far it is",
        |call| Box::pin(get(call)),
    )
    .parameters(&[
        NUMBER,
        EndpointParameter::header(
            "prefer",
            ParameterShape::Text,
            "`wait=N`: answer when something has changed, or after N seconds",
        ),
    ])
    .gives(&[Gives::json(200, "the job", schema::<JobBody>)])
    .own_time(),
    Endpoint::new(
        HttpMethod::Delete,
        "/v1/jobs/{job}",
        "jobs.delete",
        "Cancels a job that is not over",
        |call| Box::pin(cancel(call)),
    )
    .role(Some(TokenRole::Publish))
    .parameters(&[NUMBER])
    .gives(&[Gives::nothing(204, "it is cancelled")])
    .refuses(&[ProblemKind::Conflict]),
];

/// A job, running or over.
#[derive(Serialize, JsonSchema)]
pub struct JobBody {
    /// Its number; later ones have higher numbers.
    pub job: i64,
    /// What the job computes.
    pub ask: JobRequest,
    /// Who wanted it first.
    pub who: String,
    /// What became of it.
    pub state: JobState,
    /// How often somebody began.
    pub attempts: i64,
    /// How many of its parts are done.
    pub done: u64,
    /// How many parts it has; 0 while that is not known.
    pub total: u64,
    /// Why it could not be done.
    pub problem: Option<String>,
    /// Where its answer is, once it is done; none for a profile without a name, which is sent again.
    pub answer: Option<String>,
    /// When it was asked for.
    pub created: String,
    /// When somebody last began.
    pub started: Option<String>,
    /// When it was over.
    pub finished: Option<String>,
}

fn body(job: Job) -> Result<JobBody, HttpProblem> {
    let ask: JobRequest = serde_json::from_str(&job.ask).map_err(|error| {
        HttpProblem::new(ProblemKind::Fault, format!("what job {} asks: {error}", job.number))
    })?;
    let answer = (job.state == JobState::Done).then(|| ask.address()).flatten();
    Ok(JobBody {
        job: job.number,
        ask,
        who: job.who,
        state: job.state,
        attempts: job.attempts,
        done: job.done,
        total: job.total,
        problem: job.problem,
        answer,
        created: job.created,
        started: job.started,
        finished: job.finished,
    })
}

/// A job for what is asked, as an answer.
pub(super) async fn begun(call: &EndpointCall, ask: JobRequest) -> Result<Response, HttpProblem> {
    let most = call.service.settings().limits.pending_jobs;
    let text = serde_json::to_string(&ask).unwrap_or_default();
    let (who, now) = (call.caller.name.clone(), call.service.clock().now());
    let begin = move |fleet: &mut Fleet| {
        ask.check(fleet)?;
        Ok(fleet.store().put_job(&text, &who, &now, most)?)
    };
    let full = || {
        let detail = format!("{most} jobs wait or run already");
        HttpProblem::new(ProblemKind::Full, detail).after(Duration::from_secs(10))
    };
    let job = call.change(begin).await?.ok_or_else(full)?;
    call.service.new_job().notify_one();
    let place = format!("/v1/jobs/{}", job.number);
    let mut response = json(StatusCode::ACCEPTED, &body(job)?);
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    Ok(response)
}

async fn list(call: EndpointCall) -> Result<Response, HttpProblem> {
    let below = call.parsed("below")?;
    let jobs = call.fleet(move |fleet| Ok(fleet.store().jobs(below, MOST)?)).await?;
    let rows: Vec<JobBody> = jobs.into_iter().map(body).collect::<Result<_, _>>()?;
    Ok(json(StatusCode::OK, &rows))
}

async fn post(mut call: EndpointCall) -> Result<Response, HttpProblem> {
    let ask: JobRequest = call.json().await?;
    begun(&call, ask.pinned(call.service.clock())).await
}

fn number(call: &EndpointCall) -> Result<i64, HttpProblem> {
    let text = call.path("job");
    text.parse().map_err(|_| HttpProblem::not_there("job", text))
}

async fn one(call: &EndpointCall, number: i64) -> Result<Job, HttpProblem> {
    let job = call.fleet(move |fleet| Ok(fleet.store().job(number)?)).await?;
    job.ok_or_else(|| HttpProblem::not_there("job", &number.to_string()))
}

async fn get(call: EndpointCall) -> Result<Response, HttpProblem> {
    let number = number(&call)?;
    let longest = call.service.settings().limits.request_time;
    let wait = wait(call.header("prefer").unwrap_or_default()).min(longest);
    let (begin, first) = (Instant::now(), one(&call, number).await?);
    let state = |job: &Job| (job.state, job.done, job.total, job.attempts);
    let mut job = first.clone();
    while !job.state.is_over()
        && state(&job) == state(&first)
        && begin.elapsed() < wait
        && !call.service.is_stopping()
    {
        tokio::time::sleep(LOOK).await;
        job = one(&call, number).await?;
    }
    Ok(json(StatusCode::OK, &body(job)?))
}

/// How long somebody wants to wait for a change.
fn wait(prefer: &str) -> Duration {
    let word = |word: &str| word.trim().strip_prefix("wait=").and_then(|n| n.parse().ok());
    Duration::from_secs(prefer.split(',').find_map(word).unwrap_or(0))
}

async fn cancel(call: EndpointCall) -> Result<Response, HttpProblem> {
    let number = number(&call)?;
    let job = one(&call, number).await?;
    let now = call.service.clock().now();
    let cancel = move |fleet: &mut Fleet| Ok(fleet.store().cancel_job(number, &now)?);
    if call.change(cancel).await? {
        return Ok(empty(StatusCode::NO_CONTENT));
    }
    let detail = format!("job {number} is over: {}", job.state.as_str());
    Err(HttpProblem::new(ProblemKind::Conflict, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_somebody_waits() {
        assert_eq!(wait("wait=7"), Duration::from_secs(7));
        assert_eq!(wait("respond-async, wait=3"), Duration::from_secs(3));
        assert_eq!(wait("wait=x"), Duration::ZERO);
        assert_eq!(wait(""), Duration::ZERO);
    }
}
