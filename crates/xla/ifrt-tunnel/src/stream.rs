//! Bytes from one connection to another.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional_with_sizes};
use tokio::net::TcpStream;

use crate::TunnelError;

/// How many bytes are taken at once, each way.
const BUFFER: usize = 256 << 10;

/// How long an end may be silent before it is asked whether it is there.
const SILENCE: Duration = Duration::from_secs(60);

/// Passes bytes on, both ways, until both ends have ended, or one fails.
pub(crate) async fn join<A, B>(mut one: A, mut other: B) -> io::Result<()>
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    copy_bidirectional_with_sizes(&mut one, &mut other, BUFFER, BUFFER).await.map(|_| ())
}

/// Small messages go at once, and an end that is gone without a word is noticed after two minutes.
pub(crate) fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let asked = TcpKeepalive::new().with_time(SILENCE).with_interval(SILENCE / 3).with_retries(3);
    SockRef::from(stream).set_tcp_keepalive(&asked)
}

/// A listener of this process for tokio.
pub(crate) fn listener(listener: TcpListener) -> io::Result<tokio::net::TcpListener> {
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}

/// The address of this machine's loopback of the same kind: where a server that listens everywhere is reached.
pub(crate) fn loopback_of(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

pub(crate) async fn connect(server: &str) -> Result<TcpStream, TunnelError> {
    let failed = |error: io::Error| TunnelError::Server {
        server: server.to_owned(),
        what: error.to_string(),
    };
    let stream = TcpStream::connect(server).await.map_err(failed)?;
    prepare(&stream).map_err(failed)?;
    Ok(stream)
}
