//! Record of what the modules of one package ask of others, which are not there: for the table of names by release.
//!
//! Each module keeps what its own body asks for, so that a module which is imported twice, first under a condition and then
//! without one, counts as it should: whether an import reaches it is decided at the end, along the imports that are taken in
//! any case ([`Recorder::reached`]).

use std::collections::{BTreeMap, BTreeSet};

use super::steps::catches;

/// A name that a module of another package has to have: `module:name`, or a module alone; and whether it is read as an
/// attribute, not imported.
pub(super) type RecordedName = (String, bool);

/// What steps of one module are under while they are taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Cover {
    /// How many conditions stand above that are not decided.
    pub(super) conditions: usize,
    /// What handlers above catch; an empty one catches all.
    pub(super) handlers: Vec<Vec<String>>,
}

impl Cover {
    /// Whether a step that raises one of these is taken in any case, and nothing catches it.
    fn lets_fail(&self, exceptions: &[&str]) -> bool {
        let caught = |exception: &&str| self.handlers.iter().any(|one| catches(one, exception));
        self.conditions == 0 && !exceptions.iter().any(caught)
    }
}

/// What was asked for, while imports are followed.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// The modules at the top that lie there: all others are taken to be there, with all names.
    own: BTreeSet<String>,
    pub(super) cover: Cover,
    /// Whether functions are followed now, which nobody called yet.
    pub(super) is_in_function: bool,
    imports: BTreeMap<String, BTreeSet<String>>,
    asked: BTreeMap<String, BTreeSet<RecordedName>>,
    in_functions: BTreeMap<String, BTreeSet<RecordedName>>,
}

impl Recorder {
    pub(super) fn new(own: BTreeSet<String>) -> Self {
        Self { own, ..Self::default() }
    }

    /// Whether a module is one of another package.
    pub(super) fn is_of_others(&self, module: &str) -> bool {
        !self.own.contains(module.split('.').next().unwrap_or(module))
    }

    /// One module imports another.
    pub(super) fn import(&mut self, by: &str, module: &str) {
        // What the module asks for may fail in each of these ways.
        let exceptions = ["ImportError", "ModuleNotFoundError", "AttributeError"];
        if !self.is_in_function && self.cover.lets_fail(&exceptions) {
            self.imports.entry(by.to_owned()).or_default().insert(module.to_owned());
        }
    }

    /// A module asks another package for something.
    pub(super) fn ask(&mut self, by: &str, asked: RecordedName, exception: &str) {
        if !self.is_of_others(by) && self.cover.lets_fail(&[exception]) {
            let all = if self.is_in_function { &mut self.in_functions } else { &mut self.asked };
            all.entry(by.to_owned()).or_default().insert(asked);
        }
    }

    /// The modules that the import of these reaches in any case.
    pub(super) fn reached(&self, tops: &[String]) -> BTreeSet<String> {
        let mut reached: BTreeSet<String> = BTreeSet::new();
        let mut open: Vec<String> = tops.to_vec();
        while let Some(module) = open.pop() {
            if reached.insert(module.clone()) {
                open.extend(self.imports.get(&module).into_iter().flatten().cloned());
            }
        }
        reached
    }

    /// What the body of a module asks for.
    pub(super) fn asked_by(&self, module: &str) -> impl Iterator<Item = &RecordedName> {
        self.asked.get(module).into_iter().flatten()
    }

    /// What the functions of a module ask for once they are called.
    pub(super) fn asked_in_functions(&self, module: &str) -> impl Iterator<Item = &RecordedName> {
        self.in_functions.get(module).into_iter().flatten()
    }
}
