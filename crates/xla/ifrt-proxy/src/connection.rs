//! Connections of clients, which may be lost while nothing is asked on them.
//!
//! A session is a request that is not over: as long as there is one, its connection stays, however long the client computes.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, StatusCode};
use axum::middleware::Next;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::server::NamedService as _;
use tonic::transport::server::{Connected, TcpConnectInfo};
#[cfg(target_os = "linux")]
use unskew_connections::ConnectionPlace;
use unskew_connections::{
    Activity, ConnectionLimits, Connections, GuardedBody, Watched, open_files, queue,
};

use crate::replay::{Replay, Seen};
use crate::service::Ifrt;
use crate::status::Status;

/// How long a client may take for its first request, and for the next after its last one.
const FIRST: Duration = Duration::from_secs(30);
const IDLE: Duration = Duration::from_secs(300);

/// How many connections wait to be taken.
const QUEUE: u16 = 1024;

/// Open files that are no connections: the plug-in has some.
const OTHER_FILES: u64 = 1024;

/// What is answered also where every connection is busy.
const ANYHOW: [&str; 2] = ["/healthz", "/readyz"];

/// So many connections of anybody: behind a tunnel all clients have one address.
pub(crate) fn limits(all: usize) -> ConnectionLimits {
    // The clients in jaxlib do not say who they are.
    let times =
        ConnectionLimits { first: FIRST, idle: IDLE, stall: IDLE, ..ConnectionLimits::default() };
    ConnectionLimits { all, per_address: all, unauthenticated: all, ..times }
}

pub(crate) struct Connection {
    watched: Watched<Replay>,
    _end: Option<oneshot::Sender<()>>,
    /// Why no session can begin on it, if none can.
    refusal: Option<Status>,
}

/// What requests are told about their connection.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    activity: Activity,
    tcp: TcpConnectInfo,
    /// Why no session can begin, if none can.
    pub(crate) refusal: Option<Status>,
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        Peer {
            activity: self.watched.activity(),
            tcp: self.watched.stream().stream().connect_info(),
            refusal: self.refusal.clone(),
        }
    }
}

/// The connections that come, as far as there are places for them.
pub(crate) fn incoming(
    listener: TcpListener,
    limits: ConnectionLimits,
) -> io::Result<impl tokio_stream::Stream<Item = io::Result<Connection>>> {
    queue(&listener, QUEUE)?;
    open_files(limits.all as u64 + OTHER_FILES);
    let connections = Connections::new(limits);
    Ok(TcpListenerStream::new(listener).filter_map(move |accepted| match accepted {
        Ok(stream) => admitted(&connections, stream, Seen::default()).map(Ok),
        Err(error) => {
            // Where the system has no more sockets, whoever asks nothing gives one back.
            connections.lose_one();
            Some(Err(error))
        }
    }))
}

/// A connection that has a place, and of which this was read before; none if there is no place.
pub(crate) fn admitted(
    connections: &Arc<Connections>,
    stream: TcpStream,
    seen: Seen,
) -> Option<Connection> {
    let peer: SocketAddr = stream.peer_addr().ok()?;
    let place = connections.admit(peer.ip())?;
    // Without it, a small answer waits for a word of the client on the one before: 40 ms.
    let _ = stream.set_nodelay(true);
    let watched = Watched::new(Replay::new(stream, seen), place);
    Some(Connection { watched, _end: None, refusal: None })
}

#[cfg(target_os = "linux")]
impl Connection {
    /// The same, and what is over when the connection is.
    pub(crate) fn with_end(mut self) -> (Self, oneshot::Receiver<()>) {
        let (end, ended) = oneshot::channel();
        self._end = Some(end);
        (self, ended)
    }

    /// The same, on which no session can begin.
    pub(crate) fn refused(mut self, why: Status) -> Self {
        self.refusal = Some(why);
        self
    }

    /// Notes that it is not to be closed while nothing is asked on it.
    pub(crate) fn begin(&self) -> unskew_connections::RequestGuard {
        self.watched.activity().begin()
    }

    /// From now on what is read is kept.
    pub(crate) fn keep(&mut self) {
        self.watched.stream_mut().keep();
    }

    pub(crate) fn seen(&self) -> &[u8] {
        self.watched.stream().seen()
    }

    /// Forgets what was read and kept: it is not read again.
    pub(crate) fn forget(&mut self) {
        self.watched.stream_mut().forget();
    }

    /// From now on it is read from its beginning. `settings_sent` says what was sent meanwhile.
    pub(crate) fn rewind(&mut self, settings_sent: bool) {
        self.watched.stream_mut().rewind(settings_sent);
    }

    /// The connection, what is to be read before it, and its place; for another process.
    pub(crate) fn into_parts(self) -> io::Result<(std::net::TcpStream, Seen, ConnectionPlace)> {
        let (replay, place) = self.watched.into_parts();
        let (stream, seen) = replay.into_parts();
        Ok((stream.into_std()?, seen, place))
    }

    /// What [`Connection::into_parts`] made of it.
    pub(crate) fn from_parts(
        stream: std::net::TcpStream,
        seen: Seen,
        place: ConnectionPlace,
    ) -> io::Result<Self> {
        let watched = Watched::new(Replay::new(TcpStream::from_std(stream)?, seen), place);
        Ok(Self { watched, _end: None, refusal: None })
    }
}

/// Notes that a request is worked on until its last byte has left.
pub(crate) async fn noted(mut request: Request, next: Next) -> Response<Body> {
    let Some(Peer { activity, tcp, .. }) = request.extensions().get::<Peer>().cloned() else {
        return next.run(request).await;
    };
    request.extensions_mut().insert(tcp);
    if activity.is_reserve() && !ANYHOW.contains(&request.uri().path()) {
        let mut refused = Response::new(Body::from("every connection is busy\n"));
        *refused.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return refused;
    }
    // A page or a question of a monitor keeps nobody out, however slowly it comes or is taken; a session keeps its place.
    let path = request.uri().path().strip_prefix('/');
    let session = path.is_some_and(|path| path.starts_with(Ifrt::NAME));
    let begun = if session { activity.begin() } else { activity.begin_unauthenticated() };
    next.run(request).await.map(|body| Body::new(GuardedBody::new(body, begun)))
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.watched).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.watched).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.watched).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.watched.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.watched).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.watched).poll_shutdown(context)
    }
}
