//! The registry of operator versions: which operators changed at which version, and what old calls mean.
//!
//! Two files, as the RFC wants them. `operator_versions.yaml` has an entry for each operator that changed
//! in a way that automatic rules do not cover, with a version for each change:
//!
//! ```yaml
//! - func: aten::gelu
//!   version: 10
//!   upgrader: gelu_0_9
//!   schema: "aten::gelu(Tensor self) -> Tensor"
//! ```
//!
//! Files below version 10 mean the schema that stands there. The upgrader is a function of that schema in
//! `operator_upgraders.py`, in TorchScript, which does with today's operators what the old one did. The
//! keys `version`, `upgrader`, `schema` may be repeated for further versions, rising; one upgrader stands
//! for each historic signature. A change that only breaks new programs on old runtimes has a version and no
//! upgrader, and a `note` that says why. `mobile: false` and `gone_in: 2.13` say where a runtime lacks it.
//!
//! [`Registry::load`] holds the files against each other: every upgrader is there once, and takes and
//! returns what its historic schema says. [`Registry::check`] holds its calls against the operators of a
//! release.
//!
//! ```
//! use unskew_ops::Registry;
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
//! let registry = Registry::load(versions, upgraders).unwrap();
//! assert!(registry.upgrader("aten::gelu", 9).is_some());
//! assert!(registry.upgrader("aten::gelu", 10).is_none());
//! assert_eq!(registry.current(), 10);
//! ```
//!
//! Source: PyTorch RFC 0017, *Operator Versioning*, "Code changes".

mod calls;
mod signature;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::Version;
use unskew_script::{Function, Module};

use crate::{OperatorTable, Schema};

/// The operators that changed, and their upgraders.
#[derive(Debug)]
pub struct Registry {
    operators: BTreeMap<String, Vec<OperatorVersion>>,
    module: Module,
}

/// One change of an operator.
#[derive(Debug)]
pub struct OperatorVersion {
    /// The operator version from which on the operator means what it means then.
    pub version: u32,
    /// What files below it mean; none for a change that only breaks new programs on old runtimes.
    pub historic: Option<Historic>,
    /// What there is to say of it.
    pub note: Option<String>,
    /// Whether the mobile interpreter has the upgrader.
    pub mobile: bool,
    /// The first release without the upgrader.
    pub gone_in: Option<Version>,
    /// The line of the registry, from 1.
    pub line: usize,
}

/// What files below a version mean by an operator.
#[derive(Debug)]
pub struct Historic {
    /// The schema that they mean.
    pub schema: Schema,
    /// The name of the upgrader.
    pub upgrader: String,
}

/// What is wrong with a registry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {what}")]
pub struct RegistryError {
    /// Which of the two files.
    pub file: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub what: String,
}

const VERSIONS: &str = "operator_versions.yaml";
const UPGRADERS: &str = "operator_upgraders.py";

impl Registry {
    /// Reads both files and holds them against each other.
    ///
    /// # Errors
    /// The first [`RegistryError`].
    pub fn load(versions: &str, upgraders: &str) -> Result<Self, RegistryError> {
        let operators = yaml::read(versions)?;
        let module = unskew_script::parse(upgraders)
            .map_err(|error| fault(UPGRADERS, error.line, error.what))?;
        let functions = functions(&module, upgraders)?;
        let mut used = BTreeSet::new();
        for version in operators.values().flatten() {
            let Some(historic) = &version.historic else { continue };
            let Some((function, line)) = functions.get(historic.upgrader.as_str()) else {
                let what = format!("{UPGRADERS} has no function {}; write it", historic.upgrader);
                return Err(fault(VERSIONS, version.line, what));
            };
            if !used.insert(historic.upgrader.as_str()) {
                let what =
                    format!("{} is the upgrader of another schema already", historic.upgrader);
                return Err(fault(VERSIONS, version.line, what));
            }
            signature::check(function, &historic.schema).map_err(|what| {
                fault(UPGRADERS, *line, format!("{}: {what}", historic.upgrader))
            })?;
        }
        if let Some((name, (_, line))) = functions.iter().find(|(name, _)| !used.contains(*name)) {
            let what =
                format!("{name} is the upgrader of nothing; delete it, or name it in {VERSIONS}");
            return Err(fault(UPGRADERS, *line, what));
        }
        Ok(Self { operators, module })
    }

    /// The newest version of all operators: what a writer of today may need.
    pub fn current(&self) -> u32 {
        self.operators.values().flatten().map(|version| version.version).max().unwrap_or(0)
    }

    /// Every operator that changed, by its full name, with its versions rising.
    pub fn operators(&self) -> impl Iterator<Item = (&str, &[OperatorVersion])> {
        self.operators.iter().map(|(name, versions)| (name.as_str(), versions.as_slice()))
    }

    /// What a file of operator version `version` means by the operator, if that is not what it means
    /// today: the first change that is newer than the file.
    pub fn historic(&self, operator: &str, version: u32) -> Option<&OperatorVersion> {
        let versions = self.operators.get(operator)?;
        versions.iter().find(|change| change.version > version && change.historic.is_some())
    }

    /// The upgrader that a call of a file of operator version `version` is replaced by.
    pub fn upgrader(&self, operator: &str, version: u32) -> Option<&Function> {
        let historic = self.historic(operator, version)?.historic.as_ref()?;
        self.module.functions().find(|function| function.name.text == historic.upgrader)
    }

    /// The operators that an upgrader calls, by their names without overloads: what a runtime with a
    /// selected list of operators must have besides those that its models call.
    pub fn callees(function: &Function) -> BTreeSet<String> {
        calls::of(function).into_iter().map(|call| call.operator).collect()
    }

    /// Holds the calls of all upgraders against the operators of a release.
    ///
    /// Upgraders that are gone by then are left out. Shapes are compared, types are not.
    pub fn check(&self, table: &OperatorTable) -> Vec<RegistryError> {
        let mut found = Vec::new();
        for version in self.operators.values().flatten() {
            let gone = version.gone_in.is_some_and(|gone| gone <= table.release());
            let Some(historic) = version.historic.as_ref().filter(|_| !gone) else { continue };
            let mut functions = self.module.functions();
            let Some(function) = functions.find(|f| f.name.text == historic.upgrader) else {
                continue;
            };
            for call in calls::of(function) {
                let fits = table.overloads(&call.operator).any(|s| s.accepts(&call.shape).is_ok());
                if !fits {
                    let (operator, release) = (&call.operator, table.release());
                    let what = format!(
                        "{}: PyTorch {release} has no {operator} that takes this call",
                        historic.upgrader
                    );
                    found.push(fault(VERSIONS, version.line, what));
                }
            }
        }
        found
    }
}

/// The functions of the module, each with the line on which it begins.
fn functions<'m>(
    module: &'m Module,
    text: &str,
) -> Result<BTreeMap<&'m str, (&'m Function, usize)>, RegistryError> {
    let line = |at: usize| text.get(..at).unwrap_or("").matches('\n').count() + 1;
    let mut found = BTreeMap::new();
    for function in module.functions() {
        let line = line(function.span.start);
        if found.insert(function.name.text.as_str(), (function, line)).is_some() {
            let what = format!("a second function of this name: {}", function.name.text);
            return Err(fault(UPGRADERS, line, what));
        }
    }
    Ok(found)
}

fn fault(file: &'static str, line: usize, what: impl Into<String>) -> RegistryError {
    RegistryError { file, line, what: what.into() }
}
