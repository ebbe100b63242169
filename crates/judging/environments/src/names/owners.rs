//! Which package a module belongs to.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Environment, InstalledPackage};

/// The one that a module belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// A package, by its place in the environment.
    Package(usize),
    /// Python itself.
    Python,
}

/// The packages of modules.
#[derive(Debug, Default)]
pub(super) struct ModuleOwners {
    /// By the names of modules: all folders with modules, and single files at the top.
    owners: BTreeMap<String, BTreeSet<usize>>,
}

impl ModuleOwners {
    pub(super) fn new(environment: &Environment) -> Self {
        let mut owners: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (at, package) in environment.packages.iter().enumerate() {
            if package.is_left_behind() {
                continue;
            }
            for module in &package.modules {
                owners.entry(module.clone()).or_default().insert(at);
            }
        }
        Self { owners }
    }

    /// The package that a module belongs to; Python, if no package has it.
    pub(super) fn owner(&self, module: &str) -> Owner {
        let mut at = module;
        loop {
            // Of a folder that several share, which one it is of is not known: the first.
            if let Some(first) = self.owners.get(at).and_then(|owners| owners.first()) {
                return Owner::Package(*first);
            }
            match at.rsplit_once('.') {
                Some((parent, _)) => at = parent,
                None => return Owner::Python,
            }
        }
    }

    /// Whether what a module asks of another is not judged: both are of one package, or Python's own module asks.
    pub(super) fn is_trusted(&self, asks: &str, asked: &str) -> bool {
        let top = |module: &str| module.split('.').next().unwrap_or_default().to_owned();
        let owner = self.owner(asks);
        owner == Owner::Python || owner == self.owner(asked) || top(asks) == top(asked)
    }
}

impl InstalledPackage {
    /// The modules at the top whose import is the import of the package.
    pub fn import_modules(&self) -> Vec<String> {
        let tops = self.modules.iter().filter_map(|module| module.split('.').next()).collect();
        main_modules(&self.key(), &tops)
    }
}

/// The modules whose import is the import of a package, by the name of the package as indexes compare it and all its modules at
/// the top.
pub(super) fn main_modules(key: &str, tops: &BTreeSet<&str>) -> Vec<String> {
    let own = key.replace('-', "_");
    if let Some(same) = tops.iter().find(|top| top.eq_ignore_ascii_case(&own)) {
        return vec![(*same).to_owned()];
    }
    tops.iter().filter(|top| is_for_users(top)).map(|&top| top.to_owned()).collect()
}

/// Whether a module at the top is one to import: not what packages install beside by accident, or for their own tests.
pub(super) fn is_for_users(top: &str) -> bool {
    const ASIDE: [&str; 14] = [
        "test",
        "tests",
        "testing",
        "docs",
        "doc",
        "examples",
        "example",
        "benchmarks",
        "benchmark",
        "scripts",
        "tools",
        "conftest",
        "setup",
        "src",
    ];
    !ASIDE.contains(&top) && !top.starts_with('_')
}
