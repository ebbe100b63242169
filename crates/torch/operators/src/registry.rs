//! A registry: its operators and functions, looked up.

use std::collections::BTreeSet;

use unskew_core::CompressedText;
use unskew_script::FunctionDefinition;

use crate::error::{DOWNGRADERS, OperatorRegistryError, UPGRADERS};
use crate::functions::FunctionTexts;
use crate::operators::RegistryOperators;
use crate::registry_change::RegistryChange;
use crate::{calls, yaml};

/// The texts of the three files. Functions that stand in several files are one text as
/// [`function_files::join`](crate::function_files::join) makes it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RegistrySources<'t> {
    /// The text of `operator_versions.yaml`.
    pub versions: &'t str,
    /// The text of `operator_upgraders.py`.
    pub upgraders: &'t str,
    /// `operator_downgraders.py`; it may be empty.
    pub downgraders: &'t str,
}

/// A registry that is part of a program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInRegistry {
    /// `operator_versions.yaml` in the form of `files::flatten`.
    pub operators: &'static CompressedText,
    /// The text of `operator_upgraders.py`.
    pub upgraders: &'static CompressedText,
    /// The text of `operator_downgraders.py`.
    pub downgraders: &'static CompressedText,
}

/// The operators that changed, and the functions that bridge the changes.
#[derive(Debug)]
pub struct OperatorRegistry {
    pub(crate) operators: RegistryOperators,
    pub(crate) upgraders: FunctionTexts,
    pub(crate) downgraders: FunctionTexts,
}

impl OperatorRegistry {
    /// Reads the files and holds them against each other.
    ///
    /// # Errors
    /// The first [`OperatorRegistryError`].
    pub fn load(sources: RegistrySources<'_>) -> Result<Self, OperatorRegistryError> {
        let upgraders = FunctionTexts::find(UPGRADERS, sources.upgraders.to_owned())?;
        let operators = RegistryOperators::from(yaml::read(sources.versions, &upgraders)?);
        let downgraders = FunctionTexts::find(DOWNGRADERS, sources.downgraders.to_owned())?;
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
    pub fn built_in(parts: BuiltInRegistry) -> Self {
        Self {
            operators: RegistryOperators::of_flat(parts.operators.text()),
            upgraders: FunctionTexts::built_in(UPGRADERS, parts.upgraders),
            downgraders: FunctionTexts::built_in(DOWNGRADERS, parts.downgraders),
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

    /// The full names of [`versioned`](Self::versioned), without reading what changed.
    pub fn versioned_names(&self) -> impl Iterator<Item = &str> {
        self.operators.versioned_names()
    }

    /// The changes of one operator, by its full name; nothing for one that never changed.
    pub fn changes_of(&self, operator: &str) -> &[RegistryChange] {
        self.operators.changes_of(operator)
    }

    /// What a file of operator version `version` means by the operator, if that is not what it means
    /// today: the first change that is newer than the file. Changes without a version are left out.
    pub fn historic(&self, operator: &str, version: u32) -> Option<&RegistryChange> {
        let newer = |change: &RegistryChange| change.since.version().is_some_and(|v| v > version);
        self.changes_of(operator).iter().find(|change| newer(change) && change.upgrader.is_some())
    }

    /// The upgrader that a call of a file of operator version `version` is replaced by.
    pub fn upgrader(&self, operator: &str, version: u32) -> Option<&FunctionDefinition> {
        self.function(&self.historic(operator, version)?.upgrader.as_ref()?.function)
    }

    /// An upgrader or a downgrader by its name.
    pub fn function(&self, name: &str) -> Option<&FunctionDefinition> {
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
    pub fn callees(function: &FunctionDefinition) -> BTreeSet<String> {
        calls::operators_of(function)
    }
}
