//! The server: a plug-in's client, and the sessions on it.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_stream::wrappers::TcpListenerStream;
use unskew_pjrt::Client;

use crate::host_buffers::HostBuffers;
use crate::limits::Limits;
use crate::platform::Platform;
use crate::service::Ifrt;
use crate::status::{Code, Status};

/// How much may be on its way to the server before it has read any of it, in bytes.
const WINDOW: u32 = 16 << 20;

/// How long sessions may take to end when the server does.
const GRACE: Duration = Duration::from_secs(1);

/// A server of one plug-in's client.
#[derive(Debug)]
pub struct Server {
    platform: Arc<Platform>,
    limits: Limits,
    sessions: Mutex<HashMap<u64, Arc<HostBuffers>>>,
}

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system has no threads or no sockets for it.
    #[error("cannot serve")]
    Io(#[from] std::io::Error),
    /// The network failed.
    #[error("cannot serve")]
    Transport(#[from] tonic::transport::Error),
}

impl Server {
    /// A server that nobody is connected to yet.
    ///
    /// # Errors
    /// If the plug-in does not say which devices it has.
    pub fn new(client: Client, limits: Limits) -> Result<Arc<Self>, unskew_pjrt::Error> {
        let platform = Arc::new(Platform::new(client)?);
        Ok(Arc::new(Self { platform, limits, sessions: Mutex::default() }))
    }

    /// The plug-in's client and its devices.
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// What sessions may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> usize {
        self.lock().len()
    }

    /// Serves whoever connects, until `until` is over. Blocks.
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
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("network")
            .enable_all()
            .build()?;
        let served = runtime.block_on(async {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let network = tonic::transport::Server::builder()
                .initial_stream_window_size(WINDOW)
                .initial_connection_window_size(WINDOW)
                .tcp_nodelay(true)
                .add_service(Ifrt::new(Arc::clone(self)))
                .serve_with_incoming(TcpListenerStream::new(listener));
            tokio::select! {
                ended = network => ended.map_err(ServeError::from),
                () = until => Ok(()),
            }
        });
        runtime.shutdown_timeout(GRACE);
        served
    }

    /// A place for a session.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if there is none.
    pub(crate) fn open(self: &Arc<Self>) -> Result<Open, Status> {
        let mut sessions = self.lock();
        if sessions.len() >= self.limits.sessions {
            let text = format!("the server has as many sessions as it may: {}", sessions.len());
            return Err(Status::new(Code::ResourceExhausted, text));
        }
        // Buffers travel beside the session, named by its number: one that another client cannot guess,
        // by the random keys that the standard library makes for hash tables.
        let id = loop {
            let id = RandomState::new().build_hasher().finish();
            if id != 0 && !sessions.contains_key(&id) {
                break id;
            }
        };
        let buffers = Arc::new(HostBuffers::new(self.limits.host_bytes));
        sessions.insert(id, Arc::clone(&buffers));
        Ok(Open { server: Arc::clone(self), id, buffers })
    }

    /// The host buffers of a session.
    ///
    /// # Errors
    /// NOT_FOUND if there is no such session.
    pub(crate) fn buffers_of(&self, session: u64) -> Result<Arc<HostBuffers>, Status> {
        let found = self.lock().get(&session).cloned();
        found.ok_or_else(|| Status::new(Code::NotFound, "there is no session with this number"))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<HostBuffers>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Is over when somebody ends this process from its terminal. For [`Server::serve`].
pub async fn interrupted() {
    // Where that cannot be seen, nothing ends the server but the system.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The place of a session, which is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Open {
    server: Arc<Server>,
    id: u64,
    buffers: Arc<HostBuffers>,
}

impl Open {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn buffers(&self) -> &Arc<HostBuffers> {
        &self.buffers
    }

    pub(crate) fn platform(&self) -> &Arc<Platform> {
        &self.server.platform
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.server.limits
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.buffers.close();
        self.server.lock().remove(&self.id);
    }
}
