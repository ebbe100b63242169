//! Systems on which no plug-in is run.

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use super::{Bounds, Confinement, Heard};

/// A child process that is never started here.
#[derive(Debug)]
pub struct Trial {
    never: std::convert::Infallible,
}

impl Trial {
    /// Starts nothing.
    ///
    /// # Errors
    /// Always.
    pub fn start(_: Command, _: Confinement) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "plug-ins are run on Unix only"))
    }

    /// Never called: no trial can be started on this system.
    pub fn hear(&self, _: Duration) -> Heard {
        match self.never {}
    }

    /// Never called: no trial can be started on this system.
    pub fn end(self, _: bool) -> (io::Result<ExitStatus>, String) {
        match self.never {}
    }
}

/// Enters nothing.
///
/// # Errors
/// Always.
pub fn enter(_: Bounds, _: &[PathBuf]) -> Result<(), String> {
    Err("plug-ins are run on Unix only".to_owned())
}

pub fn say(_: &str) {}
