//! The network: who may connect, what answers there, and how it ends.

use std::io;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::middleware::from_fn;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio_stream::Stream;
use tonic::service::Routes;

use crate::connection::Connection;
use crate::server::{ServeError, Server};
use crate::service::Ifrt;
use crate::{connection, pages};

/// How much may be on its way to the server before it has read any of it, in bytes.
const WINDOW: u32 = 16 << 20;

/// How long what is not a session may take to end when the server does.
pub(crate) const LAST: Duration = Duration::from_secs(1);

/// How long a client on another machine may be silent before it is asked whether it is there, and how long
/// it may think about that. On this machine the system tells.
const SILENCE: Duration = Duration::from_secs(60);

/// The largest part of a message that a client may send at once, in bytes. Memory for more than this comes from the
/// system for each part, and is cleared by it, which takes as long as the rest of receiving does; for much less, the
/// parts themselves cost more.
const FRAME: u32 = 64 << 10;

impl Server {
    /// Serves whoever connects, until `until` is over and sessions have their answers, which may take as
    /// long as [`ServerLimits::grace`](crate::ServerLimits::grace) says. Blocks.
    ///
    /// There is no encryption and no proof of who a client is: the clients in jaxlib have neither outside
    /// of the networks they were made for. So a listener belongs on the loopback, with a tunnel before it.
    ///
    /// # Errors
    /// If there are no threads or no sockets.
    pub fn serve(
        self: &Arc<Self>,
        listener: TcpListener,
        until: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let runtime = runtime()?;
        let served = runtime.block_on(self.network(listener, until));
        runtime.shutdown_timeout(LAST);
        served
    }

    async fn network(
        self: &Arc<Self>,
        listener: TcpListener,
        until: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        listener.set_nonblocking(true)?;
        let remote = !listener.local_addr()?.ip().is_loopback();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let (reporter, health) = tonic_health::server::health_reporter();
        reporter.set_serving::<Ifrt>().await;
        let routes = Routes::from(pages::routes(Arc::clone(self), remote))
            .add_service(health)
            .add_service(Ifrt::new(Arc::clone(self)));
        let (closing, closed) = oneshot::channel::<()>();
        let incoming =
            connection::incoming(listener, connection::limits(self.limits().connections))?;
        let mut network = pin!(answer(routes, incoming, remote, closed));
        tokio::select! {
            ended = &mut network => return ended.map_err(ServeError::from),
            () = self.pool().give_back() => {}
            () = until => {}
        }
        tracing::info!(sessions = self.sessions().count(), "stopping");
        self.sessions().stop();
        reporter.set_not_serving::<Ifrt>().await;
        reporter.set_service_status("", tonic_health::ServingStatus::NotServing).await;
        tokio::select! {
            ended = &mut network => return ended.map_err(ServeError::from),
            _ = tokio::time::timeout(self.limits().grace + LAST, self.sessions().left()) => {}
        }
        drop(closing);
        // Connections that stay open though nothing is on them are closed with the runtime.
        let _ = tokio::time::timeout(LAST, network).await;
        tracing::info!(sessions = self.sessions().count(), "stopped");
        Ok(())
    }
}

/// Answers on connections, until there are no more, or `closed` is over and what is asked is answered. `remote` says
/// that clients may be on other machines.
pub(crate) async fn answer(
    routes: Routes,
    incoming: impl Stream<Item = io::Result<Connection>>,
    remote: bool,
    closed: oneshot::Receiver<()>,
) -> Result<(), tonic::transport::Error> {
    let noted = routes.prepare().into_axum_router().layer(from_fn(connection::noted));
    tonic::transport::Server::builder()
        .accept_http1(true)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_frame_size(FRAME)
        .http2_keepalive_interval(remote.then_some(SILENCE))
        .http2_keepalive_timeout(Some(SILENCE))
        .add_routes(Routes::from(noted))
        .serve_with_incoming_shutdown(incoming, async {
            let _ = closed.await;
        })
        .await
}

pub(crate) fn runtime() -> io::Result<Runtime> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(network_threads()).thread_name("network").enable_all().build()
}

/// How many threads the network has: half as many as there are cores, because sessions, devices and, on the loopback,
/// clients want the others. More of them take longer for each step, since they wake one another.
fn network_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}
