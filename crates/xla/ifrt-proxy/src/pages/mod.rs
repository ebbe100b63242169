//! Pages of the server over HTTP, on the port that JAX connects to: whether it is well, what it counted,
//! and a page of what it is doing.
//!
//! | path | answer |
//! | --- | --- |
//! | `/` | the page, for people |
//! | `/healthz` | 200 as long as the server answers at all |
//! | `/readyz` | 200 if sessions may begin, 503 if the server is stopping |
//! | `/metrics` | the [metrics](crate::metrics), for Prometheus |
//!
//! A server on the loopback answers only those who name the loopback: a page from elsewhere whose name was
//! made to lead here reads nothing.

mod status;

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};

use crate::metrics;
use crate::view::Viewable;

const TEXT: &str = "text/plain; charset=utf-8";
const PAGE: &str = "text/html; charset=utf-8";
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/// The pages of a server. `remote` says that others than this machine may see them.
pub(crate) fn routes(server: Arc<impl Viewable>, remote: bool) -> Router {
    Router::new().fallback(move |request: Request| {
        let server = Arc::clone(&server);
        let (head, _) = request.into_parts();
        async move { answer(&*server, remote, head).await }
    })
}

async fn answer(server: &impl Viewable, remote: bool, request: Parts) -> Response<Body> {
    if is_grpc(&request.headers) {
        let text = format!("this call is not served: {}", request.uri.path());
        return tonic::Status::unimplemented(text).into_http();
    }
    if !remote && !names_loopback(&request.headers) {
        let text = "this server is on the loopback, and is called localhost or 127.0.0.1\n";
        return told(StatusCode::MISDIRECTED_REQUEST, TEXT, text.to_owned());
    }
    if request.method != Method::GET && request.method != Method::HEAD {
        let text = "these pages are only read: GET or HEAD\n";
        return told(StatusCode::METHOD_NOT_ALLOWED, TEXT, text.to_owned());
    }
    match request.uri.path() {
        "/" => told(StatusCode::OK, PAGE, status::page(&server.view().await)),
        "/healthz" => told(StatusCode::OK, TEXT, "ok\n".to_owned()),
        "/readyz" if server.is_ready() => told(StatusCode::OK, TEXT, "ready\n".to_owned()),
        "/readyz" => told(StatusCode::SERVICE_UNAVAILABLE, TEXT, "stopping\n".to_owned()),
        "/metrics" => told(StatusCode::OK, metrics::MEDIA_TYPE, metrics::text(server.view().await)),
        _ => {
            let text = "there are /, /healthz, /readyz and /metrics here\n";
            told(StatusCode::NOT_FOUND, TEXT, text.to_owned())
        }
    }
}

fn told(status: StatusCode, media: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/grpc"))
}

/// Whether the name that the client knows the server by is one of the loopback. HTTP/2 has it in the
/// address and browsers do not speak that here, so who sends no such header is no browser.
fn names_loopback(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else { return true };
    let Ok(host) = host.to_str() else { return false };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_loopback_are_answered_on_it() {
        let judged = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_str(host).unwrap());
            names_loopback(&headers)
        };
        for host in ["localhost", "localhost:8470", "127.0.0.1:1", "127.0.0.2", "[::1]:8470"] {
            assert!(judged(host), "{host}");
        }
        for host in ["evil.example:8470", "10.0.0.1", "127.0.0.1.example", "", "[::2]"] {
            assert!(!judged(host), "{host}");
        }
    }
}
