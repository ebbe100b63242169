//! The pages of the service, for people with a browser.
//!
//! A page is an endpoint like any other, with the same callers, paces, times, logs and metrics; it only stands in a
//! table of its own, because it is nothing that a description of an API is about. What differs is what a browser
//! needs: what goes wrong is a page, and a token can come in a cookie ([`session`]).
//!
//! | address | page |
//! | --- | --- |
//! | `/` | the fleet and its models |
//! | `/unserved` | for each model, the runtimes that it does not reach |
//! | `/models/NAME`, `/plans/NAME` | a model on all runtimes; which artifacts it needs, and what if |
//! | `/runtimes`, `/runtimes/NAME` | the runtimes; one of them |
//! | `/decisions?model=M&runtime=R` | a decision with its reasons |
//! | `/releases`, `/releases/FAMILY`, `/releases/FAMILY/VERSION`, `/operators/FAMILY/NAME` | the built-in database |
//! | `/windows`, `/windows/AXIS` | the timeline of every axis |
//! | `/jobs`, `/audit` | what the service does, and who did what |
//! | `/login`, `/logout` | the way in and out |
//!
//! What pages show is made by [`unskew_fleet_pages`]; here an address becomes a question to the fleet.

mod database;
mod fleet;
mod session;
mod watch;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{MethodFilter, MethodRouter};
use http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use unskew_fleet::store::Role;
use unskew_fleet::{Fleet, FleetError, Judge, Survey};
use unskew_fleet_pages::{Address, Frame, Gather, POLICY, Part, Reader, View, problem};

use crate::call::{self, Call};
use crate::clock::Clock;
use crate::endpoint::{Endpoint, Parameter, Shape, Verb};
use crate::problem::{Kind, Problem, ProblemBody};
use crate::service::Service;

pub(crate) use session::with_cookie;

/// The largest body of a problem.
const LARGEST: usize = 64 << 10;

const AS_OF: Parameter = Parameter::query("as_of", Shape::Day, "the day");
const DENY: Parameter = Parameter::query("deny", Shape::Text, "what keeps an artifact back");
const UNJUDGED: Parameter =
    Parameter::query("accept_unjudged", Shape::Text, "what does not though it was not judged");
const LOSSY: Parameter =
    Parameter::query("accept_lossy", Shape::Flag, "whether a conversion may drop something");
const CONTAINS: Parameter = Parameter::query("contains", Shape::Text, "a part of a name");
const PAGE: Parameter = Parameter::query("page", Shape::Number, "the page of a list, from 1");

/// All pages.
fn all() -> impl Iterator<Item = &'static Endpoint> {
    [fleet::PAGES, database::PAGES, watch::PAGES, session::PAGES].into_iter().flatten()
}

/// What answers for pages.
pub(crate) fn router(service: &Arc<Service>) -> Router<Arc<Service>> {
    let mut paths: BTreeMap<&str, MethodRouter<Arc<Service>>> = BTreeMap::new();
    for endpoint in all() {
        let service = Arc::clone(service);
        let answer = move |path: RawPathParams, request: Request| {
            let path = path.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
            let (path, address) = (path.collect(), request.uri().clone());
            let (answer, clock) =
                (Arc::clone(&service).answer(endpoint, path, request), service.clock().clone());
            async move { as_page(answer.await, &address, &clock).await }
        };
        let filter = match endpoint.verb {
            Verb::Post => MethodFilter::POST,
            _ => MethodFilter::GET,
        };
        let known = paths.remove(endpoint.path).unwrap_or_default();
        paths.insert(endpoint.path, known.on(filter, answer));
    }
    paths.into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods))
}

/// What went wrong as a page; who is not known is sent to where a token can be given.
async fn as_page(response: Response, address: &Uri, clock: &Clock) -> Response {
    let media = response.headers().get(header::CONTENT_TYPE);
    if media.is_none_or(|media| media != "application/problem+json") {
        return response;
    }
    let (status, wait) = (response.status(), response.headers().get(header::RETRY_AFTER).cloned());
    let body = axum::body::to_bytes(response.into_body(), LARGEST).await.unwrap_or_default();
    let Ok(said) = serde_json::from_slice::<ProblemBody>(&body) else {
        return status.into_response();
    };
    if status == StatusCode::UNAUTHORIZED {
        let asked = address.path_and_query().map_or("/", |asked| asked.as_str());
        let login = Address::login().with("next", asked).to_string();
        return Redirect::to(&login).into_response();
    }
    let reader = Reader { name: None, jobs: false, audit: false };
    let judge = Judge::of_this_program();
    let frame = Frame { reader: &reader, judge: &judge, as_of: clock.today() };
    let (title, text) =
        (sentence(&said.title), format!("{}: {}", sentence(&said.detail), said.mend));
    let mut response = html(status, problem(&frame, &title, &text));
    if let Some(wait) = wait {
        response.headers_mut().insert(header::RETRY_AFTER, wait);
    }
    response
}

/// A text with a capital at its beginning.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A page as an answer.
fn html(status: StatusCode, page: String) -> Response {
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
fn filled<'c>(call: &'c Call, name: &str) -> Option<&'c str> {
    call.query(name).filter(|value| !value.trim().is_empty())
}

/// How a page is looked at.
fn view(call: &Call) -> Result<View, Problem> {
    let is = |name| filled(call, name).is_some_and(|value| value == "true" || value == "1");
    let today = call.service.clock().today();
    let as_of = filled(call, "as_of").map_or(Ok(today), call::day)?;
    let unjudged = filled(call, "accept_unjudged");
    let policy = call::policy(as_of, filled(call, "deny"), unjudged, is("accept_lossy"))?;
    Ok(View { policy, today })
}

/// Which part of a list is asked for.
fn part(call: &Call) -> Part {
    let page = filled(call, "page").and_then(|page| page.parse().ok()).unwrap_or(1);
    Part { contains: filled(call, "contains").unwrap_or_default().trim().to_owned(), page }
}

/// Who looks.
fn reader(call: &Call) -> Reader {
    let shown = call.headers.contains_key(header::AUTHORIZATION);
    let admin = call.caller.role >= Some(Role::Admin);
    Reader { name: shown.then(|| call.caller.name.clone()), jobs: true, audit: admin }
}

/// A page in its frame.
fn framed(call: &Call, view: &View, page: impl FnOnce(&Frame<'_>) -> String) -> Response {
    let (reader, judge) = (reader(call), Judge::of_this_program());
    let frame = Frame { reader: &reader, judge: &judge, as_of: view.policy.as_of };
    html(StatusCode::OK, page(&frame))
}

/// What was read for pages, lent to one request at a time. Everything in it is named by its content, so it holds for
/// any fleet.
static SURVEYS: Mutex<Vec<Survey>> = Mutex::new(Vec::new());

/// Gathers something from a fleet.
fn gathered<T>(
    fleet: &mut Fleet,
    view: View,
    gather: impl FnOnce(&mut Gather<'_>) -> Result<T, FleetError>,
) -> Result<T, Problem> {
    let surveys = || SURVEYS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = surveys().pop();
    let mut survey = known.unwrap_or_default();
    let gathered = gather(&mut Gather::new(fleet, &mut survey, view));
    surveys().push(survey);
    Ok(gathered?)
}

fn not_there(kind: &str, name: &str) -> Problem {
    Problem::new(Kind::NotThere, format!("no such {kind}: {name}"))
}
