//! The folder of an adapted plug-in.

use std::path::{Path, PathBuf};

use unskew_source::make_folder;

use super::AdaptError;

/// The folder of the result. If nothing comes into it, the folders that were made for it go again.
pub(super) struct Output {
    /// Those that were not there before, the innermost first.
    pub(super) made: Vec<PathBuf>,
}

impl Output {
    pub(super) fn prepare(folder: &Path) -> Result<Self, AdaptError> {
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = folder.ancestors().take_while(missing).map(Path::to_owned).collect();
        let output = Self { made };
        make_folder(folder).map_err(|source| AdaptError::Io {
            what: format!("cannot make the folder {}", folder.display()),
            source,
        })?;
        Ok(output)
    }

    pub(super) fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        for folder in &self.made {
            // One with something in it stays, and those around it.
            if std::fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }
}
