//! Paths that lead into a wheel: `a-1.0-py3-none-any.whl/a/plugin.so`, or with a `!` as labels have them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_source::{Archive, ArchiveMember, FileSource, Source};

use crate::wheel::LARGEST_LIBRARY;
use crate::{Artifact, OpenError, OpenOptions, recognize, wheel};

/// A member of a wheel that lies in the file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WheelPath {
    /// The file of the wheel.
    pub wheel: PathBuf,
    /// The name of the member in it, with `/`.
    pub member: String,
}

impl WheelPath {
    /// The member that a path names; none if a file lies at the path, or no wheel lies on it.
    ///
    /// ```
    /// use std::path::Path;
    /// use unskew_artifact::WheelPath;
    ///
    /// let folder = tempfile::tempdir().unwrap();
    /// let wheel = folder.path().join("a-1.0-py3-none-any.whl");
    /// std::fs::write(&wheel, "PK").unwrap();
    /// let found = WheelPath::find(&wheel.join("a/plugin.so")).unwrap();
    /// assert_eq!(found.member, "a/plugin.so");
    /// assert_eq!(WheelPath::find(&wheel), None);
    /// ```
    pub fn find(path: &Path) -> Option<Self> {
        if path.exists() {
            return None;
        }
        let of_slash = path.ancestors().skip(1).find(|file| is_wheel(file)).and_then(|wheel| {
            let member = path.strip_prefix(wheel).ok()?.to_str()?.replace('\\', "/");
            Some(Self { wheel: wheel.to_owned(), member })
        });
        of_slash.or_else(|| {
            let (wheel, member) = path.to_str()?.split_once(".whl!")?;
            let wheel = PathBuf::from(format!("{wheel}.whl"));
            is_wheel(&wheel).then(|| Self { wheel, member: member.to_owned() })
        })
    }

    /// The last part of the name of the member.
    pub fn file_name(&self) -> &str {
        self.member.rsplit('/').next().unwrap_or(&self.member)
    }

    /// Opens the member alone.
    ///
    /// # Errors
    /// If the wheel has no such member, or it is of no known kind or cannot be read.
    pub fn open(&self, options: &OpenOptions) -> Result<Artifact, OpenError> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&self.wheel)?);
        self.entry(&Archive::open(source.clone())?)?;
        wheel::open(source, Some(&self.member), options)
    }

    /// Writes the bytes of the member to `out`.
    ///
    /// # Errors
    /// If the wheel has no such member, or it cannot be read or written.
    pub fn copy(&self, out: &mut dyn io::Write) -> Result<(), OpenError> {
        let archive = Archive::open(Arc::new(FileSource::open(&self.wheel)?))?;
        archive.copy(self.entry(&archive)?, out, LARGEST_LIBRARY)?;
        Ok(())
    }

    fn entry<'a>(&self, archive: &'a Archive) -> Result<&'a ArchiveMember, OpenError> {
        archive.entry(&self.member).ok_or_else(|| {
            let all = archive.entries().iter().map(|entry| &*entry.name);
            let mut there: Vec<&str> = all.filter(|name| recognize::is_candidate(name)).collect();
            there.sort_by_key(|name| !recognize::is_library(name));
            OpenError::NoMember {
                wheel: archive.name().to_owned(),
                member: self.member.clone(),
                there: there.into_iter().take(MOST_NAMES).map(str::to_owned).collect(),
            }
        })
    }
}

/// How many members an error names.
const MOST_NAMES: usize = 5;

fn is_wheel(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("whl")) && path.is_file()
}
