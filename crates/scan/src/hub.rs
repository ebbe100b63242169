//! The cache of the Hugging Face hub on this machine.
//!
//! ```text
//! hub/models--org--name/
//!   refs/main                      the commit that `main` is
//!   snapshots/COMMIT/net.pt        a link to ../../blobs/HASH
//!   blobs/HASH                     the bytes; SHA-256 for large files, git's hash for small ones
//! ```
//!
//! The name of a blob names its state, so nothing is hashed here. Links are followed to blobs of the same repository only.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_artifact::{ArtifactFile, Content, OpenError};

use crate::group::{Group, ListedFile, groups, refuse_unreadable};
use crate::{Inventory, InventoryItem, ScanError, local_files};

/// What folders of models begin with.
const MODELS: &str = "models--";
/// How deep a snapshot is walked.
const DEPTH: usize = 16;

/// Whether the folder at `path` is such a cache, the folder above one, or one model in it.
pub(crate) fn is_cache(path: &Path) -> bool {
    is_model(path) || !models(path).is_empty() || !models(&path.join("hub")).is_empty()
}

fn is_model(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(MODELS) && path.join("snapshots").is_dir()
}

/// The models in a cache, in order.
fn models(cache: &Path) -> Vec<PathBuf> {
    let entries = cache.read_dir().into_iter().flatten().flatten();
    let mut models: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| is_model(path)).collect();
    models.sort();
    models
}

pub(crate) struct Hub {
    root: PathBuf,
    name: String,
}

impl Hub {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), name: root.display().to_string() }
    }
}

impl Inventory for Hub {
    fn name(&self) -> &str {
        &self.name
    }

    fn items(&self) -> Result<Vec<InventoryItem>, ScanError> {
        let all = match is_model(&self.root) {
            true => vec![self.root.clone()],
            false => [models(&self.root), models(&self.root.join("hub"))].concat(),
        };
        let mut items = Vec::new();
        for model in all {
            let error = |source| ScanError::Folder { path: model.display().to_string(), source };
            let own = model.canonicalize().map_err(error)?;
            let snapshots = model.join("snapshots");
            let mut commits: Vec<PathBuf> =
                snapshots.read_dir().map_err(error)?.flatten().map(|entry| entry.path()).collect();
            commits.sort();
            for commit in commits.iter().filter(|commit| commit.is_dir()) {
                items.extend(Snapshot::read(&model, &own, commit).map_err(error)?.items());
            }
        }
        Ok(items)
    }
}

/// One commit of a model.
struct Snapshot {
    collection: String,
    revision: String,
    folder: PathBuf,
    files: Vec<ListedFile>,
}

impl Snapshot {
    fn read(model: &Path, own: &Path, folder: &Path) -> io::Result<Self> {
        let text =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let collection = text(model).trim_start_matches(MODELS).replace("--", "/");
        let (revision, folder) = (text(folder), folder.to_owned());
        let mut snapshot = Self { collection, revision, folder, files: Vec::new() };
        let root = snapshot.folder.clone();
        snapshot.walk(own, &root, "", 0)?;
        snapshot.files.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(snapshot)
    }

    fn walk(&mut self, own: &Path, folder: &Path, prefix: &str, depth: usize) -> io::Result<()> {
        for entry in folder.read_dir()? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let key = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if depth < DEPTH {
                    self.walk(own, &entry.path(), &key, depth + 1)?;
                }
                continue;
            }
            let target = entry.path().canonicalize();
            let file = match &target {
                Ok(target) if target.starts_with(own) => {
                    let metadata = target.metadata()?;
                    let blob = target.parent().is_some_and(|parent| parent.ends_with("blobs"));
                    let hash =
                        target.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    let etag = if blob { hash } else { local_files::state(&metadata) };
                    ListedFile::readable(key, metadata.len(), Some(etag))
                }
                Ok(_) => ListedFile::unreadable(key, "a link that leads out of its repository"),
                Err(_) => ListedFile::unreadable(key, "a link to a blob that is not there"),
            };
            self.files.push(file);
        }
        Ok(())
    }

    fn items(&self) -> Vec<InventoryItem> {
        groups(&self.files).into_iter().map(|group| self.item(group)).collect()
    }

    fn item(&self, group: Group) -> InventoryItem {
        let path = self.folder.join(&group.key);
        let uri = path.display().to_string();
        let keys: Vec<String> = group.files.iter().map(|at| self.files[*at].key.clone()).collect();
        let (folder, name, base, whole) =
            (self.folder.clone(), uri.clone(), group.key.clone(), group.folder);
        let open = move || -> Result<Content, OpenError> {
            refuse_unreadable(&path, group.unreadable)?;
            let part = |key: &String| {
                let file = folder.join(key);
                let below = key.strip_prefix(&base).unwrap_or(key).trim_start_matches('/');
                let below = if whole { below } else { name.as_str() };
                ArtifactFile::open(below, &file.display().to_string(), &file)
            };
            let mut parts: Vec<ArtifactFile> = keys.iter().map(part).collect::<Result<_, _>>()?;
            match (whole, parts.len()) {
                (false, 1) => Ok(Content::File(parts.remove(0))),
                _ => Ok(Content::Folder { name: name.clone(), parts }),
            }
        };
        let sha256 = group
            .etag
            .clone()
            .filter(|hash| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
        InventoryItem {
            key: format!("{}/{}/{}", self.collection, self.revision, group.key),
            uri,
            collection: Some(self.collection.clone()),
            revision: Some(self.revision.clone()),
            etag: group.etag,
            sha256,
            size: group.size,
            open: Arc::new(open),
        }
    }
}
