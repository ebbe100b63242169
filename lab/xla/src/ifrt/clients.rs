//! `cargo lab ifrt clients`: JAX releases on a server of every plug-in, as a table.
//!
//! The server is `unskew serve`, with four devices. A client runs the steps of `lab/xla/probes/proxy_steps.py`,
//! and trains a small network, whose losses are compared with those of the same release on the same plug-in
//! without a server, where it loads it. Environments that are missing are made.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use unskew_jax_matrix::{JaxHost, PLUGINS, PROXY_STEPS, ProxyServer, directly};
use unskew_lab_harness::WritePage;
use unskew_lab_harness::environment::Environment;
use unskew_peers::ProbeOutcome;

use super::clients_page::{self, Cell, Row, Training};

/// The releases that are run unless others are named: one for each dialect of the protocol that a client of
/// jaxlib ever had.
const RELEASES: [&str; 7] = ["0.4.31", "0.5.3", "0.6.2", "0.7.2", "0.8.3", "0.9.2", "0.10.2"];

/// Which releases of JAX are run as clients, on which plug-ins.
#[derive(clap::Args)]
pub struct Clients {
    /// A JAX release; seven from 0.4.31 to 0.10.2 if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// A shared object; the plug-ins of the corpus if none is named.
    #[arg(long = "plugin")]
    plugins: Vec<PathBuf>,
    /// How many seconds a client may take.
    #[arg(long, default_value_t = 240)]
    limit: u64,
    #[command(flatten)]
    write: WritePage,
}

/// Runs every client on every plug-in, and prints what worked.
///
/// # Errors
/// If an environment or a server cannot be had, or a step fails.
pub fn run(clients: &Clients) -> anyhow::Result<()> {
    let hosts = hosts(&clients.releases)?;
    let server = server()?;
    let limit = Duration::from_secs(clients.limit);
    let plugins = plugins(&clients.plugins);
    let mut rows: Vec<Row> = hosts.iter().map(|host| Row::of(host.clone())).collect();
    for (name, path) in &plugins {
        let path = path.canonicalize().with_context(|| path.display().to_string())?;
        for row in &mut rows {
            // A server for each client: one that brings it down says nothing about the next.
            let served = ProxyServer::start(
                Command::new(&server).arg("serve").arg(&path).args(["--port", "0"]),
            )
            .with_context(|| format!("unskew serve {}", path.display()))?;
            let steps = served.client(&row.host, "proxy_steps.py", limit)?;
            let training = served.client(&row.host, "proxy_training.py", limit)?;
            let direct = directly(&row.host, &path, "proxy_training.py", limit)?;
            let cell = Cell { steps, training: judge(&training, &direct) };
            eprintln!("jax {} on {name}: {cell}", row.host.version);
            row.cells.push(cell);
        }
    }
    let names: Vec<&str> = plugins.iter().map(|(name, _)| name.as_str()).collect();
    let table = clients_page::table(&names, &rows);
    clients_page::PAGE.publish(clients_page::HEAD, &table, &clients.write)?;
    let failed = rows.iter().flat_map(|row| &row.cells).filter(|cell| !cell.is_good()).count();
    ensure!(failed == 0, "{failed} of {} pairs fail", rows.len() * plugins.len());
    Ok(())
}

/// What came of the training on the server, by what came of it without.
fn judge(served: &ProbeOutcome, direct: &ProbeOutcome) -> Training {
    let losses = |outcome: &ProbeOutcome| {
        let step = outcome.steps.first().filter(|_| outcome.failure().is_none())?;
        Some(step.detail.clone())
    };
    match (losses(served), losses(direct)) {
        (None, _) => Training::Failed,
        (Some(_), None) => Training::NotLoaded,
        (Some(served), Some(direct)) if served == direct => Training::Equal,
        (Some(_), Some(_)) => Training::Differs,
    }
}

fn hosts(named: &[String]) -> anyhow::Result<Vec<JaxHost>> {
    let all: Vec<String> = RELEASES.iter().map(|release| (*release).to_owned()).collect();
    let wanted = if named.is_empty() { &all } else { named };
    let host = |release: &String| {
        Environment::named(&format!("jax-{release}"))?.make()?;
        Ok(JaxHost::named(release)?)
    };
    wanted.iter().map(host).collect()
}

/// The plug-ins with the names that the page calls them by; those of the corpus if none is named.
fn plugins(named: &[PathBuf]) -> Vec<(String, PathBuf)> {
    if named.is_empty() {
        let all = PLUGINS.iter();
        return all.map(|it| (format!("{} (0.{})", it.name, it.minor), it.path())).collect();
    }
    named.iter().map(|path| (path.display().to_string(), path.clone())).collect()
}

/// The command `unskew`, which is built first.
pub(super) fn server() -> anyhow::Result<PathBuf> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "unskew-cli", "--features", "serve"])
        .current_dir(unskew_peers::root())
        .status()
        .context("cargo")?;
    ensure!(built.success(), "`cargo build --package unskew-cli` failed");
    let here = std::env::current_exe()?;
    let server = here.with_file_name("unskew");
    ensure!(server.is_file(), "cargo built no {}", server.display());
    Ok(server)
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {PROXY_STEPS}, training {}", self.steps.passed(), self.training.text())?;
        match self.steps.failure() {
            Some((step, why)) => write!(f, "; {step}: {why}"),
            None => Ok(()),
        }
    }
}
