//! What the checks of one child process share: the plug-in, a client, a compiled program.

use std::path::Path;

use super::outcome::Outcome;
use super::program::{ADD, OPTIONS};
use crate::sys::trial::{Client, Device, Program, Trial};

/// The plug-in and what was made of it so far.
pub(crate) struct Bench {
    /// The plug-in.
    pub(crate) trial: &'static Trial,
    client: Option<Client>,
    program: Option<Program>,
}

impl Bench {
    /// Loads the plug-in.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        Ok(Self { trial: Trial::open(path)?, client: None, program: None })
    }

    /// The client, made when it is first asked for.
    pub(crate) fn client(&mut self) -> Result<Client, Outcome> {
        if let Some(client) = self.client {
            return Ok(client);
        }
        // What was initialized before may answer with an error; the client tells.
        let _ = self.trial.initialize();
        let client = self.trial.client()?;
        self.client = Some(client);
        Ok(client)
    }

    /// The first device that can be used.
    pub(crate) fn device(&mut self) -> Result<(Client, Device), Outcome> {
        let client = self.client()?;
        let first = client.addressable()?.first().copied();
        let device = first.ok_or_else(|| Outcome::NotRun("there is no device".to_owned()))?;
        Ok((client, device))
    }

    /// A compiled addition.
    pub(crate) fn program(&mut self) -> Result<Program, Outcome> {
        if let Some(program) = self.program {
            return Ok(program);
        }
        let program = self.client()?.compile(ADD.as_bytes(), "mlir", OPTIONS)?;
        self.program = Some(program);
        Ok(program)
    }
}
