//! One host on one plug-in.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::{End, Host, Outcome};

/// A host and a plug-in.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The JAX release.
    pub host: Host,
    /// The shared object that it loads.
    pub plugin: PathBuf,
    /// Whether `unskew_jax` gives the plug-in jaxlib's handlers first.
    pub handlers: bool,
}

impl Cell {
    /// A cell in which JAX gets the plug-in as it is.
    pub fn new(host: &Host, plugin: impl Into<PathBuf>) -> Self {
        Self { host: host.clone(), plugin: plugin.into(), handlers: false }
    }

    /// The same, with the handlers of jaxlib given to the plug-in.
    #[must_use]
    pub fn with_handlers(mut self) -> Self {
        self.handlers = true;
        self
    }

    /// Runs the probe for at most this long.
    ///
    /// # Errors
    /// If the process cannot be started or watched. Whatever becomes of it after that is the outcome.
    pub fn run(&self, limit: Duration) -> io::Result<Outcome> {
        run_probe(&mut self.command(), limit)
    }

    fn command(&self) -> Command {
        let python = crate::root().join("python");
        let mut command = Command::new(&self.host.python);
        command.arg(python.join("probe/jax_steps.py"));
        command.env("PJRT_NAMES_AND_LIBRARY_PATHS", format!("vcpu:{}", self.plugin.display()));
        // What a developer set for another JAX must not reach this one.
        for name in ["PYTHONPATH", "PYTHONHOME", "XLA_FLAGS", "ENABLE_PJRT_COMPATIBILITY"] {
            command.env_remove(name);
        }
        if self.handlers {
            command.arg("--handlers").env("PYTHONPATH", python.join("unskew_jax"));
            // JAX runs the Python function of a callback on its own CPU backend. The first platform is the
            // one that programs run on, and JAX fails if it cannot be had.
            command.env("JAX_PLATFORMS", "vcpu,cpu");
        } else {
            command.env("JAX_PLATFORMS", "vcpu");
        }
        command
    }
}

/// Runs a probe, whatever it is written for, for at most this long.
///
/// # Errors
/// If the process cannot be started or watched. Whatever becomes of it after that is the outcome.
pub fn run_probe(command: &mut Command, limit: Duration) -> io::Result<Outcome> {
    let scratch = tempfile::tempdir()?;
    let (printed, errors) = (scratch.path().join("printed"), scratch.path().join("errors"));
    // Files, not pipes: what a library writes may be more than a pipe holds.
    let mut child = command
        .stdin(Stdio::null())
        .stdout(File::create(&printed)?)
        .stderr(File::create(&errors)?)
        .spawn()?;
    let begun = Instant::now();
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break ended(status);
        }
        if begun.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            break End::TimedOut;
        }
        thread::sleep(Duration::from_millis(20));
    };
    Ok(Outcome::new(&text(&printed)?, &text(&errors)?, end))
}

/// Runs all of them, so many at a time, and returns what came of each, in their order.
///
/// # Errors
/// The first error of a cell that could not be run.
pub fn run_all(cells: &[Cell], jobs: usize, limit: Duration) -> io::Result<Vec<Outcome>> {
    run_each(cells, jobs, limit, &|_, _| ())
}

/// The same, telling `report` of each cell when it is done.
///
/// # Errors
/// The first error of a cell that could not be run.
pub fn run_each(
    cells: &[Cell],
    jobs: usize,
    limit: Duration,
    report: &(dyn Fn(&Cell, &Outcome) + Sync),
) -> io::Result<Vec<Outcome>> {
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<io::Result<Outcome>>> =
        cells.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let (Some(cell), Some(place)) = (cells.get(index), results.get(index)) else { break };
            let result = place.get_or_init(|| cell.run(limit));
            if let Ok(outcome) = result {
                report(cell, outcome);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(work);
        }
    });
    let taken = results.into_iter().map(OnceLock::into_inner);
    taken
        .map(|result| result.unwrap_or_else(|| Err(io::Error::other("a cell was not run"))))
        .collect()
}

fn text(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

#[cfg(unix)]
fn ended(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(0), _) => End::Finished,
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}

#[cfg(not(unix))]
fn ended(status: ExitStatus) -> End {
    match status.code() {
        Some(0) => End::Finished,
        code => End::Code(code.unwrap_or(-1)),
    }
}
