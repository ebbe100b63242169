//! Shared libraries that a module is linked against and that nothing brings.
//!
//! A build of PyTorch for CUDA is linked against libraries of the packages `nvidia-*`. Where one is not installed, the
//! dynamic linker does not load `torch/_C`, whatever Python code would say. Only modules of packages are followed of whose
//! declared requirements one is not met: all others have what they are linked against, or had it never.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use unskew_abi::{ObjectFormat, SharedObject};
use unskew_core::{Context, Finding, Judgement, Matcher, Party, Requirement, Role};
use unskew_extensions::{PythonTag, is_of_system};
use unskew_source::{FileSource, Source, read_regular};

use crate::dependencies::Unmet;
use crate::rules::LibraryIsMissing;
use crate::system::FOLDERS;
use crate::{Environment, InstalledPackage};

/// What the dynamic linker of a system finds without being told where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemLibraries {
    /// The names in its cache, `/etc/ld.so.cache`, each between two zero bytes.
    cache: Vec<u8>,
    folders: Vec<PathBuf>,
}

/// Where systems have libraries beside the folders of their C library, below the root.
const MORE_FOLDERS: [&str; 3] = ["lib", "usr/lib", "usr/local/lib"];

/// The most bytes of a cache.
const CACHE: u64 = 64 << 20;

/// The most shared objects that are followed from the modules of one package.
const OBJECTS: usize = 2_000;

/// Beginnings of what comes with a driver or with Python itself.
const ELSEWHERE: [&str; 4] = ["libcuda.so", "libnvidia-", "libpython", "linux-vdso"];

impl SystemLibraries {
    /// Those of the machine that this runs on.
    pub fn here() -> Self {
        let mut all = Self::of_root(Path::new("/"));
        let more = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        all.folders.extend(std::env::split_paths(&more).filter(|one| one.is_absolute()));
        all
    }

    /// Those of a system whose root is a folder.
    pub fn of_root(root: &Path) -> Self {
        let cache = read_regular(&root.join("etc/ld.so.cache"), CACHE).unwrap_or_default();
        let folders = FOLDERS.iter().chain(&MORE_FOLDERS);
        Self { cache, folders: folders.map(|folder| root.join(folder)).collect() }
    }

    fn has(&self, library: &str) -> bool {
        let entry = [&[0], library.as_bytes(), &[0]].concat();
        memchr::memmem::find(&self.cache, &entry).is_some()
            || self.folders.iter().any(|folder| folder.join(library).is_file())
    }
}

/// The packages of which a module cannot be loaded, each with the other side, and with the places of all packages whose
/// requirements that is said of.
pub(crate) fn pairs(
    environment: &Environment,
    unmet: &Unmet<'_>,
) -> Vec<(BTreeSet<usize>, Party, Party)> {
    let Some(system) = &environment.libraries else { return Vec::new() };
    let names: BTreeSet<&str> = environment
        .packages
        .iter()
        .flat_map(|one| &one.shared)
        .map(|path| file_name(path))
        .collect();
    let mut pairs = Vec::new();
    for (at, package) in environment.packages.iter().enumerate() {
        let places = unmet.with_extras(at);
        let install = unmet.to_install(&places);
        if install.is_empty() {
            continue;
        }
        let search = Search { environment, package, system, names: &names };
        let missing = search.missing();
        if missing.is_empty() {
            continue;
        }
        let matcher = Missing { package: package.label(), missing, install };
        let one = Party::new(package.label(), Role::Plugin, "package with native modules")
            .require(Requirement::matches("shared.libraries", matcher));
        let name = format!("shared libraries in {}", environment.name);
        pairs.push((places, one, Party::new(name, Role::Host, "packages and system")));
    }
    pairs
}

struct Search<'a> {
    environment: &'a Environment,
    package: &'a InstalledPackage,
    system: &'a SystemLibraries,
    /// The file names of all shared objects that packages bring.
    names: &'a BTreeSet<&'a str>,
}

/// A shared object that is to be loaded, and where those that load it look for libraries.
struct Loaded {
    path: PathBuf,
    inherited: Vec<PathBuf>,
}

impl Search<'_> {
    /// The libraries that nothing brings, each with the object that is linked against it, in the order in which the
    /// dynamic linker looks for them.
    fn missing(&self) -> Vec<(String, String)> {
        // Steps up in a path lead elsewhere where a folder is a link.
        let Ok(site) = &self.package.at.canonicalize() else { return Vec::new() };
        let mut open: Vec<Loaded> = self
            .modules()
            .map(|path| Loaded { path: site.join(path), inherited: Vec::new() })
            .collect();
        let (mut seen, mut missing) = (BTreeSet::new(), Vec::new());
        let mut next = 0;
        while let Some(Loaded { path, inherited }) = open.get(next) {
            next += 1;
            let Some(object) = read(path) else { continue };
            let mut folders = own_folders(path, &object);
            folders.extend(inherited.iter().cloned());
            let shown = path.strip_prefix(site).unwrap_or(path).display().to_string();
            for library in object.needed {
                let is_known = is_of_system(&library)
                    || ELSEWHERE.iter().any(|start| library.starts_with(start))
                    || library.contains('/')
                    || !seen.insert(library.clone());
                if is_known {
                    continue;
                }
                let found =
                    folders.iter().map(|folder| folder.join(&library)).find(|one| one.is_file());
                match found {
                    Some(path) if open.len() < OBJECTS => {
                        open.push(Loaded { path, inherited: folders.clone() });
                    }
                    Some(_) => {}
                    None if self.is_brought(&library) => {}
                    None if folders.iter().any(|folder| self.is_of_others(site, folder)) => {
                        missing.push((shown.clone(), library));
                    }
                    // A library of the system, of which nothing says that a package should bring it.
                    None => {}
                }
            }
        }
        missing
    }

    /// The modules of the package that Python may import.
    fn modules(&self) -> impl Iterator<Item = &str> {
        let of_framework = self.package.libraries.iter().map(String::as_str);
        let of_framework = of_framework.filter(|path| !file_name(path).starts_with("lib"));
        let modules = self.package.objects.iter().filter(|(_, needs)| needs.is_module);
        let all = of_framework.chain(modules.map(|(path, _)| path.as_str()));
        all.filter(|path| match PythonTag::from_file_name(file_name(path)) {
            PythonTag::CPython(built) => {
                self.environment.python.is_none_or(|python| python == built)
            }
            PythonTag::Abi3 | PythonTag::None => true,
        })
    }

    /// Whether a package or the system has a library of this name, wherever it lies.
    fn is_brought(&self, library: &str) -> bool {
        self.names.contains(library) || self.system.has(library)
    }

    /// Whether a folder is one that another package should have filled: below `site-packages`, and one that does not exist, or
    /// where this package has nothing.
    fn is_of_others(&self, site: &Path, folder: &Path) -> bool {
        let Ok(below) = folder.strip_prefix(site) else { return false };
        let Some(Component::Normal(top)) = below.components().next() else { return false };
        let is_own =
            |path: &String| Path::new(path).components().next() == Some(Component::Normal(top));
        !folder.exists() || !self.package.shared.iter().any(is_own)
    }
}

/// The folders in which an object has the dynamic linker search.
fn own_folders(path: &Path, object: &SharedObject) -> Vec<PathBuf> {
    let origin = path.parent().unwrap_or(path);
    let all = object.rpaths.iter().flat_map(|list| list.split(':'));
    let folders = all.filter_map(|one| {
        let rest = one.strip_prefix("$ORIGIN").or_else(|| one.strip_prefix("${ORIGIN}"));
        match rest {
            Some(rest) => Some(plain(&origin.join(rest.trim_start_matches('/')))),
            None => Path::new(one).is_absolute().then(|| PathBuf::from(one)),
        }
    });
    folders.collect()
}

/// A path without the steps up, which its last folders need not exist for.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn read(path: &Path) -> Option<SharedObject> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).ok()?);
    SharedObject::read(&source).ok()?.filter(|object| object.format == ObjectFormat::Elf)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

struct Missing {
    package: String,
    missing: Vec<(String, String)>,
    install: String,
}

impl Matcher for Missing {
    fn judge(&self, _: &Party, _: &Party, _: &Context) -> Option<Judgement> {
        let Self { package, missing, install } = self;
        let mut judgement = Judgement::default();
        judgement.findings.extend(missing.first().map(|(object, library)| {
            let finding: Finding = LibraryIsMissing { object, package, library, install }.finding();
            let symptom =
                format!("{library}: cannot open shared object file: No such file or directory");
            let places: Vec<String> =
                missing.iter().map(|(object, library)| format!("{library} of {object}")).collect();
            finding.with_symptom(symptom).at(places.iter().collect())
        }));
        Some(judgement)
    }
}
