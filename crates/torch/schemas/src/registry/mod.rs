//! The registry of operator changes: which operators changed and when, what old calls mean to new releases,
//! and new calls to old ones.
//!
//! Three files, the first two as the RFC wants them; functions may stand in a folder of files, too. `operator_versions.yaml` has an entry for each operator
//! that changed in a way that automatic rules do not cover, with a version for each change:
//!
//! ```yaml
//! - func: aten::gelu
//!   version: 10
//!   upgrader: gelu_0_9
//!   schema: "aten::gelu(Tensor self) -> Tensor"
//! ```
//!
//! Files below version 10 mean the schema that stands there. The upgrader is a function of that schema in
//! `operator_upgraders.py`, in TorchScript, which does with today's operators what the old one did.
//!
//! PyTorch's version has been 10 since February 2022, while hundreds of operators went or changed. So a
//! change may be dated by a release instead: `removed_in`, `broken_in` (another schema),
//! `meaning_changed_in` (another result, which no number shows), `added_in`. And it may have *downgraders*:
//! functions of the new schema in `operator_downgraders.py`, each for a range of older releases. The whole
//! form of the files stands in `docs/reference/operator-registry.md`.
//!
//! [`Registry::load`] holds the files against each other: every function is there once, and takes and
//! returns what its schema says. [`Registry::check`] holds what the functions call against the operators of
//! a release. [`Registry::decide`] says what becomes of one call in one release.
//!
//! ```
//! use unskew_ops::{Registry, Sources};
//!
//! let versions = r#"
//! - func: aten::gelu
//!   version: 10
//!   upgrader: gelu_0_9
//!   schema: "aten::gelu(Tensor self) -> Tensor"
//! "#;
//! let upgraders = "
//! def gelu_0_9(self: Tensor) -> Tensor:
//!   return torch.gelu(self, approximate='none')
//! ";
//! let registry = Registry::load(Sources { versions, upgraders, downgraders: "" }).unwrap();
//! assert!(registry.upgrader("aten::gelu", 9).is_some());
//! assert!(registry.upgrader("aten::gelu", 10).is_none());
//! assert_eq!(registry.current(), 10);
//! ```
//!
//! Source: PyTorch RFC 0017, *Operator Versioning*, "Code changes" and "Downgraders for FC".

mod author;
mod calls;
mod check;
mod condition;
mod decide;
mod draft;
mod entry;
mod functions;
mod inline;
mod operators;
mod promised;
mod signature;
mod site;
mod yaml;

pub use author::{NewChange, Written};
pub use condition::Condition;
pub use decide::{Blocked, Decision, Step, Target, Writer};
pub use entry::{Bridge, RegistryChange, Releases, Since};
pub use promised::{Account, Owed};
pub use site::{Fit, OperatorCall};

use std::borrow::Cow;
use std::collections::BTreeSet;

use unskew_script::Function;

use functions::Functions;
use operators::Operators;

/// The texts of the three files. Functions that stand in several files are one text as
/// [`join`](unskew_operator_yaml::join) makes it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'t> {
    /// `operator_versions.yaml`.
    pub versions: &'t str,
    /// `operator_upgraders.py`.
    pub upgraders: &'t str,
    /// `operator_downgraders.py`; it may be empty.
    pub downgraders: &'t str,
}

/// A registry that is part of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn {
    /// `operator_versions.yaml` in the form of [`unskew_operator_yaml::flatten`].
    pub operators: &'static str,
    /// `operator_upgraders.py`.
    pub upgraders: &'static str,
    /// `operator_downgraders.py`.
    pub downgraders: &'static str,
}

/// The operators that changed, and the functions that bridge the changes.
#[derive(Debug)]
pub struct Registry {
    operators: Operators,
    upgraders: Functions,
    downgraders: Functions,
}

/// What is wrong with a registry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", place(*line))]
pub struct RegistryError {
    /// Which of the files.
    pub file: Cow<'static, str>,
    /// The line, from 1; 0 for what is not in the file yet.
    pub line: usize,
    /// What is wrong, and what to do.
    pub what: String,
}

const VERSIONS: &str = "operator_versions.yaml";
const UPGRADERS: &str = "operator_upgraders.py";
const DOWNGRADERS: &str = "operator_downgraders.py";

impl Registry {
    /// Reads the files and holds them against each other.
    ///
    /// # Errors
    /// The first [`RegistryError`].
    pub fn load(sources: Sources<'_>) -> Result<Self, RegistryError> {
        let operators = Operators::from(yaml::read(sources.versions)?);
        let upgraders = Functions::find(UPGRADERS, sources.upgraders.to_owned().into())?;
        let downgraders = Functions::find(DOWNGRADERS, sources.downgraders.to_owned().into())?;
        let changes = || operators.changes();
        let up = changes().flat_map(|change| change.upgrader.iter().map(|one| (one, change.line)));
        let down =
            changes().flat_map(|change| change.downgraders.iter().map(|one| (one, change.line)));
        upgraders.hold(up)?;
        downgraders.hold(down)?;
        Ok(Self { operators, upgraders, downgraders })
    }

    /// A registry that is part of a program, whose tests [`load`](Self::load) it. Nothing of it is read before it
    /// is asked for: an operator by its name, a function by its own. What cannot be read is not there.
    pub fn built_in(parts: BuiltIn) -> Self {
        Self {
            operators: Operators::of_flat(parts.operators),
            upgraders: Functions::built_in(UPGRADERS, parts.upgraders),
            downgraders: Functions::built_in(DOWNGRADERS, parts.downgraders),
        }
    }

    /// The newest version of all operators: what a writer of today may need.
    pub fn current(&self) -> u32 {
        let changes = self.versioned().flat_map(|(_, changes)| changes);
        changes.filter_map(|change| change.since.version()).max().unwrap_or(0)
    }

    /// Every operator that changed, by its full name, with its changes in their order.
    pub fn operators(&self) -> impl Iterator<Item = (&str, &[RegistryChange])> {
        self.operators.all()
    }

    /// The operators of which a change has an operator version, with all their changes.
    pub fn versioned(&self) -> impl Iterator<Item = (&str, &[RegistryChange])> {
        self.operators.versioned()
    }

    /// The changes of one operator, by its full name; nothing for one that never changed.
    pub fn changes_of(&self, operator: &str) -> &[RegistryChange] {
        self.operators.of(operator)
    }

    /// What a file of operator version `version` means by the operator, if that is not what it means
    /// today: the first change that is newer than the file. Changes without a version are left out.
    pub fn historic(&self, operator: &str, version: u32) -> Option<&RegistryChange> {
        let newer = |change: &RegistryChange| change.since.version().is_some_and(|v| v > version);
        self.changes_of(operator).iter().find(|change| newer(change) && change.upgrader.is_some())
    }

    /// The upgrader that a call of a file of operator version `version` is replaced by.
    pub fn upgrader(&self, operator: &str, version: u32) -> Option<&Function> {
        self.function(&self.historic(operator, version)?.upgrader.as_ref()?.function)
    }

    /// An upgrader or a downgrader by its name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.upgraders.get(name).or_else(|| self.downgraders.get(name))
    }

    /// Whether a function is one of the registry that is for this release: what it computes there is what it shall.
    pub fn is_for(&self, function: &str, release: unskew_core::Version) -> bool {
        let changes = self.operators.changes();
        let mut bridges = changes.flat_map(|one| one.upgrader.iter().chain(&one.downgraders));
        bridges.any(|bridge| bridge.function == function && bridge.on.contains(release))
    }

    /// The operators that an upgrader calls, by their names without overloads: what a runtime with a
    /// selected list of operators must have besides those that its models call.
    pub fn callees(function: &Function) -> BTreeSet<String> {
        calls::of(function)
    }
}

fn place(line: usize) -> String {
    if line == 0 { String::new() } else { format!(", line {line}") }
}

fn fault(
    file: impl Into<Cow<'static, str>>,
    line: usize,
    what: impl Into<String>,
) -> RegistryError {
    RegistryError { file: file.into(), line, what: what.into() }
}

/// The file, and the line in it, of a line of a text that may be made of several files.
fn located(file: &'static str, text: &str, line: usize) -> (Cow<'static, str>, usize) {
    match unskew_operator_yaml::locate(text, line) {
        Some((file, line)) => (file.to_owned().into(), line),
        None => (file.into(), line),
    }
}
