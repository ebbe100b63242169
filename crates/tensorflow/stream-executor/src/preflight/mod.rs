//! A plug-in on trial: hosts of every age, and hosts that no release is, played in a child process.
//!
//! In a real TensorFlow any mistake at registration ends the process, most without a word, and so does a
//! plug-in that refuses a host, as the interface tells it to. So a plug-in is asked here first: a child
//! process loads it with stand-ins for the libraries of TensorFlow, and plays one host after another, each in
//! a copy of itself with guard bytes around every struct. Whatever a plug-in does, crash, exit, block, write
//! past a struct, is part of a [`PluginTrial`], and a plug-in that refuses is unloaded.
//!
//! | played | what it shows |
//! | --- | --- |
//! | a host of each of the [`eras`] | what happens in those releases: [`findings`] |
//! | version 1.0.0, 99.0.0 | whether the plug-in compares major versions, as it should |
//! | `struct_size` 0, 1, 2^40 in every struct | whether it looks at sizes |
//! | structs that are 64 bytes longer | whether it will work with hosts of the future |
//! | structs that end one field earlier | whether it writes only what is there |
//! | no structs, a second registration | whether it survives what no host should do |
//! | `TF_InitKernel`, `TF_InitGraph`, `TF_InitProfiler` | what comes after registration, each in a process of its own |
//!
//! ```
//! use std::process::Command;
//! use std::time::Duration;
//! use unskew_abi::sandbox::Confinement;
//! use unskew_stream_executor::preflight::preflight_in_child;
//!
//! // Where no child can be started, nothing is known, and that is said.
//! let limit = Duration::from_secs(1);
//! let nothing = preflight_in_child(Command::new("/nowhere"), limit, Confinement::Sandbox);
//! assert!(nothing.trials.is_empty());
//! assert!(nothing.failure.is_some());
//! ```
//!
//! Played on Linux on x86-64; elsewhere a plug-in is only read.

mod child;
mod facts;
mod findings;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod plan;
mod release_groups;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) mod stand_in;
mod trial;
mod usage;

pub use child::{DEFAULT_LIMIT, child_main, preflight_in_child};
pub use facts::entries;
pub(crate) use facts::facts;
pub use findings::{findings, remarks};
pub(crate) use release_groups::era_of;
pub use release_groups::eras;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) use trial::VERSION;
pub use trial::{
    HostScript, NullField, ObservedStruct, PluginEntry, PluginTrial, Skew, TracedCall, TrialEnd,
};

pub(crate) use usage::of_entries;
pub use usage::{PluginLoadResult, PluginUsage, faults, usages};

use serde::{Deserialize, Serialize};
use unskew_abi::{ObjectFormat, SharedObject};

/// What a plug-in did with every host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preflight {
    /// What was played, the hosts of releases first and the newest of them first.
    pub trials: Vec<PluginTrial>,
    /// Why nothing, or not everything, was played.
    pub failure: Option<PreflightFailure>,
}

/// Why a plug-in cannot be put on trial on this machine, as its file says; none if nothing is known to
/// stand against it.
pub fn obstacle(object: &SharedObject) -> Option<String> {
    let here = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    let runs = object.format == ObjectFormat::Elf && object.machine == "x86-64";
    match (here, runs) {
        (true, true) => None,
        (true, false) => Some(format!("it is built for {} {}", object.format, object.machine)),
        (false, _) => Some("plug-ins are put on trial on Linux on x86-64 only".to_owned()),
    }
}

/// `1 byte`, `24 bytes`.
fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

/// Why a plug-in could not be put on trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum PreflightFailure {
    /// The system's loader refuses it.
    #[error("does not load here: {0}")]
    NotLoaded(String),
    /// Loading it ended the process.
    #[error("loading it ends the process: {0}")]
    Died(String),
    /// It was not loaded in time.
    #[error("it was not loaded within {0} s")]
    Late(u64),
    /// It was loaded, and then the child did not go on.
    #[error("after it was loaded, its process did not go on within {0} s")]
    Stopped(u64),
    /// Nobody has run it, or the sandbox does not let it do what it needs: nothing is known.
    #[error("{0}")]
    NotRun(String),
    /// The child process could not be started, or its answer not be read.
    #[error("{0}")]
    NotAsked(String),
}

impl Preflight {
    /// That the plug-in was not asked, and why.
    pub fn not_asked(reason: impl Into<String>) -> Self {
        Self { trials: Vec::new(), failure: Some(PreflightFailure::NotAsked(reason.into())) }
    }

    /// That nobody has run the plug-in, and why.
    pub fn not_run(reason: impl Into<String>) -> Self {
        Self { trials: Vec::new(), failure: Some(PreflightFailure::NotRun(reason.into())) }
    }

    /// What it did with the host of a release, by its minor.
    pub fn of_release(&self, minor: u32) -> Option<&PluginTrial> {
        self.entered(PluginEntry::Device, minor)
    }

    /// What it did with the host of a release that goes through an entry.
    pub fn entered(&self, entry: PluginEntry, minor: u32) -> Option<&PluginTrial> {
        let era = era_of(minor, entry)?;
        self.trial_of(HostScript::through(era.first.minor, entry))
    }

    /// The name of the platform that it registers.
    pub fn platform(&self) -> Option<&str> {
        let mut named = self.trials.iter().filter(|trial| trial.is_accepted());
        named.find_map(|trial| trial.name.as_deref())
    }

    /// What it did with this host.
    pub fn trial_of(&self, script: HostScript) -> Option<&PluginTrial> {
        self.trials.iter().find(|trial| trial.script == script)
    }

    /// What it did with the host that differs so from the newest release.
    pub fn with(&self, skew: Skew) -> Option<&PluginTrial> {
        self.trials.iter().find(|trial| trial.script.skew == skew)
    }
}
