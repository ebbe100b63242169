//! The pages about the fleet: what the lists show is looked up; a plan and a decision are computed if nobody asked
//! before, as long as somebody may wait for them.

use std::sync::Arc;

use axum::response::{IntoResponse as _, Redirect, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use unskew_fleet::{FleetError, WhatIf};
use unskew_fleet_pages::{DecisionPage, Gather, PageView, PlanQuery, changes};

use super::framed::{
    AS_OF, CONTAINS, DENY, LOSSY, PAGE, UNJUDGED, filled, framed, gathered, part, view,
};
use crate::call::EndpointCall;
use crate::endpoint::{Endpoint, EndpointParameter, ParameterShape};
use crate::problem::{HttpProblem, ProblemKind};
use crate::verb::HttpMethod;

const NAME: EndpointParameter = EndpointParameter::path("name", ParameterShape::Text, "a name");
const FROM: EndpointParameter =
    EndpointParameter::query("from", ParameterShape::Number, "the newest version in the matrix");

const fn field(name: &'static str) -> EndpointParameter {
    EndpointParameter::query(name, ParameterShape::Text, "a field of the form for a what-if")
}

pub(super) const PAGES: &[Endpoint] = &[
    Endpoint::new(HttpMethod::Get, "/", "page.fleet", "The fleet and its models", |call| {
        Box::pin(overview(call))
    })
    .parameters(&[AS_OF, DENY, UNJUDGED, LOSSY, CONTAINS, PAGE]),
    Endpoint::new(
        HttpMethod::Get,
        "/unserved",
        "page.unserved",
        "The models that do not reach everybody",
        |call| Box::pin(unserved(call)),
    )
    .parameters(&[AS_OF, DENY, UNJUDGED, LOSSY, CONTAINS, PAGE]),
    Endpoint::new(
        HttpMethod::Get,
        "/models/{*name}",
        "page.model",
        "A model on all runtimes",
        |call| Box::pin(model(call)),
    )
    .parameters(&[NAME, AS_OF, DENY, UNJUDGED, LOSSY, CONTAINS, PAGE, FROM]),
    Endpoint::new(HttpMethod::Get, "/plans/{*name}", "page.plan", "The plan for a model", |call| {
        Box::pin(plan(call))
    })
    .parameters(&[
        NAME,
        AS_OF,
        DENY,
        UNJUDGED,
        LOSSY,
        EndpointParameter::query("max", ParameterShape::Number, "at most so many artifacts"),
        EndpointParameter::query(
            "any_version",
            ParameterShape::Flag,
            "whether older versions count",
        ),
        EndpointParameter::query("what_if", ParameterShape::Texts, "a change of the fleet"),
        field("add"),
        field("add_devices"),
        field("move"),
        field("move_to"),
        field("without"),
        field("without_in"),
        field("axis"),
        field("first"),
        field("last"),
        field("window_in"),
        field("devices_of"),
        field("devices"),
        field("drop"),
    ])
    .own_time(),
    Endpoint::new(HttpMethod::Get, "/runtimes", "page.runtimes", "The runtimes", |call| {
        Box::pin(runtimes(call))
    })
    .parameters(&[AS_OF, DENY, UNJUDGED, LOSSY, CONTAINS, PAGE]),
    Endpoint::new(HttpMethod::Get, "/runtimes/{*name}", "page.runtime", "A runtime", |call| {
        Box::pin(runtime(call))
    })
    .parameters(&[NAME, AS_OF, DENY, UNJUDGED, LOSSY, CONTAINS, PAGE]),
    Endpoint::new(HttpMethod::Get, "/decisions", "page.decision", "A decision", |call| {
        Box::pin(decision(call))
    })
    .parameters(&[
        EndpointParameter::query("model", ParameterShape::Text, "the model"),
        EndpointParameter::query("runtime", ParameterShape::Text, "the runtime"),
        EndpointParameter::query(
            "version",
            ParameterShape::Number,
            "a version that is shown as well",
        ),
        AS_OF,
        DENY,
        UNJUDGED,
        LOSSY,
    ])
    .own_time(),
];

async fn looked_up<T: Send + 'static>(
    call: &EndpointCall,
    view: PageView,
    gather: impl FnOnce(&mut Gather<'_>) -> Result<T, FleetError> + Send + 'static,
) -> Result<T, HttpProblem> {
    call.fleet(move |fleet| gathered(fleet, view, gather)).await
}

/// Computes something, as long as somebody may wait for it.
async fn computed<T: Send + 'static>(
    call: &EndpointCall,
    view: PageView,
    gather: impl FnOnce(&mut Gather<'_>) -> Result<T, FleetError> + Send + 'static,
) -> Result<T, HttpProblem> {
    let limit = call.service.settings().limits.compute_time;
    let computing = Arc::clone(call.service.computing());
    let computed = computing.with(move |fleet| gathered(fleet, view, gather));
    let late = |_| {
        let detail = format!("it takes more than {} s; what was computed is kept", limit.as_secs());
        HttpProblem::new(ProblemKind::Late, detail).after(std::time::Duration::from_secs(5))
    };
    tokio::time::timeout(limit, computed).await.map_err(late)?
}

async fn overview(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (view, part) = (view(&call)?, part(&call));
    let page = looked_up(&call, view, move |gather| gather.overview(&part)).await?;
    Ok(framed(&call, &view, |frame| page.page(frame)))
}

async fn unserved(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (view, part) = (view(&call)?, part(&call));
    let page = looked_up(&call, view, move |gather| gather.unserved(&part)).await?;
    Ok(framed(&call, &view, |frame| page.page(frame)))
}

async fn model(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (view, part) = (view(&call)?, part(&call));
    let name = call.path("name").to_owned();
    let from = filled(&call, "from").and_then(|from| from.parse().ok());
    let page = looked_up(&call, view, move |gather| gather.model(&name, &part, from)).await?;
    Ok(framed(&call, &view, |frame| page.page(frame)))
}

async fn runtimes(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (view, part) = (view(&call)?, part(&call));
    let page = looked_up(&call, view, move |gather| gather.runtimes(&part)).await?;
    Ok(framed(&call, &view, |frame| page.page(frame)))
}

async fn runtime(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (view, part) = (view(&call)?, part(&call));
    let name = call.path("name").to_owned();
    let page = looked_up(&call, view, move |gather| gather.runtime(&name, &part)).await?;
    Ok(framed(&call, &view, |frame| page.page(frame)))
}

async fn plan(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (view, name) = (view(&call)?, call.path("name").to_owned());
    let mut asked = PlanQuery {
        most: filled(&call, "max").and_then(|most| most.parse().ok()).filter(|most| *most > 0),
        any_version: filled(&call, "any_version").is_some_and(|value| value != "false"),
        what_if: call.queries("what_if").map(change).collect::<Result<_, _>>()?,
    };
    let more = changes(|field| call.query(field).unwrap_or_default().to_owned());
    if !more.is_empty() {
        // What the form says becomes an address that says the same and nothing else.
        for text in &more {
            asked.what_if.push(change(text)?);
        }
        return Ok(Redirect::to(&asked.address(&name, &view).to_string()).into_response());
    }
    let page = computed(&call, view, move |gather| gather.plan(&name, asked)).await?;
    Ok(framed(&call, &view, |frame| page.page(frame)))
}

fn change(text: &str) -> Result<WhatIf, HttpProblem> {
    text.parse()
        .map_err(|error: FleetError| HttpProblem::new(ProblemKind::Malformed, error.to_string()))
}

async fn decision(call: EndpointCall) -> Result<Response, HttpProblem> {
    let view = view(&call)?;
    let [model, runtime] = ["model", "runtime"].map(|name| filled(&call, name));
    let (Some(model), Some(runtime)) = (model, runtime) else {
        let detail = "a decision is about a model and a runtime, which the address has to name";
        return Err(HttpProblem::new(ProblemKind::Malformed, detail));
    };
    let (model, runtime) = (model.to_owned(), runtime.to_owned());
    let version = filled(&call, "version").and_then(|version| version.parse().ok());
    let page =
        computed(&call, view, move |gather| gather.decision(&model, &runtime, version)).await?;
    let page = DecisionPage { json: Some(json(&page, &view)), download: download(&page), ..page };
    Ok(framed(&call, &view, |frame| page.page(frame)))
}

/// Where a decision stands as JSON.
fn json(page: &DecisionPage, view: &PageView) -> String {
    let word = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let decision = &page.decision;
    let mut address = format!(
        "/v1/models/{}/decision?runtime={}&as_of={}",
        word(&decision.model),
        word(&decision.runtime.name),
        decision.as_of
    );
    for (key, value) in view.pairs().iter().filter(|(key, _)| *key != "as_of") {
        address.push_str(&format!("&{key}={}", word(value)));
    }
    address
}

/// Where what is delivered can be fetched.
fn download(page: &DecisionPage) -> Option<String> {
    page.decision.deliver.as_ref().map(|one| format!("/v1/artifacts/{}", one.artifact))
}
