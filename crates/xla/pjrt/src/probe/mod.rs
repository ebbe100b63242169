//! Probe of a plug-in: what it says of itself when it is loaded and asked.

pub(crate) mod child;
mod compile;
mod files;
mod libraries;

pub use child::{DEFAULT_LIMIT, child_main, probe_in_child};
pub use compile::{
    CompileJob, CompileOutcome, CompileTrial, compile_child_main, compile_in_children, write_jobs,
};
pub(crate) use files::files;
pub(crate) use libraries::with_packages;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use unskew_core::Version;

use crate::attribute::{Attribute, PjrtValue};
use crate::layout;

/// What a plug-in says of itself, without any device: version, table, extensions, attributes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The major version of the PJRT C API that it was built with.
    pub major: i32,
    /// The minor version that the function table reports.
    pub minor: i32,
    /// The size that its `PJRT_Api_Version` announces: 0 in plug-ins that fill in no sizes, and, as
    /// measured, check none either.
    pub version_size: u64,
    /// The size that its `PJRT_Api` announces, in bytes.
    pub table_size: u64,
    /// The offsets of the slots within that size that hold no function.
    pub empty_slots: Vec<u64>,
    /// Its extensions, in the order of the chain.
    pub extensions: Vec<Extension>,
    /// Why the chain of extensions could not be walked to its end.
    pub extensions_broken: Option<String>,
    /// Its attributes; none if it was not asked or did not answer.
    pub attributes: Option<Vec<Attribute>>,
    /// Why there are no attributes.
    pub attributes_refused: Option<String>,
    /// For each struct of which it was measured, by name: the least size that the plug-in accepts from a host, in bytes; 0
    /// if it answers that it has no such function, whatever the size. What is not here was not measured, or belongs to a
    /// plug-in that does not look at sizes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accepted_sizes: BTreeMap<String, u64>,
}

/// One extension of a plug-in. An extension has a type and a size, and no version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// The number of `PJRT_Extension_Type`.
    pub kind: i32,
    /// The size that it announces, in bytes; none in plug-ins below 0.45, where none did.
    pub size: Option<u64>,
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match layout::extension_name(self.kind) {
            Some(name) => f.write_str(name)?,
            None => write!(f, "type {}", self.kind)?,
        }
        self.size.map_or(Ok(()), |size| write!(f, ":{size}"))
    }
}

/// How far a look at a plug-in has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeStage {
    /// The child process starts.
    Start,
    /// The shared object is loaded: its constructors run.
    Load,
    /// `GetPjrtApi` is called, and the head of the table read.
    Table,
    /// The chain of extensions is walked.
    Extensions,
    /// The function `PJRT_Plugin_Attributes` is called.
    Attributes,
    /// Functions are called with arguments that are too small, in copies of the child process.
    Sizes,
}

impl fmt::Display for ProbeStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Start => "starting",
            Self::Load => "loading",
            Self::Table => "GetPjrtApi",
            Self::Extensions => "walking its extensions",
            Self::Attributes => "PJRT_Plugin_Attributes",
            Self::Sizes => "measuring the sizes that it accepts",
        })
    }
}

/// Why a plug-in could not be looked at, or not to the end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{cause}, in {stage}")]
pub struct ProbeError {
    /// How the child process ended or what it reported.
    pub cause: ProbeFailure,
    /// How far the look had come.
    pub stage: ProbeStage,
    /// What had been seen until then.
    pub so_far: Option<Box<Probe>>,
    /// The last lines that the plug-in wrote to its error output.
    pub said: String,
}

/// What can happen when foreign code is looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ProbeFailure {
    /// It needs libraries that are not on this machine.
    #[error("needs libraries that are not here: {}", .0.join(", "))]
    MissingLibraries(Vec<String>),
    /// The system's loader refuses it.
    #[error("does not load: {0}")]
    NotLoaded(String),
    /// It exports no `GetPjrtApi`, or that returns nothing usable.
    #[error("{0}")]
    NoTable(String),
    /// It was killed by a signal, or ended the process by itself.
    #[error("ended the process: {0}")]
    Died(String),
    /// It did not answer in time.
    #[error("no answer within {0} s")]
    TimedOut(u64),
    /// Nobody has run it, or the sandbox does not let it do what it needs: nothing is known.
    #[error("{0}")]
    NotRun(String),
    /// The child process could not be started, or its answer not be read.
    #[error("{0}")]
    NotAsked(String),
}

impl Probe {
    /// The version as it is written: `0.81`.
    pub fn version(&self) -> Version {
        Version::pair(self.major.into(), self.minor.into())
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&PjrtValue> {
        let mut attributes = self.attributes.iter().flatten();
        attributes.find(|attribute| attribute.name == name).map(|attribute| &attribute.value)
    }

    /// An attribute that is a version: a list of one to four numbers.
    pub fn version_attribute(&self, name: &str) -> Option<Version> {
        match self.attribute(name)? {
            value @ PjrtValue::Numbers(_) => value.to_string().parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn has_extension(&self, name: &str) -> bool {
        self.extension(name).is_some()
    }

    pub(crate) fn extension(&self, name: &str) -> Option<&Extension> {
        self.extensions.iter().find(|e| layout::extension_name(e.kind) == Some(name))
    }

    /// The true size of its function table in bytes: what its minor really had. Plug-ins of 0.40 to
    /// 0.56 announce less than they have, so the announced size alone does not tell.
    pub fn true_table_size(&self) -> u64 {
        layout::true_table_size(self.minor, self.table_size as usize) as u64
    }

    /// Whether its table has the function of this name, filled in.
    pub(crate) fn has_function(&self, name: &str) -> bool {
        layout::slot(name).is_some_and(|slot| {
            let offset = slot.offset as u64;
            offset + 8 <= self.true_table_size() && !self.empty_slots.contains(&offset)
        })
    }
}
