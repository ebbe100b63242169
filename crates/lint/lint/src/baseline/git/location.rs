//! Location of a repository: found as git finds it, but without git, which reads the repository's configuration before
//! anything else.

use std::path::{Path, PathBuf};

use unskew_source::read_regular;

use super::super::BaselineError;

/// The most bytes of a file that holds one path.
const LINE: u64 = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Location {
    /// What this work tree has of its own: `HEAD` and the index.
    pub git: PathBuf,
    /// What all work trees share: objects, references, the configuration.
    pub common: PathBuf,
    /// The root of the work tree; none in a bare repository.
    pub work_tree: Option<PathBuf>,
}

impl Location {
    /// The repository that a folder lies in; none if it lies in none.
    pub fn find(folder: &Path) -> Result<Option<Self>, BaselineError> {
        for ancestor in folder.ancestors() {
            let dot = ancestor.join(".git");
            let found = match std::fs::metadata(&dot) {
                Ok(metadata) if metadata.is_dir() => Self::at(dot, Some(ancestor))?,
                Ok(metadata) if metadata.is_file() => {
                    let git = named(&dot)?;
                    let found = Self::at(git.clone(), Some(ancestor))?;
                    let (dot, git) = (dot.display(), git.display());
                    let why = || BaselineError::Git(format!("{dot} names no repository: {git}"));
                    Some(found.ok_or_else(why)?)
                }
                _ => None,
            };
            let found = match found {
                None => Self::at(ancestor.to_owned(), None)?,
                found => found,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn at(git: PathBuf, work_tree: Option<&Path>) -> Result<Option<Self>, BaselineError> {
        if !git.join("HEAD").is_file() {
            return Ok(None);
        }
        let shared = git.join("commondir");
        let common = if shared.is_file() { git.join(path_in(&shared)?) } else { git.clone() };
        let is_whole = common.join("objects").is_dir() && common.join("refs").exists();
        let work_tree = work_tree.map(Path::to_owned);
        Ok(is_whole.then_some(Self { git, common, work_tree }))
    }
}

/// The folder that a file `.git` names, as linked work trees and submodules have one: `gitdir: ../.git/modules/a`.
fn named(dot: &Path) -> Result<PathBuf, BaselineError> {
    let text = path_in(dot)?;
    let Some(path) = text.to_str().and_then(|text| text.strip_prefix("gitdir:")) else {
        return Err(BaselineError::Git(format!("{} does not begin with gitdir:", dot.display())));
    };
    let path = path.trim_start();
    refuse_other_machines(path)?;
    Ok(dot.parent().unwrap_or(Path::new("")).join(path))
}

fn path_in(file: &Path) -> Result<PathBuf, BaselineError> {
    let text = read_regular(file, LINE)?;
    let text = String::from_utf8_lossy(&text);
    let path = text.trim_end_matches(['\r', '\n']);
    refuse_other_machines(path)?;
    Ok(PathBuf::from(path))
}

/// Refuses what some systems look for on another machine: `\\host\share`.
pub(super) fn refuse_other_machines(path: &str) -> Result<(), BaselineError> {
    match path.starts_with("\\\\") || path.starts_with("//") {
        true => Err(BaselineError::Git(format!("a path on another machine is not read: {path}"))),
        false => Ok(()),
    }
}
