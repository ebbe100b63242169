//! The end at the server.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use unskew_connections::{ConnectionLimits, Connections, RequestGuard, Watched, open_files};

use crate::{TunnelError, handshake, stream, tls, tokens};

/// How many greetings are under way at a time. One more takes the place of the oldest.
const GREETINGS: usize = 1024;

/// How many of them are of one address.
const PER_ADDRESS: usize = 64;

/// Open files for each connection: one outside, one inside.
const FILES: u64 = 2;

/// Open files that are no connections of the gate: those of the server in the same process.
const OTHER_FILES: u64 = 2048;

/// How long the gate waits where the system has no more sockets.
const PAUSE: Duration = Duration::from_millis(200);

/// The files of a gate, all in PEM format but the tokens.
#[derive(Clone, Debug)]
pub struct GateFiles {
    /// The certificate, and those between it and an authority.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
    /// The tokens of those who are let in, a line each.
    pub tokens: PathBuf,
}

/// The end of a tunnel at the server: TLS and tokens outside, plain connections inside.
pub struct Gate {
    acceptor: TlsAcceptor,
    tokens: PathBuf,
    greetings: Arc<Connections>,
    connections: Arc<Semaphore>,
}

/// A client that was let in, and the server behind the gate.
struct Tunnel {
    outside: TlsStream<Watched<TcpStream>>,
    inside: TcpStream,
    _place: OwnedSemaphorePermit,
    _busy: RequestGuard,
}

impl Gate {
    /// A gate for so many connections at a time. The files are read, so that what is wrong with them is said now.
    ///
    /// # Errors
    /// If a file cannot be read, other users can read the tokens, or the key is not that of the certificate.
    pub fn new(files: &GateFiles, connections: usize) -> Result<Arc<Self>, TunnelError> {
        tokens::read(&files.tokens)?;
        let all = connections.saturating_add(GREETINGS);
        // Those who are let in are as silent as they like.
        let limits = ConnectionLimits {
            all,
            per_address: all,
            unauthenticated: PER_ADDRESS,
            reserve: 0,
            first: handshake::TIME,
            ..ConnectionLimits::default()
        };
        Ok(Arc::new(Self {
            acceptor: TlsAcceptor::from(tls::server(&files.certificate, &files.key)?),
            tokens: files.tokens.clone(),
            greetings: Connections::new(limits),
            connections: Arc::new(Semaphore::new(connections)),
        }))
    }

    /// Lets connections in to the server at `inside`, as long as the future lives.
    ///
    /// # Errors
    /// If the listener is not to be used.
    pub async fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        inside: SocketAddr,
    ) -> Result<(), TunnelError> {
        let listener = stream::listener(listener)?;
        let inside = stream::loopback_of(inside);
        open_files(self.greetings.limits().all as u64 * FILES + OTHER_FILES);
        loop {
            let Ok((stream, peer)) = listener.accept().await else {
                self.greetings.lose_one();
                sleep(PAUSE).await;
                continue;
            };
            let Some(place) = self.greetings.admit(peer.ip()) else { continue };
            let gate = Arc::clone(&self);
            tokio::spawn(async move {
                if let Err(error) = stream::prepare(&stream) {
                    tracing::info!(%peer, %error, "not let in");
                    return;
                }
                let stream = Watched::new(stream, place);
                match timeout(handshake::TIME, gate.let_in(stream, inside)).await {
                    Err(_) => tracing::info!(%peer, "no greeting in time"),
                    Ok(Err(error)) => tracing::info!(%peer, %error, "not let in"),
                    Ok(Ok(tunnel)) => {
                        tracing::debug!(%peer, "let in");
                        // However it ends, both connections are closed.
                        let _ = stream::join(tunnel.outside, tunnel.inside).await;
                    }
                }
            });
        }
    }

    /// Greets a client, and connects it.
    async fn let_in(&self, stream: Watched<TcpStream>, inside: SocketAddr) -> io::Result<Tunnel> {
        let activity = stream.activity();
        let mut outside = self.acceptor.accept(stream).await?;
        let given = handshake::token(&mut outside).await?;
        let wrong = match (given, tokens::read(&self.tokens)) {
            (_, Err(error)) => {
                tracing::error!(%error, "the tokens cannot be read: nobody is let in");
                Some("the server cannot read its tokens")
            }
            (Some(given), Ok(known)) if tokens::has(&known, &given) => None,
            (Some(_), Ok(_)) => Some("the server does not know this token"),
            (None, Ok(_)) => Some("another version of the tunnel is spoken here"),
        };
        if let Some(wrong) = wrong {
            handshake::answer(&mut outside, Some(wrong)).await?;
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, wrong));
        }
        let Ok(place) = Arc::clone(&self.connections).try_acquire_owned() else {
            let wrong = "the server has as many connections as it takes";
            handshake::answer(&mut outside, Some(wrong)).await?;
            return Err(io::Error::other(wrong));
        };
        let plain = match TcpStream::connect(inside).await {
            Ok(plain) => plain,
            Err(error) => {
                handshake::answer(&mut outside, Some("the server behind the gate does not answer"))
                    .await?;
                return Err(error);
            }
        };
        plain.set_nodelay(true)?;
        // From here on nobody else gets its place.
        let busy = activity.begin();
        handshake::answer(&mut outside, None).await?;
        Ok(Tunnel { outside, inside: plain, _place: place, _busy: busy })
    }
}
