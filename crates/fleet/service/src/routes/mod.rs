//! The table of all endpoints, a part for each subject.

mod about;
mod artifacts;
mod jobs;
mod models;
mod runtimes;
mod tokens;
mod uploads;

pub(crate) use uploads::blocking;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter};
use http::StatusCode;

use crate::answer::{no_method, nowhere};
use crate::call::{EndpointCall, json_text};
use crate::endpoint::{Endpoint, Gives};
use crate::problem::HttpProblem;
use crate::service::Service;
use crate::verb::HttpMethod;
use crate::{openapi, pages};

/// The endpoint that describes all of them, and itself.
const DESCRIPTION: &[Endpoint] =
    &[Endpoint::new(HttpMethod::Get, "/v1/openapi.json", "openapi", "This description", |call| {
        Box::pin(description(call))
    })
    .role(None)
    .gives(&[Gives::media(200, "the description", "application/json")])];

/// All endpoints, in the order of the reference.
pub fn all() -> impl Iterator<Item = &'static Endpoint> {
    let tables = [
        models::ENDPOINTS,
        runtimes::ENDPOINTS,
        artifacts::ENDPOINTS,
        uploads::ENDPOINTS,
        jobs::ENDPOINTS,
        tokens::ENDPOINTS,
        about::HEALTH,
        DESCRIPTION,
        about::PROBLEMS,
    ];
    tables.into_iter().flatten()
}

/// All that the router has: the endpoints of the description, and those of the pages.
pub fn routed() -> impl Iterator<Item = &'static Endpoint> {
    all().chain(pages::all())
}

async fn description(_: EndpointCall) -> Result<Response, HttpProblem> {
    Ok(json_text(StatusCode::OK, openapi::description(all()).to_string()))
}

pub(crate) fn router(service: Arc<Service>) -> Router {
    let mut paths: BTreeMap<&str, MethodRouter<Arc<Service>>> = BTreeMap::new();
    for endpoint in all() {
        let service = Arc::clone(&service);
        let answer = move |path: RawPathParams, request: Request| {
            let path = path.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
            Arc::clone(&service).answer(endpoint, path.collect(), request)
        };
        let filter = match endpoint.verb {
            HttpMethod::Get => MethodFilter::GET,
            HttpMethod::Head => MethodFilter::HEAD,
            HttpMethod::Put => MethodFilter::PUT,
            HttpMethod::Post => MethodFilter::POST,
            HttpMethod::Patch => MethodFilter::PATCH,
            HttpMethod::Delete => MethodFilter::DELETE,
        };
        let known = paths.remove(endpoint.path).unwrap_or_default();
        paths.insert(endpoint.path, known.on(filter, answer));
    }
    let mut router = Router::new();
    for (path, methods) in paths {
        router = router.route(path, methods);
    }
    let router = router.merge(pages::router(&service));
    let router = router.method_not_allowed_fallback(no_method).fallback(nowhere);
    router.layer(axum::middleware::map_request(pages::with_cookie)).with_state(service)
}
