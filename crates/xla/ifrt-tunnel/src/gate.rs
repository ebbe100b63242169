//! The end at the server.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::{TunnelError, greeting, stream, tls, tokens};

/// How many greetings are under way at a time.
const GREETINGS: usize = 64;

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
    greetings: Arc<Semaphore>,
    connections: Arc<Semaphore>,
}

impl Gate {
    /// A gate for so many connections at a time. The files are read, so that what is wrong with them is said now.
    ///
    /// # Errors
    /// If a file cannot be read, other users can read the tokens, or the key is not that of the certificate.
    pub fn new(files: &GateFiles, connections: usize) -> Result<Arc<Self>, TunnelError> {
        tokens::read(&files.tokens)?;
        Ok(Arc::new(Self {
            acceptor: TlsAcceptor::from(tls::server(&files.certificate, &files.key)?),
            tokens: files.tokens.clone(),
            greetings: Arc::new(Semaphore::new(GREETINGS)),
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
        loop {
            // Who is not greeted yet waits in the queue of the system.
            let Ok(greeting) = Arc::clone(&self.greetings).acquire_owned().await else {
                return Ok(());
            };
            let Ok((stream, peer)) = listener.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            let gate = Arc::clone(&self);
            tokio::spawn(async move {
                let let_in = timeout(greeting::TIME, gate.let_in(stream, inside)).await;
                drop(greeting);
                match let_in {
                    Err(_) => tracing::info!(%peer, "no greeting in time"),
                    Ok(Err(error)) => tracing::info!(%peer, %error, "not let in"),
                    Ok(Ok((outside, plain, place))) => {
                        tracing::debug!(%peer, "let in");
                        // However it ends, both connections are closed.
                        let _ = stream::join(outside, plain).await;
                        drop(place);
                    }
                }
            });
        }
    }

    /// Greets a client, and connects it.
    async fn let_in(
        &self,
        stream: TcpStream,
        inside: SocketAddr,
    ) -> io::Result<(TlsStream<TcpStream>, TcpStream, tokio::sync::OwnedSemaphorePermit)> {
        stream::prepare(&stream)?;
        let mut outside = self.acceptor.accept(stream).await?;
        let given = greeting::token(&mut outside).await?;
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
            greeting::answer(&mut outside, Some(wrong)).await?;
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, wrong));
        }
        let Ok(place) = Arc::clone(&self.connections).try_acquire_owned() else {
            let wrong = "the server has as many connections as it takes";
            greeting::answer(&mut outside, Some(wrong)).await?;
            return Err(io::Error::other(wrong));
        };
        let plain = match TcpStream::connect(inside).await {
            Ok(plain) => plain,
            Err(error) => {
                greeting::answer(&mut outside, Some("the server behind the gate does not answer"))
                    .await?;
                return Err(error);
            }
        };
        plain.set_nodelay(true)?;
        greeting::answer(&mut outside, None).await?;
        Ok((outside, plain, place))
    }
}
