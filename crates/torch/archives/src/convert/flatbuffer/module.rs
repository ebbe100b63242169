//! A module in a flatbuffer.

use unskew_source::{ReadError, Source};

use unskew_source::flatbuffer::{FlatTable, Flatbuffer, Vector};

/// The fields of the table at the root.
mod field {
    pub(super) const EXTRA_FILES: u64 = 1;
    pub(super) const STATE: u64 = 3;
    pub(super) const VALUES: u64 = 4;
    pub(super) const STORAGES: u64 = 6;
    pub(super) const TYPES: u64 = 7;
}

/// A module on its way to an archive.
pub(super) struct ModuleDraft<'s> {
    pub(super) buffer: Flatbuffer<'s>,
    pub(super) root: FlatTable,
    pub(super) values: Vector,
    pub(super) types: Vector,
    pub(super) storages: Vector,
}

impl<'s> ModuleDraft<'s> {
    /// The module at the root of the file.
    pub(super) fn from_source(source: &'s dyn Source) -> Result<Self, ReadError> {
        let buffer = Flatbuffer::new(source);
        let root = buffer.root()?;
        let values = buffer.vector(root, field::VALUES, 4)?;
        let types = buffer.vector(root, field::TYPES, 4)?;
        let storages = buffer.vector(root, field::STORAGES, 4)?;
        Ok(Self { buffer, root, values, types, storages })
    }

    /// The number of the value that its attributes are.
    pub(super) fn state(&self) -> Result<u64, ReadError> {
        self.buffer.scalar(self.root, field::STATE, 4)
    }

    /// The files that were put in beside it.
    pub(super) fn extra_files(&self) -> Result<Vector, ReadError> {
        self.buffer.vector(self.root, field::EXTRA_FILES, 4)
    }

    pub(super) fn storage(&self, number: u64) -> Result<Vector, ReadError> {
        if number >= self.storages.len {
            return Err(self.buffer.error(self.storages.at, &format!("no storage {number}")));
        }
        self.buffer.vector(self.buffer.element(self.storages, number)?, 0, 1)
    }
}
