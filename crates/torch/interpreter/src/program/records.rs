//! The records of an archive.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use unskew_script::TokenizedSource;
use unskew_source::{
    Archive, ArchiveMember, ReadError, Resource, Source, SourceExt, SourceProblem,
};
use unskew_torch::pickle::{Pickle, scan};

use crate::{RunLimits, ScriptValue};

/// The most bytes of all records together: weights are read whole to be calculated with.
const TOTAL: u64 = 4 << 30;

/// The members of an archive, named from within the folder that all of them lie in.
pub(super) struct Records {
    archive: Archive,
    root: String,
    read: Cell<u64>,
    size: u64,
    /// Objects whose class has code that takes their state, and the states, those within others first.
    pub(super) states: RefCell<Vec<(ScriptValue, ScriptValue)>>,
}

impl Records {
    pub(super) fn open(source: &Arc<dyn Source>) -> Result<Self, ReadError> {
        let archive = Archive::open(source.clone())?;
        let first = archive.entries().first().map_or("", |entry| entry.name.as_str());
        let root = first.split_once('/').map_or(String::new(), |(root, _)| format!("{root}/"));
        let all = archive.entries().iter().all(|entry| entry.name.starts_with(&root));
        let root = if all { root } else { String::new() };
        Ok(Self {
            archive,
            root,
            read: Cell::new(0),
            size: source.size(),
            states: RefCell::default(),
        })
    }

    pub(super) fn limits(&self) -> RunLimits {
        RunLimits::for_bytes(self.size)
    }

    pub(super) fn file(&self) -> &str {
        self.archive.name()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.archive.entries().iter().filter_map(|entry| entry.name.strip_prefix(&self.root))
    }

    fn entry(&self, name: &str) -> Option<&ArchiveMember> {
        self.archive.entry(&format!("{}{name}", self.root))
    }

    pub(super) fn take_code<'t>(
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
    pub(super) fn pickle(&self, name: &str, bytes: &[u8]) -> Result<Pickle, ReadError> {
        let pickle = scan(self.file(), bytes).map_err(|error| error.in_record(name))?;
        let taken = self.archive.budget().nodes(u64::from(pickle.count()));
        taken.map_err(|spent| spent.in_file(self.file()).in_record(name))?;
        Ok(pickle)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// The content of a record; none if there is none.
    pub(super) fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(entry) = self.entry(name) else { return Ok(None) };
        let total = self.read.get().saturating_add(entry.size);
        self.read.set(total);
        if total > TOTAL {
            let what = "the records together".to_owned();
            let problem = SourceProblem::TooLarge { what, size: total, limit: TOTAL };
            return Err(ReadError::new(self.file(), problem).in_record(name));
        }
        // Tensors are larger than what may be read at once otherwise.
        let member = self.archive.member(entry)?;
        let mut bytes = vec![0; usize::try_from(member.size()).unwrap_or(0)];
        member.fill(0, &mut bytes).map_err(|error| error.in_record(name))?;
        Ok(Some(bytes))
    }

    pub(super) fn text(&self, name: &str) -> Result<String, ReadError> {
        match String::from_utf8(self.get(name)?.unwrap_or_default()) {
            Ok(text) => Ok(text),
            Err(_) => Err(self.fault(name, "no text in UTF-8")),
        }
    }

    pub(super) fn version(&self) -> Result<Option<i64>, ReadError> {
        for name in [".data/version", "version"] {
            if let Some(bytes) = self.get(name)? {
                return Ok(String::from_utf8_lossy(&bytes).trim().parse().ok());
            }
        }
        Ok(None)
    }

    pub(super) fn fault(&self, record: &str, what: impl Into<String>) -> ReadError {
        ReadError::malformed(self.file(), what.into()).in_record(record)
    }
}
