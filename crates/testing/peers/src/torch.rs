//! PyTorch releases in environments of the corpus.
//!
//! Wheels of PyTorch ask for gigabytes of libraries for GPUs, of which nothing is called on a machine without one. Empty
//! ones are made in their place, beside the package.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stubs::{self, StubError};
use crate::{Peer, PeerError};

/// Why a release of PyTorch cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum TorchError {
    /// There is no such environment.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// The environment has no PyTorch.
    #[error("no package torch in {}", .0.display())]
    Package(PathBuf),
    /// What stands for the libraries of a GPU was not made.
    #[error("no libraries in the place of those of a GPU: {0}")]
    Stubs(#[from] StubError),
}

/// The interpreter of this release, such as `2.15.0`, with nothing of this process in its surroundings that PyTorch would
/// go by.
///
/// # Errors
/// If the corpus has no environment with it, or the libraries that stand for those of a GPU cannot be made.
pub fn torch_command(version: &str) -> Result<Command, TorchError> {
    let peer = Peer::named("torch", version)?;
    let stubs = torch_stubs(&peer)?;
    let mut command = peer.command();
    command.env("LD_LIBRARY_PATH", stubs);
    Ok(command)
}

/// Makes the libraries that stand for those of a GPU in an environment; the folder that they lie in.
///
/// # Errors
/// If the environment has no PyTorch, or they cannot be made.
pub fn torch_stubs(peer: &Peer) -> Result<PathBuf, TorchError> {
    let place = peer.folder();
    let package = package(place).ok_or_else(|| TorchError::Package(place.to_owned()))?;
    let stubs = place.join("stubs");
    stubs::make(&package, &stubs)?;
    Ok(stubs)
}

fn package(environment: &Path) -> Option<PathBuf> {
    let pythons = environment.join("lib").read_dir().ok()?;
    let mut packages = pythons.flatten().map(|entry| entry.path().join("site-packages/torch"));
    packages.find(|package| package.is_dir())
}
