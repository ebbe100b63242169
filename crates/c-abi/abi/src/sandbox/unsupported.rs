//! Systems on which no plug-in is run.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use super::readable::Readable;
use super::{Bounds, ChildOutput, Confinement};

/// A child process that is never started here.
#[derive(Debug)]
pub struct SandboxedChild {
    never: std::convert::Infallible,
}

impl SandboxedChild {
    /// Starts nothing.
    ///
    /// # Errors
    /// Always.
    pub fn start(_: Command, _: Confinement) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "plug-ins are run on Unix only"))
    }

    /// Never called: no trial can be started on this system.
    pub fn hear(&self, _: Duration) -> ChildOutput {
        match self.never {}
    }

    /// Never called: no trial can be started on this system.
    pub fn end(self, _: bool) -> (io::Result<ExitStatus>, String) {
        match self.never {}
    }
}

/// A process that is never entered here.
#[derive(Debug)]
pub struct Supervisor {
    never: std::convert::Infallible,
}

impl Supervisor {
    /// Enters nothing.
    ///
    /// # Errors
    /// Always.
    pub fn enter(_: Bounds, _: Vec<Readable>) -> Result<Self, String> {
        Err("plug-ins are run on Unix only".to_owned())
    }

    /// Never called: nothing can be entered on this system.
    pub fn run_to_the_end(&self, _: impl FnOnce() -> i32) -> i32 {
        match self.never {}
    }
}

pub fn say(_: &str) {}
