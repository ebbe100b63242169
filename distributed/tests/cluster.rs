//! A scheduler and executors as processes of their own, and the rows that they write.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use unskew_distributed::Job;

const PROGRAM: &str = env!("CARGO_BIN_EXE_unskew-distributed");

/// How long a process may take to come up on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that ends with this.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A scheduler and executors.
struct Cluster {
    scheduler: String,
    executors: Vec<Process>,
    _scheduler: Process,
    folders: TempDir,
}

fn port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn start(arguments: &[&str], log: &Path) -> Process {
    let log = fs::File::create(log).unwrap();
    let command = Command::new(PROGRAM)
        .args(arguments)
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .stdin(Stdio::null())
        .spawn();
    Process(command.unwrap())
}

impl Cluster {
    fn start(executors: usize) -> Self {
        let folders = tempfile::tempdir().unwrap();
        let port = port();
        let scheduler = format!("127.0.0.1:{port}");
        let log = |name: &str| folders.path().join(format!("{name}.log"));
        let _scheduler = start(&["scheduler", "--listen", &scheduler], &log("scheduler"));
        wait(port, &log("scheduler"));
        let executors = (0..executors).map(|at| {
            let (listen, tasks) = (self::port(), self::port());
            let folder = folders.path().join(at.to_string());
            fs::create_dir(&folder).unwrap();
            let process = start(
                &[
                    "executor",
                    "--scheduler",
                    &scheduler,
                    "--listen",
                    &format!("127.0.0.1:{listen}"),
                    "--tasks",
                    &tasks.to_string(),
                    "--folder",
                    folder.to_str().unwrap(),
                ],
                &log(&at.to_string()),
            );
            wait(listen, &log(&at.to_string()));
            process
        });
        Self { executors: executors.collect(), scheduler, _scheduler, folders }
    }

    fn scan(&self, models: &Path, table: &Path, shards: u32) -> Child {
        let (models, table) = (models.to_str().unwrap(), table.to_str().unwrap());
        let mut command = Command::new(PROGRAM);
        command.args(["scan", models, "--with"]).args(WITH).args(["-o", table, "--as-of", DAY]);
        command.args(["--jobs", "1", "--shards", &shards.to_string()]);
        command.args(["--scheduler", &self.scheduler]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn said(&self) -> String {
        let logs = self.folders.path().read_dir().unwrap().map(|entry| entry.unwrap().path());
        let logs = logs.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
        logs.map(|log| format!("{}:\n{}\n", log.display(), fs::read_to_string(&log).unwrap()))
            .collect()
    }
}

fn wait(port: u16, log: &Path) {
    let begin = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        let said = || fs::read_to_string(log).unwrap();
        assert!(begin.elapsed() < PATIENCE, "nobody listens: {}", said());
        std::thread::sleep(Duration::from_millis(50));
    }
}

const WITH: [&str; 3] = ["torch@1.10", "torch@2.15", "tensorflow@2.15"];
const DAY: &str = "2026-11-01";

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").canonicalize().unwrap()
}

/// Many artifacts: the examples, each often, below folders of their own.
fn models(copies: usize) -> TempDir {
    let models = tempfile::tempdir().unwrap();
    let entries = examples().read_dir().unwrap().map(|entry| entry.unwrap());
    let files: Vec<_> = entries.filter(|entry| entry.file_type().unwrap().is_file()).collect();
    for copy in 0..copies {
        let folder = models.path().join(copy.to_string());
        fs::create_dir(&folder).unwrap();
        for file in &files {
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
    }
    models
}

fn whole(models: &Path, table: &Path) {
    let job = Job {
        uris: vec![models.to_str().unwrap().to_owned()],
        with: WITH.map(str::to_owned).to_vec(),
        as_of: DAY.to_owned(),
        table: table.to_str().unwrap().to_owned(),
        shards: 1,
        jobs: None,
    };
    job.run(1).unwrap();
}

/// All rows of a table with all columns, each as JSON, in order.
fn rows(table: &Path) -> Vec<String> {
    let answer = unskew_scan::query("select * from scan", &[table.to_str().unwrap().to_owned()]);
    let mut rows: Vec<String> =
        answer.unwrap().json().unwrap().lines().map(str::to_owned).collect();
    rows.sort();
    rows
}

/// Waits for a scan: its status, and what it said.
fn ended(mut scan: Child, cluster: &Cluster) -> (Option<i32>, String) {
    let mut said = String::new();
    scan.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    scan.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let status = scan.wait().unwrap().code();
    assert_ne!(status, Some(2), "{said}\n{}", cluster.said());
    (status, said)
}

#[test]
fn executors_write_the_rows_that_one_process_writes() {
    let models = models(4);
    let (one, many) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole(models.path(), one.path());
    let cluster = Cluster::start(2);
    let (status, said) = ended(cluster.scan(models.path(), many.path(), 6), &cluster);
    assert_eq!(
        status,
        Some(1),
        "the examples hold something that torch 1.10 does not know: {said}"
    );
    let expected = rows(one.path());
    assert!(expected.len() > 40, "{}", expected.len());
    assert_eq!(expected, rows(many.path()), "{said}");
    let parts = many.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    let parts: Vec<String> = parts.map(|name| name.into_string().unwrap()).collect();
    let shards = (1..=6).filter(|shard| {
        let prefix = format!("part-{shard:04}-of-0006-");
        parts.iter().any(|part| part.starts_with(&prefix))
    });
    assert_eq!(shards.count(), 6, "{parts:?}");
    // What is done is not done again, and nothing is there twice.
    let (_, said) = ended(cluster.scan(models.path(), many.path(), 6), &cluster);
    assert!(said.contains("all: 0 artifacts judged"), "{said}");
    assert_eq!(expected, rows(many.path()));
}

#[test]
fn a_shard_that_cannot_be_scanned_fails_the_job_and_says_why() {
    let table = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(1);
    let mut scan = cluster.scan(Path::new("/nothing/here"), table.path(), 2);
    let mut said = String::new();
    scan.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(scan.wait().unwrap().code(), Some(2), "{said}");
    assert!(said.contains("/nothing/here"), "{said}");
}

#[test]
fn the_job_ends_although_an_executor_is_killed() {
    let models = models(30);
    let (one, many) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole(models.path(), one.path());
    let mut cluster = Cluster::start(2);
    let scan = cluster.scan(models.path(), many.path(), 12);
    let begin = Instant::now();
    let parts = |table: &Path| {
        let entries = table.read_dir().unwrap().map(|entry| entry.unwrap().file_name());
        entries.filter(|name| name.to_str().unwrap().ends_with(".parquet")).count()
    };
    while parts(many.path()) == 0 {
        assert!(begin.elapsed() < PATIENCE, "{}", cluster.said());
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(cluster.executors.pop());
    ended(scan, &cluster);
    assert_eq!(rows(one.path()), rows(many.path()));
}
