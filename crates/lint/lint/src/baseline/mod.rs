//! Baselines: what a working tree is compared with, and where it is read from.
//!
//! | written | is |
//! | --- | --- |
//! | `git:v1.0`, `git:v1.0:include` | a revision, or a folder or file in it; read by the command `git`, without the repository's configuration |
//! | `git:main...` | the revision at which this branch left `main` |
//! | `include-1.0/`, `api-1.0.h` | a folder, a file |
//! | `sdk-1.0.zip`, `sdk-1.0.whl`, `sdk-1.0.tar.gz` | an archive; `sdk-1.0.zip!include` is a folder or file in it |
//! | `pypi:tensorflow-cpu==2.20.0` | a wheel, from the cache or a [`PackageSource`] |
//!
//! [`BaselinePlace::parse`] reads such a text, [`BaselinePlace::open`] makes a [`Snapshot`] of it from its [`Sources`]: the
//! names of its files, which are read when they are asked for. Every error says what could not be read and why: a check that
//! could not be made is no pass.
//!
//! ```
//! use unskew_lint::{BaselinePlace, Sources};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::create_dir(folder.path().join("include"))?;
//! std::fs::write(folder.path().join("include/thing.h"), "struct Thing;")?;
//! let sources = Sources::new(folder.path(), None);
//! let snapshot = BaselinePlace::parse("include", folder.path())?.open(&sources)?;
//! assert_eq!(snapshot.names().collect::<Vec<_>>(), ["thing.h"]);
//! assert_eq!(snapshot.read(&["thing.h"])?.text("thing.h"), Ok("struct Thing;"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod baseline_place;
mod folder;
mod git;
mod package;
mod sources;
mod states;

pub use baseline_place::BaselinePlace;
pub use folder::{tree, walk};
pub use git::{Commit, Repository};
pub use package::{BaselinePackage, IndexedFile, PackageSource};
pub use sources::Sources;
pub use states::States;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use unskew_core::Date;

use unskew_source::Files;

/// How large one file may be in bytes, and how many files one side may have.
const SIZE: u64 = 64 << 20;
const FILES: usize = 200_000;

/// How many bytes all files of a side may have that are read together.
const SIDE: u64 = 192 << 20;

/// Why a baseline could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// It is not written as one.
    #[error(
        "no such file or folder, and no baseline of another kind (git:REVISION, REVISION:PATH, \
         pypi:NAME==VERSION): {0}"
    )]
    Unknown(String),
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] unskew_source::ReadError),
    /// A file or folder could not be read.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The command `git` refuses, or the repository is not read.
    #[error("git: {0}")]
    Git(String),
    /// The command `git` is not there.
    #[error(
        "git: the command is not installed; a baseline in a repository needs it (folders of PATH that are relative, the \
         current folder or in the repository are not searched)"
    )]
    NoGit,
    /// A folder is in no repository.
    #[error("git: not a git repository, nor in one: {0}")]
    NoRepository(String),
    /// An archive is broken.
    #[error("{}: {why}", path.display())]
    Archive {
        /// The path of the archive.
        path: PathBuf,
        /// What makes it unreadable.
        why: String,
    },
    /// There is nothing of this name in it.
    #[error("{within} has no file or folder: {name}")]
    Missing {
        /// The revision, archive or package.
        within: String,
        /// What was looked for.
        name: String,
    },
    /// A package could not be fetched, or is not what it was.
    #[error("package {name}: {why}")]
    Package {
        /// The package with its version.
        name: String,
        /// What went wrong when it was fetched.
        why: String,
    },
    /// A side is larger than what anybody writes by hand.
    #[error("{what}: too large: {size}, the limit is {limit}")]
    TooLarge {
        /// The file, or the side.
        what: String,
        /// Its size: bytes, or files.
        size: u64,
        /// The most that is read, in the same unit.
        limit: u64,
    },
}

/// The files of one side by name, at one time. They are read when they are asked for.
pub struct Snapshot {
    /// What it is, for messages: `git:v1.0`.
    pub label: String,
    /// Where exactly it came from: `commit 3f2a..., 2026-08-01`, `tensorflow_cpu-2.20.0...whl, sha256 ...`.
    pub origin: String,
    /// Its day: that of the commit; none where files carry no day.
    pub day: Option<Date>,
    /// Whether it is one file; then it has that name only.
    pub single: bool,
    names: BTreeMap<String, Address>,
    store: Box<dyn Store>,
}

/// Where a store has a file: its own name or number for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Address {
    key: String,
    size: Option<u64>,
}

trait Store {
    /// The bytes of files, in the order in which they are asked for.
    fn read(&self, files: &[&Address]) -> Result<Vec<Vec<u8>>, BaselineError>;
}

impl Snapshot {
    /// The paths of the files, in order; the separator is `/`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Whether there is a file of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Whether none of its files is larger than what is read; none whose size is known.
    pub fn is_small(&self) -> bool {
        self.names.values().all(|file| file.size.is_none_or(|size| size <= SIZE))
    }

    /// Reads files. Names that the snapshot does not have are left out.
    ///
    /// # Errors
    /// If one of them cannot be read, or is larger than 64 MiB.
    pub fn read<N: AsRef<str>>(&self, names: &[N]) -> Result<Files, BaselineError> {
        let known = |name: &N| self.names.get_key_value(name.as_ref());
        let wanted: Vec<(&String, &Address)> = names.iter().filter_map(known).collect();
        for (name, address) in &wanted {
            too_large(name, address.size.unwrap_or_default(), SIZE)?;
        }
        let sizes = wanted.iter().map(|(_, address)| address.size.unwrap_or_default());
        too_large(&self.label, sizes.fold(0, u64::saturating_add), SIDE)?;
        let addresses: Vec<&Address> = wanted.iter().map(|(_, address)| *address).collect();
        let bytes = self.store.read(&addresses)?;
        Ok(wanted.into_iter().map(|(name, _)| name.clone()).zip(bytes).collect())
    }

    /// Only what lies below `inner`, or the file of that name, by names below it.
    fn below(mut self, inner: Option<&str>) -> Result<Self, BaselineError> {
        let Some(inner) = inner.map(|inner| inner.trim_matches('/')).filter(|i| !i.is_empty())
        else {
            return Ok(self);
        };
        let missing = BaselineError::Missing { within: self.label.clone(), name: inner.to_owned() };
        self.label = format!("{}!{inner}", self.label);
        if let Some(file) = self.names.remove(inner) {
            let name = inner.rsplit('/').next().unwrap_or(inner).to_owned();
            self.names = BTreeMap::from([(name, file)]);
            self.single = true;
            return Ok(self);
        }
        let names = std::mem::take(&mut self.names).into_iter();
        let below = names.filter_map(|(name, file)| {
            let rest = name.strip_prefix(inner)?.strip_prefix('/')?.to_owned();
            Some((rest, file))
        });
        self.names = below.collect();
        if self.names.is_empty() { Err(missing) } else { Ok(self) }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("label", &self.label)
            .field("files", &self.names.len())
            .finish_non_exhaustive()
    }
}

fn too_large(what: &str, size: u64, limit: u64) -> Result<(), BaselineError> {
    if size <= limit {
        return Ok(());
    }
    Err(BaselineError::TooLarge { what: what.to_owned(), size, limit })
}

/// Whether a path in an archive or a revision stays below its root.
fn is_below(name: &str) -> bool {
    let parts = name.split('/');
    !name.starts_with('/') && !name.contains('\0') && parts.clone().all(|part| part != "..")
}
