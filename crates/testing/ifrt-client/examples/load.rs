//! Loads `unskew serve` and measures it from outside: `load UNSKEW PLUGIN [CLIENTS] [SECONDS] [IDLE]`.
//!
//! ```text
//! cargo build --release --bin unskew
//! cargo run --release -p unskew-ifrt-client --example load -- target/release/unskew PLUGIN 50 60 200
//! ```
//!
//! First so many idle sessions are opened, to see what one costs; then so many clients put, add, fetch and
//! forget as fast as they are answered. Memory is what the system says of the server's process (Linux).

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use unskew_ifrt_client::{IfrtClient, LoadTest, load};
use unskew_ifrt_proxy::messages::ProxyVersion;

type Error = Box<dyn std::error::Error>;

/// A server, which is told to stop with this.
struct Serving {
    child: Child,
    address: String,
    _printed: BufReader<ChildStdout>,
}

impl Serving {
    fn start(unskew: &str, plugin: &str, sessions: usize) -> Result<Self, Error> {
        let mut child = Command::new(unskew)
            .args(["serve", plugin, "--port", "0", "--log", "warn"])
            .args(["--sessions", &sessions.to_string()])
            // What is measured is one process with all sessions.
            .args(["--isolation", "none"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut printed = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut address = None;
        while address.is_none() {
            let mut line = String::new();
            if printed.read_line(&mut line)? == 0 {
                return Err("the server ended before it had an address".into());
            }
            address =
                line.split_whitespace().find(|word| word.starts_with("grpc://")).map(str::to_owned);
        }
        Ok(Self { child, address: address.unwrap_or_default(), _printed: printed })
    }

    /// What is resident of the process that serves, the child of the one that watches it, in KiB.
    fn resident(&self) -> Result<u64, Error> {
        let watcher = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{watcher}/task/{watcher}/children"))?;
        let server = children.split_whitespace().next().ok_or("nobody serves")?;
        let status = std::fs::read_to_string(format!("/proc/{server}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()).ok_or("no VmRSS")?;
        Ok(kib.parse()?)
    }

    fn metrics(&self, names: &[&str]) -> Result<String, Error> {
        let host = self.address.trim_start_matches("grpc://");
        let mut stream = TcpStream::connect(host)?;
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let found = text.lines().filter(|line| names.iter().any(|name| line.starts_with(name)));
        Ok(found.collect::<Vec<_>>().join(", "))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let usage = "load UNSKEW PLUGIN [CLIENTS] [SECONDS] [IDLE]";
    let (unskew, plugin) = (args.next().ok_or(usage)?, args.next().ok_or(usage)?);
    let mut number = |other: usize| args.next().map_or(Ok(other), |arg| arg.parse());
    let (clients, seconds, idle) = (number(50)?, number(60)?, number(200)?);
    let serving = Serving::start(&unskew, &plugin, clients.max(idle) + 1)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measure(&serving, clients, seconds, idle))
}

async fn measure(
    serving: &Serving,
    clients: usize,
    seconds: usize,
    idle: usize,
) -> Result<(), Error> {
    let of = |clients, time| LoadTest { address: serving.address.clone(), clients, time };
    // What the first session costs is the plug-in's.
    load(&of(1, Duration::from_secs(1))).await;
    let before = serving.resident()?;
    let mut sessions = Vec::new();
    for _ in 0..idle {
        let newest = ProxyVersion { protocol: 25, serdes: 3 };
        let mut client = IfrtClient::connect(&serving.address, newest).await?;
        client.init().await?;
        sessions.push(client);
    }
    let with = serving.resident()?;
    drop(sessions);
    println!("| what | measured |\n| --- | --: |");
    println!("| resident before any load | {} KiB |", before);
    let each = with.saturating_sub(before) as f64 / idle.max(1) as f64;
    println!("| one of {idle} idle sessions | {each:.0} KiB |");

    let running = tokio::spawn({
        let load_of = of(clients, Duration::from_secs(seconds as u64));
        async move { load(&load_of).await }
    });
    let mut seen = Vec::new();
    for _ in 0..seconds {
        tokio::time::sleep(Duration::from_secs(1)).await;
        seen.push(serving.resident()?);
    }
    let outcome = running.await?;
    let most = |part: &[u64]| part.iter().max().copied().unwrap_or_default();
    let (first, last) = seen.split_at(seen.len() / 2);
    println!("| {clients} clients for {seconds} s: errors | {} |", outcome.errors.len());
    println!("| steps | {} |", outcome.steps.len());
    println!("| steps in a second | {:.0} |", outcome.per_second());
    for (name, part) in [("median", 0.5), ("99 of 100", 0.99), ("slowest", 1.0)] {
        println!("| one step, {name} | {:.1} ms |", outcome.quantile(part).as_secs_f64() * 1e3);
    }
    println!("| most resident in the first half | {} KiB |", most(first));
    println!("| most resident in the second half | {} KiB |", most(last));
    tokio::time::sleep(Duration::from_secs(1)).await;
    println!("| resident after it | {} KiB |", serving.resident()?);
    let left =
        serving.metrics(&["unskew_sessions ", "unskew_session_bytes{", "unskew_handles "])?;
    println!("\nleft: {left}");
    for (client, error) in outcome.errors.iter().take(10) {
        println!("client {client}: {error}");
    }
    if outcome.errors.is_empty() { Ok(()) } else { Err("clients had errors".into()) }
}
