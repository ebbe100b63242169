//! PyTorch releases in environments of the corpus.

use std::path::{Path, PathBuf};
use std::process::Command;

use unskew_core::Version;

use crate::stubs;

/// A PyTorch release that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The release.
    pub version: Version,
    /// The interpreter of its environment.
    pub python: PathBuf,
    /// Where the libraries lie that stand for those of a GPU.
    stubs: PathBuf,
}

/// Why a host cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// What was given is no version.
    #[error("not a version of PyTorch: {0}")]
    Version(String),
    /// Its environment was not made.
    #[error("`cargo xtask corpus` makes the environments of the tests; missing: torch-{0}")]
    Missing(String),
    /// What stands for the libraries of a GPU was not made.
    #[error("no libraries in the place of those of a GPU: {0}")]
    Stubs(#[from] stubs::StubError),
}

impl Host {
    /// The host of this version, such as `2.15.0`.
    ///
    /// # Errors
    /// If the corpus has no environment with it, or the libraries that stand for those of a GPU cannot be made.
    pub fn named(version: &str) -> Result<Self, HostError> {
        let parsed = version.parse().map_err(|_| HostError::Version(version.to_owned()))?;
        let place = crate::root().join(format!("corpus/python/torch-{version}"));
        let missing = || HostError::Missing(version.to_owned());
        let python = place.join("bin/python");
        let package = package(&place).filter(|_| python.exists()).ok_or_else(missing)?;
        let stubs = place.join("stubs");
        stubs::make(&package, &stubs)?;
        Ok(Self { version: parsed, python, stubs })
    }

    /// The interpreter, with nothing of this process in its surroundings that PyTorch would go by.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        for name in ["PYTHONPATH", "PYTHONHOME"] {
            command.env_remove(name);
        }
        command.env("LD_LIBRARY_PATH", &self.stubs).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

/// Where the package lies in an environment.
fn package(environment: &Path) -> Option<PathBuf> {
    let pythons = environment.join("lib").read_dir().ok()?;
    let mut packages = pythons.flatten().map(|entry| entry.path().join("site-packages/torch"));
    packages.find(|package| package.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_is_not_there_says_what_makes_it() {
        let error = Host::named("99.0.0").err().map(|error| error.to_string());
        assert!(error.is_some_and(|text| text.contains("cargo xtask corpus")));
    }
}
