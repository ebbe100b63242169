//! Links in the cache of the Hugging Face hub, the only links to files that a walk of a folder follows.

use std::path::{Path, PathBuf};

/// The files of one repository in the cache, by their digests: `models--ORG--NAME/snapshots/REVISION` has nothing but
/// links to `models--ORG--NAME/blobs`. A copy of the repository may have another name.
#[derive(Debug)]
pub struct HubBlobs {
    folder: PathBuf,
}

impl HubBlobs {
    /// The blobs of the repository in which `path` lies, if it lies in one.
    pub fn around(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let has = |folder: &Path, name: &str| folder.join(name).is_dir();
        let is_repository = |folder: &&Path| has(folder, "snapshots") && has(folder, "blobs");
        let repository = path.ancestors().find(is_repository)?;
        Some(Self { folder: repository.join("blobs") })
    }

    /// Whether `link` leads to a file that lies directly among them.
    pub fn has(&self, link: &Path) -> bool {
        let leads_to = link.canonicalize();
        leads_to.is_ok_and(|file| file.parent() == Some(&*self.folder) && file.is_file())
    }
}
