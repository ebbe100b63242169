//! Why an import fails.

use std::collections::BTreeSet;

use unskew_releases::AskedPythonName;

use crate::names::owners::Owner;

/// Why the import of a module fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ImportFailure {
    /// What is asked for.
    pub(super) asked: Asked,
    /// The exception that Python raises.
    pub(super) exception: String,
    /// The module that asks.
    pub(super) by: String,
    /// The line, counted from 1.
    pub(super) line: u32,
    /// The modules that were imported on the way to it, the first one first.
    pub(super) chain: Vec<String>,
}

/// What an import asks for in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A module that is not there.
    Module(String),
    /// A name that a module does not have.
    Name {
        /// The module.
        module: String,
        /// The name.
        name: String,
        /// Whether it is read as an attribute, not imported.
        is_attribute: bool,
    },
    /// A keyword that a function or class of a module does not take.
    Keyword {
        /// The module that defines it.
        module: String,
        /// The function or class.
        function: String,
        /// Whether it is a class.
        is_class: bool,
        /// The keyword.
        keyword: String,
    },
    /// Nothing: it raises by itself, since it compares the version of a module.
    Check {
        /// The module whose version does not suffice.
        module: String,
        /// What it says.
        message: String,
    },
}

impl ImportFailure {
    /// Whether it is known why it fails: an exception that is raised without a version that was compared may not be.
    pub(super) fn is_explained(&self) -> bool {
        !self.asked.module().is_empty()
    }
}

impl Asked {
    /// The module that does not have what is asked for.
    pub(super) fn module(&self) -> &str {
        match self {
            Self::Module(module)
            | Self::Name { module, .. }
            | Self::Keyword { module, .. }
            | Self::Check { module, .. } => module,
        }
    }
}

impl From<&AskedPythonName> for Asked {
    fn from(asked: &AskedPythonName) -> Self {
        match asked.name.split_once(':') {
            None => Self::Module(asked.name.clone()),
            Some((module, name)) => {
                let (module, name) = (module.to_owned(), name.to_owned());
                Self::Name { module, name, is_attribute: asked.is_attribute }
            }
        }
    }
}

/// A failure with the packages on both sides.
#[derive(Clone, Debug)]
pub(super) struct OwnedFailure {
    pub(super) failure: ImportFailure,
    /// The package whose module asks.
    pub(super) by: Owner,
    /// The package that has the module asked for; none if nothing has it.
    pub(super) of: Option<Owner>,
    /// Whether the import of the package fails, and not only a function of it.
    pub(super) fails_at_load: bool,
    /// The packages whose import fails over it, by their places.
    pub(super) importing: BTreeSet<usize>,
}
