//! The models, their versions, and what follows for runtimes: decisions and plans.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use unskew_fleet::store::PublishedVersion;
use unskew_fleet::{Decision, Digest, Plan, RuntimeProfile};

use crate::ask::{DecisionAsk, JobRequest, PlanAsk, TermsAsk};
use crate::call::{EndpointCall, json, json_text};
use crate::endpoint::{Endpoint, EndpointParameter, Gives, ParameterShape, Takes, schema};
use crate::problem::{HttpProblem, ProblemKind};
use crate::routes::jobs::{self, JobBody};
use crate::verb::HttpMethod;

const MODEL: EndpointParameter =
    EndpointParameter::path("model", ParameterShape::Text, "the name of the model");
const AS_OF: EndpointParameter = EndpointParameter::query(
    "as_of",
    ParameterShape::Day,
    "versions that were published later do not exist; today if it is left out",
);
const DENY: EndpointParameter = EndpointParameter::query(
    "deny",
    ParameterShape::Text,
    "from which severity on a finding keeps an artifact back: `error` (as if left out), `warning` or `note`",
);
const UNJUDGED: EndpointParameter = EndpointParameter::query(
    "accept_unjudged",
    ParameterShape::Text,
    "what keeps nothing back though it was not judged: `nothing`, `common` (as if left out: kernels, behaviour, data) or `all`",
);
const LOSSY: EndpointParameter = EndpointParameter::query(
    "accept_lossy",
    ParameterShape::Flag,
    "whether a conversion may drop something that has an effect, where no exact form exists",
);
const PREFER: EndpointParameter = EndpointParameter::header(
    "prefer",
    ParameterShape::Text,
    "`respond-async`: if it has to be computed, answer with a job at once",
);
const RUNTIME: EndpointParameter =
    EndpointParameter::query("runtime", ParameterShape::Text, "the name of the runtime").needed();
const DECISION_BODY: Gives = Gives::json(200, "the decision", schema::<Decision>);
const JOB: Gives =
    Gives::json(202, "a job computes it; ask again when it is done", schema::<JobBody>);

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::new(
        HttpMethod::Get,
        "/v1/models",
        "models.list",
        "All models, by name, with their numbers of versions",
        |call| Box::pin(list(call)),
    )
    .gives(&[Gives::json(200, "the models", schema::<Vec<ModelRow>>)]),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/models/{model}/versions",
        "models.versions",
        "The versions of a model, newest first",
        |call| Box::pin(versions(call)),
    )
    .parameters(&[MODEL, AS_OF])
    .gives(&[Gives::json(200, "the versions", schema::<Vec<VersionRow>>)]),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/models/{model}/decision",
        "decision.get",
        "Which artifact a runtime of the fleet gets, and why",
        |call| Box::pin(decision(call)),
    )
    .parameters(&[MODEL, RUNTIME, AS_OF, DENY, UNJUDGED, LOSSY, PREFER])
    .gives(&[DECISION_BODY, JOB])
    .refuses(&[ProblemKind::Late, ProblemKind::Full, ProblemKind::NoRoom])
    .own_time(),
    Endpoint::new(
        HttpMethod::Post,
        "/v1/models/{model}/decision",
        "decision.post",
        "Which artifact a runtime gets that the fleet does not have, by its profile",
        |call| Box::pin(decision_for(call)),
    )
    .parameters(&[MODEL, AS_OF, DENY, UNJUDGED, LOSSY, PREFER])
    .takes(Takes::Json(schema::<RuntimeProfile>))
    .gives(&[DECISION_BODY, JOB])
    .refuses(&[ProblemKind::Refused, ProblemKind::Late, ProblemKind::Full])
    .own_time(),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/models/{model}/plan",
        "plan.get",
        "Which artifacts of a model the fleet needs, as it is or as it would be",
        |call| Box::pin(plan(call)),
    )
    .parameters(&[
        MODEL,
        EndpointParameter::query("max", ParameterShape::Number, "at most so many artifacts"),
        EndpointParameter::query(
            "any_version",
            ParameterShape::Flag,
            "whether an older version counts for a runtime that takes a newer one",
        ),
        EndpointParameter::query(
            "what_if",
            ParameterShape::Texts,
            "a change of the fleet: `add=RELEASE,DEVICES`, `move=RUNTIME,RELEASE`, `drop=RUNTIME`, \
             `devices=RUNTIME,N`, `without=OPERATOR[,RUNTIME]`, `window=AXIS,FIRST,LAST[,RUNTIME]`",
        ),
        AS_OF,
        DENY,
        UNJUDGED,
        LOSSY,
        PREFER,
    ])
    .gives(&[Gives::json(200, "the plan", schema::<Plan>), JOB])
    .refuses(&[ProblemKind::Refused, ProblemKind::Late, ProblemKind::Full, ProblemKind::NoRoom])
    .own_time(),
];

/// A model in a list.
#[derive(Serialize, JsonSchema)]
pub struct ModelRow {
    /// The name of the model.
    pub name: String,
    /// How many versions it has.
    pub versions: u64,
}

/// A version of a model.
#[derive(Serialize, JsonSchema)]
pub struct VersionRow {
    /// Its number, from 1.
    pub version: i64,
    /// The day on which it was published.
    pub published: String,
    /// The name of the file or folder.
    pub file: String,
    /// The digest of the artifact.
    pub artifact: Digest,
    /// The bytes of all its files.
    pub size: u64,
}

impl From<PublishedVersion> for VersionRow {
    fn from(version: PublishedVersion) -> Self {
        let PublishedVersion { number, artifact, published, file, size } = version;
        Self { version: number, published, file, artifact, size }
    }
}

async fn list(call: EndpointCall) -> Result<Response, HttpProblem> {
    let models = call.fleet(|fleet| Ok(fleet.models()?)).await?;
    let row = |(name, versions)| ModelRow { name, versions };
    Ok(json(StatusCode::OK, &models.into_iter().map(row).collect::<Vec<_>>()))
}

async fn versions(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (model, day) = (call.path("model").to_owned(), call.policy()?.as_of.to_string());
    let versions = call.fleet(move |fleet| Ok(fleet.versions(&model, &day)?)).await?;
    let rows: Vec<VersionRow> = versions.into_iter().map(VersionRow::from).collect();
    Ok(json(StatusCode::OK, &rows))
}

async fn decision(call: EndpointCall) -> Result<Response, HttpProblem> {
    let Some(runtime) = call.query("runtime") else {
        let detail =
            "the query has to name a `runtime`; for one without a name send its profile by POST";
        return Err(HttpProblem::new(ProblemKind::Malformed, detail));
    };
    let ask = JobRequest::Decision(DecisionAsk {
        model: call.path("model").to_owned(),
        runtime: Some(runtime.to_owned()),
        profile: None,
        terms: terms(&call)?,
    });
    answered(call, ask).await
}

async fn decision_for(mut call: EndpointCall) -> Result<Response, HttpProblem> {
    let profile = call.json().await?;
    let ask = JobRequest::Decision(DecisionAsk {
        model: call.path("model").to_owned(),
        runtime: None,
        profile: Some(profile),
        terms: terms(&call)?,
    });
    answered(call, ask).await
}

async fn plan(call: EndpointCall) -> Result<Response, HttpProblem> {
    let ask = JobRequest::Plan(PlanAsk {
        model: call.path("model").to_owned(),
        max: call.parsed("max")?,
        any_version: call.parsed("any_version")?.unwrap_or(false),
        what_if: call.queries("what_if").map(str::to_owned).collect(),
        terms: terms(&call)?,
    });
    answered(call, ask).await
}

fn terms(call: &EndpointCall) -> Result<TermsAsk, HttpProblem> {
    // What is wrong with them is said before anything is looked up.
    call.policy()?;
    let own = |text: &str| text.to_owned();
    let terms = TermsAsk {
        as_of: call.query("as_of").map(own),
        deny: call.query("deny").map(own),
        accept_unjudged: call.query("accept_unjudged").map(own),
        accept_lossy: call.parsed("accept_lossy")?.unwrap_or(false),
    };
    Ok(terms.pinned(call.service.clock()))
}

/// The answer from what is known; else computed here, or by a job if the caller prefers that or this process computes
/// nothing.
async fn answered(call: EndpointCall, ask: JobRequest) -> Result<Response, HttpProblem> {
    let asked = ask.clone();
    let known = call.fleet(move |fleet| asked.known(fleet)).await?;
    if let Some(text) = known {
        call.service.metrics().decided(false);
        return Ok(json_text(StatusCode::OK, text));
    }
    let limits = call.service.settings().limits;
    let prefers = call.header("prefer").unwrap_or_default();
    let by_job = prefers.split(',').any(|word| word.trim().eq_ignore_ascii_case("respond-async"));
    if by_job || limits.jobs == 0 {
        let mut response = jobs::begun(&call, ask).await?;
        if by_job {
            let applied = HeaderValue::from_static("respond-async");
            response.headers_mut().insert("preference-applied", applied);
        }
        return Ok(response);
    }
    let computing = Arc::clone(call.service.computing());
    let computed = computing.with(move |fleet| ask.answer(fleet, &mut |_, _, _| Ok(true)));
    let computed = tokio::time::timeout(limits.compute_time, computed).await;
    let text = computed.map_err(|_| late(limits.compute_time))??;
    call.service.metrics().decided(true);
    let mut response = json_text(StatusCode::OK, text);
    let computed = HeaderValue::from_static("computed");
    response.headers_mut().insert(header::HeaderName::from_static("x-answer"), computed);
    Ok(response)
}

fn late(limit: Duration) -> HttpProblem {
    let detail = format!("it takes more than {} s; what was computed is kept", limit.as_secs());
    HttpProblem::new(ProblemKind::Late, detail).after(Duration::from_secs(1))
}
