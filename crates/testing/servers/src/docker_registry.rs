//! An OCI registry.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::ServerError;
use crate::child_guard::ChildGuard;

/// The program, as the system's package of this name installs it.
const PROGRAM: &str = "/usr/bin/docker-registry";

/// How long it may take to come up on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A registry on a port of the loopback, over a folder that goes with it.
pub struct DockerRegistry {
    port: u16,
    _keeper: ChildGuard,
}

impl DockerRegistry {
    /// Starts one without anything in it, and waits until it listens.
    ///
    /// # Errors
    /// If it is not installed (`apt-get install docker-registry`), or does not come up.
    pub fn start() -> Result<Self, ServerError> {
        if !Path::new(PROGRAM).exists() {
            return Err(ServerError::Missing("docker-registry (a package of Debian)"));
        }
        let folder = tempfile::Builder::new().prefix("unskew-oci-").tempdir()?.keep();
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let config = folder.join("config.yml");
        let text = format!(
            "version: 0.1\nlog: {{level: warn}}\nstorage:\n  filesystem: {{rootdirectory: {}}}\nhttp: {{addr: '127.0.0.1:{port}'}}\n",
            folder.join("data").display()
        );
        std::fs::write(&config, text)?;
        let command = [PROGRAM, "serve", &config.display().to_string()].map(str::to_owned);
        let keeper = ChildGuard::start(&folder, "TERM", &command);
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if begin.elapsed() > PATIENCE {
                let said = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
                return Err(ServerError::Ended(said));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(Self { port, _keeper: keeper })
    }

    /// Where it listens: `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}
