//! The way in for a browser: a token in a cookie.
//!
//! The cookie is out of reach for scripts (`HttpOnly`) and is not sent with what another site asks for
//! (`SameSite=Strict`); and it opens only what changes nothing, and the form that publishes where the browser says that it
//! is one of our own pages that sends it: whatever else changes something needs the token in the head of the request. So no
//! page of another site can do anything with it.
//!
//! The form that gives the token is the one body that is read before anybody is known. So it is small, has to say how long it
//! is, and has little time as a whole; and it keeps no connection busy.

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use unskew_fleet_pages::{Address, Frame, Viewer, login};

use super::framed::html;
use crate::body;
use crate::call::EndpointCall;
use crate::caller;
use crate::endpoint::{Endpoint, EndpointParameter, ParameterShape, Takes};
use crate::problem::{HttpProblem, ProblemKind};
use crate::verb::HttpMethod;

const COOKIE: &str = "unskew_fleet_token";

/// The most bytes of the form.
pub(crate) const LARGEST: usize = 16 << 10;

/// How long all of the form may take.
const FORM: Duration = Duration::from_secs(10);

/// The forms of our own pages that the cookie opens.
const OWN_FORMS: [&str; 1] = ["/publish"];

pub(super) const PAGES: &[Endpoint] = &[
    Endpoint::new(HttpMethod::Get, "/login", "page.login", "Where a token is given", |call| {
        Box::pin(form(call))
    })
    .role(None)
    .parameters(&[EndpointParameter::query(
        "next",
        ParameterShape::Text,
        "where the way goes on",
    )]),
    Endpoint::new(HttpMethod::Post, "/login", "page.login.post", "Takes a token", |call| {
        Box::pin(enter(call))
    })
    .role(None)
    .takes(Takes::Bytes),
    Endpoint::new(HttpMethod::Post, "/logout", "page.logout", "Forgets the token", |call| {
        Box::pin(leave(call))
    })
    .role(None),
];

/// The request with the token of its cookie, if it only looks, or is a form of our own, and says nothing else of who asks.
pub(crate) async fn with_cookie(mut request: Request) -> Request {
    let own_form = || {
        request.method() == Method::POST
            && OWN_FORMS.contains(&request.uri().path())
            && caller::by_own_page(request.headers(), request.uri())
    };
    if (request.method().is_safe() || own_form())
        && !request.headers().contains_key(header::AUTHORIZATION)
        && let Some(token) = token(request.headers())
        && let Ok(value) = HeaderValue::from_str(&format!("Bearer {token}"))
    {
        request.headers_mut().insert(header::AUTHORIZATION, value);
    }
    request
}

fn token(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';'));
    let own = cookies.find_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    own.filter(|token| plain(token)).map(str::to_owned)
}

/// Whether a text has nothing but letters of tokens, so that it can stand in a header.
fn plain(token: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphanumeric() || b"._-~+/=".contains(&b);
    !token.is_empty() && token.len() <= 512 && token.bytes().all(letter)
}

async fn form(call: EndpointCall) -> Result<Response, HttpProblem> {
    Ok(shown(&call, StatusCode::OK, call.query("next").unwrap_or("/"), None))
}

/// The form, and what was wrong with what it was sent with.
fn shown(call: &EndpointCall, status: StatusCode, next: &str, wrong: Option<&str>) -> Response {
    let reader = Viewer { name: None, jobs: false, audit: false };
    let judge = unskew_fleet::JudgeIdentity::of_this_program();
    let frame = Frame { reader: &reader, judge: &judge, as_of: call.service.clock().today() };
    html(status, login(&frame, own(next), wrong))
}

/// A way on that stays here: a path, and none that a browser takes for another server.
fn own(next: &str) -> &str {
    let elsewhere = next.starts_with("//") || next.contains(['\\', '\r', '\n', '\t']);
    if next.starts_with('/') && !elsewhere { next } else { "/" }
}

async fn enter(mut call: EndpointCall) -> Result<Response, HttpProblem> {
    let length = call.number(header::CONTENT_LENGTH.as_str())?;
    if length.is_none_or(|length| length > LARGEST as u64) {
        let detail = format!("the form says that it has at most {LARGEST} bytes");
        return Err(HttpProblem::new(ProblemKind::TooLarge, detail));
    }
    let slow = |_| {
        HttpProblem::new(ProblemKind::Slow, format!("the form takes over {} s", FORM.as_secs()))
    };
    let whole = body::whole(call.take_body(), LARGEST, FORM);
    let bytes = tokio::time::timeout(FORM, whole).await.map_err(slow)??;
    let field = |name: &str| {
        let mut pairs = form_urlencoded::parse(&bytes);
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    };
    let next = field("next").unwrap_or_default();
    let token = field("token").unwrap_or_default().trim().to_owned();
    if !plain(&token) || !opens(&call, &token).await? {
        let wrong = "No such token, or it is no longer good.";
        return Ok(shown(&call, StatusCode::UNAUTHORIZED, &next, Some(wrong)));
    }
    let safe = call.header("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let mut response = Redirect::to(own(&next)).into_response();
    set(&mut response, &format!("{token}{}", if safe { "; Secure" } else { "" }));
    Ok(response)
}

/// Whether a token is one.
async fn opens(call: &EndpointCall, token: &str) -> Result<bool, HttpProblem> {
    let mut headers = HeaderMap::new();
    let value = HeaderValue::from_str(&format!("Bearer {token}"));
    headers.insert(header::AUTHORIZATION, value.unwrap_or(HeaderValue::from_static("")));
    let nobody = SocketAddr::from(([127, 0, 0, 1], 0));
    match caller::caller(&call.service, nobody, &headers, &Uri::default()).await {
        Ok(_) => Ok(true),
        Err(problem) if problem.kind == ProblemKind::Unauthenticated => Ok(false),
        Err(problem) => Err(problem),
    }
}

async fn leave(_: EndpointCall) -> Result<Response, HttpProblem> {
    let mut response = Redirect::to(&Address::login().to_string()).into_response();
    set(&mut response, "; Max-Age=0");
    Ok(response)
}

fn set(response: &mut Response, value: &str) {
    let cookie = format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_on_stays_here() {
        for here in ["/", "/models/a?page=2", "/x#y"] {
            assert_eq!(own(here), here);
        }
        for elsewhere in
            ["", "//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nb"]
        {
            assert_eq!(own(elsewhere), "/", "{elsewhere}");
        }
    }

    #[test]
    fn a_token_is_found_among_cookies() {
        let with = |line: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, line.parse().unwrap());
            token(&headers)
        };
        assert_eq!(with("a=b; unskew_fleet_token=x-1_y; c=d").as_deref(), Some("x-1_y"));
        assert_eq!(with("unskew_fleet_tokens=x"), None);
        assert_eq!(with("unskew_fleet_token="), None);
        assert_eq!(with("unskew_fleet_token=a b"), None);
    }
}
