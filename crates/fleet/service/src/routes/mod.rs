//! The table of all endpoints, a part for each subject.

mod about;
mod artifacts;
mod jobs;
mod models;
mod runtimes;
mod tokens;
mod uploads;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::routing::{MethodFilter, MethodRouter};

use crate::endpoint::{Endpoint, Verb};
use crate::pages;
use crate::service::{Service, no_method, nowhere};

/// All endpoints, in the order of the reference.
pub fn all() -> impl Iterator<Item = &'static Endpoint> {
    let tables = [
        models::ENDPOINTS,
        runtimes::ENDPOINTS,
        artifacts::ENDPOINTS,
        uploads::ENDPOINTS,
        jobs::ENDPOINTS,
        tokens::ENDPOINTS,
        about::ENDPOINTS,
    ];
    tables.into_iter().flatten()
}

/// What answers requests.
pub(crate) fn router(service: Arc<Service>) -> Router {
    let mut paths: BTreeMap<&str, MethodRouter<Arc<Service>>> = BTreeMap::new();
    for endpoint in all() {
        let service = Arc::clone(&service);
        let answer = move |path: RawPathParams, request: Request| {
            let path = path.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
            Arc::clone(&service).answer(endpoint, path.collect(), request)
        };
        let filter = match endpoint.verb {
            Verb::Get => MethodFilter::GET,
            Verb::Head => MethodFilter::HEAD,
            Verb::Put => MethodFilter::PUT,
            Verb::Post => MethodFilter::POST,
            Verb::Patch => MethodFilter::PATCH,
            Verb::Delete => MethodFilter::DELETE,
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
