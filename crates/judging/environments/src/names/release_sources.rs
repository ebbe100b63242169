//! The sources of one release of a package, without the packages that it needs: what it asks of them, and what it has.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use unskew_extensions::wheels::normal;
use unskew_releases::AskedPythonName;

use super::built_in;
use super::finder::{Location, ModuleFinder};
use super::importer::Importer;
use super::namespace::Resolved;
use super::on_large_stack;
use super::owners::{self, main_modules};
use super::recorder::{RecordedName, Recorder};

/// Whether a release has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamePresence {
    /// It has.
    Present,
    /// It has not.
    Missing,
    /// Its sources do not say: an extension module, names that are made at run time.
    Unknown,
}

/// A release of a package whose sources lie in a folder, alone.
pub struct ReleaseSources {
    pub(super) importer: Importer<'static>,
    /// The modules that stand for it.
    pub(super) tops: Vec<String>,
    /// All at its top that others may import.
    all_tops: BTreeSet<String>,
    /// The modules that have sources and are for those who use it.
    pub(super) modules: BTreeSet<String>,
    /// Its extension modules that are for those who use it, with the names that their files list: who took the sources of the
    /// release put these in the place of machine code.
    pub(super) extension_modules: BTreeMap<String, BTreeSet<String>>,
}

/// Folders of a package that are not for those who use it.
const NOT_FOR_USERS: [&str; 9] = [
    "tests",
    "test",
    "testing",
    "conftest",
    "examples",
    "benchmarks",
    "_vendor",
    "vendor",
    "__main__",
];

/// The most files of a release.
const FILES: usize = 50_000;

/// No package says its version: conditions on it are not decided.
static NO_VERSIONS: BTreeMap<String, String> = BTreeMap::new();

/// What is not there is recorded, and not missing.
fn trusts_all(_: &str, _: &str) -> bool {
    true
}

impl ReleaseSources {
    /// Reads the sources of a package in a folder as it is installed, follows its import, and hands it out.
    ///
    /// # Errors
    /// If there is no thread for it: imports nest deep.
    pub fn with<T: Send>(
        folder: &Path,
        package: &str,
        ask: impl FnOnce(&mut Self) -> T + Send,
    ) -> io::Result<T> {
        on_large_stack(|| ask(&mut Self::read(folder, package)))
    }

    fn read(folder: &Path, package: &str) -> Self {
        let (mut modules, mut extension_modules) = (BTreeSet::new(), BTreeMap::new());
        for file in module_files(folder) {
            let Some(path) = file.strip_prefix(folder).ok().and_then(Path::to_str) else {
                continue;
            };
            let module = path.strip_suffix(".py").unwrap_or_else(|| before_tags(path));
            let module = module.strip_suffix("/__init__").unwrap_or(module).replace('/', ".");
            if path.ends_with(".py") {
                modules.insert(module);
            } else {
                let listed = std::fs::read_to_string(&file).unwrap_or_default();
                extension_modules.insert(module, listed.lines().map(str::to_owned).collect());
            }
        }
        let all: BTreeSet<&str> = modules.iter().filter_map(|one| one.split('.').next()).collect();
        let own: BTreeSet<String> = all.iter().map(|&top| top.to_owned()).collect();
        let tops = main_modules(&normal(package), &all);
        let is_for_users = |module: &String| {
            let mut parts = module.split('.');
            parts.next().is_some_and(|top| tops.iter().any(|one| one == top))
                && !parts.any(|part| NOT_FOR_USERS.contains(&part) || part.starts_with("test_"))
        };
        modules.retain(is_for_users);
        extension_modules.retain(|module, _| is_for_users(module));
        let all_tops = own.iter().filter(|top| owners::is_for_users(top)).cloned().collect();
        let finder = ModuleFinder::new(vec![folder.to_owned()], built_in::modules(false));
        let platform = Some(["linux", "posix"]);
        let mut importer = Importer::new(finder, None, platform, &NO_VERSIONS, &trusts_all);
        importer.recorder = Some(Recorder::new(own));
        for top in &tops {
            // What fails is what is asked for.
            let _ = importer.import(top, (top, 0));
        }
        Self { importer, tops, all_tops, modules, extension_modules }
    }

    /// The modules whose import is its import.
    pub fn tops(&self) -> &[String] {
        &self.tops
    }

    /// All its modules at the top that others may import: setuptools has `pkg_resources` beside its own.
    pub fn all_tops(&self) -> &BTreeSet<String> {
        &self.all_tops
    }

    /// What its modules ask of others, each name once; modules that nothing imports are imported for that.
    pub fn asked(&mut self) -> Vec<AskedPythonName> {
        let reached = self.reached();
        for module in &self.modules {
            let _ = self.importer.import(module, (module, 0));
        }
        self.call_functions();
        let Some(recorder) = &self.importer.recorder else { return Vec::new() };
        let mut found: BTreeMap<&RecordedName, AskedPythonName> = BTreeMap::new();
        let add = |asked: &RecordedName, by: &str, fails_at_load| {
            let (name, is_attribute) = asked.clone();
            AskedPythonName { name, by: by.to_owned(), fails_at_load, is_attribute }
        };
        for module in &reached {
            for asked in recorder.asked_by(module) {
                found.entry(asked).or_insert_with(|| add(asked, module, true));
            }
        }
        for module in self.modules.union(&reached) {
            for asked in recorder.asked_by(module).chain(recorder.asked_in_functions(module)) {
                found.entry(asked).or_insert_with(|| add(asked, module, false));
            }
        }
        found.into_values().collect()
    }

    /// Follows what the functions of all modules do once they are called.
    fn call_functions(&mut self) {
        for module in self.importer.imported() {
            // Which of two definitions counts is decided by a condition.
            let Some(source) = self.importer.source(&module) else { continue };
            for function in source.functions.iter().filter(|one| !one.is_conditional) {
                self.importer.set_recording_functions(true);
                let _ = self.importer.first_use(&module, function);
                self.importer.set_recording_functions(false);
            }
        }
    }

    fn reached(&self) -> BTreeSet<String> {
        self.importer.recorder.as_ref().map(|one| one.reached(&self.tops)).unwrap_or_default()
    }

    /// Whether the release has `module:name`, or a module; none if the module is one of another package: several share `google`.
    pub fn has(&mut self, asked: &str) -> Option<NamePresence> {
        let importer = &mut self.importer;
        let (module, name) = match asked.split_once(':') {
            Some((module, name)) => (module, Some(name)),
            None => (asked, None),
        };
        let is_cut = importer.import(module, (module, 0)).is_err() || importer.is_cut;
        let ends = module.match_indices('.').map(|(at, _)| at).chain([module.len()]);
        let locations: Vec<Location> =
            ends.map(|end| importer.finder.find(&module[..end])).collect();
        let is_own = |one: &Location| {
            matches!(one, Location::Source(..) | Location::Extension(..) | Location::Unreadable)
        };
        if !locations.iter().any(is_own) {
            return None;
        }
        if locations.last() == Some(&Location::Nowhere) {
            let is_open = importer.may_be_registered(module) || importer.has_other_path(module);
            return Some(if is_open { NamePresence::Unknown } else { NamePresence::Missing });
        }
        if is_cut {
            return Some(NamePresence::Unknown);
        }
        let Some(name) = name else { return Some(NamePresence::Present) };
        let inner = format!("{module}.{name}");
        Some(match importer.attribute(module, name) {
            Resolved::Bound(_) => NamePresence::Present,
            // Whether a module below it was imported depends on what others import.
            _ if importer.finder.find(&inner) != Location::Nowhere => NamePresence::Present,
            Resolved::Unknown => NamePresence::Unknown,
            Resolved::Missing { .. } => NamePresence::Missing,
        })
    }
}

/// The path of an extension module without `.cpython-311-x86_64-linux-gnu.so` or `.abi3.so`.
fn before_tags(path: &str) -> &str {
    let file = path.rfind('/').map_or(0, |at| at + 1);
    let dot = path.get(file..).and_then(|name| name.find('.'));
    dot.and_then(|dot| path.get(..file + dot)).unwrap_or(path)
}

/// The files with sources below a folder, and the extension modules.
fn module_files(folder: &Path) -> Vec<PathBuf> {
    let is_module = |path: &Path| path.extension().is_some_and(|end| end == "py" || end == "so");
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop()
        && found.len() < FILES
    {
        for entry in folder.read_dir().into_iter().flatten().filter_map(Result::ok) {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() && is_module(&entry.path()) => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}
