//! A PostgreSQL server.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot start its server fails"
)]

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::child_guard::ChildGuard;

/// How long a server may take to come up on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A PostgreSQL server in a folder of its own, stopped when this is dropped.
#[derive(Debug)]
pub struct PostgreSql {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    /// Settings of the command line besides the usual.
    settings: Vec<String>,
    keeper: Option<ChildGuard>,
    databases: AtomicUsize,
}

impl PostgreSql {
    /// A server for all tests of this process; none, said aloud, where PostgreSQL is not installed.
    pub fn shared() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<PostgreSql>> = OnceLock::new();
        SERVER.get_or_init(|| Self::start(&[])).as_ref()
    }

    /// A server of its own, for a test that stops it; with settings such as `ssl=on`. It listens on a port of the
    /// loopback and on a socket in its folder, and takes everybody there for the user `postgres`.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            println!("skipped: PostgreSQL is not installed (apt-get install postgresql)");
            return None;
        };
        // The socket's path has to be short, wherever temporary folders are.
        let folder = tempfile::Builder::new().prefix("unskew-pg-").tempdir_in("/tmp").unwrap();
        let folder = folder.keep();
        let data = folder.join("data");
        let data = data.to_str().unwrap();
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(&folder));
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings = settings.iter().map(|one| (*one).to_owned()).collect();
        let databases = AtomicUsize::new(0);
        let mut server = Self { programs, folder, port, settings, keeper: None, databases };
        let initdb = server.program("initdb");
        let made = server.command(&[
            &initdb,
            "-D",
            data,
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ]);
        run(Command::new(&made[0]).args(&made[1..]));
        server.begin();
        Some(server)
    }

    /// Starts the server again after [`PostgreSql::end`].
    pub fn begin(&mut self) {
        let (postgres, port) = (self.program("postgres"), self.port.to_string());
        let (data, socket) = (self.folder.join("data"), self.folder.to_str().unwrap());
        let data = data.to_str().unwrap();
        let mut words = vec![&*postgres, "-D", data, "-k", socket, "-p", &port, "-F"];
        words.extend(["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"]);
        for setting in &self.settings {
            words.extend(["-c", setting]);
        }
        let command = self.command(&words);
        self.keeper = Some(ChildGuard::start(&self.folder, "INT", &command));
        let begin = Instant::now();
        while !self.is_ready() {
            let log = || std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(begin.elapsed() < PATIENCE, "PostgreSQL does not come up:\n{}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends the server: politely, with all its connections cut, or as a crash does.
    pub fn end(&mut self, crash: bool) {
        if let Some(mut keeper) = self.keeper.take() {
            keeper.end(crash);
        }
        // The children of a killed server end when they notice.
        let begin = Instant::now();
        while crash && self.has_children() && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The URL of a new, empty database.
    pub fn database(&self) -> String {
        let name = format!("fleet_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let port = self.port.to_string();
        run(Command::new(self.program("createdb")).args([
            "-h",
            self.folder.to_str().unwrap(),
            "-p",
            &port,
            "-U",
            "postgres",
            &name,
        ]));
        format!("postgres://postgres@127.0.0.1:{port}/{name}")
    }

    /// Adds a setting, such as `ssl=on`, for the next time that the server begins.
    pub fn set(&mut self, setting: &str) {
        self.settings.push(setting.to_owned());
    }

    /// Makes a certificate of its own for an address, which the server shows with `ssl=on`; and where it lies.
    pub fn certificate(&self, address: &str) -> PathBuf {
        let (key, own) = (self.folder.join("data/server.key"), self.folder.join("data/server.crt"));
        let name = format!("subjectAltName=IP:{address}");
        let made = self.command(&[
            "openssl",
            "req",
            "-new",
            "-x509",
            "-days",
            "2",
            "-nodes",
            "-subj",
            "/CN=server",
            "-addext",
            &name,
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-newkey",
            "rsa:2048",
            "-keyout",
            key.to_str().unwrap(),
            "-out",
            own.to_str().unwrap(),
        ]);
        run(Command::new(&made[0]).args(&made[1..]));
        let copy = self.folder.join("root.pem");
        std::fs::copy(own, &copy).unwrap();
        copy
    }

    fn is_ready(&self) -> bool {
        let port = self.port.to_string();
        let asked = Command::new(self.program("pg_isready"))
            .args(["-q", "-h", self.folder.to_str().unwrap(), "-p", &port])
            .status();
        asked.is_ok_and(|status| status.success())
    }

    /// Whether any process still has the folder of the data for its own.
    fn has_children(&self) -> bool {
        let data = self.folder.join("data");
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .map(|one| one.path().join("cwd"))
            .any(|cwd| std::fs::read_link(cwd).is_ok_and(|folder| folder == data))
    }

    fn program(&self, name: &str) -> String {
        self.programs.join(name).to_str().unwrap().to_owned()
    }

    /// A command as a user who may run a server: root may not.
    fn command(&self, words: &[&str]) -> Vec<String> {
        let mut all = Vec::new();
        if is_root() {
            all.extend(["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]);
        }
        all.extend(words);
        all.into_iter().map(str::to_owned).collect()
    }
}

/// Where the programs of the newest PostgreSQL lie.
fn programs() -> Option<PathBuf> {
    let packaged = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = packaged.map(|entry| entry.path().join("bin")).collect();
    folders.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut all = folders.into_iter().rev().chain(on_path);
    all.find(|folder| ["initdb", "postgres", "createdb"].iter().all(|it| folder.join(it).exists()))
}

fn is_root() -> bool {
    let owner = std::fs::metadata("/proc/self").map(|own| {
        use std::os::unix::fs::MetadataExt as _;
        own.uid()
    });
    owner.is_ok_and(|uid| uid == 0)
}

/// Runs a command that has to work, somewhere where every user may be.
fn run(command: &mut Command) {
    let output = command.current_dir("/").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}
