//! Object headers: the messages of a group or a dataset.

use unskew_source::ReadError;

use super::message::{Dataset, Hdf5Attribute};
use super::{Hdf5File, UNDEFINED, group, message};

/// The most blocks that a header goes on in.
const BLOCKS: usize = 1_024;

/// The most bytes of one block of a header.
const BLOCK: u64 = 1 << 20;

/// A group or a dataset.
#[derive(Debug, Default)]
pub struct Hdf5Object {
    /// Its attributes in the order of the file.
    pub attributes: Vec<Hdf5Attribute>,
    /// What it leads to, by name: the addresses of objects. Links to other files are left out.
    pub links: Vec<(String, u64)>,
    /// What it holds, if it is a dataset.
    pub dataset: Option<Dataset>,
    /// Parts of it that this reader does not read, in words.
    pub unread: Vec<&'static str>,
}

impl Hdf5Object {
    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Hdf5Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The address of the object under this name.
    pub fn link(&self, name: &str) -> Option<u64> {
        self.links.iter().find(|(known, _)| known == name).map(|(_, address)| *address)
    }
}

/// A message of a header: its type, its flags, its bytes and where they stand.
pub(super) struct Message {
    pub(super) kind: u16,
    pub(super) flags: u8,
    pub(super) data: Vec<u8>,
    pub(super) at: u64,
}

impl Hdf5File {
    /// The object at an address.
    ///
    /// # Errors
    /// If its header is broken.
    pub fn object(&self, address: u64) -> Result<Hdf5Object, ReadError> {
        let mut object = Hdf5Object::default();
        let (mut kind, mut space, mut layout) = (None, None, None);
        let mut filtered = false;
        for message in self.messages(address)? {
            self.count(1)?;
            // A shared message is the address of another.
            if message.flags & 2 != 0 {
                object.unread.push("a shared message");
                continue;
            }
            match message.kind {
                0x01 => space = Some(message::space(self, &message)?),
                0x03 => kind = Some((message::scalar(self, &message)?, message.data)),
                0x08 => layout = Some(message::layout(self, &message)?),
                0x0b => filtered = true,
                0x0c => object.attributes.extend(message::attribute(self, &message)?),
                0x06 => object.links.extend(message::link(self, &message)?),
                0x11 => object.links.extend(group::links(self, &message)?),
                0x02 if group::is_dense(self, &message)? => {
                    object.unread.push("links in a fractal heap");
                }
                0x15 if group::is_dense(self, &message)? => {
                    object.unread.push("attributes in a fractal heap");
                }
                _ => {}
            }
        }
        if let (Some((scalar, kind)), Some(shape), Some(stored)) = (kind, space, layout) {
            let stored = if filtered { None } else { stored };
            object.dataset = Some(Dataset { scalar, shape, stored, kind: kind.into() });
        }
        Ok(object)
    }

    fn messages(&self, address: u64) -> Result<Vec<Message>, ReadError> {
        let head = self.at_most(address, 64)?;
        let mut cursor = self.cursor(&head, address);
        let mut all = Vec::new();
        let mut blocks: Vec<(u64, u64)> = Vec::new();
        let second = head.starts_with(b"OHDR");
        let mut flags = 0;
        if second {
            cursor.skip(4)?;
            let version = cursor.byte()?;
            if version != 2 {
                return Err(cursor.error("an object header of a version that is not 1 or 2"));
            }
            flags = cursor.byte()?;
            cursor.skip(if flags & 0x20 != 0 { 16 } else { 0 })?;
            cursor.skip(if flags & 0x10 != 0 { 4 } else { 0 })?;
            let size = cursor.number(1 << (flags & 3))?;
            blocks.push((cursor.position(), size));
        } else {
            if cursor.byte()? != 1 {
                return Err(cursor.error("an object header of a version that is not 1 or 2"));
            }
            cursor.skip(7)?;
            let size = u64::from(cursor.word()?);
            blocks.push((address.saturating_add(16), size));
        }
        let mut done = 0;
        while let Some((at, size)) = blocks.get(done).copied() {
            done += 1;
            if done > BLOCKS {
                return Err(self.malformed(at, "an object header of more than 1024 blocks"));
            }
            if size > BLOCK {
                return Err(self.too_large("a block of an object header", size, BLOCK));
            }
            self.count(1)?;
            let bytes = self.bytes(at, size)?;
            self.block(&bytes, at, second.then_some(flags), &mut all, &mut blocks)?;
        }
        Ok(all)
    }

    /// The messages of one block. `second`: the flags of a header of version 2.
    fn block(
        &self,
        bytes: &[u8],
        at: u64,
        second: Option<u8>,
        all: &mut Vec<Message>,
        blocks: &mut Vec<(u64, u64)>,
    ) -> Result<(), ReadError> {
        let mut cursor = self.cursor(bytes, at);
        let head = match second {
            None => 8,
            Some(flags) if flags & 4 != 0 => 6,
            Some(_) => 4,
        };
        if second.is_some() && bytes.starts_with(b"OCHK") {
            cursor.skip(4)?;
        }
        // Fewer bytes than a head are a gap, or a checksum.
        while cursor.left() >= head {
            let (kind, size, flags) = if second.is_none() {
                let (kind, size) = (cursor.short()?, cursor.short()?);
                let flags = cursor.byte()?;
                cursor.skip(3)?;
                (kind, size, flags)
            } else {
                let kind = u16::from(cursor.byte()?);
                let size = cursor.short()?;
                let flags = cursor.byte()?;
                cursor.skip(head - 4)?;
                (kind, size, flags)
            };
            if usize::from(size) > cursor.left() {
                match second {
                    // Behind the last message of version 2 stands a checksum that is no message.
                    Some(_) => break,
                    None => return Err(cursor.error("a message that is longer than its block")),
                }
            }
            let at = cursor.position();
            let data = cursor.take(usize::from(size))?;
            if kind == 0x10 {
                let mut next = self.cursor(data, at);
                let (address, length) = (next.offset()?, next.length()?);
                if address != UNDEFINED {
                    blocks.push((address, length));
                }
                continue;
            }
            all.push(Message { kind, flags, data: data.to_vec(), at });
        }
        Ok(())
    }
}
