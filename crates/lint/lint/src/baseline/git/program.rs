//! The program `git`: never one that the folder brings which is judged.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::BaselineError;

const NAME: &str = if cfg!(windows) { "git.exe" } else { "git" };

/// A program, and the folders in which it may look for others.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub file: PathBuf,
    pub path: OsString,
}

impl Program {
    /// Looks for `git` in the folders of `PATH` that are absolute and neither the current folder nor in the work tree.
    pub fn find(work_tree: Option<&Path>) -> Result<Self, BaselineError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
        let work_tree = work_tree.and_then(|root| root.canonicalize().ok());
        let is_trusted = |folder: &PathBuf| {
            let Some(folder) = folder.is_absolute().then(|| folder.canonicalize().ok()).flatten()
            else {
                return false;
            };
            let is_judged = work_tree.as_ref().is_some_and(|root| folder.starts_with(root));
            !is_judged && Some(folder) != here
        };
        let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(is_trusted).collect();
        let file = folders.iter().map(|folder| folder.join(NAME)).find(|file| is_program(file));
        let path = std::env::join_paths(&folders).unwrap_or_default();
        file.map(|file| Self { file, path }).ok_or(BaselineError::NoGit)
    }
}

fn is_program(file: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(file) else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}
