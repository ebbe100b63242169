//! Releases in environments of the corpus.

use std::path::{Path, PathBuf};
use std::process::Command;

use unskew_core::Version;

/// Says whether tests run real releases: `1`, and one that is missing is a failure; `0`, and none is run, there or not.
const REAL: &str = "UNSKEW_REAL";

/// What a developer set for another release, and must not reach this one.
const OTHERS: [&str; 9] = [
    "PYTHONPATH",
    "PYTHONHOME",
    "XLA_FLAGS",
    "JAX_PLATFORMS",
    "PJRT_NAMES_AND_LIBRARY_PATHS",
    "ENABLE_PJRT_COMPATIBILITY",
    "TF_XLA_FLAGS",
    "TF_PLUGGABLE_DEVICE_LIBRARY_PATH",
    // Cargo names libraries for tests by this.
    "LD_LIBRARY_PATH",
];

/// A release that can be run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peer {
    /// The release in the environment.
    pub version: Version,
    /// The interpreter of its environment.
    pub python: PathBuf,
}

/// Why a release cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// What was given is no version.
    #[error("not a version of {family}: {text}")]
    Version {
        /// The family that was wanted, such as `jax`.
        family: String,
        /// The text that names no release.
        text: String,
    },
    /// Its environment was not made.
    #[error(
        "`cargo xtask test --real` makes the environments of the tests, `cargo xtask corpus --all-FAMILY` those of all \
         releases; missing: {0}"
    )]
    Missing(String),
}

impl Peer {
    /// The release of this family and version, such as `jax` and `0.10.2`.
    ///
    /// # Errors
    /// If the corpus has no environment with it.
    pub fn named(family: &str, version: &str) -> Result<Self, PeerError> {
        let wrong = |_| PeerError::Version { family: family.to_owned(), text: version.to_owned() };
        let parsed = version.parse().map_err(wrong)?;
        let name = format!("{family}-{version}");
        let python = interpreter(&name);
        if !python.exists() {
            return Err(PeerError::Missing(name));
        }
        Ok(Self { version: parsed, python })
    }

    /// The versions of a family that the corpus has environments for, in no order.
    pub fn versions(family: &str) -> Vec<String> {
        let folder = crate::root().join("corpus/python");
        let names = folder.read_dir().into_iter().flatten().flatten();
        let version = |name: String| {
            let version = name.strip_prefix(family)?.strip_prefix('-')?;
            Self::named(family, version).ok().map(|_| version.to_owned())
        };
        names.filter_map(|entry| version(entry.file_name().into_string().ok()?)).collect()
    }

    /// The folder of the environment.
    pub fn folder(&self) -> &Path {
        self.python.ancestors().nth(2).unwrap_or(&self.python)
    }

    /// The interpreter, with nothing of this process in its surroundings that a framework would go by.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        for name in OTHERS {
            command.env_remove(name);
        }
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("TF_ENABLE_ONEDNN_OPTS", "0");
        command
    }

    /// The interpreter on `lab/SUBJECT/probes/SCRIPT`.
    pub fn probe(&self, subject: &str, script: &str) -> Command {
        let mut command = self.command();
        command.arg(crate::probe(subject, script));
        command
    }
}

fn interpreter(name: &str) -> PathBuf {
    crate::root().join("corpus/python").join(name).join("bin/python")
}

/// Whether a test is to use this environment, such as `jax-0.10.2`. If not, prints why: the line in which a test says
/// that it was skipped.
#[must_use]
pub fn there(name: &str) -> bool {
    let made = interpreter(name).exists();
    let there = match std::env::var(REAL).as_deref() {
        Ok("0") => false,
        Ok("1") => true,
        _ => made,
    };
    if !there {
        println!("skipped: needs {name}; `cargo xtask test --real` runs it");
    }
    there
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_that_is_not_there_says_what_makes_it() {
        let said = Peer::named("jax", "99.0.0").map_err(|error| error.to_string());
        assert!(said.is_err_and(|said| said.contains("cargo xtask corpus")));
        let said = Peer::named("jax", "x").map_err(|error| error.to_string());
        assert_eq!(said, Err("not a version of jax: x".to_owned()));
    }
}
