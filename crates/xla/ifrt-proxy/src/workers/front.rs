//! The process that clients connect to.

use std::io;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_stream::{Stream, StreamExt as _};
use tonic::service::Routes;

use super::callbacks::CallbackRegistry;
use super::pool::{WorkerFailure, WorkerPool};
use super::process::Start;
use super::refusal::RefusingService;
use super::route::{Route, route};
use crate::connection::{self, Connection};
use crate::limits::ServerLimits;
use crate::network::{LAST, answer, runtime};
use crate::pages;
use crate::server::ServeError;
use crate::service::Ifrt;
use crate::view::{ServerView, Viewable};

/// A server whose plug-in is in worker processes.
pub struct Front {
    runtime: Runtime,
    shown: Arc<Shown>,
    /// Removed with this.
    _folder: tempfile::TempDir,
}

/// Why there is no front.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// No worker starts.
    #[error("{0}")]
    Worker(WorkerFailure),
    /// The system has no threads or no files for it.
    #[error("cannot serve")]
    Io(#[from] io::Error),
}

struct Shown {
    pool: Arc<WorkerPool>,
    limits: ServerLimits,
    since: Instant,
}

impl Front {
    /// A front, when its first worker has loaded the plug-in. `callbacks` says that workers have a Python that can call
    /// functions of clients. Blocks.
    ///
    /// # Errors
    /// If it does not, for which it has given its reason itself.
    pub fn new(
        start: Box<Start>,
        limits: ServerLimits,
        callbacks: bool,
    ) -> Result<Self, FrontError> {
        let folder = tempfile::tempdir()?;
        let callbacks = CallbackRegistry::new(callbacks);
        let pool = WorkerPool::new(start, limits, folder.path().to_owned(), callbacks)?;
        let runtime = runtime()?;
        runtime.block_on(pool.first()).map_err(FrontError::Worker)?;
        let shown = Arc::new(Shown { pool, limits, since: Instant::now() });
        Ok(Self { runtime, shown, _folder: folder })
    }

    /// How many devices the plug-in has.
    pub fn devices(&self) -> usize {
        self.shown.pool.plugin().devices.len()
    }

    /// Serves whoever connects until `until` is over, and then until sessions have their answers, or `now` is over.
    /// Blocks.
    ///
    /// # Errors
    /// If the network fails.
    pub fn serve(
        self,
        listener: TcpListener,
        until: impl Future<Output = ()>,
        now: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let served = self.runtime.block_on(network(&self.shown, listener, until, now));
        // Workers that are still there are killed with their tasks.
        self.runtime.shutdown_timeout(LAST);
        served
    }
}

async fn network(
    shown: &Arc<Shown>,
    listener: TcpListener,
    until: impl Future<Output = ()>,
    now: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    listener.set_nonblocking(true)?;
    let remote = !listener.local_addr()?.ip().is_loopback();
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let all = connection::incoming(listener, connection::limits(shown.limits.connections))?;
    let (own, incoming) = mpsc::unbounded_channel();
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_serving::<Ifrt>().await;
    let pages = pages::routes(Arc::clone(shown), remote);
    let routes = Routes::from(pages).add_service(health).add_service(RefusingService);
    // Kept to the end: connections that are open then are closed with the runtime.
    let (_closing, closed) = oneshot::channel();
    let incoming = UnboundedReceiverStream::new(incoming);
    let mut network = pin!(answer(routes, incoming, remote, closed));
    let mut accepting = pin!(accept(&shown.pool, all, own));
    tokio::select! {
        ended = &mut network => return ended.map_err(ServeError::from),
        () = &mut accepting => return Ok(()),
        () = shown.pool.keep_looking() => {}
        () = until => {}
    }
    let (sessions, _) = shown.pool.look().await;
    tracing::info!(sessions = sessions.len(), "stopping");
    shown.pool.stop();
    reporter.set_not_serving::<Ifrt>().await;
    reporter.set_service_status("", tonic_health::ServingStatus::NotServing).await;
    let grace: Duration = shown.limits.grace + LAST + LAST;
    tokio::select! {
        ended = &mut network => return ended.map_err(ServeError::from),
        () = &mut accepting => {}
        () = now => {}
        _ = tokio::time::timeout(grace, shown.pool.left()) => {}
    }
    tracing::info!("stopped");
    Ok(())
}

/// Takes connections: those of gRPC are for workers, others for the network here.
async fn accept(
    pool: &Arc<WorkerPool>,
    all: impl Stream<Item = io::Result<Connection>>,
    own: mpsc::UnboundedSender<io::Result<Connection>>,
) {
    let mut all = pin!(all);
    while let Some(accepted) = all.next().await {
        match accepted {
            Ok(connection) => {
                tokio::spawn(lead(Arc::clone(pool), connection, own.clone()));
            }
            Err(error) => _ = own.send(Err(error)),
        }
    }
}

async fn lead(
    pool: Arc<WorkerPool>,
    mut connection: Connection,
    own: mpsc::UnboundedSender<io::Result<Connection>>,
) {
    // Whoever left is no error.
    let Ok(route) = route(&mut connection).await else { return };
    // What is sent to the front's own network is lost where the server ends.
    loop {
        let worker = match route {
            Route::Front => {
                let _ = own.send(Ok(connection));
                return;
            }
            Route::Callbacks(first) => return pool.callbacks.keep(first, connection).await,
            Route::Client => pool.take().await,
            Route::Session(id) => pool.of_session(id),
        };
        let handed = match worker {
            Err(why) => {
                let _ = own.send(Ok(connection.refused(why)));
                return;
            }
            Ok(worker) => worker.hand(connection),
        };
        match handed {
            // If there is none any more, nobody waits for it.
            Ok(()) | Err(None) => return,
            // This worker has ended, which its own task sees too.
            Err(Some(back)) => connection = *back,
        }
    }
}

impl Viewable for Shown {
    async fn view(&self) -> ServerView {
        let (sessions, counts) = self.pool.look().await;
        ServerView {
            age: self.since.elapsed(),
            ready: self.is_ready(),
            limits: self.limits,
            plugin: self.pool.plugin(),
            sessions,
            counts,
        }
    }

    fn is_ready(&self) -> bool {
        !self.pool.is_stopping()
    }
}
