//! Where a fleet is that is killed, and who serves it.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use unskew_fleet::store::Store;
use unskew_fleet::{BlobStore, Fleet};
use unskew_fleet_service::client::ServiceClient;
use unskew_objects::{ObjectPlace, Objects, StoreSettings};
use unskew_test_servers::{PostgreSql, S3Server};

/// The day of everything.
pub const DAY: &str = "2026-11-21";

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often something is killed on each kind of storage, unless somebody says otherwise.
pub fn kills(few: u64) -> u64 {
    let kills = std::env::var("UNSKEW_KILLS").ok().and_then(|text| text.parse().ok());
    kills.unwrap_or(few)
}

/// A number from 0 to 1, another one each time.
pub fn random(at: u64) -> f64 {
    let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), at);
    (random % 1000) as f64 / 1000.0
}

/// Asks again and again until something holds.
pub fn until<T>(what: &str, mut holds: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = holds() {
            return value;
        }
        assert!(begin.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A database server and an object store, for the fleets of a test.
pub struct Servers {
    database: &'static PostgreSql,
    objects: S3Server,
}

impl Servers {
    /// None, said aloud, where one is missing.
    pub fn start() -> Option<Self> {
        let database = PostgreSql::shared()?;
        let objects = match S3Server::start() {
            Ok(objects) => objects,
            Err(error) => {
                println!("skipped: {error}");
                return None;
            }
        };
        objects.make_bucket("kills").unwrap();
        Some(Self { database, objects })
    }

    /// A place for a fleet of its own.
    pub fn ground(&self) -> Ground {
        let address = self.database.database();
        let prefix = address.rsplit('/').next().unwrap_or("x").to_owned();
        let settings = self.objects.settings().to_vec();
        let remote =
            Remote { database: address, artifacts: format!("s3://kills/{prefix}"), settings };
        Ground { folder: tempfile::tempdir().unwrap(), remote: Some(remote) }
    }
}

/// A database, a place of an object store, and what a client of that needs in its environment.
struct Remote {
    database: String,
    artifacts: String,
    settings: Vec<(&'static str, String)>,
}

impl Remote {
    fn objects(&self) -> Objects {
        let settings: StoreSettings = self.settings.iter().cloned().collect();
        Objects::at(&ObjectPlace::parse(&self.artifacts).unwrap(), &settings).unwrap()
    }
}

/// Where a fleet is: in a folder, or in a database and an object store.
pub struct Ground {
    folder: tempfile::TempDir,
    remote: Option<Remote>,
}

impl Ground {
    /// A fleet of its own, in a folder.
    pub fn in_a_folder() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), remote: None }
    }

    pub fn fleet(&self) -> Fleet {
        match &self.remote {
            None => Fleet::open(self.folder.path()).unwrap(),
            Some(remote) => {
                let store = Store::open(&remote.database).unwrap();
                Fleet::over(store, BlobStore::over(remote.objects()))
            }
        }
    }

    fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.env("UNSKEW_FLEET", self.folder.path()).arg("fleet");
        if let Some(remote) = &self.remote {
            command.env("UNSKEW_FLEET_DATABASE", &remote.database);
            command.env("UNSKEW_FLEET_ARTIFACTS", &remote.artifacts);
            command.envs(remote.settings.iter().map(|(name, value)| (*name, value)));
        }
        command
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program();
        command.args(args).args(["--as-of", DAY]).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) {
        let output = self.command(args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
    }

    pub fn serve(&self, args: &[&str]) -> Server {
        let mut command = self.program();
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn"]).args(args);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_end_matches('/').rsplit('/').next().unwrap();
        Server { address: address.parse().unwrap(), child }
    }

    /// How many files or objects of uploads there are.
    pub fn staged(&self) -> usize {
        match &self.remote {
            Some(remote) => remote.objects().list("staging").count(),
            None => files(&self.folder.path().join("artifacts/staging")),
        }
    }
}

/// How many files are somewhere below a folder.
fn files(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let count = |entry: std::io::Result<std::fs::DirEntry>| match entry {
        Ok(entry) if entry.path().is_dir() => files(&entry.path()),
        // What is swept away at this moment.
        Ok(entry) => usize::from(entry.path().exists()),
        Err(_) => 0,
    };
    entries.map(count).sum()
}

/// A process that serves; it is killed at the end.
pub struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    pub fn client(&self) -> ServiceClient {
        ServiceClient::new(self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
