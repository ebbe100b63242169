//! What answers: every request goes the same way through here.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, Method, StatusCode, header};
use tokio::sync::Notify;
use unskew_fleet::store::Act;
use unskew_fleet::{Depot, FleetError};

use crate::call::{Call, json};
use crate::caller::{self, Caller, Peer};
use crate::clock::Clock;
use crate::endpoint::{Endpoint, Place, Time, Verb};
use crate::metrics::Metrics;
use crate::pace::Pace;
use crate::pool::Pool;
use crate::problem::{Kind, Problem};
use crate::server::ServeError;
use crate::settings::Settings;
use crate::staging::Staging;
use crate::token;

/// Where an answer has the name of its request.
const REQUEST: &str = "x-request-id";

/// How long a request waits for a connection to the database.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest name of a request that is taken from its head.
const LONGEST_NAME: usize = 64;

/// The longest text in the audit log.
const LONGEST_NOTE: usize = 400;

/// A service without a network.
pub struct Service {
    settings: Settings,
    pool: Arc<Pool>,
    computing: Arc<Pool>,
    publishing: Arc<Pool>,
    staging: Staging,
    new_job: Notify,
    metrics: Metrics,
    pace: Pace,
    clock: Clock,
    /// Whether it listens on the loopback.
    open: bool,
    stopping: AtomicBool,
    /// The name of this process for others.
    name: String,
    asked: AtomicU64,
}

impl Service {
    /// A service; `open` if it listens on the loopback, where nobody needs a token as long as none was ever made.
    ///
    /// # Errors
    /// If the artifacts have no address, or the system has no randomness.
    pub fn new(settings: Settings, open: bool) -> Result<Arc<Self>, ServeError> {
        let system = |error: getrandom::Error| ServeError::System(error.to_string());
        let depot = Depot::at(&settings.artifacts)?;
        let pool = |places, patience| Pool::new(&settings, &depot, places, patience);
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let limits = settings.limits;
        Ok(Arc::new(Self {
            pool: pool(2 * cores + 2, PATIENCE),
            computing: pool(limits.jobs, limits.compute_time),
            publishing: pool(cores.max(2), limits.request_time),
            staging: Staging::beside(&settings.artifacts).map_err(FleetError::from)?,
            new_job: Notify::new(),
            metrics: Metrics::new(),
            pace: Pace::new(limits.requests),
            clock: Clock::default(),
            open,
            stopping: AtomicBool::new(false),
            name: token::random_name().map_err(system)?,
            asked: AtomicU64::new(0),
            settings,
        }))
    }

    /// Where everything is, and what everybody may use.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Fleets for what takes no time.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Fleets for what does.
    pub fn computing(&self) -> &Arc<Pool> {
        &self.computing
    }

    /// Fleets for uploads that are finished, which are read and written once more.
    pub fn publishing(&self) -> &Arc<Pool> {
        &self.publishing
    }

    /// Where the pieces of uploads lie.
    pub(crate) fn staging(&self) -> &Staging {
        &self.staging
    }

    /// Told when a job was put here.
    pub(crate) fn new_job(&self) -> &Notify {
        &self.new_job
    }

    /// By which days and moments go.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// What was counted.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The name of this process among others on the same database.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether nobody needs a token as long as none was ever made.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether it was told to stop.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Tells it to stop: it says that it is not ready, and begins no further jobs.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// The name of a request: what the head says if that is a plain word, else one of our own.
    fn request_name(&self, headers: &http::HeaderMap) -> String {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        let sent = headers.get(REQUEST).and_then(|value| value.to_str().ok());
        match sent {
            Some(sent)
                if !sent.is_empty() && sent.len() <= LONGEST_NAME && sent.bytes().all(plain) =>
            {
                sent.to_owned()
            }
            _ => {
                let begin = self.name.get(..8).unwrap_or_default();
                format!("{begin}-{}", self.asked.fetch_add(1, Ordering::Relaxed))
            }
        }
    }

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
        if let (Err(problem), Some(who)) = (&answer, &who) {
            self.note_refusal(endpoint, &target, problem, who, &name).await;
        }
        let mut response = answer.unwrap_or_else(|problem| refusal(&problem, &name));
        response.headers_mut().insert(REQUEST, named(&name));
        let (status, took) = (response.status().as_u16(), begin.elapsed());
        self.metrics.answered(endpoint.name, status, took);
        let (who, micros) =
            (who.map_or_else(|| peer.to_string(), |who| who.name), took.as_micros() as u64);
        tracing::info!(
            request = name,
            endpoint = endpoint.name,
            %method,
            path = target,
            status,
            code,
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
    ) -> Result<Response, Problem> {
        let (head, body) = request.into_parts();
        caller::same_site(endpoint.verb, &head.headers, &head.uri)?;
        // Before anything is looked up: an address pays also for tokens that are none.
        self.paced(&peer.ip().to_string())?;
        let caller = match endpoint.role {
            None => Caller { name: peer.ip().to_string(), key: peer.ip().to_string(), role: None },
            Some(_) => caller::caller(self, peer, &head.headers, &head.uri).await?,
        };
        *who = Some(caller.clone());
        caller.may(endpoint.role)?;
        if caller.key != peer.ip().to_string() {
            self.paced(&caller.key)?;
        }
        let query = query(endpoint, head.uri.query().unwrap_or_default())?;
        let call = Call {
            service: Arc::clone(self),
            caller,
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
                let limit = self.settings.limits.request_time;
                let late = |_| {
                    let detail = format!("no answer within {} s", limit.as_secs());
                    Err(Problem::new(Kind::Late, detail))
                };
                tokio::time::timeout(limit, run).await.unwrap_or_else(late)
            }
        }
    }

    fn paced(&self, who: &str) -> Result<(), Problem> {
        self.pace.may(who).map_err(|wait| {
            let limit = self.settings.limits.requests;
            let detail = format!("more than {limit} requests a second: {who}");
            Problem::new(Kind::Pace, detail).after(wait)
        })
    }

    /// Notes who was refused what; only what says something about the one who asked, so that nobody fills the log
    /// by asking fast.
    async fn note_refusal(
        self: &Arc<Self>,
        endpoint: &'static Endpoint,
        target: &str,
        problem: &Problem,
        who: &Caller,
        request: &str,
    ) {
        let worth = matches!(problem.kind, Kind::Forbidden | Kind::Refused | Kind::Digest);
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
            moment: self.clock.now(),
        };
        let noted = self.pool.with(move |fleet| {
            fleet.store().sign(Some(signature));
            let act = Act { act: endpoint.name, subject: &subject };
            let noted = fleet.store().note(&act, &result);
            fleet.store().sign(None);
            Ok(noted?)
        });
        if let Err(problem) = noted.await {
            tracing::warn!(request, %problem, "a refusal could not be noted");
        }
    }
}

/// Shortens a text.
fn cut(text: &mut String) {
    if text.len() > LONGEST_NOTE {
        let end = (0..=LONGEST_NOTE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
}

/// The pairs of a query, all of which the endpoint has to know.
fn query(endpoint: &Endpoint, text: &str) -> Result<Vec<(String, String)>, Problem> {
    let mut pairs = Vec::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        let known = endpoint.parameters.iter().filter(|one| one.place == Place::Query);
        if !known.clone().any(|one| one.name == name) {
            let known: Vec<&str> = known.map(|one| one.name).collect();
            let detail = format!("no such parameter (there are: {}): {name}", known.join(", "));
            return Err(Problem::new(Kind::Malformed, detail));
        }
        pairs.push((name.into_owned(), value.into_owned()));
    }
    Ok(pairs)
}

/// The name of a request, for its answer.
fn named(request: &str) -> HeaderValue {
    HeaderValue::from_str(request).unwrap_or(HeaderValue::from_static("-"))
}

/// A problem as an answer.
pub(crate) fn refusal(problem: &Problem, request: &str) -> Response {
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
    refusal(&Problem::not_there("address", request.uri().path()), &name)
}

/// The answer where an endpoint takes no such method.
pub(crate) async fn no_method(State(service): State<Arc<Service>>, request: Request) -> Response {
    let name = service.request_name(request.headers());
    let detail = format!("{} is nothing for {}", request.method(), request.uri().path());
    refusal(&Problem::new(Kind::Method, detail), &name)
}

impl From<Verb> for Method {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Get => Self::GET,
            Verb::Head => Self::HEAD,
            Verb::Put => Self::PUT,
            Verb::Post => Self::POST,
            Verb::Patch => Self::PATCH,
            Verb::Delete => Self::DELETE,
        }
    }
}

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Response {
    (status, Body::empty()).into_response()
}
