//! Workbench of the checks of one child process: the plug-in, a client, a compiled program.

use std::path::{Path, PathBuf};

use super::check_outcome::CheckOutcome;
use super::program::{ADD, OPTIONS, TestProgram};
use crate::host::{Client, Device, LoadError, LoadedExecutable, PjrtProgram, Plugin};
use crate::sys::Api;
use crate::sys::calls::open_plugin;
use crate::sys::calls::plugin::Resident;
use crate::sys::trial::Questions;

/// The plug-in and what was made of it so far.
pub(crate) struct Bench {
    path: PathBuf,
    resident: &'static Resident,
    client: Option<Client>,
    program: Option<LoadedExecutable>,
    /// What the plug-in says to a program as text, if it takes that program as an artifact only.
    pub(crate) refused_text: Option<String>,
    /// What may end the process, and how it was answered.
    pub(crate) questions: Questions,
}

impl Bench {
    /// Loads the plug-in, and has it do nothing yet.
    pub(crate) fn open(path: &Path, questions: Questions) -> Result<Self, String> {
        let opened = open_plugin(path).map_err(|error| error.to_string())?;
        let resident = opened.map_err(|error| error.to_string())?;
        let path = path.to_owned();
        Ok(Self { path, resident, client: None, program: None, refused_text: None, questions })
    }

    pub(crate) fn api(&self) -> &'static Api {
        &self.resident.api
    }

    /// Has the plug-in set itself up, once.
    pub(crate) fn initialize(&self) -> Result<(), CheckOutcome> {
        self.resident.initialize().map_err(CheckOutcome::of_start)
    }

    /// The plug-in, set up.
    pub(crate) fn plugin(&self) -> Result<Plugin, CheckOutcome> {
        Plugin::load(&self.path).map_err(|error| match error {
            LoadError::Initialize { cause, .. } => CheckOutcome::of_start(cause),
            error => CheckOutcome::Fail(error.to_string()),
        })
    }

    /// The client, made when it is first asked for.
    pub(crate) fn client(&mut self) -> Result<Client, CheckOutcome> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let made = self.plugin()?.create_client(&[]);
        let client = made.map_err(|error| match error {
            crate::host::Error::Call(cause) => CheckOutcome::of_start(cause),
            error => error.into(),
        })?;
        self.client = Some(client.clone());
        Ok(client)
    }

    /// The first device that can be used.
    pub(crate) fn device(&mut self) -> Result<(Client, Device), CheckOutcome> {
        let client = self.client()?;
        let first = client.addressable_devices()?.into_iter().next();
        let device = first.ok_or_else(|| CheckOutcome::NotRun("there is no device".to_owned()))?;
        Ok((client, device))
    }

    pub(crate) fn program(&mut self) -> Result<&LoadedExecutable, CheckOutcome> {
        if self.program.is_none() {
            self.program = Some(self.compile(&ADD, OPTIONS)?);
        }
        self.program.as_ref().ok_or_else(|| CheckOutcome::NotRun("no program".to_owned()))
    }

    /// Compiles a program as text, or as an artifact for a plug-in that takes no text.
    ///
    /// # Errors
    /// What the plug-in says to the text, if it compiles neither.
    pub(crate) fn compile(
        &mut self,
        program: &TestProgram,
        options: &[u8],
    ) -> Result<LoadedExecutable, CheckOutcome> {
        let client = self.client()?;
        let artifact = || client.compile(PjrtProgram::mlir(program.artifact), options);
        if self.refused_text.is_some() {
            return Ok(artifact()?);
        }
        client.compile(PjrtProgram::mlir(program.text), options).or_else(|refusal| {
            let compiled = artifact().map_err(|_| CheckOutcome::from(refusal.clone()))?;
            self.refused_text = Some(refusal.to_string());
            Ok(compiled)
        })
    }

    /// Frees what was made but for the client, which is what is left.
    pub(crate) fn take_client(&mut self) -> Result<Client, CheckOutcome> {
        let client = self.client()?;
        self.program = None;
        self.client = None;
        Ok(client)
    }
}
