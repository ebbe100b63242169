//! Lock files as environments that are not installed yet.
//!
//! | file | what is read |
//! | --- | --- |
//! | `uv.lock` (version 1) | `[[package]]`, its wheels with their digests |
//! | `pylock.toml` (lock-version 1.x) | `[[packages]]`, the same |
//! | `poetry.lock` (lock-version 1.x, 2.x) | `[[package]]`, its files with their digests |
//! | `requirements*.txt` | `name==version`, `--hash=sha256:...` |
//! | `pixi.lock` (version 5 to 7) | URLs of conda packages and wheels, of one environment |
//! | `conda-lock.yml` (version 1) | URLs of conda packages and wheels, for each platform |
//! | conda's explicit lists (`@EXPLICIT`) | URLs of conda packages; wheels in conda-lock's comments (`# pip a @ URL`) |
//!
//! A wheel is known by its SHA-256 (`unskew_extensions::wheels`). One that is not, of a release of which another wheel is,
//! is judged by that, and it is said. What is not known at all is read where it lies, if the caller can ([`Fetch`]), and is
//! else *not judged*, by name.

mod conda;
mod conda_lock;
mod fetch;
mod lock_entry;
mod pixi;
mod requirements;
mod tables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use unskew_core::{Places, Unjudged, Version, aspect};
use unskew_extensions::{Machine, wheels, wheels::Wheel};
use unskew_source::{ReadError, read_text};

use crate::{Environment, InstalledPackage, plugins};

pub use fetch::Fetch;

/// A file of a locked release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockedFile {
    /// The name of the file; empty where the lock has its digest only.
    pub name: String,
    /// The digest in hexadecimal digits, where the lock has it.
    pub sha256: Option<String>,
    /// The URL or path that the lock has for it.
    pub location: Option<String>,
}

/// A release of a package that a lock names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locked {
    /// The name of the package as its index normalizes it.
    pub name: String,
    /// The version that is locked.
    pub version: String,
    /// The line of the lock, from 1.
    pub line: u32,
    /// Its files.
    pub files: Vec<LockedFile>,
    /// The index that it comes from, where the lock names one for it.
    pub index: Option<String>,
    /// Whether it is a package of conda, whose builds were not harvested.
    pub is_conda: bool,
    /// The platforms that it is locked for, as conda names them (`linux-64`); empty if the lock does not say.
    pub platforms: Vec<String>,
}

/// A lock that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageLock {
    /// The path as the user named it.
    pub path: String,
    /// Everything that it pins.
    pub packages: Vec<Locked>,
    /// Lines that pin nothing: ranges, URLs, other files.
    pub not_pinned: Vec<String>,
    /// The indexes that it names for all packages, the first one first.
    pub indexes: Vec<String>,
    /// Its environments that are not read, where it has several.
    pub other_environments: Vec<String>,
    /// How many packages it pins beyond those that are read.
    pub more: usize,
}

/// Why a lock cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is no lock that is known.
    #[error(
        "no lock that is known (uv.lock, pylock.toml, poetry.lock, pixi.lock, conda-lock.yml, requirements.txt, conda's \
         explicit lists): {0}"
    )]
    Unknown(String),
    /// A folder has none.
    #[error("no lock in this folder (looked for {names}): {0}", names = NAMES.join(", "))]
    NoneInFolder(String),
    /// It is a lock of a version that is not known, and its fields may mean something else.
    #[error("{path} is of version {found}; known are {known}")]
    Version {
        /// The file as it was named.
        path: String,
        /// The version of the format that stands in it.
        found: String,
        /// The versions of the format that are read.
        known: &'static str,
    },
    /// The text is not of its format.
    #[error("{path}: {what}")]
    Broken {
        /// The file as it was named.
        path: String,
        /// What is wrong, with the line where it is known.
        what: String,
    },
}

/// The most bytes of a lock, and of packages in it.
const LOCK: u64 = 16 << 20;
const PACKAGES: usize = 20_000;

/// Names of locks, as their tools write them.
const NAMES: [&str; 6] =
    ["uv.lock", "pylock.toml", "poetry.lock", "pixi.lock", "conda-lock.yml", "requirements.txt"];

/// Files that declare what is wanted, and what makes a lock of each.
const DECLARING: [(&str, &str); 5] = [
    ("pyproject.toml", "`uv lock` makes uv.lock of it, and `unskew lock uv.lock` judges that"),
    ("environment.yml", CONDA_LOCK),
    ("environment.yaml", CONDA_LOCK),
    ("setup.py", "`uv pip compile setup.py -o requirements.lock.txt` makes a lock of it"),
    ("setup.cfg", "`uv pip compile setup.cfg -o requirements.lock.txt` makes a lock of it"),
];

const CONDA_LOCK: &str =
    "`conda-lock -f` makes conda-lock.yml of it, and `unskew lock conda-lock.yml` judges that";

/// What a lock is judged for.
#[derive(Clone, Copy, Debug)]
pub struct LockTarget {
    /// The Python that wheels are chosen for; none: any.
    pub python: Option<Version>,
    /// The machine that wheels are chosen for.
    pub machine: Machine,
}

impl LockTarget {
    /// The platform as conda names it.
    fn platform(self) -> &'static str {
        match self.machine {
            Machine::X86 => "linux-64",
            Machine::Arm => "linux-aarch64",
        }
    }
}

impl Default for LockTarget {
    fn default() -> Self {
        Self { python: None, machine: Machine::X86 }
    }
}

/// The locks that a path means: itself, or those in a folder.
///
/// # Errors
/// If there is none in the folder.
pub fn locks_at(path: &Path) -> Result<Vec<PathBuf>, LockError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let locks = NAMES.iter().map(|name| path.join(name));
    let found: Vec<PathBuf> = locks.filter(|lock| lock.is_file()).collect();
    match found.is_empty() {
        true => Err(LockError::NoneInFolder(path.display().to_string())),
        false => Ok(found),
    }
}

impl PackageLock {
    /// Reads the lock at `path`, which is told by its name, and by its first lines.
    ///
    /// # Errors
    /// If it is none, or broken.
    pub fn read(path: &Path) -> Result<Self, LockError> {
        let text = read_text(path, LOCK)?;
        Self::of_text(&path.display().to_string(), &text)
    }

    /// The same of its text.
    ///
    /// # Errors
    /// If it is none, or broken.
    pub fn of_text(path: &str, text: &str) -> Result<Self, LockError> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let mut lock = Self { path: path.to_owned(), ..Self::default() };
        if let Some((_, what)) = DECLARING.iter().find(|(declaring, _)| *declaring == name) {
            let what = format!("it declares ranges and is not a lock: {what}");
            return Err(LockError::Broken { path: path.to_owned(), what });
        }
        if text.lines().any(|line| line.trim() == "@EXPLICIT") {
            conda::explicit(text, &mut lock);
        } else if name == "pixi.lock" {
            pixi::read(text, &mut lock)?;
        } else if name.ends_with("conda-lock.yml") || name.ends_with("conda-lock.yaml") {
            conda_lock::read(text, &mut lock)?;
        } else if name.ends_with(".txt") || name.ends_with(".in") {
            requirements::read(text, &mut lock);
        } else if name.ends_with(".lock") || name.ends_with(".toml") {
            tables::read(text, &mut lock)?;
        } else {
            return Err(LockError::Unknown(path.to_owned()));
        }
        if lock.packages.is_empty() {
            let what = match lock.not_pinned.is_empty() {
                true => "it pins no package".to_owned(),
                false => {
                    let ranges: Places = lock.not_pinned.iter().collect();
                    format!("not pinned: {ranges}; `{}` pins it", compile(path))
                }
            };
            return Err(LockError::Broken { path: path.to_owned(), what });
        }
        lock.more = lock.packages.len().saturating_sub(PACKAGES);
        lock.packages.truncate(PACKAGES);
        Ok(lock)
    }

    /// The environment that it describes, and what of it is not judged. Wheels of which nothing is known are read if
    /// `fetch` has them.
    pub fn environment(
        &self,
        target: LockTarget,
        fetch: Option<&dyn Fetch>,
    ) -> (Environment, Vec<Unjudged>) {
        let mut environment = Environment {
            name: self.path.clone(),
            python: target.python,
            machine: Some(target.machine),
            is_lock: true,
            ..Environment::default()
        };
        let mut open: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let read = |locked: &Locked| {
            let mut package = InstalledPackage {
                name: locked.name.clone(),
                version: locked.version.clone(),
                at: self.path.clone().into(),
                line: Some(locked.line),
                is_of_default_index: is_of_default_index(self, locked, target),
                ..InstalledPackage::default()
            };
            let why = facts(self, locked, target, fetch, &mut package);
            let is_declared = !package.requires.is_empty() || crate::declared::fill(&mut package);
            (package, why, is_declared || locked.is_conda)
        };
        let is_locked = |locked: &&Locked| {
            locked.platforms.is_empty()
                || locked.platforms.iter().any(|one| one == target.platform())
        };
        let packages: Vec<_> = self.packages.par_iter().filter(is_locked).map(read).collect();
        for (package, why, is_declared) in packages {
            if let Some(why) = why {
                open.entry(why).or_default().push(package.label());
            } else if !is_declared && fetch.is_none() {
                open.entry(UNDECLARED.to_owned()).or_default().push(package.label());
            }
            environment.packages.push(package);
        }
        let mut unjudged: Vec<Unjudged> = open
            .into_iter()
            .map(|(why, names)| {
                let can_be_read =
                    fetch.is_none() && [NOT_HARVESTED, UNNAMED, UNDECLARED].contains(&&*why);
                let one = Unjudged::new(aspect::CONTENTS, why).at(names.iter().collect());
                if can_be_read { one.with_remedy("--fetch") } else { one }
            })
            .collect();
        if !self.not_pinned.is_empty() {
            let places = self.not_pinned.iter().collect();
            let one = Unjudged::new(aspect::VERSION, "lines that pin no version").at(places);
            unjudged.push(one.with_remedy(compile(&self.path)));
        }
        let has_code =
            ["protobuf", "grpcio", "jaxlib"].iter().any(|key| environment.package(key).is_some());
        if has_code && fetch.is_none() {
            unjudged.push(Unjudged::new(aspect::CONTENTS, GENERATED).with_remedy("--fetch"));
        } else if has_code {
            let is_framework = |package: &&InstalledPackage| {
                unskew_releases::Family::of_package(&package.name)
                    .is_some_and(unskew_releases::Family::has_extensions)
            };
            let names: Vec<String> = environment
                .packages
                .iter()
                .filter(is_framework)
                .map(InstalledPackage::label)
                .collect();
            if !names.is_empty() {
                let one = Unjudged::new(aspect::CONTENTS, FRAMEWORK_CODE);
                unjudged.push(one.at(names.iter().collect()));
            }
        }
        if environment.packages.is_empty() {
            let all = self.packages.iter().flat_map(|locked| &locked.platforms);
            let reason = format!("the lock has no packages for {}", target.platform());
            unjudged.push(Unjudged::new(aspect::CONTENTS, reason).at(all.collect()));
        }
        if !self.other_environments.is_empty() {
            let others = self.other_environments.iter().collect();
            unjudged
                .push(Unjudged::new(aspect::CONTENTS, "other environments of the lock").at(others));
        }
        if self.more > 0 {
            let reason = format!("{} packages after the first {PACKAGES}", self.more);
            unjudged.push(Unjudged::new(aspect::CONTENTS, reason));
        }
        // Two versions for two platforms: which one is installed is not known here.
        (environment, unjudged)
    }
}

/// The command that pins what a file of requirements leaves open.
fn compile(path: &str) -> String {
    format!("uv pip compile {path} -o requirements.lock.txt")
}

/// Why wheels of a package are not judged.
const NOT_HARVESTED: &str = "wheels with native code of which no facts were harvested";
const OTHER_WHEEL: &str = "judged by another wheel of the same release";
const OTHER_RELEASE: &str = "judged by the wheel of another patch release";
const UNNAMED: &str = "packages of which the lock names no wheel for the target, and of which no facts were harvested";
const UNDECLARED: &str =
    "requirements of packages that are not in the table of what releases declare";
const GENERATED: &str = "generated code and handlers of XLA's FFI, of which no facts are kept";
const FRAMEWORK_CODE: &str = "generated code in the wheels of frameworks, which are not fetched";
const CONDA: &str = "conda packages, whose builds were not harvested";

/// Fills in what is known of a package's wheel; returns why something is not judged.
fn facts(
    lock: &PackageLock,
    locked: &Locked,
    target: LockTarget,
    fetch: Option<&dyn Fetch>,
    package: &mut InstalledPackage,
) -> Option<String> {
    if locked.is_conda {
        return Some(CONDA.to_owned());
    }
    if fetch.is_none() && package.is_of_default_index {
        package.plugins.extend(plugins::of_release(locked));
        if !package.plugins.is_empty() {
            return None;
        }
    }
    let files: Vec<&LockedFile> =
        locked.files.iter().filter(|file| is_for(&file.name, target)).collect();
    let by_digest =
        files.iter().filter_map(|file| file.sha256.as_deref()).find_map(wheels::by_digest);
    let is_framework = unskew_releases::Family::of_package(&locked.name)
        .is_some_and(unskew_releases::Family::has_extensions);
    let mut failed = None;
    if let Some(fetch) = fetch.filter(|_| by_digest.is_none() && !is_framework) {
        match fetch::read(lock, locked, target, fetch) {
            Ok(read) => {
                let (line, is_of_default_index) = (package.line, package.is_of_default_index);
                *package = InstalledPackage {
                    name: locked.name.clone(),
                    line,
                    is_of_default_index,
                    ..read
                };
                return None;
            }
            Err(why) => failed = Some(why),
        }
    }
    let digests = files.iter().any(|file| file.sha256.is_some());
    let same = || wheels::of_release(&locked.name, &locked.version).next();
    let near = || of_patch_release(&locked.name, &locked.version);
    let exact = by_digest.or_else(same);
    let wheel = exact.or_else(near);
    if let Some(wheel) = wheel {
        package.objects = wheel
            .objects
            .iter()
            .map(|(path, needs)| (path.clone(), Arc::new(needs.clone())))
            .collect();
        package.platforms = crate::wheel::platforms_of(&wheel.file);
        package.loads_with.clone_from(&wheel.loads_with);
        if exact.is_none() {
            return Some(format!("{OTHER_RELEASE}: {} {}", wheel.package(), wheel.version()));
        }
        return (by_digest.is_none() && digests).then(|| OTHER_WHEEL.to_owned());
    }
    let named = files.iter().any(|file| !file.name.is_empty());
    let native = files.iter().any(|file| !file.name.ends_with("-none-any.whl"));
    let why = if named { native.then_some(NOT_HARVESTED) } else { Some(UNNAMED) };
    failed.or_else(|| why.filter(|_| !is_framework).map(str::to_owned))
}

/// A wheel of another patch release of the same minor, the next one first. Only of packages whose minors are each made for
/// one minor of PyTorch: those of others may change what they import in any release.
fn of_patch_release(package: &str, version: &str) -> Option<&'static Wheel> {
    if !["torchvision", "torchaudio"].contains(&package) {
        return None;
    }
    let numbers = |text: &str| text.split('+').next()?.parse::<Version>().ok();
    let asked = numbers(version)?;
    let minor = Version::pair(asked.major(), asked.minor());
    let all = wheels::wheels().iter().filter(|wheel| wheel.package() == package);
    let near = all.filter_map(|wheel| Some((numbers(wheel.version())?, wheel)));
    let near = near.filter(|(one, _)| one.starts_with(&minor));
    near.min_by_key(|(one, _)| one.patch().abs_diff(asked.patch())).map(|(_, wheel)| wheel)
}

/// Whether a package comes from PyPI, as a wheel for Linux on x86-64.
fn is_of_default_index(lock: &PackageLock, locked: &Locked, target: LockTarget) -> bool {
    let of_pypi = |index: &String| index.contains("pypi.org");
    let is_default = lock.indexes.iter().chain(&locked.index).all(of_pypi);
    is_default && !locked.is_conda && target.machine == Machine::X86
}

/// Whether a wheel may be installed on the target. A file without a name may.
fn is_for(file: &str, target: LockTarget) -> bool {
    if file.is_empty() {
        return true;
    }
    let Some(stem) = file.strip_suffix(".whl") else { return false };
    let mut tags = stem.rsplit('-');
    let (platform, _abi, python) = (tags.next(), tags.next(), tags.next());
    let machine = match target.machine {
        Machine::X86 => "x86_64",
        Machine::Arm => "aarch64",
    };
    let platform = platform.unwrap_or_default();
    let fits = platform == "any" || (platform.contains("linux") && platform.contains(machine));
    let wanted = target.python.map(|python| format!("cp{}{}", python.major(), python.minor()));
    let python = python.unwrap_or_default();
    fits && wanted
        .is_none_or(|wanted| !python.starts_with("cp") || stem.contains("abi3") || python == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheels_are_chosen_by_their_tags() {
        let target = LockTarget { python: Some(Version::pair(3, 11)), machine: Machine::X86 };
        for (file, fits) in [
            ("a-1-cp311-cp311-manylinux_2_28_x86_64.whl", true),
            ("a-1-cp39-abi3-manylinux_2_28_x86_64.whl", true),
            ("a-1-py3-none-any.whl", true),
            ("a-1-cp310-cp310-manylinux_2_28_x86_64.whl", false),
            ("a-1-cp311-cp311-macosx_11_0_arm64.whl", false),
            ("a-1-cp311-cp311-manylinux_2_28_aarch64.whl", false),
            ("a-1.tar.gz", false),
        ] {
            assert_eq!(is_for(file, target), fits, "{file}");
        }
    }

    #[test]
    fn what_is_no_lock_is_said() {
        assert!(matches!(PackageLock::of_text("notes.md", ""), Err(LockError::Unknown(_))));
        assert!(matches!(
            PackageLock::of_text("uv.lock", "version = 1\n"),
            Err(LockError::Broken { .. })
        ));
        let later = PackageLock::of_text(
            "uv.lock",
            "version = 2\n[[package]]\nname = 'a'\nversion = '1'\n",
        );
        assert!(matches!(later, Err(LockError::Version { .. })), "{later:?}");
        assert!(PackageLock::of_text("uv.lock", "version = [").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(version = 1\n|name = \"a\"\n|\\[\\[package\\]\\]\n|@EXPLICIT\n|packages:\n|package:\n|- name: a\n|  url: |- pypi: |https://a/b-1-c.whl\n|a==1 |\\\\\n|.){0,40}") {
            for name in
                ["uv.lock", "pixi.lock", "conda-lock.yml", "requirements.txt", "pylock.toml", "spec.txt"]
            {
                if let Ok(lock) = PackageLock::of_text(name, &text) {
                    let (environment, _) = lock.environment(LockTarget::default(), None);
                    proptest::prop_assert_eq!(environment.packages.len(), lock.packages.len());
                }
            }
        }
    }
}
