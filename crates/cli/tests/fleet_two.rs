//! Two `unskew fleet serve` on one PostgreSQL and one object store under load, of which one is killed by SIGKILL in
//! the middle.
//!
//! Afterwards every publication that was acknowledged is one version, none stands twice, every artifact is what its
//! digest says, every decision that was given is the one that follows from its inputs, and every job is done,
//! those of the killed process too: it is killed while it works on one, which the other process takes over once. `UNSKEW_LOAD_SECONDS=60` makes it as long.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may; clippy knows only functions marked as tests"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use unskew_core::Date;
use unskew_fleet::store::{JobState, RunningJob, Store};
use unskew_fleet::{BlobStore, DeliveryPolicy, Digest, Fleet, RuntimeProfile};
use unskew_objects::{ObjectPlace, Objects, StoreSettings};
use unskew_test_servers::{PostgreSql, S3Server};

/// How long the load lasts unless somebody says otherwise, in seconds.
const SECONDS: u64 = 8;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

const RUNTIMES: [&str; 5] =
    ["torch@1.4.0", "torch@1.10.2", "torch@1.13.1", "torch@2.1.2", "torch@2.15.0"];

fn examples() -> PathBuf {
    Path::new(env!("UNSKEW_ROOT")).join("examples")
}

struct Ground {
    database: String,
    folder: tempfile::TempDir,
    objects: S3Server,
}

impl Ground {
    const ARTIFACTS: &str = "s3://two/fleet";

    /// None, said aloud, where a server is missing.
    fn new() -> Option<Self> {
        let postgres = PostgreSql::shared()?;
        let objects = match S3Server::start() {
            Ok(objects) => objects,
            Err(error) => {
                eprintln!("SKIPPED: {error}");
                return None;
            }
        };
        objects.make_bucket("two").unwrap();
        let folder = tempfile::tempdir().unwrap();
        Some(Self { database: postgres.database(), folder, objects })
    }

    fn fleet(&self) -> Fleet {
        let settings: StoreSettings = self.objects.settings().into_iter().collect();
        let place = ObjectPlace::parse(Self::ARTIFACTS).unwrap();
        let depot = BlobStore::over(Objects::at(&place, &settings).unwrap());
        Fleet::over(Store::open(&self.database).unwrap(), depot)
    }
}

/// A server, which ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(ground: &Ground) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unskew"))
            .args(["fleet", "serve", "--listen", "127.0.0.1:0", "--lease", "2"])
            .args(["--database", &ground.database, "--artifacts", Ground::ARTIFACTS])
            .envs(ground.objects.settings())
            .env("UNSKEW_FLEET", ground.folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_end_matches('/').rsplit('/').next().unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        Self { child, address }
    }
}

impl Server {
    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Kills it by SIGKILL while it works on a job, which is returned. It stands still while somebody looks, so that what is
    /// seen is what is killed.
    fn killed_at_work(&mut self, owner: &str, store: &mut Store) -> RunningJob {
        let begin = Instant::now();
        let mut own = || {
            let running = store.running_jobs().unwrap();
            running.into_iter().find(|job| job.owner.starts_with(owner))
        };
        loop {
            if own().is_some() {
                self.signal("-STOP");
                // What was on its way to the database before that is there soon.
                std::thread::sleep(Duration::from_millis(50));
                if let Some(job) = own() {
                    self.child.kill().unwrap();
                    self.child.wait().unwrap();
                    return job;
                }
                self.signal("-CONT");
            }
            assert!(begin.elapsed() < PATIENCE, "it never works on a job");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: the status, the head, the body.
type Answer = (u16, String, Vec<u8>);

/// One request on a connection of its own.
fn ask(
    address: &str,
    method: &str,
    path: &str,
    head: &[(&str, String)],
    body: &[u8],
) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in head {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    stream.write_all(text.as_bytes())?;
    stream.write_all(body)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let cut = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or_else(cut)?;
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|text| text.parse().ok()).ok_or_else(cut)?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: Option<usize> = length.and_then(|text| text.parse().ok());
    let body = answer.split_off(end + 4);
    match length {
        // What was cut off is no answer.
        Some(length) if body.len() != length => Err(cut()),
        _ => Ok((status, head, body)),
    }
}

/// The servers, asked in turn; one that does not answer is asked no more for this request.
struct Front<'a> {
    addresses: [&'a str; 2],
    turn: AtomicUsize,
    failures: AtomicUsize,
}

impl Front<'_> {
    /// Repeats a request until somebody answers it, and not with "later".
    fn ask(&self, method: &str, path: &str, head: &[(&str, String)], body: &[u8]) -> Answer {
        let begin = Instant::now();
        loop {
            let turn = self.turn.fetch_add(1, Ordering::Relaxed);
            match ask(self.addresses[turn % 2], method, path, head, body) {
                Ok(answer) if answer.0 < 429 => return answer,
                Ok(answer) => {
                    let text = String::from_utf8_lossy(&answer.2);
                    assert!(begin.elapsed() < PATIENCE, "{method} {path}: {} {text}", answer.0);
                }
                Err(error) => {
                    self.failures.fetch_add(1, Ordering::Relaxed);
                    assert!(begin.elapsed() < PATIENCE, "{method} {path}: {error}");
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn parsed(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

/// A model that no other is equal to: an unknown field at the end of a graph.
fn unique(at: u32) -> Vec<u8> {
    let mut bytes = std::fs::read(examples().join("add-cast.pb")).unwrap();
    bytes.extend([0xc0, 0x3e]);
    let mut rest = at;
    loop {
        let more = rest > 0x7f;
        bytes.push((rest & 0x7f) as u8 | u8::from(more) << 7);
        rest >>= 7;
        if !more {
            return bytes;
        }
    }
}

/// Publishes a file as clients should: with a key, and again from where it was until it is acknowledged.
fn publish(front: &Front<'_>, model: &str, bytes: &[u8], key: &str) -> i64 {
    let digest = Digest::sha256(bytes).to_string();
    let announced =
        json!({ "model": model, "file": "net.pb", "digest": digest, "size": bytes.len() });
    let head =
        [("content-type", "application/json".to_owned()), ("idempotency-key", key.to_owned())];
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "{model} is not published");
        let (status, _, body) =
            front.ask("POST", "/v1/uploads", &head, announced.to_string().as_bytes());
        let upload = parsed(&body);
        assert!(matches!(status, 200 | 201), "{status} {upload}");
        if let Some(version) = upload["version"].as_i64() {
            return version;
        }
        let path = format!("/v1/uploads/{}", upload["upload"].as_str().unwrap());
        let received = upload["received"].as_u64().unwrap() as usize;
        if received < bytes.len() {
            // In two pieces, if it is the first time.
            let end = if received == 0 { bytes.len() / 2 } else { bytes.len() };
            let offset = [("upload-offset", received.to_string())];
            front.ask("PATCH", &path, &offset, &bytes[received..end]);
            continue;
        }
        let (status, _, body) = front.ask("POST", &format!("{path}/finish"), &[], b"");
        if status == 200 {
            return parsed(&body)["version"].as_i64().unwrap();
        }
    }
}

/// What is done to the servers, and what they said.
struct Load<'a> {
    front: Front<'a>,
    over: AtomicBool,
    /// The model, the artifact and the version of everything whose publication was acknowledged.
    published: Mutex<Vec<(String, Digest, i64)>>,
    /// What was said about each runtime.
    decided: Mutex<BTreeMap<String, BTreeSet<String>>>,
    decisions: AtomicUsize,
    jobs: Mutex<BTreeSet<String>>,
}

impl<'a> Load<'a> {
    fn on(addresses: [&'a str; 2]) -> Self {
        let (turn, failures) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self {
            front: Front { addresses, turn, failures },
            over: AtomicBool::new(false),
            published: Mutex::default(),
            decided: Mutex::default(),
            decisions: AtomicUsize::new(0),
            jobs: Mutex::default(),
        }
    }

    /// Numbers until it is over.
    fn numbers(&self) -> impl Iterator<Item = u32> {
        (0..).take_while(|_| !self.over.load(Ordering::Relaxed))
    }

    fn publish(&self, publisher: u32) {
        for at in self.numbers() {
            let (number, model) = (publisher * 1_000_000 + at, format!("model-{}", at % 3));
            let bytes = unique(number);
            let version = publish(&self.front, &model, &bytes, &format!("key-{number}"));
            self.published.lock().unwrap().push((model, Digest::sha256(&bytes), version));
        }
    }

    fn decide(&self) {
        for at in self.numbers() {
            let runtime = RUNTIMES[at as usize % RUNTIMES.len()];
            let query = format!("runtime={}&as_of=2026-11-21", runtime.replace('@', "%40"));
            let path = format!("/v1/models/gelu/decision?{query}");
            let (status, _, body) = self.front.ask("GET", &path, &[], b"");
            assert!(matches!(status, 200 | 202), "{}", String::from_utf8_lossy(&body));
            if status == 200 {
                self.decisions.fetch_add(1, Ordering::Relaxed);
                let mut decided = self.decided.lock().unwrap();
                decided.entry(runtime.to_owned()).or_default().insert(parsed(&body).to_string());
            }
        }
    }

    fn post_jobs(&self) {
        for at in self.numbers() {
            // Now and then one with work to do, about what is published meanwhile.
            let model = if at % 10 == 5 { "model-0" } else { "gelu" };
            let what = json!({ "kind": "plan", "model": model, "max": at + 1 });
            let head = [("content-type", "application/json".to_owned())];
            let body = what.to_string();
            let (status, head, body) = self.front.ask("POST", "/v1/jobs", &head, body.as_bytes());
            assert_eq!(status, 202, "{}", String::from_utf8_lossy(&body));
            let place = head.lines().find_map(|line| line.strip_prefix("location: "));
            self.jobs.lock().unwrap().insert(place.unwrap().trim().to_owned());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until every job is done, and says how many of them were begun more than once.
    fn all_jobs_end(&self) -> usize {
        let again = |job: &String| {
            let begin = Instant::now();
            loop {
                let told = parsed(&self.front.ask("GET", job, &[], b"").2);
                match told["state"].as_str() {
                    Some("done") => return told["attempts"].as_u64().unwrap_or(1) > 1,
                    Some("waiting" | "running") if begin.elapsed() < PATIENCE => {}
                    _ => panic!("{job}: {told}"),
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        };
        self.jobs.lock().unwrap().iter().filter(|job| again(job)).count()
    }

    /// Holds what was said against what there is, and says how many versions there are.
    fn is_kept_by(&self, fleet: &mut Fleet) -> usize {
        let (published, mut found) = (self.published.lock().unwrap(), 0);
        for model in (0..3).map(|at| format!("model-{at}")) {
            let versions = fleet.store().versions(&model, "9999-12-31").unwrap();
            let stand: BTreeSet<(Digest, i64)> =
                versions.iter().map(|version| (version.artifact, version.number)).collect();
            let own = published.iter().filter(|one| one.0 == model);
            let acknowledged = own.map(|(_, digest, version)| (*digest, *version)).collect();
            assert_eq!(stand, acknowledged, "{model}: none lost, none twice");
            assert_eq!(versions.len(), stand.len());
            found += versions.len();
        }
        for digest in fleet.depot().digests().unwrap() {
            fleet.depot().verify(&digest).unwrap();
        }
        let policy = DeliveryPolicy::on(Date::constant(2026, 11, 21));
        for (runtime, said) in &*self.decided.lock().unwrap() {
            let own = fleet.decide("gelu", runtime, &policy).unwrap().to_json();
            let own = parsed(own.as_bytes()).to_string();
            assert_eq!(said.iter().collect::<Vec<_>>(), [&own], "{runtime}");
        }
        found
    }
}

/// How the name begins under which a server works: as those of its requests.
fn name_of(server: &Server) -> String {
    let (_, head, _) = ask(&server.address, "GET", "/health", &[], b"").unwrap();
    let request = head.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap();
    request.split('-').next().unwrap().to_owned()
}

/// That a job of a process that was killed was begun by one other and ended by that, and by nobody after it.
fn is_taken_over_once(seen: &RunningJob, store: &mut Store) {
    let job = store.job(seen.number).unwrap().unwrap();
    assert_eq!((job.state, job.attempts), (JobState::Done, 2), "{job:?}");
    assert!(job.beat > seen.beat && job.owner.is_none(), "{job:?}");
    // Longer than a lease: nobody takes it for one that somebody left behind.
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(store.job(seen.number).unwrap().unwrap(), job);
}

#[test]
fn one_of_two_servers_is_killed_under_load_and_nothing_is_lost() {
    let Some(ground) = Ground::new() else { return };
    let seconds = std::env::var("UNSKEW_LOAD_SECONDS").ok().and_then(|text| text.parse().ok());
    let seconds = Duration::from_secs(seconds.unwrap_or(SECONDS));
    let mut fleet = ground.fleet();
    for name in RUNTIMES {
        let release = unskew_releases::find(name).unwrap();
        fleet.put_runtime(&RuntimeProfile::of_release(release), "2026-11-01").unwrap();
    }
    fleet.publish("gelu", &examples().join("gelu-2.15.0.pt"), "2026-11-01").unwrap();

    let mut killed = Server::start(&ground);
    let owner = name_of(&killed);
    let other = Server::start(&ground);
    let (first, second) = (killed.address.clone(), other.address.clone());
    let load = Load::on([&first, &second]);
    let taken_over = std::thread::scope(|scope| {
        for publisher in 0..2 {
            let load = &load;
            scope.spawn(move || load.publish(publisher));
            scope.spawn(move || load.decide());
        }
        scope.spawn(|| load.post_jobs());
        std::thread::sleep(seconds / 2);
        let job = killed.killed_at_work(&owner, fleet.store());
        std::thread::sleep(seconds / 2);
        load.over.store(true, Ordering::Relaxed);
        job
    });
    let again = load.all_jobs_end();
    is_taken_over_once(&taken_over, fleet.store());
    drop(other);
    let found = load.is_kept_by(&mut ground.fleet());
    let number = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    let (decisions, failures) = (number(&load.decisions), number(&load.front.failures));
    let jobs = load.jobs.lock().unwrap().len();
    println!(
        "{seconds:?}: {decisions} decisions, {found} publications, {jobs} jobs ({again} of them begun again), \
         {failures} requests repeated"
    );
    assert!(found > 0 && decisions > 0 && jobs > 0);
}
