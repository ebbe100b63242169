//! A server of the SDK's example plug-in, in this process, and clients of it.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use unskew_ifrt_client::IfrtClient;
use unskew_ifrt_proxy::messages::ProxyVersion;
use unskew_ifrt_proxy::status::Status;
use unskew_ifrt_proxy::{MemoryKind, ServeError, Server, ServerLimits};
use unskew_pjrt::Plugin;

/// The versions of the newest client.
pub const NEWEST: ProxyVersion = ProxyVersion { protocol: 25, serdes: 3 };

/// How long something may take that happens at once, on a machine that does much else.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct Served {
    pub server: Arc<Server>,
    pub at: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Served {
    pub fn with(limits: ServerLimits) -> Self {
        let client = Plugin::load(plugin()).unwrap().create_client(&[]).unwrap();
        let server = Server::new(client, limits).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let serving = Arc::clone(&server);
        let until = async {
            let _ = stopped.await;
        };
        let serving = std::thread::spawn(move || serving.serve(listener, until));
        Self { server, at, stop: Some(stop), serving: Some(serving) }
    }

    pub fn address(&self) -> String {
        format!("grpc://{}", self.at)
    }

    pub async fn connect(&self) -> Result<IfrtClient, Status> {
        IfrtClient::connect(&self.address(), NEWEST).await
    }

    /// A client whose session has begun.
    pub async fn client(&self) -> IfrtClient {
        let mut client = self.connect().await.unwrap();
        client.init().await.unwrap();
        client
    }

    /// Tells the server to stop, without waiting for it.
    pub fn stop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
    }

    /// Waits for the end of a server that was told to stop.
    pub fn ended(&mut self) {
        self.serving.take().unwrap().join().unwrap().unwrap();
    }

    pub fn bytes(&self) -> u64 {
        self.server.bytes(MemoryKind::Host) + self.server.bytes(MemoryKind::Device)
    }

    /// Waits until nobody is there and nothing is left of anybody.
    pub fn empty(&self) {
        let left = || (self.server.ongoing().len(), self.bytes());
        eventually(|| left() == (0, 0), || format!("(sessions, bytes) left: {:?}", left()));
    }

    /// What the server tells over HTTP: the first line, and all of it.
    pub fn http(&self, path: &str, host: &str) -> (String, String) {
        let mut stream = TcpStream::connect(self.at).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        (text.lines().next().unwrap_or_default().to_owned(), text)
    }
}

/// Waits until something is so.
pub fn eventually(so: impl Fn() -> bool, otherwise: impl Fn() -> String) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < PATIENCE, "{}", otherwise());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Where cargo puts the example when it builds this test.
pub fn plugin() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let name =
        format!("{}served_abacus{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(path.is_file(), "`cargo build --examples -p unskew-ifrt-proxy` makes {path:?}");
    path
}

/// Runs a test of several threads.
pub fn run(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all();
    runtime.build().unwrap().block_on(test);
}
