//! The pages about the built-in database, which are the same for every fleet, and what all pages refer to.

use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use unskew_fleet_pages::{AxisPage, FamilyPage, OperatorPage, ReleasePage, assets, axes, families};
use unskew_releases::Family;

use super::framed::{AS_OF, CONTAINS, PAGE, filled, framed, not_there, part, view};
use crate::call::Call;
use crate::endpoint::{Endpoint, Parameter, Shape};
use crate::problem::Problem;
use crate::verb::Verb;

const FAMILY: Parameter =
    Parameter::path("family", Shape::Text, "torch, tensorflow, jax, onnxruntime or onnx");
const NAME: Parameter = Parameter::path("name", Shape::Text, "a name");

pub(super) const PAGES: &[Endpoint] = &[
    Endpoint::new(Verb::Get, "/releases", "page.releases", "The database", |call| {
        Box::pin(releases(call))
    }),
    Endpoint::new(Verb::Get, "/releases/{family}", "page.family", "A family", |call| {
        Box::pin(family(call))
    })
    .parameters(&[
        FAMILY,
        CONTAINS,
        Parameter::query("which", Shape::Text, "there, gone, or all if it is left out"),
        PAGE,
    ]),
    Endpoint::new(Verb::Get, "/releases/{family}/{version}", "page.release", "A release", |call| {
        Box::pin(release(call))
    })
    .parameters(&[FAMILY, Parameter::path("version", Shape::Text, "its version")]),
    Endpoint::new(
        Verb::Get,
        "/operators/{family}/{*name}",
        "page.operator",
        "An operator",
        |call| Box::pin(operator(call)),
    )
    .parameters(&[FAMILY, NAME]),
    Endpoint::new(Verb::Get, "/windows", "page.windows", "The axes", |call| {
        Box::pin(windows(call))
    })
    .parameters(&[AS_OF]),
    Endpoint::new(Verb::Get, "/windows/{*name}", "page.axis", "An axis", |call| {
        Box::pin(axis(call))
    })
    .parameters(&[NAME, AS_OF, Parameter::query("all", Shape::Flag, "draw every version")]),
    Endpoint::new(Verb::Get, "/assets/{name}", "page.asset", "What pages refer to", |call| {
        Box::pin(asset(call))
    })
    .role(None)
    .parameters(&[NAME]),
];

fn family_of(call: &Call) -> Result<Family, Problem> {
    let name = call.path("family");
    let known = Family::ALL.into_iter().find(|family| family.as_str() == name);
    known.ok_or_else(|| not_there("family of releases (torch, tensorflow, jax)", name))
}

async fn releases(call: Call) -> Result<Response, Problem> {
    Ok(framed(&call, &view(&call)?, families))
}

async fn family(call: Call) -> Result<Response, Problem> {
    let (family, part) = (family_of(&call)?, part(&call));
    let which = filled(&call, "which").unwrap_or_default();
    let page = FamilyPage::of(family, &part.contains, which, part.page);
    Ok(framed(&call, &view(&call)?, |frame| page.page(frame)))
}

async fn release(call: Call) -> Result<Response, Problem> {
    let (family, version) = (family_of(&call)?, call.path("version"));
    let page = ReleasePage::of(family, version);
    let page = page.ok_or_else(|| not_there("release", &format!("{family}@{version}")))?;
    Ok(framed(&call, &view(&call)?, |frame| page.page(frame)))
}

async fn operator(call: Call) -> Result<Response, Problem> {
    let (family, name) = (family_of(&call)?, call.path("name"));
    let page = OperatorPage::of(family, name);
    let page = page.ok_or_else(|| not_there(&format!("operator in any {family}"), name))?;
    Ok(framed(&call, &view(&call)?, |frame| page.page(frame)))
}

async fn windows(call: Call) -> Result<Response, Problem> {
    let view = view(&call)?;
    Ok(framed(&call, &view, |frame| axes(frame, &view)))
}

async fn axis(call: Call) -> Result<Response, Problem> {
    let (view, name) = (view(&call)?, call.path("name"));
    let page = AxisPage::of(name, &view, filled(&call, "all").is_some());
    let page = page.ok_or_else(|| not_there("axis", name))?;
    Ok(framed(&call, &view, |frame| page.page(frame)))
}

/// A file under the digest of what is in it, so it never changes.
async fn asset(call: Call) -> Result<Response, Problem> {
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
