//! A folder: its entries, and what lies between them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use unskew_core::Version;

use crate::writers::{JaxlibWriter, writers};
use crate::{CacheEntry, CacheFileName, Damage};

/// An entry in its folder.
#[derive(Clone, Debug)]
pub struct CacheItem {
    /// The name of the file.
    pub file: String,
    /// Whether the name ends as those of JAX 0.4.31 and later do.
    pub suffixed: bool,
    /// The size of the file, in bytes.
    pub size: u64,
    /// When it was last used if that is written beside it, or else when it was written.
    pub used: Option<Timestamp>,
    /// Whether a file beside it says when it was last used.
    pub has_access_time: bool,
    /// What is in it.
    pub entry: Result<CacheEntry, Damage>,
}

/// What a JAX does with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryStatus {
    /// It cannot be read: JAX compiles and leaves it there.
    Broken,
    /// Another jaxlib wrote it: this JAX never asks for it.
    Stale,
    /// It was made in a folder of another name: this JAX does not ask for it here.
    Moved,
    /// This jaxlib may have written it: whether it is asked for depends on what the key has in it.
    Candidate,
    /// It says too little.
    Open,
}

impl CacheItem {
    /// What JAX looks up.
    pub fn key(&self) -> &str {
        match CacheFileName::parse(&self.file) {
            CacheFileName::Entry { key, .. } => key,
            _ => &self.file,
        }
    }

    /// The releases of jaxlib that may have written it; none if it says nothing of that.
    pub fn writers(&self) -> Option<Vec<Version>> {
        let entry = self.entry.as_ref().ok()?;
        entry.debug_options()?;
        let may = |writer: &&JaxlibWriter| writer.may_have_written(self.suffixed, entry);
        Some(writers().iter().filter(may).map(|writer| writer.version).collect())
    }

    /// What a JAX with this jaxlib does with it in a folder, if that has a name.
    pub fn state(&self, jax: Version, writer: &JaxlibWriter, folder: Option<&str>) -> EntryStatus {
        let entry = match &self.entry {
            Ok(entry) => entry,
            Err(damage) if damage.is_certain() => return EntryStatus::Broken,
            Err(_) => return EntryStatus::Open,
        };
        if !writer.may_have_written(self.suffixed, entry) {
            return EntryStatus::Stale;
        }
        if entry.debug_options().is_none() {
            return EntryStatus::Open;
        }
        match (entry.folder(), folder) {
            (Some(made_in), Some(folder))
                if jax < crate::writers::FOLDER_NOT_IN_KEY && is_elsewhere(made_in, folder) =>
            {
                EntryStatus::Moved
            }
            _ => EntryStatus::Candidate,
        }
    }
}

/// Whether a folder is sure to be another: a relative path may be any.
fn is_elsewhere(made_in: &str, folder: &str) -> bool {
    made_in.starts_with('/') && folder.starts_with('/') && made_in != folder.trim_end_matches('/')
}

/// A folder of a cache, with all that is in it.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    /// Where it lies: an absolute path, if it lies in a file system.
    pub folder: Option<String>,
    /// Its entries by their names.
    pub items: Vec<CacheItem>,
    /// Files that no JAX reads or removes.
    pub leftovers: Vec<String>,
    /// Caches of XLA itself.
    pub xla: BTreeSet<String>,
    /// Whether there is the lock of a cache with a limit.
    pub lock: bool,
}

/// A file as it lies in a folder.
#[derive(Clone)]
pub(crate) struct Listed<'f> {
    pub(crate) name: &'f str,
    pub(crate) size: u64,
    pub(crate) modified: Option<Timestamp>,
}

impl Cache {
    /// Takes the files of a folder apart; `read` reads an entry, `time` an access time.
    pub(crate) fn from_files<'f>(
        files: impl Iterator<Item = Listed<'f>> + Clone,
        mut read: impl FnMut(&str) -> Result<CacheEntry, Damage>,
        mut time: impl FnMut(&str) -> Option<Timestamp>,
    ) -> Self {
        let mut cache = Self::default();
        let mut times = BTreeMap::new();
        for file in files.clone() {
            match CacheFileName::parse(file.name) {
                CacheFileName::AccessTime(key) => {
                    times.insert(key, file.name);
                }
                CacheFileName::Unfinished => cache.leftovers.push(file.name.to_owned()),
                CacheFileName::Lock => cache.lock = true,
                CacheFileName::Entry { .. } | CacheFileName::Xla | CacheFileName::Other => {}
            }
        }
        for file in files {
            let CacheFileName::Entry { key, suffixed } = CacheFileName::parse(file.name) else {
                continue;
            };
            let access = times.remove(key);
            cache.items.push(CacheItem {
                file: file.name.to_owned(),
                suffixed,
                size: file.size,
                used: access.and_then(&mut time).or(file.modified),
                has_access_time: access.is_some(),
                entry: read(file.name),
            });
        }
        cache.leftovers.extend(times.into_values().map(str::to_owned));
        cache
    }
}
