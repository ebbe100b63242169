//! Sources that were read before: what a reader made of each, by the digest of its text.
//!
//! One file for each environment, written whole when something in it is new: a line that says which reader made it, an index with
//! digests, and the modules. What another reader wrote is not used, nor what is broken: it is read from the source again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use unskew_python_source::{PythonModule, READER};
use unskew_source::{FileSource, OutputFile, SourceExt as _};

/// The largest index that is read, and the largest module.
const LARGEST: u64 = 64 << 20;

/// How many environments are kept. Those that were written longest ago go first.
const ENVIRONMENTS: usize = 64;

type FullDigest = [u8; 32];

/// Where a module lies in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptModule {
    offset: u64,
    length: u64,
    /// The digest of these bytes.
    digest: FullDigest,
}

/// The modules of one environment.
#[derive(Debug, Default)]
pub(super) struct SourceCache {
    /// The file, if they are kept.
    path: Option<PathBuf>,
    /// The file that is there, and what it has.
    file: Option<FileSource>,
    kept: HashMap<FullDigest, KeptModule>,
    used: BTreeSet<FullDigest>,
    fresh: BTreeMap<FullDigest, Vec<u8>>,
}

impl SourceCache {
    /// The modules of the environment with these folders that were kept in `folder`.
    pub(super) fn open(folder: Option<&Path>, folders: &[PathBuf]) -> Self {
        let Some(folder) = folder else { return Self::default() };
        let mut hash = Sha256::new();
        for one in folders {
            hash.update(one.as_os_str().as_encoded_bytes());
            hash.update([0]);
        }
        let name: String =
            hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(name);
        let mut cache = Self { path: Some(path.clone()), ..Self::default() };
        if let Some((file, kept)) = FileSource::open(&path).ok().and_then(with_index) {
            (cache.file, cache.kept) = (Some(file), kept);
        }
        cache
    }

    /// The module with this text: what was kept of it, or what is read now. None if it cannot be read.
    pub(super) fn read(&mut self, text: &str) -> Option<PythonModule> {
        if self.path.is_none() {
            return PythonModule::read(text).ok();
        }
        let digest: FullDigest = Sha256::digest(text).into();
        let kept = self.bytes(&digest);
        if let Some(module) = kept.and_then(|bytes| PythonModule::from_bytes(&bytes)) {
            self.used.insert(digest);
            return Some(module);
        }
        let module = PythonModule::read(text).ok()?;
        self.fresh.entry(digest).or_insert_with(|| module.to_bytes());
        Some(module)
    }

    /// What was kept of the source with this digest.
    fn bytes(&self, digest: &FullDigest) -> Option<Vec<u8>> {
        let place = self.kept.get(digest).filter(|place| place.length <= LARGEST)?;
        let bytes = self.file.as_ref()?.bytes(place.offset, place.length).ok()?;
        (FullDigest::from(Sha256::digest(&bytes)) == place.digest).then_some(bytes)
    }

    /// Writes the file if something in it is new. That it cannot be written changes no answer, and is not said.
    pub(super) fn keep(self) {
        let Some(path) = self.path.as_ref().filter(|_| !self.fresh.is_empty()) else { return };
        let Some(folder) = path.parent() else { return };
        let _ = self.write(folder, path);
        remove_oldest(folder);
    }

    fn write(&self, folder: &Path, path: &Path) -> std::io::Result<()> {
        let mut index = HashMap::new();
        let mut modules = Vec::new();
        let used = self.used.iter().filter_map(|digest| Some((digest, self.bytes(digest)?)));
        for (digest, bytes) in used {
            add_module(&mut index, &mut modules, *digest, &bytes);
        }
        for (digest, bytes) in &self.fresh {
            add_module(&mut index, &mut modules, *digest, bytes);
        }
        let index = postcard::to_allocvec(&index).map_err(std::io::Error::other)?;
        std::fs::create_dir_all(folder)?;
        let mut output = OutputFile::create(path)?;
        output.write_all(head().as_bytes())?;
        output.write_all(&(index.len() as u64).to_le_bytes())?;
        output.write_all(&Sha256::digest(&index))?;
        output.write_all(&index)?;
        output.write_all(&modules)?;
        output.commit()
    }
}

/// Adds a module to those that are written; its place counts from the end of the index.
fn add_module(
    index: &mut HashMap<FullDigest, KeptModule>,
    modules: &mut Vec<u8>,
    text: FullDigest,
    bytes: &[u8],
) {
    let (offset, length) = (modules.len() as u64, bytes.len() as u64);
    let digest = Sha256::digest(bytes).into();
    index.insert(text, KeptModule { offset, length, digest });
    modules.extend_from_slice(bytes);
}

/// What the file begins with.
fn head() -> String {
    format!("unskew python sources, reader {READER}\n")
}

/// A file with its index; none if another reader made it, or it is broken.
fn with_index(file: FileSource) -> Option<(FileSource, HashMap<FullDigest, KeptModule>)> {
    let head = head();
    let before = head.len() as u64 + 8 + 32;
    let start = file.bytes(0, before).ok()?;
    let (length, rest) = start.strip_prefix(head.as_bytes())?.split_first_chunk::<8>()?;
    let length = u64::from_le_bytes(*length);
    let bytes = file.bytes(before, Some(length).filter(|length| *length <= LARGEST)?).ok()?;
    if FullDigest::from(Sha256::digest(&bytes)) != rest {
        return None;
    }
    let mut index: HashMap<FullDigest, KeptModule> = postcard::from_bytes(&bytes).ok()?;
    for place in index.values_mut() {
        place.offset = place.offset.checked_add(before + length)?;
    }
    Some((file, index))
}

/// Removes the files of environments that were written longest ago, if there are many.
fn remove_oldest(folder: &Path) {
    let written = |path: &Path| path.metadata().and_then(|one| one.modified()).ok();
    let entries =
        folder.read_dir().into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<(SystemTime, PathBuf)> =
        entries.filter_map(|path| Some((written(&path)?, path))).collect();
    files.sort();
    let many = files.len().saturating_sub(ENVIRONMENTS);
    for (_, path) in files.into_iter().take(many) {
        let _ = std::fs::remove_file(path);
    }
}
