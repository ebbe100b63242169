//! The pages about the built-in database, which are the same for every fleet, and what all pages refer to.

use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use unskew_fleet_pages::{AxisPage, FamilyPage, OperatorPage, ReleasePage, assets, axes, families};
use unskew_releases::Family;

use super::framed::{AS_OF, CONTAINS, PAGE, filled, framed, not_there, part, view};
use crate::call::EndpointCall;
use crate::endpoint::{Endpoint, EndpointParameter, ParameterShape};
use crate::problem::HttpProblem;
use crate::verb::HttpMethod;

const FAMILY: EndpointParameter = EndpointParameter::path(
    "family",
    ParameterShape::Text,
    "torch, tensorflow, jax, onnxruntime or onnx",
);
const NAME: EndpointParameter = EndpointParameter::path("name", ParameterShape::Text, "a name");

pub(super) const PAGES: &[Endpoint] = &[
    Endpoint::new(HttpMethod::Get, "/releases", "page.releases", "The database", |call| {
        Box::pin(releases(call))
    }),
    Endpoint::new(HttpMethod::Get, "/releases/{family}", "page.family", "A family", |call| {
        Box::pin(family(call))
    })
    .parameters(&[
        FAMILY,
        CONTAINS,
        EndpointParameter::query(
            "which",
            ParameterShape::Text,
            "there, gone, or all if it is left out",
        ),
        PAGE,
    ]),
    Endpoint::new(
        HttpMethod::Get,
        "/releases/{family}/{version}",
        "page.release",
        "A release",
        |call| Box::pin(release(call)),
    )
    .parameters(&[FAMILY, EndpointParameter::path("version", ParameterShape::Text, "its version")]),
    Endpoint::new(
        HttpMethod::Get,
        "/operators/{family}/{*name}",
        "page.operator",
        "An operator",
        |call| Box::pin(operator(call)),
    )
    .parameters(&[FAMILY, NAME]),
    Endpoint::new(HttpMethod::Get, "/windows", "page.windows", "The axes", |call| {
        Box::pin(windows(call))
    })
    .parameters(&[AS_OF]),
    Endpoint::new(HttpMethod::Get, "/windows/{*name}", "page.axis", "An axis", |call| {
        Box::pin(axis(call))
    })
    .parameters(&[
        NAME,
        AS_OF,
        EndpointParameter::query("all", ParameterShape::Flag, "draw every version"),
    ]),
    Endpoint::new(HttpMethod::Get, "/assets/{name}", "page.asset", "What pages refer to", |call| {
        Box::pin(asset(call))
    })
    .role(None)
    .parameters(&[NAME]),
];

fn family_of(call: &EndpointCall) -> Result<Family, HttpProblem> {
    let name = call.path("family");
    let known = Family::ALL.into_iter().find(|family| family.as_str() == name);
    known.ok_or_else(|| not_there("family of releases (torch, tensorflow, jax)", name))
}

async fn releases(call: EndpointCall) -> Result<Response, HttpProblem> {
    Ok(framed(&call, &view(&call)?, families))
}

async fn family(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (family, part) = (family_of(&call)?, part(&call));
    let which = filled(&call, "which").unwrap_or_default();
    let page = FamilyPage::new(family, &part.contains, which, part.page);
    Ok(framed(&call, &view(&call)?, |frame| page.page(frame)))
}

async fn release(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (family, version) = (family_of(&call)?, call.path("version"));
    let page = ReleasePage::find(family, version);
    let page = page.ok_or_else(|| not_there("release", &format!("{family}@{version}")))?;
    Ok(framed(&call, &view(&call)?, |frame| page.page(frame)))
}

async fn operator(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (family, name) = (family_of(&call)?, call.path("name"));
    let page = OperatorPage::find(family, name);
    let page = page.ok_or_else(|| not_there(&format!("operator in any {family}"), name))?;
    Ok(framed(&call, &view(&call)?, |frame| page.page(frame)))
}

async fn windows(call: EndpointCall) -> Result<Response, HttpProblem> {
    let view = view(&call)?;
    Ok(framed(&call, &view, |frame| axes(frame, &view)))
}

async fn axis(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (view, name) = (view(&call)?, call.path("name"));
    let page = AxisPage::find(name, &view, filled(&call, "all").is_some());
    let page = page.ok_or_else(|| not_there("axis", name))?;
    Ok(framed(&call, &view, |frame| page.page(frame)))
}

/// A file under the digest of what is in it, so it never changes.
async fn asset(call: EndpointCall) -> Result<Response, HttpProblem> {
    let path = format!("/assets/{}", call.path("name"));
    let asset = assets().iter().find(|asset| asset.path == path);
    let asset = asset.ok_or_else(|| not_there("asset", &path))?;
    let headers = [
        (header::CONTENT_TYPE, asset.media),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((StatusCode::OK, headers, asset.text).into_response())
}
