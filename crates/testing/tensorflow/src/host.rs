//! TensorFlow releases in environments of the corpus.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use unskew_core::Version;
use unskew_jax_matrix::{Outcome, run_probe};

/// A TensorFlow release that can be run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host {
    /// The release.
    pub version: Version,
    /// The interpreter of its environment.
    pub python: PathBuf,
}

/// Why a host cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// What was given is no version.
    #[error("not a version of TensorFlow: {0}")]
    Version(String),
    /// Its environment was not made.
    #[error("`cargo xtask corpus` makes the environments of the tests; missing: tensorflow-{0}")]
    Missing(String),
}

impl Host {
    /// The host of this version, such as `2.15.1`.
    ///
    /// # Errors
    /// If the corpus has no environment with it.
    pub fn named(version: &str) -> Result<Self, HostError> {
        let parsed = version.parse().map_err(|_| HostError::Version(version.to_owned()))?;
        let place = format!("corpus/python/tensorflow-{version}/bin/python");
        let python = crate::root().join(place);
        if !python.exists() {
            return Err(HostError::Missing(version.to_owned()));
        }
        Ok(Self { version: parsed, python })
    }

    /// The interpreter, with nothing of this process in its surroundings that TensorFlow would go by.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        // What a developer set for another TensorFlow must not reach this one.
        for name in ["PYTHONPATH", "PYTHONHOME", "TF_XLA_FLAGS", "TF_PLUGGABLE_DEVICE_LIBRARY_PATH"]
        {
            command.env_remove(name);
        }
        // The tests of the SDK find the stub by this, which TensorFlow must not.
        command.env_remove("LD_LIBRARY_PATH").env("TF_ENABLE_ONEDNN_OPTS", "0");
        command
    }

    /// Runs the probe on a plug-in for at most this long.
    ///
    /// # Errors
    /// If the process cannot be started or watched. Whatever becomes of it after that is the outcome.
    pub fn run(&self, plugin: &Path, device_type: &str, limit: Duration) -> io::Result<Outcome> {
        run_probe(&mut self.probe("tf_steps.py", &[plugin, Path::new(device_type)]), limit)
    }
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
