//! Links in the cache of the Hugging Face hub, the only links to files that a walk of a folder follows.

use std::path::{Path, PathBuf};

/// The files of one repository in the cache, by their digests: `models--ORG--NAME/snapshots/REVISION` has nothing but
/// links to `models--ORG--NAME/blobs`.
#[derive(Debug)]
pub struct HubBlobs {
    folder: PathBuf,
}

impl HubBlobs {
    /// The blobs of the repository in which `path` lies, if it lies in one.
    pub fn around(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let repository = path.ancestors().find(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            name.contains("--")
                && folder.join("snapshots").is_dir()
                && folder.join("blobs").is_dir()
        })?;
        Some(Self { folder: repository.join("blobs") })
    }

    /// Whether `link` leads to a file that lies directly among them.
    pub fn has(&self, link: &Path) -> bool {
        let leads_to = link.canonicalize();
        leads_to.is_ok_and(|file| file.parent() == Some(&*self.folder) && file.is_file())
    }
}
