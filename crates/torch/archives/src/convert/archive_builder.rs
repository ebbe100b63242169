//! An archive on its way to another one: records that stay, that change, that come and go.

use unskew_source::{ArchiveOutput, Assembly, RawMember, ReadError};

use crate::format::Records;

/// What a record of the new archive is made of.
enum RecordContent {
    /// It stands in an archive already.
    Kept(RawMember),
    /// Its bytes, and whether they are to be deflated.
    New(Vec<u8>, bool),
    /// It is an archive itself.
    Nested(ArchiveOutput),
}

struct ArchiveItem {
    name: String,
    content: RecordContent,
}

/// The records of the new archive, in their order.
pub(super) struct ArchiveBuilder {
    root: String,
    items: Vec<ArchiveItem>,
}

impl ArchiveBuilder {
    pub(super) fn from_records(records: &Records) -> Result<Self, ReadError> {
        let mut draft = Self::empty(records.root());
        for (name, entry) in records.all() {
            draft.keep(name, records.raw(entry)?);
        }
        Ok(draft)
    }

    /// No record yet, in this folder.
    pub(super) fn empty(root: &str) -> Self {
        Self { root: root.to_owned(), items: Vec::new() }
    }

    /// Adds a record that stands in an archive already.
    pub(super) fn keep(&mut self, name: &str, member: RawMember) {
        self.items
            .push(ArchiveItem { name: name.to_owned(), content: RecordContent::Kept(member) });
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.items.iter().any(|item| item.name == name)
    }

    /// Gives a record new bytes, deflated if the old ones were; adds it if there is none.
    pub(super) fn replace(&mut self, name: &str, bytes: Vec<u8>) {
        match self.items.iter_mut().find(|item| item.name == name) {
            Some(item) => {
                let deflate = match &item.content {
                    RecordContent::Kept(member) => member.deflated,
                    RecordContent::New(_, deflate) => *deflate,
                    RecordContent::Nested(_) => false,
                };
                item.content = RecordContent::New(bytes, deflate);
            }
            None => self.add(name, bytes, false),
        }
    }

    /// Adds a new record as the last one.
    pub(super) fn add(&mut self, name: &str, bytes: Vec<u8>, deflate: bool) {
        self.items.push(ArchiveItem {
            name: name.to_owned(),
            content: RecordContent::New(bytes, deflate),
        });
    }

    /// Adds the records of another draft.
    pub(super) fn append(&mut self, more: Self) {
        self.items.extend(more.items);
    }

    /// Keeps the records whose name `wanted` takes, each under the name that it gives.
    pub(super) fn rename_all(&mut self, wanted: impl Fn(&str) -> Option<String>) {
        self.items.retain_mut(|item| match wanted(&item.name) {
            Some(name) => {
                item.name = name;
                true
            }
            None => false,
        });
    }

    /// Puts all records into another folder.
    pub(super) fn set_root(&mut self, root: &str) {
        root.clone_into(&mut self.root);
    }

    /// Adds an archive as the last record.
    pub(super) fn nest(&mut self, name: &str, archive: ArchiveOutput) {
        self.items
            .push(ArchiveItem { name: name.to_owned(), content: RecordContent::Nested(archive) });
    }

    /// Gives a record another name; says whether it was there.
    pub(super) fn rename(&mut self, old: &str, new: &str) -> bool {
        let found = self.items.iter_mut().find(|item| item.name == old);
        found.map(|item| new.clone_into(&mut item.name)).is_some()
    }

    /// Removes a record; says whether it was there.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let before = self.items.len();
        self.items.retain(|item| item.name != name);
        self.items.len() < before
    }

    /// The archive, as one that can stand in another.
    pub(super) fn pack(self, name: &str) -> Result<ArchiveOutput, ReadError> {
        let mut output = ArchiveOutput::new(name);
        for ArchiveItem { name, content } in self.items {
            let name = format!("{}{name}", self.root);
            match content {
                RecordContent::Kept(member) => output.copy(&name, &member)?,
                RecordContent::New(bytes, deflate) => output.add(&name, bytes, deflate)?,
                RecordContent::Nested(archive) => output.nest(&name, archive)?,
            }
        }
        Ok(output)
    }

    /// The archive, as a file of this name.
    pub(super) fn finish(self, name: &str) -> Result<Assembly, ReadError> {
        self.pack(name)?.finish()
    }
}
