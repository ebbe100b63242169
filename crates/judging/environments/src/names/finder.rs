//! Where the modules of an environment lie: as Python's import system searches them, without running it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use foldhash::HashMap;

/// Where a module lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// A source; the folders below which its submodules lie, if it is a package.
    Source(PathBuf, Vec<PathBuf>),
    /// An extension module: its file, and the folders below which its submodules lie, if it is a package.
    Extension(PathBuf, Vec<PathBuf>),
    /// Bytecode without a source, or a module of the interpreter itself: its names are not read.
    Unreadable,
    /// Folders without `__init__.py`.
    Namespace(Vec<PathBuf>),
    /// Nowhere.
    Nowhere,
}

/// The most entries of one folder.
const ENTRIES: usize = 100_000;

/// Searches modules, and remembers what it listed.
#[derive(Debug, Default)]
pub(super) struct ModuleFinder {
    /// The folders in which modules are searched, in order.
    roots: Vec<PathBuf>,
    /// The modules of the interpreter that have no file.
    built_in: BTreeSet<&'static str>,
    listed: HashMap<PathBuf, Rc<BTreeMap<String, bool>>>,
    found: HashMap<String, Location>,
}

impl ModuleFinder {
    pub(super) fn new(roots: Vec<PathBuf>, built_in: BTreeSet<&'static str>) -> Self {
        Self { roots, built_in, ..Self::default() }
    }

    /// Where a module lies, by its whole name.
    pub(super) fn find(&mut self, module: &str) -> Location {
        if let Some(found) = self.found.get(module) {
            return found.clone();
        }
        let location = match module.rsplit_once('.') {
            None if self.built_in.contains(module) => Location::Unreadable,
            None => {
                let roots = self.roots.clone();
                self.search(&roots, module)
            }
            Some((parent, name)) => match self.find(parent) {
                Location::Source(_, folders)
                | Location::Extension(_, folders)
                | Location::Namespace(folders) => self.search(&folders, name),
                Location::Unreadable | Location::Nowhere => Location::Nowhere,
            },
        };
        self.found.insert(module.to_owned(), location.clone());
        location
    }

    /// Searches a module in folders.
    fn search(&mut self, folders: &[PathBuf], name: &str) -> Location {
        let mut portions = Vec::new();
        for folder in folders {
            let entries = self.entries(folder);
            let inner = folder.join(name);
            if entries.get(name) == Some(&true) {
                let inside = self.entries(&inner);
                if inside.contains_key("__init__.py") {
                    return Location::Source(inner.join("__init__.py"), vec![inner]);
                }
                if let Some(file) = extension(&inside, "__init__") {
                    return Location::Extension(inner.join(file), vec![inner]);
                }
                portions.push(inner);
            }
            // An extension module is taken before a source of the same name.
            if let Some(file) = extension(&entries, name) {
                return Location::Extension(folder.join(file), Vec::new());
            }
            let source = format!("{name}.py");
            if entries.contains_key(&source) {
                return Location::Source(folder.join(source), Vec::new());
            }
            if entries.contains_key(&format!("{name}.pyc")) {
                return Location::Unreadable;
            }
        }
        if portions.is_empty() { Location::Nowhere } else { Location::Namespace(portions) }
    }

    /// The entries of a folder, with whether each is a folder.
    fn entries(&mut self, folder: &Path) -> Rc<BTreeMap<String, bool>> {
        if let Some(listed) = self.listed.get(folder) {
            return Rc::clone(listed);
        }
        let entries = folder.read_dir().into_iter().flatten().filter_map(Result::ok).take(ENTRIES);
        let named = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let kind = entry.file_type().ok()?;
            let is_folder = if kind.is_symlink() { entry.path().is_dir() } else { kind.is_dir() };
            Some((name, is_folder))
        });
        let listed = Rc::new(named.collect());
        self.listed.insert(folder.to_owned(), Rc::clone(&listed));
        listed
    }
}

/// The extension module of this name in a folder: `_C.cpython-311-x86_64-linux-gnu.so`, `_C.abi3.so`, `_C.pyd`.
fn extension<'e>(entries: &'e BTreeMap<String, bool>, name: &str) -> Option<&'e str> {
    let prefix = format!("{name}.");
    let mut named =
        entries.range(prefix.clone()..).take_while(|(entry, _)| entry.starts_with(&prefix));
    let is_module = |(entry, is_folder): &(&String, &bool)| {
        !**is_folder && (entry.ends_with(".so") || entry.ends_with(".pyd"))
    };
    named.find(is_module).map(|(entry, _)| entry.as_str())
}
