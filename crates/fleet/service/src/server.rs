//! The network: who connects, and how it ends.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::{HeaderValue, Version, header};
use hyper::body::{Body as _, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tower::ServiceExt as _;
use unskew_connections::{Connections, GuardedBody, Watched, open_files, queue};
use unskew_fleet::FleetError;

use crate::answer::refusal;
use crate::caller::Peer;
use crate::problem::{HttpProblem, ProblemKind};
use crate::serve_error::ServiceError;
use crate::service::Service;
use crate::settings::ServiceSettings;
use crate::{housekeeping, routes, worker};

/// After how long without a word a client of HTTP/2 is asked whether it is there.
const ASK: Duration = Duration::from_secs(20);

/// How long it may think about that.
const ANSWER: Duration = Duration::from_secs(10);

/// How many connections wait to be taken.
const QUEUE: u16 = 4096;

/// What is answered also where every connection is busy.
const ANYHOW: [&str; 2] = ["/health", "/ready"];

/// When to come again if every connection is busy.
const CROWDED: Duration = Duration::from_secs(1);

/// Open files that are no connections: the database, artifacts, pipes.
const OTHER_FILES: u64 = 256;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// How long to wait before the next connection is taken when the system has no more sockets.
const NO_SOCKETS: Duration = Duration::from_millis(100);

/// How long threads that wait may take to end after everything else.
const LAST: Duration = Duration::from_millis(500);

/// A server that listens.
pub struct FleetServer {
    service: Arc<Service>,
    listener: TcpListener,
    address: SocketAddr,
}

impl FleetServer {
    /// Opens the fleet, brings its database up to date, and listens.
    ///
    /// # Errors
    /// If the fleet cannot be opened; if the address is not on the loopback and no token was ever made; if it cannot
    /// be had.
    pub fn bind(settings: ServiceSettings, address: SocketAddr) -> Result<Self, ServiceError> {
        let mut fleet = settings.open()?;
        let tokens = fleet.store().has_tokens().map_err(FleetError::from)?;
        if !tokens && !address.ip().is_loopback() {
            return Err(ServiceError::NoToken(address));
        }
        let failed = |source| ServiceError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        queue(&listener, QUEUE).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let service = Service::new(settings, address.ip().is_loopback())?;
        Ok(Self { service, listener, address })
    }

    /// The address on which it listens, with the port that it got.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The service that answers, for tests and shutdown.
    pub fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// Serves whoever connects until `until` is over and requests have their answers, for which the limits give some
    /// time. Blocks.
    ///
    /// # Errors
    /// If there are no threads.
    pub fn serve(self, until: impl Future<Output = ()>) -> Result<(), ServiceError> {
        let failed = |error: io::Error| ServiceError::System(error.to_string());
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.thread_name("service").enable_all().build().map_err(failed)?;
        let served = runtime.block_on(self.network(until)).map_err(failed);
        runtime.shutdown_timeout(LAST);
        served
    }

    async fn network(self, until: impl Future<Output = ()>) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let service = self.service;
        let limits = service.settings().limits;
        let router = routes::router(Arc::clone(&service));
        if let Err(problem) = housekeeping::go_by_the_database(&service).await {
            tracing::warn!(
                problem = problem.logged(),
                "moments go by the clock of this machine until the database answers"
            );
        }
        let worker = tokio::spawn(worker::work(Arc::clone(&service)));
        let sweeper = tokio::spawn(housekeeping::sweep(Arc::clone(&service)));
        let graceful = GracefulShutdown::new();
        let connections = Connections::new(allowed(limits.connections));
        let mut until = pin!(until);
        loop {
            let accepted = tokio::select! {
                () = &mut until => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => match connections.admit(peer.ip()) {
                    Some(place) => {
                        // Without it, a small answer waits for a word of the client on the one before: 40 ms.
                        let _ = stream.set_nodelay(true);
                        connect(&service, &router, &graceful, Watched::new(stream, place), peer);
                    }
                    None => {
                        service.metrics().turned_away.inc();
                    }
                },
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    connections.lose_one();
                    tokio::time::sleep(NO_SOCKETS).await;
                }
            }
        }
        drop(listener);
        service.stop();
        tracing::info!("stopping");
        let ended = tokio::time::timeout(limits.grace, graceful.shutdown()).await;
        service.new_job().notify_one();
        // Nothing is claimed any more once the worker has seen the end.
        let _ = tokio::time::timeout(limits.grace, worker).await;
        worker::give_back(&service).await;
        sweeper.abort();
        tracing::info!(all_answered = ended.is_ok(), "stopped");
        Ok(())
    }
}

/// As many connections as are wanted, if the system gives so many sockets.
fn allowed(
    mut limits: unskew_connections::ConnectionLimits,
) -> unskew_connections::ConnectionLimits {
    let wanted = limits.all.saturating_add(limits.reserve) as u64;
    let files = open_files(wanted.saturating_add(OTHER_FILES));
    let room = usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX);
    let room = room.saturating_sub(limits.reserve).max(1);
    if room < limits.all {
        let wanted = limits.all;
        tracing::warn!(
            wanted,
            room,
            "the system gives fewer open files; raise its limit (ulimit -n)"
        );
        limits.all = room;
    }
    limits
}

/// What is answered on a connection for which there is no place.
fn crowded() -> axum::response::Response {
    let problem =
        HttpProblem::new(ProblemKind::Unavailable, "every connection is busy").after(CROWDED);
    refusal(&problem.with("connection", "close"), "-")
}

fn connect(
    service: &Arc<Service>,
    router: &Router,
    graceful: &GracefulShutdown,
    stream: Watched<tokio::net::TcpStream>,
    peer: SocketAddr,
) {
    let (router, activity) = (router.clone(), stream.activity());
    let answer = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        let mut begun = activity.begin_unauthenticated();
        request.extensions_mut().insert(Peer(peer));
        request.extensions_mut().insert(begun.authentication());
        // In HTTP/2 a refusal ends the stream and what comes of it.
        let waits = request.version() < Version::HTTP_2 && !request.body().is_end_stream();
        let refused = activity.is_reserve() && !ANYHOW.contains(&request.uri().path());
        let answered = router.clone().oneshot(request.map(axum::body::Body::new));
        async move {
            let mut response = if refused { crowded() } else { answered.await? };
            if waits && begun.is_unauthenticated() {
                // Nobody waits for the body of somebody who is not known.
                response.headers_mut().insert(header::CONNECTION, CLOSE);
            }
            begun.answered();
            Ok::<_, std::convert::Infallible>(response.map(|body| GuardedBody::new(body, begun)))
        }
    });
    let limits = &service.settings().limits.connections;
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.idle);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(ASK)
        .keep_alive_timeout(ANSWER)
        .max_concurrent_streams(64);
    let connection = builder.serve_connection(TokioIo::new(stream), answer).into_owned();
    let connection = graceful.watch(connection);
    let service = Arc::clone(service);
    tokio::spawn(async move {
        service.metrics().connections.inc();
        if let Err(error) = connection.await {
            tracing::debug!(%peer, %error, "a connection broke");
        }
        service.metrics().connections.dec();
    });
}
