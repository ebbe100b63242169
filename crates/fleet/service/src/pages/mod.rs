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
//! | `/publish` | a form that publishes a version of a model |
//! | `/releases`, `/releases/FAMILY`, `/releases/FAMILY/VERSION`, `/operators/FAMILY/NAME` | the built-in database |
//! | `/windows`, `/windows/AXIS` | the timeline of every axis |
//! | `/jobs`, `/audit` | what the service does, and who did what |
//! | `/login`, `/logout` | the way in and out |
//!
//! What pages show is made by [`unskew_fleet_pages`]; here an address becomes a question to the fleet.

mod database;
mod fleet;
mod framed;
mod publish;
mod session;
mod watch;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{MethodFilter, MethodRouter};
use http::{StatusCode, Uri, header};
use unskew_fleet::JudgeIdentity;
use unskew_fleet_pages::{Address, Frame, Viewer, problem};

use crate::clock::Clock;
use crate::endpoint::Endpoint;
use crate::problem::ProblemBody;
use crate::service::Service;
use crate::verb::HttpMethod;

use framed::html;
pub(crate) use session::with_cookie;

/// The largest body of a problem.
const LARGEST: usize = 64 << 10;

pub(crate) fn all() -> impl Iterator<Item = &'static Endpoint> {
    [fleet::PAGES, publish::PAGES, database::PAGES, watch::PAGES, session::PAGES]
        .into_iter()
        .flatten()
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
            HttpMethod::Post => MethodFilter::POST,
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
    let reader = Viewer { name: None, jobs: false, audit: false };
    let judge = JudgeIdentity::of_this_program();
    let frame = Frame { reader: &reader, judge: &judge, as_of: clock.today() };
    let (title, text) =
        (sentence(&said.title), format!("{}: {}", sentence(&said.detail), said.fix));
    let mut response = html(status, problem(&frame, &title, &text));
    if let Some(wait) = wait {
        response.headers_mut().insert(header::RETRY_AFTER, wait);
    }
    response
}

/// A text with a capital at its beginning, unless it begins with a name, such as that of a file.
fn sentence(text: &str) -> String {
    let first = text.split([' ', ':', ',']).next().unwrap_or_default();
    if !first.chars().all(char::is_alphabetic) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
