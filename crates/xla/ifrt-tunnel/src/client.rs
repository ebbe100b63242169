//! The end at the client.

use std::fmt;
use std::net::TcpListener;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::{TunnelError, handshake, stream, tls, tokens};

/// How long the client waits where the system has no more sockets.
const PAUSE: Duration = Duration::from_millis(200);

/// A gate as users name it: `gpu.example.org:8471`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerName {
    text: String,
    host: pki_types::ServerName<'static>,
}

impl FromStr for ServerName {
    type Err = TunnelError;

    fn from_str(text: &str) -> Result<Self, TunnelError> {
        let name = || TunnelError::Name(text.to_owned());
        let (host, port) = text.rsplit_once(':').ok_or_else(name)?;
        port.parse::<u16>().map_err(|_| name())?;
        // An address of IPv6 stands in brackets before a port.
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let host = pki_types::ServerName::try_from(bare.to_owned()).map_err(|_| name())?;
        Ok(Self { text: text.to_owned(), host })
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// The end of a tunnel at the client: plain connections on the loopback, TLS and a token outside.
pub struct TunnelClient {
    connector: TlsConnector,
    server: ServerName,
    token: String,
}

impl TunnelClient {
    /// A client of a gate. The first token of the file is the one that it has. The certificate of the gate is checked by
    /// `authorities`, a file in PEM format, or by the roots of the system.
    ///
    /// # Errors
    /// If a file cannot be read, or other users can read the token.
    pub fn new(
        server: ServerName,
        tokens: &Path,
        authorities: Option<&Path>,
    ) -> Result<Arc<Self>, TunnelError> {
        let token = tokens::read(tokens)?.swap_remove(0);
        Ok(Arc::new(Self { connector: tls::client(authorities)?.into(), server, token }))
    }

    /// Connects once and goes away again: whether the gate is there, and lets this client in.
    ///
    /// # Errors
    /// What keeps it out: no answer, a certificate that does not fit, a token that is not known.
    pub async fn check(&self) -> Result<(), TunnelError> {
        self.connect().await.map(|_| ())
    }

    /// Passes on whoever connects to the listener, as long as the future lives.
    ///
    /// # Errors
    /// If the listener is not to be used.
    pub async fn serve(self: Arc<Self>, listener: TcpListener) -> Result<(), TunnelError> {
        let listener = stream::listener(listener)?;
        loop {
            let Ok((plain, _)) = listener.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            let client = Arc::clone(&self);
            tokio::spawn(async move {
                match client.connect().await {
                    Err(error) => tracing::warn!("{error}"),
                    Ok(outside) => {
                        let _ = plain.set_nodelay(true);
                        // However it ends, both connections are closed.
                        let _ = stream::join(plain, outside).await;
                    }
                }
            });
        }
    }

    async fn connect(&self) -> Result<TlsStream<TcpStream>, TunnelError> {
        let failed = |what: String| TunnelError::Server { server: self.server.to_string(), what };
        let connected = timeout(handshake::TIME, async {
            let plain = stream::connect(&self.server.text).await?;
            let host = self.server.host.clone();
            let secure = self.connector.connect(host, plain).await;
            let mut secure = secure.map_err(|error| failed(tls::why(&error)))?;
            let wrong = handshake::greet(&mut secure, &self.token).await;
            match wrong.map_err(|error| failed(error.to_string()))? {
                Some(wrong) => Err(failed(wrong)),
                None => Ok(secure),
            }
        });
        let late = || failed(format!("no answer in {} s", handshake::TIME.as_secs()));
        connected.await.map_err(|_| late())?
    }
}
