//! A cache as a party.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use unskew_core::{Party, Places, Requirement, Role, Version};
use unskew_pjrt::API_AXIS;
use unskew_source::{Budget, FileSource, ReadError, Source, SourceExt};

use crate::cache::{Cache, CacheItem, Listed};
use crate::name::program;
use crate::packing::EntryCompression;
use crate::verdict::{Lookup, Plugin};
use crate::{AXIS, CacheEntry, CacheFileName, Damage, rules};

/// What a cache is called.
const KIND: &str = "JAX compilation cache";

/// A file of a folder. It is opened when it is read.
pub struct CacheFile {
    /// Its name in the folder.
    pub name: String,
    /// Its size, in bytes.
    pub size: u64,
    /// When it was last written, if that is known.
    pub modified: Option<Timestamp>,
    /// Opens it, when its contents are wanted.
    pub open: Box<dyn Fn() -> Result<Arc<dyn Source>, ReadError>>,
}

impl CacheFile {
    /// The file at `path` in this machine, called `name`.
    pub fn at(name: String, path: &Path) -> Self {
        let metadata = path.metadata().ok();
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        let path = path.to_owned();
        Self {
            name,
            size: metadata.map_or(0, |metadata| metadata.len()),
            modified: modified.and_then(|time| time.try_into().ok()),
            open: Box::new(move || Ok(Arc::new(FileSource::open(&path)?))),
        }
    }
}

/// Whether a folder with these files is a cache: it has an entry by name. One without `-cache` must be compressed, since
/// other stores have such names too.
fn is_cache(files: &[CacheFile]) -> bool {
    files.iter().any(|file| match CacheFileName::parse(&file.name) {
        CacheFileName::Entry { suffixed: true, .. } => true,
        CacheFileName::Entry { suffixed: false, .. } => {
            let head = (file.open)().and_then(|source| source.head(4));
            head.is_ok_and(|head| EntryCompression::from_head(&head).is_some())
        }
        _ => false,
    })
}

/// The party of a folder, by the files that lie in it directly; none if it is no cache. `path` is where it lies, `xla` what
/// folders lie in it.
pub fn folder_party(
    name: &str,
    path: Option<String>,
    files: &[CacheFile],
    folders: &[String],
) -> Option<Party> {
    let mut cache = folder(path, files)?;
    let is_xla = |name: &&String| CacheFileName::parse(name) == CacheFileName::Xla;
    cache.xla.extend(folders.iter().filter(is_xla).cloned());
    Some(party(name, cache))
}

/// The cache in a folder, by the files that lie in it directly; none if it is no cache.
pub fn folder(path: Option<String>, files: &[CacheFile]) -> Option<Cache> {
    if !is_cache(files) {
        return None;
    }
    let mut by_name: BTreeMap<&str, &CacheFile> = BTreeMap::new();
    for file in files {
        by_name.insert(&file.name, file);
    }
    // The entries take from one budget together, as the members of an archive do.
    let size = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    let budget = Budget::for_size(size);
    let read = |name: &str| {
        let file = by_name.get(name).ok_or(Damage::Unreadable)?;
        let source = (file.open)().map_err(|_| Damage::Unreadable)?;
        CacheEntry::read(&source, &budget)
    };
    let time = |name: &str| {
        let file = by_name.get(name).filter(|file| file.size == 8)?;
        let bytes: [u8; 8] = (file.open)().ok()?.head(8).ok()?.try_into().ok()?;
        Timestamp::from_nanosecond(i128::from(u64::from_le_bytes(bytes))).ok()
    };
    let listed = by_name.values().map(|file| Listed {
        name: &file.name,
        size: file.size,
        modified: file.modified,
    });
    let mut cache = Cache::from_files(listed, read, time);
    cache.folder = path;
    Some(cache)
}

/// The party of a single entry; none if the file has no name of one.
///
/// # Errors
/// If its first bytes cannot be read. An entry that is broken is a cache with a broken entry.
pub fn entry_party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let CacheFileName::Entry { suffixed, .. } = CacheFileName::parse(name) else { return Ok(None) };
    if !suffixed && EntryCompression::from_head(&source.head(4)?).is_none() {
        return Ok(None);
    }
    let budget = source.budget().cloned().unwrap_or_else(|| Budget::for_size(source.size()));
    let listed = [Listed { name, size: source.size(), modified: None }];
    let cache =
        Cache::from_files(listed.into_iter(), |_| CacheEntry::read(source, &budget), |_| None);
    Ok(Some(party(name, cache)))
}

fn party(name: &str, cache: Cache) -> Party {
    let origin = written_by(&cache.items);
    let mut party = Party::new(name, Role::Artifact, KIND);
    if let [(one, _)] = &origin[..] {
        party = party.from_origin(format!("written by {one}"));
    }
    let size: u64 = cache.items.iter().map(|item| item.size).sum();
    party = party.fact("entries", format!("{}, {size} bytes", cache.items.len()));
    let mut names = BTreeSet::new();
    names.extend(cache.items.iter().map(|item| program(item.key())));
    let programs: Places = names.into_iter().collect();
    party = party.fact("programs", programs);
    for (writer, count) in &origin {
        party = party.fact("written by", format!("{writer}: {count}"));
    }
    let whole = || cache.items.iter().filter_map(|item| item.entry.as_ref().ok());
    party = counted(party, "compression", whole().map(|entry| entry.packing.to_string()));
    party = counted(
        party,
        "compiled for",
        whole()
            .filter_map(CacheEntry::target)
            .map(|target| format!("{} ({})", target.cpu, target.triple)),
    );
    party = counted(
        party,
        "compiled by a plug-in with an adapter",
        whole().filter_map(CacheEntry::stamp).map(|stamp| stamp.plugin.clone()),
    );
    party = counted(
        party,
        "made in the folder",
        whole().filter_map(CacheEntry::folder).map(str::to_owned),
    );
    let seconds: u64 = whole().map(|entry| u64::from(entry.compile_seconds)).sum();
    party = party.fact("compiling took", format!("{seconds} s"));
    let used = || cache.items.iter().filter_map(|item| item.used);
    if let (Some(first), Some(last)) = (used().min(), used().max()) {
        let day = |time: Timestamp| time.to_zoned(TimeZone::UTC).date();
        party = party.fact("last used", format!("{} to {}", day(first), day(last)));
    }
    let timed = cache.items.iter().filter(|item| item.has_access_time).count();
    let evicts = if cache.lock {
        "had a limit of size: the least recently used go first"
    } else {
        "nothing, without jax_compilation_cache_max_size"
    };
    party = party.fact("access times", format!("of {timed} entries"));
    party = party.fact("evicts", evicts);
    if !cache.xla.is_empty() {
        party = party.fact("caches of XLA", cache.xla.iter().collect::<Places>());
    }
    for finding in notes(&cache) {
        party = party.note(finding);
    }
    let cache = Arc::new(cache);
    party
        .require(Requirement::matches(AXIS, Lookup(cache.clone())).irrelevant_if_absent())
        .require(Requirement::matches(API_AXIS, Plugin(cache)).irrelevant_if_absent())
}

/// What is so whoever uses the cache.
fn notes(cache: &Cache) -> Vec<unskew_core::Finding> {
    let mut notes = Vec::new();
    let damage =
        |item: &CacheItem| item.entry.as_ref().err().copied().filter(|damage| damage.is_certain());
    let broken: Vec<_> =
        cache.items.iter().filter_map(|item| Some((item, damage(item)?))).collect();
    if !broken.is_empty() {
        let places: Places = broken
            .iter()
            .map(|(item, damage)| format!("{} ({})", item.file, damage.words()))
            .collect();
        let (count, all) = (broken.len(), cache.items.len());
        notes.push(rules::EntryBroken { count: &count, all: &all }.finding().at(places));
    }
    if !cache.leftovers.is_empty() {
        let count = cache.leftovers.len();
        let places = cache.leftovers.iter().collect();
        notes.push(rules::LeftoverFiles { count: &count }.finding().at(places));
    }
    notes
}

/// Which jaxlibs wrote how many entries, in words.
fn written_by(items: &[CacheItem]) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for words in items.iter().filter_map(|item| item.writers()).map(|writers| releases(&writers)) {
        match counts.iter_mut().find(|(known, _)| *known == words) {
            Some((_, count)) => *count += 1,
            None => counts.push((words, 1)),
        }
    }
    counts
}

/// Releases of jaxlib in words: they are neighbours, or one release fits between two that do not.
pub(crate) fn releases(versions: &[Version]) -> String {
    match versions {
        [] => "a jaxlib that is not known here".to_owned(),
        [one] => format!("jaxlib {one}"),
        [first, .., last] => format!("a jaxlib from {first} to {last}"),
    }
}

/// Adds a fact with how often each value is there.
fn counted(mut party: Party, label: &str, values: impl Iterator<Item = String>) -> Party {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_insert(0_usize) += 1;
    }
    for (value, count) in counts {
        party = party.fact(label, format!("{value}: {count}"));
    }
    party
}
