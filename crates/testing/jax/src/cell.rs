//! Cell of the JAX table: one host on one plug-in.

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use unskew_peers::{ProbeOutcome, root, run_probe};

use crate::JaxHost;

/// How many steps `lab/xla/probes/jax_steps.py` has.
pub const STEPS: usize = 21;

/// A host and a plug-in.
#[derive(Debug, Clone)]
pub struct JaxCell {
    /// The release of JAX and its environment.
    pub host: JaxHost,
    /// The shared object that it loads.
    pub plugin: PathBuf,
    /// Whether `unskew_jax` gives the plug-in jaxlib's handlers first.
    pub handlers: bool,
}

impl JaxCell {
    /// A cell in which JAX gets the plug-in as it is.
    pub fn new(host: &JaxHost, plugin: impl Into<PathBuf>) -> Self {
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
    pub fn run(&self, limit: Duration) -> io::Result<ProbeOutcome> {
        run_probe(&mut self.command(), limit)
    }

    fn command(&self) -> Command {
        let mut command = self.host.peer.probe("xla", "jax_steps.py");
        command.env("PJRT_NAMES_AND_LIBRARY_PATHS", format!("vcpu:{}", self.plugin.display()));
        if self.handlers {
            command.arg("--handlers").env("PYTHONPATH", root().join("python/unskew_jax"));
            // JAX runs the Python function of a callback on its own CPU backend. The first platform is the
            // one that programs run on, and JAX fails if it cannot be had.
            command.env("JAX_PLATFORMS", "vcpu,cpu");
        } else {
            command.env("JAX_PLATFORMS", "vcpu");
        }
        command
    }
}

/// Runs all of them, so many at a time, and returns what came of each, in their order.
///
/// # Errors
/// The first error of a cell that could not be run.
pub fn run_all(cells: &[JaxCell], jobs: usize, limit: Duration) -> io::Result<Vec<ProbeOutcome>> {
    run_each(cells, jobs, limit, &|_, _| ())
}

/// The same, telling `report` of each cell when it is done.
///
/// # Errors
/// The first error of a cell that could not be run.
pub fn run_each(
    cells: &[JaxCell],
    jobs: usize,
    limit: Duration,
    report: &(dyn Fn(&JaxCell, &ProbeOutcome) + Sync),
) -> io::Result<Vec<ProbeOutcome>> {
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<io::Result<ProbeOutcome>>> =
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
