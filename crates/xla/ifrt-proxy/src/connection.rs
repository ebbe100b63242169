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
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::server::{Connected, TcpConnectInfo};
use unskew_connections::{Activity, Connections, Kept, Limits, Watched, open_files, queue};

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
pub(crate) fn limits(all: usize) -> Limits {
    Limits { all, per_address: all, first: FIRST, idle: IDLE, stall: IDLE, ..Limits::default() }
}

/// A connection of a client.
pub(crate) struct Connection(Watched<TcpStream>);

/// What requests are told about their connection.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    activity: Activity,
    tcp: TcpConnectInfo,
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        Peer { activity: self.0.activity(), tcp: self.0.stream().connect_info() }
    }
}

/// The connections that come, as far as there are places for them.
pub(crate) fn incoming(
    listener: TcpListener,
    limits: Limits,
) -> io::Result<impl tokio_stream::Stream<Item = io::Result<Connection>>> {
    queue(&listener, QUEUE)?;
    open_files(limits.all as u64 + OTHER_FILES);
    let connections = Connections::new(limits);
    Ok(TcpListenerStream::new(listener).filter_map(move |accepted| match accepted {
        Ok(stream) => admitted(&connections, stream).map(Ok),
        Err(error) => {
            // Where the system has no more sockets, whoever asks nothing gives one back.
            connections.lose_one();
            Some(Err(error))
        }
    }))
}

fn admitted(connections: &Arc<Connections>, stream: TcpStream) -> Option<Connection> {
    let peer: SocketAddr = stream.peer_addr().ok()?;
    let place = connections.admit(peer.ip())?;
    // Without it, a small answer waits for a word of the client on the one before: 40 ms.
    let _ = stream.set_nodelay(true);
    Some(Connection(Watched::new(stream, place)))
}

/// Notes that a request is worked on until its last byte has left.
pub(crate) async fn noted(mut request: Request, next: Next) -> Response<Body> {
    let Some(Peer { activity, tcp }) = request.extensions().get::<Peer>().cloned() else {
        return next.run(request).await;
    };
    request.extensions_mut().insert(tcp);
    if activity.is_reserve() && !ANYHOW.contains(&request.uri().path()) {
        let mut refused = Response::new(Body::from("every connection is busy\n"));
        *refused.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return refused;
    }
    let begun = activity.begin();
    next.run(request).await.map(|body| Body::new(Kept::new(body, begun)))
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
