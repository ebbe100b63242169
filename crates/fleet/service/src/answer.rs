//! Answers to requests: every one goes the same way through here.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderValue, Method, header};
use unskew_connections::{Authentication, client};
use unskew_fleet::store::Act;

use crate::call::{EndpointCall, json};
use crate::caller::{self, Caller, Peer};
use crate::endpoint::{Endpoint, ParameterIn, Time};
use crate::problem::{HttpProblem, ProblemKind};
use crate::recent;
use crate::service::{REQUEST, Service};

/// The longest text in the audit log.
const LONGEST_NOTE: usize = 400;

impl Service {
    /// Answers one request to an endpoint.
    pub(crate) async fn answer(
        self: Arc<Self>,
        endpoint: &'static Endpoint,
        path: Vec<(String, String)>,
        request: Request,
    ) -> Response {
        let begin = Instant::now();
        let name = self.request_name(request.headers());
        let (method, target) = (request.method().clone(), request.uri().path().to_owned());
        let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
        let peer = peer.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)));
        let mut who = None;
        let answer = self.checked(endpoint, path, request, peer, &name, &mut who).await;
        let code = answer.as_ref().err().map(|problem| problem.kind.about().code);
        let cause = answer.as_ref().err().and_then(cause);
        if let (Err(problem), Some(who)) = (&answer, &who) {
            self.note_refusal(endpoint, &target, problem, who, &name).await;
        }
        let mut response = answer.unwrap_or_else(|problem| refusal(&problem, &name));
        response.headers_mut().insert(REQUEST, named(&name));
        let (status, took) = (response.status().as_u16(), begin.elapsed());
        self.metrics().answered(endpoint.name, status, took);
        let (who, micros) =
            (who.map_or_else(|| peer.to_string(), |who| who.name), took.as_micros() as u64);
        tracing::info!(
            request = name,
            endpoint = endpoint.name,
            %method,
            path = target,
            status,
            code,
            cause,
            who,
            micros,
            "answered"
        );
        response
    }

    async fn checked(
        self: &Arc<Self>,
        endpoint: &'static Endpoint,
        path: Vec<(String, String)>,
        request: Request,
        peer: SocketAddr,
        name: &str,
        who: &mut Option<Caller>,
    ) -> Result<Response, HttpProblem> {
        let (head, body) = request.into_parts();
        caller::same_site(endpoint.verb, &head.headers, &head.uri)?;
        let address = client(peer.ip()).to_string();
        let sent = endpoint.role.and_then(|_| recent::sent(&head.headers));
        // Before anything is looked up: an address pays also for tokens that are none.
        if !sent.is_some_and(|sent| self.tokens().has(&sent)) {
            self.paced(&address)?;
        }
        let found = match endpoint.role {
            None => Ok(Caller::at(peer.ip(), None)),
            Some(_) => caller::caller(self, peer, &head.headers, &head.uri).await,
        };
        if let Some(sent) = sent {
            self.tokens().note(sent, found.as_ref().is_ok_and(|caller| caller.token));
        }
        let caller = found?;
        // From here on the connection may be kept busy.
        if caller.role.is_some()
            && let Some(authentication) = head.extensions.get::<Authentication>()
        {
            authentication.succeeded();
        }
        *who = Some(caller.clone());
        caller.may(endpoint.role)?;
        if caller.token {
            self.paced(&caller.key)?;
        }
        let query = query(endpoint, head.uri.query().unwrap_or_default())?;
        let call = EndpointCall {
            service: Arc::clone(self),
            caller,
            peer,
            uri: head.uri,
            request: name.to_owned(),
            path,
            query,
            head: head.method == Method::HEAD,
            headers: head.headers,
            body: Mutex::new(body),
        };
        let run = (endpoint.run)(call);
        match endpoint.time {
            Time::Own => run.await,
            Time::Short => {
                let limit = self.settings().limits.request_time;
                let late = |_| {
                    let detail = format!("no answer within {} s", limit.as_secs());
                    Err(HttpProblem::new(ProblemKind::Late, detail))
                };
                tokio::time::timeout(limit, run).await.unwrap_or_else(late)
            }
        }
    }

    /// Notes who was refused what; only what says something about the one who asked, so that nobody fills the log
    /// by asking fast.
    async fn note_refusal(
        self: &Arc<Self>,
        endpoint: &'static Endpoint,
        target: &str,
        problem: &HttpProblem,
        who: &Caller,
        request: &str,
    ) {
        let worth = matches!(
            problem.kind,
            ProblemKind::Forbidden | ProblemKind::Refused | ProblemKind::Digest
        );
        if endpoint.verb.is_safe() || !worth || who.role.is_none() {
            return;
        }
        let mut result = format!("refused, {}: {}", problem.kind.about().code, problem.detail);
        cut(&mut result);
        let mut subject = target.to_owned();
        cut(&mut subject);
        let signature = unskew_fleet::store::Signature {
            who: who.name.clone(),
            request: request.to_owned(),
            moment: self.clock().now(),
        };
        let noted = self.pool().with(move |fleet| {
            fleet.store().sign(Some(signature));
            let act = Act { act: endpoint.name, subject: &subject };
            let noted = fleet.store().note(&act, &result);
            fleet.store().sign(None);
            Ok(noted?)
        });
        if let Err(problem) = noted.await {
            tracing::warn!(request, problem = problem.logged(), "a refusal could not be noted");
        }
    }
}

/// What the log says of a problem that the client is not told.
fn cause(problem: &HttpProblem) -> Option<String> {
    let inside = problem.cause.is_some() || problem.kind == ProblemKind::Fault;
    inside.then(|| problem.logged())
}

fn cut(text: &mut String) {
    if text.len() > LONGEST_NOTE {
        let end = (0..=LONGEST_NOTE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
}

/// The pairs of a query, all of which the endpoint has to know.
fn query(endpoint: &Endpoint, text: &str) -> Result<Vec<(String, String)>, HttpProblem> {
    let mut pairs = Vec::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        let known = endpoint.parameters.iter().filter(|one| one.place == ParameterIn::Query);
        if !known.clone().any(|one| one.name == name) {
            let known: Vec<&str> = known.map(|one| one.name).collect();
            let detail = format!("no such parameter (there are: {}): {name}", known.join(", "));
            return Err(HttpProblem::new(ProblemKind::Malformed, detail));
        }
        pairs.push((name.into_owned(), value.into_owned()));
    }
    Ok(pairs)
}

fn named(request: &str) -> HeaderValue {
    HeaderValue::from_str(request).unwrap_or(HeaderValue::from_static("-"))
}

/// A problem as an answer.
pub(crate) fn refusal(problem: &HttpProblem, request: &str) -> Response {
    let mut response = json(problem.kind.status(), &problem.body(request));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    headers.insert(REQUEST, named(request));
    if let Some(wait) = problem.retry_after {
        // Whole seconds, and never too early.
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    }
    for (name, value) in &problem.headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(*name, value);
        }
    }
    response
}

/// The answer where there is no endpoint.
pub(crate) async fn nowhere(State(service): State<Arc<Service>>, request: Request) -> Response {
    let name = service.request_name(request.headers());
    refusal(&HttpProblem::not_there("address", request.uri().path()), &name)
}

/// The answer where an endpoint takes no such method.
pub(crate) async fn no_method(State(service): State<Arc<Service>>, request: Request) -> Response {
    let name = service.request_name(request.headers());
    let detail = format!("{} is nothing for {}", request.method(), request.uri().path());
    refusal(&HttpProblem::new(ProblemKind::Method, detail), &name)
}
