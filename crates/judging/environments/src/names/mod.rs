//! Python names that the import of a package asks for, and that no module of the environment has.
//!
//! `import P` is followed as Python would run it (`importer`): each module once, its steps in order, conditions on versions
//! decided, a handler of `ImportError` taken where its body fails. What a module asks of another package and does not get
//! is a finding of the pair; what nobody has, one of the package that asks.

mod built_in;
mod by_release;
mod conditions;
mod extension_names;
mod finder;
mod importer;
mod keywords;
mod lazy;
mod matcher;
mod missing;
mod namespace;
mod owners;
mod recorder;
mod release_definitions;
mod release_sources;
mod source_cache;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use unskew_core::{Finding, Party, Unjudged, aspect};
use unskew_extensions::wheels::normal;

use self::finder::ModuleFinder;
use self::importer::Importer;
use self::missing::{Asked, ImportFailure, OwnedFailure};
use self::owners::{ModuleOwners, Owner};
use self::source_cache::SourceCache;
use crate::dependencies::Unmet;
use crate::{Environment, InstalledPackage};

pub(crate) use self::by_release::ReleaseNames;
pub use self::release_definitions::ModuleDefinitions;
pub use self::release_sources::{NamePresence, ReleaseSources};

/// The stack for imports that nest: each level of Python's import takes a few of ours.
const STACK: usize = 256 << 20;

/// What is to be said of the names of an environment.
#[derive(Debug, Default)]
pub(crate) struct NamePairs {
    /// The packages of which one asks the other for names that it does not have.
    pub(crate) pairs: Vec<(Party, Party)>,
    /// What no package has, by the place of the package that asks.
    pub(crate) alone: BTreeMap<usize, Vec<Finding>>,
    /// What was not looked at.
    pub(crate) unjudged: Vec<Unjudged>,
    /// The modules that the imports of all packages reach; none if they were not followed to their ends.
    pub(crate) reached: Option<ReachedModules>,
}

/// Modules that are loaded once every package is imported.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReachedModules {
    modules: BTreeSet<String>,
    /// Modules at the top whose own import cannot be read; of a folder without `__init__.py`, each file is imported for itself.
    unreadable: BTreeSet<String>,
}

impl ReachedModules {
    /// Whether the import of some package loads the source at `path` of `package`. That of an editable install counts as loaded: its
    /// paths do not begin where Python searches.
    pub(crate) fn has(&self, package: &InstalledPackage, path: &str) -> bool {
        if !package.sources.is_empty() {
            return true;
        }
        let Some(module) = path.strip_suffix(".py") else { return true };
        let module = module.strip_suffix("/__init__").unwrap_or(module).replace('/', ".");
        let top = module.split('.').next().unwrap_or_default();
        self.modules.contains(&module) || self.unreadable.contains(top)
    }
}

/// Follows the imports of all packages.
pub(crate) fn judge_names(environment: &Environment, unmet: &Unmet<'_>) -> NamePairs {
    // A lock has no sources, and those in images are not unpacked.
    if environment.is_lock || environment.is_image {
        return ReleaseNames::new(environment).pairs();
    }
    let (failures, unjudged, reached) = on_large_stack(|| follow(environment, unmet))
        .unwrap_or_else(|error| {
            let reason = format!("Python names: no thread to follow imports on: {error}");
            (Vec::new(), vec![Unjudged::new(aspect::CONTENTS, reason)], None)
        });
    NamePairs { reached, ..matcher::name_pairs(environment, unmet, failures, unjudged) }
}

/// Runs something on a thread with room for imports that nest.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        Ok(started.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn follow(
    environment: &Environment,
    unmet: &Unmet<'_>,
) -> (Vec<OwnedFailure>, Vec<Unjudged>, Option<ReachedModules>) {
    let owners = ModuleOwners::new(environment);
    let is_trusted = |one: &str, other: &str| owners.is_trusted(one, other);
    let versions = versions(environment, &owners);
    let mut roots: Vec<PathBuf> = environment.standard_library.iter().cloned().collect();
    roots.extend(environment.standard_library.iter().map(|folder| folder.join("lib-dynload")));
    let sources = environment.packages.iter().flat_map(|package| package.sources.iter().cloned());
    roots.extend(environment.folders.iter().cloned().chain(sources));
    let finder =
        ModuleFinder::new(roots, built_in::modules(environment.standard_library.is_some()));
    let python = environment.python.and_then(|python| {
        Some((u32::try_from(python.major()).ok()?, u32::try_from(python.minor()).ok()?))
    });
    let mut importer = Importer::new(finder, python, platform(environment), &versions, &is_trusted);
    importer.cache = SourceCache::open(environment.source_cache.as_deref(), &environment.folders);
    let mut found = Failures { owners: &owners, all: Vec::new() };
    let packages = environment.packages.iter().enumerate();
    for (at, package) in packages.filter(|(_, package)| !package.is_left_behind()) {
        for top in package.import_modules() {
            if let Err(failure) = importer.import(&top, (&top, 0)) {
                found.add(*failure, Some(at), &mut importer);
            }
        }
    }
    // What a package declares it does not import for nothing, whatever the condition is.
    for failure in std::mem::take(&mut importer.conditional_failures) {
        let Owner::Package(by) = owners.owner(&failure.by) else { continue };
        let asked = normal(failure.asked.module());
        if unmet.missing_of(by).iter().any(|one| one.key == asked) {
            found.add(failure, Some(by), &mut importer);
        }
    }
    // What functions import comes later, once they are called.
    let imported = importer.imported();
    let tops = imported.iter().filter(|module| !module.contains('.'));
    let unreadable = tops.filter(|top| importer.is_unreadable(top)).cloned().collect();
    let reached = ReachedModules { modules: imported.iter().cloned().collect(), unreadable };
    for module in imported {
        if owners.owner(&module) == Owner::Python {
            continue;
        }
        // Which of two definitions counts is decided by a condition.
        let Some(source) = importer.source(&module) else { continue };
        for function in source.functions.iter().filter(|one| !one.is_conditional) {
            if let Some(failure) = importer.first_use(&module, function) {
                found.add(*failure, None, &mut importer);
            }
        }
    }
    std::mem::take(&mut importer.cache).keep();
    let failures = found.all;
    let mut unjudged = Vec::new();
    if importer.is_cut {
        let reason =
            format!("Python names: imports end at limits, after {} modules", importer.count());
        unjudged.push(Unjudged::new(aspect::CONTENTS, reason));
    }
    let reached = Some(reached).filter(|_| !importer.is_cut);
    (failures, unjudged, reached)
}

/// What was found, each once.
struct Failures<'a> {
    owners: &'a ModuleOwners,
    all: Vec<OwnedFailure>,
}

impl Failures<'_> {
    /// Adds one over which the import of a package fails, or, if that is none, the call of a function.
    fn add(
        &mut self,
        failure: ImportFailure,
        importing: Option<usize>,
        importer: &mut Importer<'_>,
    ) {
        let by = self.owners.owner(&failure.by);
        let module = failure.asked.module();
        let of = match &failure.asked {
            Asked::Module(name) if !name.contains('.') || importer.is_in_namespace(name) => None,
            _ => Some(self.owners.owner(module))
                .filter(|of| *of != Owner::Python || built_in::is_standard(module)),
        };
        // A function may be one for other releases, other systems or other versions of Python.
        let is_of_packages = matches!(of, Some(Owner::Package(_)));
        let is_check = matches!(failure.asked, Asked::Check { .. });
        if importing.is_none() && (is_check || !is_of_packages) {
            return;
        }
        if by == Owner::Python || of == Some(by) {
            return;
        }
        let is_same = |known: &&mut OwnedFailure| {
            known.by == by && known.failure.asked == failure.asked && known.failure.by == failure.by
        };
        if let Some(known) = self.all.iter_mut().find(is_same) {
            known.importing.extend(importing);
            return;
        }
        let (fails_at_load, importing) = (importing.is_some(), importing.into_iter().collect());
        self.all.push(OwnedFailure { failure, by, of, fails_at_load, importing });
    }
}

/// The versions of packages, by their modules.
fn versions(environment: &Environment, owners: &ModuleOwners) -> BTreeMap<String, String> {
    let tops: BTreeSet<&str> = environment
        .packages
        .iter()
        .flat_map(|package| &package.modules)
        .filter_map(|module| module.split('.').next())
        .collect();
    let version = |top: &str| match owners.owner(top) {
        Owner::Package(at) => environment.packages.get(at).map(|one| one.version.clone()),
        Owner::Python => None,
    };
    tops.into_iter().filter_map(|top| Some((top.to_owned(), version(top)?))).collect()
}

/// `sys.platform` and `os.name`, as far as the files of packages tell.
fn platform(environment: &Environment) -> Option<[&'static str; 2]> {
    let mut shared = environment.packages.iter().flat_map(|package| &package.shared);
    let is_linux = environment.libraries.is_some() && cfg!(target_os = "linux");
    (is_linux || shared.any(|path| path.contains("-linux-"))).then_some(["linux", "posix"])
}
