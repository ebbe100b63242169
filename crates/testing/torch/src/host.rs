//! PyTorch releases in environments of the corpus.

use std::path::PathBuf;
use std::process::Command;

use unskew_core::Version;
use unskew_peers::{Peer, TorchError, torch_stubs};

/// A PyTorch release that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TorchHost {
    /// The release of PyTorch.
    pub version: Version,
    /// The environment in which it runs.
    pub peer: Peer,
    /// Where the libraries lie that stand for those of a GPU.
    stubs: PathBuf,
}

impl TorchHost {
    /// The host of this version, such as `2.15.0`.
    ///
    /// # Errors
    /// If the corpus has no environment with it, or the libraries that stand for those of a GPU cannot be made.
    pub fn named(version: &str) -> Result<Self, TorchError> {
        let peer = Peer::named("torch", version)?;
        let stubs = torch_stubs(&peer)?;
        Ok(Self { version: peer.version, peer, stubs })
    }

    /// The interpreter, with nothing of this process in its surroundings that PyTorch would go by.
    pub fn command(&self) -> Command {
        let mut command = self.peer.command();
        command.env("LD_LIBRARY_PATH", &self.stubs);
        command
    }
}
