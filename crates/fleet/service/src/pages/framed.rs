//! Framed pages: how they are looked at, by whom, and the frame around them.

use std::sync::{Mutex, PoisonError};

use axum::response::{IntoResponse as _, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use unskew_fleet::store::TokenRole;
use unskew_fleet::{AnswerIndex, Fleet, FleetError, JudgeIdentity};
use unskew_fleet_pages::{Frame, Gather, ListRequest, POLICY, PageView, Viewer};

use crate::call::{self, EndpointCall};
use crate::endpoint::{EndpointParameter, ParameterShape};
use crate::problem::{HttpProblem, ProblemKind};

pub(super) const AS_OF: EndpointParameter =
    EndpointParameter::query("as_of", ParameterShape::Day, "the day");
pub(super) const DENY: EndpointParameter =
    EndpointParameter::query("deny", ParameterShape::Text, "what keeps an artifact back");
pub(super) const UNJUDGED: EndpointParameter = EndpointParameter::query(
    "accept_unjudged",
    ParameterShape::Text,
    "what does not though it was not judged",
);
pub(super) const LOSSY: EndpointParameter = EndpointParameter::query(
    "accept_lossy",
    ParameterShape::Flag,
    "whether a conversion may drop something",
);
pub(super) const CONTAINS: EndpointParameter =
    EndpointParameter::query("contains", ParameterShape::Text, "a part of a name");
pub(super) const PAGE: EndpointParameter =
    EndpointParameter::query("page", ParameterShape::Number, "the page of a list, from 1");

pub(super) fn html(status: StatusCode, page: String) -> Response {
    let headers: [(HeaderName, &str); 5] = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
    ];
    let mut response = page.into_response();
    *response.status_mut() = status;
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A value of the query that is there and not empty: browsers send every field of a form.
pub(super) fn filled<'c>(call: &'c EndpointCall, name: &str) -> Option<&'c str> {
    call.query(name).filter(|value| !value.trim().is_empty())
}

/// How a page is looked at.
pub(super) fn view(call: &EndpointCall) -> Result<PageView, HttpProblem> {
    let is = |name| filled(call, name).is_some_and(|value| value == "true" || value == "1");
    let today = call.service.clock().today();
    let as_of = filled(call, "as_of").map_or(Ok(today), call::day)?;
    let unjudged = filled(call, "accept_unjudged");
    let policy = call::policy(as_of, filled(call, "deny"), unjudged, is("accept_lossy"))?;
    Ok(PageView { policy, today })
}

/// Which part of a list is asked for.
pub(super) fn part(call: &EndpointCall) -> ListRequest {
    let page = filled(call, "page").and_then(|page| page.parse().ok()).unwrap_or(1);
    ListRequest { contains: filled(call, "contains").unwrap_or_default().trim().to_owned(), page }
}

pub(super) fn reader(call: &EndpointCall) -> Viewer {
    let shown = call.headers.contains_key(header::AUTHORIZATION);
    let admin = call.caller.role >= Some(TokenRole::Admin);
    Viewer { name: shown.then(|| call.caller.name.clone()), jobs: true, audit: admin }
}

/// A page in its frame.
pub(super) fn framed(
    call: &EndpointCall,
    view: &PageView,
    page: impl FnOnce(&Frame<'_>) -> String,
) -> Response {
    let (reader, judge) = (reader(call), JudgeIdentity::of_this_program());
    let frame = Frame { reader: &reader, judge: &judge, as_of: view.policy.as_of };
    html(StatusCode::OK, page(&frame))
}

/// What was read for pages, lent to one request at a time. Everything in it is named by its content, so it holds for
/// any fleet.
static SURVEYS: Mutex<Vec<AnswerIndex>> = Mutex::new(Vec::new());

/// Gathers something from a fleet.
pub(super) fn gathered<T>(
    fleet: &mut Fleet,
    view: PageView,
    gather: impl FnOnce(&mut Gather<'_>) -> Result<T, FleetError>,
) -> Result<T, HttpProblem> {
    let surveys = || SURVEYS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = surveys().pop();
    let mut survey = known.unwrap_or_default();
    let gathered = gather(&mut Gather::new(fleet, &mut survey, view));
    surveys().push(survey);
    Ok(gathered?)
}

pub(super) fn not_there(kind: &str, name: &str) -> HttpProblem {
    HttpProblem::new(ProblemKind::NotThere, format!("no such {kind}: {name}"))
}
