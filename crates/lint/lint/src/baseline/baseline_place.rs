//! A baseline as it is written.

use std::path::{Path, PathBuf};

use super::{BaselineError, BaselinePackage, Commit, Snapshot, Sources, archive, folder};

/// Where a side is, as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselinePlace {
    /// As it was written; what messages call it.
    pub text: String,
    what: What,
    /// A folder or file in it.
    inner: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// A revision; with `fork`, where the branch that is checked out left it.
    Revision { name: String, fork: bool },
    /// Where the branch that is checked out left the main branch, whatever that is called.
    MergeBase,
    /// A file or folder of this machine; an archive if it is one.
    Path(PathBuf),
    /// A package of an index.
    Package(BaselinePackage),
}

impl BaselinePlace {
    /// Reads a text as a place. Paths are taken from `root`.
    ///
    /// # Errors
    /// [`BaselineError::Unknown`] if it is none; revisions and packages are looked for when they are opened.
    pub fn parse(text: &str, root: &Path) -> Result<Self, BaselineError> {
        let place = |what, inner: Option<&str>| Self {
            text: text.to_owned(),
            what,
            inner: inner.map(str::to_owned),
        };
        if let Some(rest) = text.strip_prefix("git:") {
            let (revision, inner) = split(rest, ':');
            return Ok(place(revision_of(revision), inner));
        }
        if let Some(rest) = text.strip_prefix("pypi:") {
            let (package, inner) = split(rest, '!');
            return Ok(place(What::Package(BaselinePackage::parse(package)?), inner));
        }
        let path = root.join(text);
        if path.exists() {
            return Ok(place(What::Path(path), None));
        }
        if let Some((outer, inner)) = text.split_once('!')
            && root.join(outer).is_file()
        {
            return Ok(place(What::Path(root.join(outer)), Some(inner)));
        }
        match text.split_once(':') {
            Some((revision, inner)) if !revision.is_empty() && !inner.is_empty() => {
                Ok(place(revision_of(revision), Some(inner)))
            }
            _ => Err(BaselineError::Unknown(text.to_owned())),
        }
    }

    /// The name of the revision, if it is one.
    pub fn revision(&self) -> Option<&str> {
        match &self.what {
            What::Revision { name, .. } => Some(name),
            What::MergeBase => Some(MERGE_BASE),
            _ => None,
        }
    }

    /// Whether it is where the branch that is checked out left another one.
    pub fn is_fork(&self) -> bool {
        matches!(self.what, What::Revision { fork: true, .. } | What::MergeBase)
    }

    /// The folder or file in it, if one is named.
    pub fn inner(&self) -> Option<&str> {
        self.inner.as_deref()
    }

    /// Whether it is files of this machine that lie in no archive.
    pub fn is_here(&self) -> bool {
        match &self.what {
            What::Path(path) => path.is_dir() || !archive::is_archive(path),
            _ => false,
        }
    }

    /// The commit of the revision.
    ///
    /// # Errors
    /// If it is none, or is not there.
    pub fn commit(&self, sources: &Sources<'_>) -> Result<Commit, BaselineError> {
        match &self.what {
            What::Revision { name, fork: true } => sources.repository()?.fork(name),
            What::Revision { name, fork: false } => sources.repository()?.commit(name),
            What::MergeBase => {
                let repository = sources.repository()?;
                repository.fork(&repository.main_branch()?)
            }
            _ => Err(BaselineError::Git(format!("no revision: {}", self.text))),
        }
    }

    /// Reads the names of its files.
    ///
    /// # Errors
    /// If it is not there or cannot be read.
    pub fn open(&self, sources: &Sources<'_>) -> Result<Snapshot, BaselineError> {
        let snapshot = match &self.what {
            What::Revision { .. } | What::MergeBase => {
                sources.repository()?.snapshot(&self.commit(sources)?, &self.outer())?
            }
            What::Path(path) if path.is_file() && archive::is_archive(path) => {
                archive::open(path, &self.outer(), String::new())?
            }
            What::Path(path) => folder::open(path, &self.text)?,
            What::Package(package) => package.open(&self.outer(), sources.index())?,
        };
        snapshot.below(self.inner.as_deref())
    }

    /// The text without what it says about a folder or file inside.
    fn outer(&self) -> String {
        let inner = self.inner.as_deref().unwrap_or_default();
        let outer = self.text.strip_suffix(inner).unwrap_or(&self.text);
        if inner.is_empty() { outer } else { outer.trim_end_matches(['!', ':']) }.to_owned()
    }
}

/// What stands in the place of a revision for where the branch left the main branch.
const MERGE_BASE: &str = "merge-base";

fn revision_of(text: &str) -> What {
    if text == MERGE_BASE {
        return What::MergeBase;
    }
    match text.strip_suffix("...") {
        Some(name) => What::Revision { name: name.to_owned(), fork: true },
        None => What::Revision { name: text.to_owned(), fork: false },
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_what_it_looks_like() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a:b"), "").unwrap();
        let parse = |text: &str| BaselinePlace::parse(text, folder.path()).map(|place| place.what);
        let revision = |name: &str, fork| What::Revision { name: name.to_owned(), fork };
        assert_eq!(parse("git:main...").unwrap(), revision("main", true));
        assert_eq!(parse("v1:include/a.h").unwrap(), revision("v1", false));
        assert_eq!(parse("a:b").unwrap(), What::Path(folder.path().join("a:b")));
        assert_eq!(parse("git:merge-base").unwrap(), What::MergeBase);
        assert!(matches!(parse("nothing"), Err(BaselineError::Unknown(_))));
        let place = BaselinePlace::parse("git:v1:include", folder.path()).unwrap();
        assert_eq!((place.inner.as_deref(), place.outer().as_str()), (Some("include"), "git:v1"));
    }
}
