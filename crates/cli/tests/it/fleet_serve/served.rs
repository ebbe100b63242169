//! A server for a test, and what tests send it.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use unskew_fleet::Digest;
use unskew_fleet_service::client::{ServiceClient, ServiceResponse};
use unskew_peers::root;

/// The command, on a fleet.
pub fn command(store: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.current_dir(root()).env("UNSKEW_FLEET", store).arg("fleet");
    command
}

/// What the command prints.
pub fn printed(store: &Path, args: &[&str]) -> String {
    let output = command(store).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A process that serves; it is killed at the end.
pub struct Served {
    pub child: Child,
    pub address: SocketAddr,
}

impl Served {
    /// A server of a fleet, with further arguments.
    pub fn start(store: &Path, args: &[&str]) -> Self {
        let mut command = command(store);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn"]);
        // A busy machine computes for longer than people wait.
        command.args(["--compute", "55"]).args(args);
        Self::of(command)
    }

    /// The server that a command starts.
    pub fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("fleet at http://");
        let address = address.and_then(|text| text.trim_end_matches('/').parse().ok());
        Self { child, address: address.unwrap_or_else(|| panic!("no address: {line}")) }
    }

    pub fn client(&self) -> ServiceClient {
        ServiceClient::new(self.address)
    }

    /// Tells it to stop, as systems do.
    pub fn terminate(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks again and again until something holds; fails after a minute.
pub fn until<T>(what: &str, mut holds: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(60) {
        if let Some(value) = holds() {
            return value;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("not within a minute: {what}");
}

/// The bytes of an example.
pub fn example(name: &str) -> Vec<u8> {
    std::fs::read(root().join(name)).unwrap()
}

/// Begins an upload, and says where it is.
pub fn begin(client: &mut ServiceClient, model: &str, file: &str, bytes: &[u8]) -> String {
    let new = json!({
        "model": model, "file": file, "size": bytes.len(), "digest": Digest::sha256(bytes),
    });
    let begun = client.send_json("POST", "/v1/uploads", &new).unwrap();
    assert_eq!(begun.status, 201, "{}", begun.text());
    begun.header("location").unwrap().to_owned()
}

pub fn piece(
    client: &mut ServiceClient,
    place: &str,
    offset: usize,
    bytes: &[u8],
) -> ServiceResponse {
    let offset = offset.to_string();
    client.send("PATCH", place, &[("upload-offset", &offset)], bytes).unwrap()
}

/// Uploads a model in two pieces, and publishes it.
pub fn publish(client: &mut ServiceClient, model: &str, file: &str, bytes: &[u8]) -> Value {
    let place = begin(client, model, file, bytes);
    let half = bytes.len() / 2;
    assert_eq!(piece(client, &place, 0, &bytes[..half]).status, 204);
    assert_eq!(piece(client, &place, half, &bytes[half..]).status, 204);
    let done = client.send("POST", &format!("{place}/finish"), &[], b"").unwrap();
    assert_eq!(done.status, 200, "{}", done.text());
    done.json()
}

/// Adds a runtime that is a release.
pub fn add_runtime(client: &mut ServiceClient, name: &str, release: &str, devices: u64) {
    let profile =
        json!({ "fleet_runtime": 1, "name": name, "devices": devices, "release": release });
    let put = client.send_json("PUT", &format!("/v1/runtimes/{name}"), &profile).unwrap();
    assert_eq!(put.status, 201, "{}", put.text());
}

/// The code of a problem, which has to be whole.
pub fn code(answer: &ServiceResponse) -> String {
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json"),
        "{}",
        answer.text()
    );
    let body = answer.json();
    assert_eq!(body["status"], answer.status);
    assert_eq!(body["request"].as_str(), answer.header("x-request-id"));
    body["code"].as_str().unwrap().to_owned()
}
