//! PyTorch releases in environments of the corpus.

use std::path::{Path, PathBuf};
use std::process::Command;

use unskew_core::Version;
use unskew_peers::{Peer, PeerError};

use crate::stubs;

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

/// Why a host cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// There is no such environment.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// The environment has no PyTorch.
    #[error("no package torch in {}", .0.display())]
    Package(PathBuf),
    /// What stands for the libraries of a GPU was not made.
    #[error("no libraries in the place of those of a GPU: {0}")]
    Stubs(#[from] stubs::StubError),
}

impl TorchHost {
    /// The host of this version, such as `2.15.0`.
    ///
    /// # Errors
    /// If the corpus has no environment with it, or the libraries that stand for those of a GPU cannot be made.
    pub fn named(version: &str) -> Result<Self, HostError> {
        let peer = Peer::named("torch", version)?;
        let place = peer.folder();
        let package = package(place).ok_or_else(|| HostError::Package(place.to_owned()))?;
        let stubs = place.join("stubs");
        stubs::make(&package, &stubs)?;
        Ok(Self { version: peer.version, peer, stubs })
    }

    /// The interpreter, with nothing of this process in its surroundings that PyTorch would go by.
    pub fn command(&self) -> Command {
        let mut command = self.peer.command();
        command.env("LD_LIBRARY_PATH", &self.stubs);
        command
    }
}

/// Where the package lies in an environment.
fn package(environment: &Path) -> Option<PathBuf> {
    let pythons = environment.join("lib").read_dir().ok()?;
    let mut packages = pythons.flatten().map(|entry| entry.path().join("site-packages/torch"));
    packages.find(|package| package.is_dir())
}
