//! Sources of baselines.

use std::cell::OnceCell;
use std::fmt;
use std::path::{Path, PathBuf};

use super::{BaselineError, PackageSource, Repository};

/// A folder, the repository that it lies in, opened when that is first asked for, and an index of packages.
pub struct Sources<'a> {
    folder: PathBuf,
    repository: OnceCell<Repository>,
    index: Option<&'a dyn PackageSource>,
}

impl<'a> Sources<'a> {
    /// What there is for `folder`. Packages that are not in the cache are fetched from `index`; without one they are an
    /// error.
    pub fn new(folder: &Path, index: Option<&'a dyn PackageSource>) -> Self {
        Self { folder: folder.to_owned(), repository: OnceCell::new(), index }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The repository.
    ///
    /// # Errors
    /// As [`Repository::open`].
    pub fn repository(&self) -> Result<&Repository, BaselineError> {
        if let Some(repository) = self.repository.get() {
            return Ok(repository);
        }
        let repository = Repository::open(&self.folder)?;
        Ok(self.repository.get_or_init(|| repository))
    }

    pub(super) fn index(&self) -> Option<&'a dyn PackageSource> {
        self.index
    }
}

impl fmt::Debug for Sources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources").field("folder", &self.folder).finish_non_exhaustive()
    }
}
