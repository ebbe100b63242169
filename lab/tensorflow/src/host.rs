//! TensorFlow releases in environments of the corpus.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use unskew_core::Version;
use unskew_peers::{Peer, PeerError, ProbeOutcome, run_probe};

/// A TensorFlow release that can be run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TensorFlowHost {
    /// The release of TensorFlow.
    pub version: Version,
    /// The environment in which it runs.
    pub peer: Peer,
}

impl TensorFlowHost {
    /// The host of this version, such as `2.15.1`.
    ///
    /// # Errors
    /// If the corpus has no environment with it.
    pub fn named(version: &str) -> Result<Self, PeerError> {
        let peer = Peer::named("tensorflow", version)?;
        Ok(Self { version: peer.version, peer })
    }

    /// The interpreter, with nothing of this process in its surroundings that TensorFlow would go by.
    pub fn command(&self) -> Command {
        self.peer.command()
    }

    /// Runs the probe on a plug-in for at most this long.
    ///
    /// # Errors
    /// If the process cannot be started or watched. Whatever becomes of it after that is the outcome.
    pub fn run(
        &self,
        plugin: &Path,
        device_type: &str,
        limit: Duration,
    ) -> io::Result<ProbeOutcome> {
        run_probe(self.peer.probe("tensorflow", "tf_steps.py").arg(plugin).arg(device_type), limit)
    }
}
