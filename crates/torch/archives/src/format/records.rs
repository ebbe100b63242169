//! The records of an archive: its members without the folder that all of them lie in.

use std::cell::Cell;
use std::sync::Arc;

use unskew_core::Version;
use unskew_script::TokenizedSource;
use unskew_source::{
    Archive, ArchiveMember, Directory, RawMember, ReadError, Resource, Source, SourceProblem,
};

use crate::VersionStamp;
use crate::pickle::{self, Pickle};

/// The most bytes of all structural records together.
const TOTAL: u64 = 256 << 20;

/// An archive whose members are named from within their common folder.
pub(crate) struct Records {
    archive: Archive,
    root: String,
    read: Cell<u64>,
}

impl Records {
    pub(crate) fn open(source: &Arc<dyn Source>) -> Result<Self, ReadError> {
        let archive = Archive::open(source.clone())?;
        // A file of `torch.export` up to 2.7 has its records at the top.
        let first = archive.entries().first().map_or("", |entry| entry.name.as_str());
        let root = first.split_once('/').map_or("", |(root, _)| root);
        let root = if root.is_empty() { String::new() } else { format!("{root}/") };
        let all = archive.entries().iter().all(|entry| entry.name.starts_with(&root));
        let root = if all { root } else { String::new() };
        Ok(Self { archive, root, read: Cell::new(0) })
    }

    pub(crate) fn take_code<'t>(
        &self,
        name: &str,
        text: &'t str,
    ) -> Result<TokenizedSource<'t>, ReadError> {
        let budget = self.archive.budget();
        let left = usize::try_from(budget.left(Resource::Nodes)).unwrap_or(usize::MAX);
        let code = TokenizedSource::new(text, left.saturating_add(1));
        let taken = budget.nodes(code.tokens() as u64);
        taken.map_err(|spent| spent.in_file(self.file()).in_record(name))?;
        Ok(code)
    }

    /// What the bytes of a record describe, whose values are taken from the budget.
    pub(crate) fn pickle(&self, name: &str, bytes: &[u8]) -> Result<Pickle, ReadError> {
        let pickle = pickle::scan(self.file(), bytes).map_err(|error| error.in_record(name))?;
        let taken = self.archive.budget().nodes(u64::from(pickle.count()));
        taken.map_err(|spent| spent.in_file(self.file()).in_record(name))?;
        Ok(pickle)
    }

    pub(crate) fn file(&self) -> &str {
        self.archive.name()
    }

    /// The folder that all records lie in, with a slash; empty if there is none.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// What the archive has in all.
    pub(crate) fn directory(&self) -> Directory {
        self.archive.directory()
    }

    /// A record as it stands in the archive.
    pub(crate) fn raw(&self, entry: &ArchiveMember) -> Result<RawMember, ReadError> {
        self.archive.raw(entry)
    }

    /// Every record, with its name from within the folder, in the order of the archive.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &ArchiveMember)> {
        self.archive
            .entries()
            .iter()
            .filter_map(|entry| entry.name.strip_prefix(&self.root).map(|name| (name, entry)))
    }

    fn entry(&self, name: &str) -> Option<&ArchiveMember> {
        self.archive.entry(&format!("{}{name}", self.root))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// Whether a record's name begins and ends like this.
    pub(crate) fn any(&self, prefix: &str, suffix: &str) -> bool {
        self.all().any(|(record, _)| record.starts_with(prefix) && record.ends_with(suffix))
    }

    /// The content of a record; none if there is no such record.
    pub(crate) fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        match self.entry(name) {
            Some(entry) => self.content(entry).map(Some),
            None => Ok(None),
        }
    }

    /// The content of a record, within the limit of all records together.
    pub(crate) fn content(&self, entry: &ArchiveMember) -> Result<Vec<u8>, ReadError> {
        let bytes = self.archive.read(entry)?;
        let total = self.read.get().saturating_add(bytes.len() as u64);
        self.read.set(total);
        if total > TOTAL {
            let what = "the code and the pickles together".to_owned();
            let problem = SourceProblem::TooLarge { what, size: total, limit: TOTAL };
            return Err(ReadError::new(self.file(), problem).in_record(&entry.name));
        }
        Ok(bytes)
    }

    /// The file format version: `.data/version` if it is there, else `version`. No PyTorch reads an
    /// archive without either.
    pub(crate) fn version(&self) -> Result<VersionStamp, ReadError> {
        for place in [".data/version", "version"] {
            if let Some(bytes) = self.get(place)? {
                let text = String::from_utf8_lossy(&bytes);
                let version: Option<i64> = text.trim().parse().ok();
                let version = version.ok_or_else(|| {
                    let short: String = text.chars().take(40).collect();
                    ReadError::malformed(self.file(), format!("no number: {short:?}"))
                        .in_record(place)
                })?;
                let version = Version::number(version);
                return Ok(VersionStamp { version, place: place.to_owned() });
            }
        }
        Err(ReadError::malformed(self.file(), "no record with the file format version")
            .in_record("version"))
    }
}
