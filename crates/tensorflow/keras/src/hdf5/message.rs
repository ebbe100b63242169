//! Messages: types, shapes, where data stands, attributes and links.

use std::sync::Arc;

use unskew_source::ReadError;

use super::object::Message;
use super::{Hdf5File, UNDEFINED, heap};

/// The most dimensions of HDF5.
const RANK: u8 = 32;

/// What one value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hdf5Scalar {
    /// A whole number of so many bytes.
    Integer(u32),
    /// A floating-point number of so many bytes.
    Float(u32),
    /// A text of so many bytes.
    Text(u32),
    /// A text of any length: where it stands takes so many bytes.
    AnyText(u32),
    /// Something else of so many bytes.
    Other(u32),
}

impl Hdf5Scalar {
    /// The bytes of one value.
    pub fn size(self) -> u64 {
        let (Self::Integer(size)
        | Self::Float(size)
        | Self::Text(size)
        | Self::AnyText(size)
        | Self::Other(size)) = self;
        u64::from(size)
    }
}

/// An attribute of a group or a dataset.
#[derive(Clone, Debug)]
pub struct Hdf5Attribute {
    /// Its name.
    pub name: String,
    /// What each of its values is.
    pub scalar: Hdf5Scalar,
    /// Its dimensions; none for a single value.
    pub shape: Vec<u64>,
    /// Its bytes as they stand in the file.
    pub data: Vec<u8>,
    /// Where they stand, as an address of the file.
    pub at: u64,
    /// Where its name stands, as an address of the file.
    pub(crate) name_at: u64,
}

/// What a dataset holds.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// What each value is.
    pub scalar: Hdf5Scalar,
    /// Its dimensions.
    pub shape: Vec<u64>,
    /// Where its values stand in one piece: the address and the bytes. None if they are in chunks, filtered, in the
    /// header or not there.
    pub stored: Option<(u64, u64)>,
    pub(crate) kind: Arc<[u8]>,
}

pub(super) fn scalar(file: &Hdf5File, message: &Message) -> Result<Hdf5Scalar, ReadError> {
    let mut cursor = file.cursor(&message.data, message.at);
    let class = cursor.byte()? & 0x0f;
    let bits = cursor.byte()?;
    cursor.skip(2)?;
    let size = cursor.word()?;
    Ok(match class {
        0 => Hdf5Scalar::Integer(size),
        1 => Hdf5Scalar::Float(size),
        3 => Hdf5Scalar::Text(size),
        9 if bits & 0x0f == 1 => Hdf5Scalar::AnyText(size),
        _ => Hdf5Scalar::Other(size),
    })
}

/// The dimensions in a message; a space without values has one dimension of 0.
pub(super) fn space(file: &Hdf5File, message: &Message) -> Result<Vec<u64>, ReadError> {
    let mut cursor = file.cursor(&message.data, message.at);
    let version = cursor.byte()?;
    let rank = cursor.byte()?;
    let _flags = cursor.byte()?;
    match version {
        1 => cursor.skip(5)?,
        2 if cursor.byte()? == 2 => return Ok(vec![0]),
        2 => {}
        _ => return Err(cursor.error("a dataspace of a version that is not 1 or 2")),
    }
    if rank > RANK {
        return Err(cursor.error("more than 32 dimensions"));
    }
    (0..rank).map(|_| cursor.length()).collect()
}

/// Where data stands in one piece.
pub(super) fn layout(file: &Hdf5File, message: &Message) -> Result<Option<(u64, u64)>, ReadError> {
    let mut cursor = file.cursor(&message.data, message.at);
    let version = cursor.byte()?;
    if !(3..=4).contains(&version) || cursor.byte()? != 1 {
        return Ok(None);
    }
    let (address, length) = (cursor.offset()?, cursor.length()?);
    Ok((address != UNDEFINED).then_some((address, length)))
}

/// An attribute; none if its type or its space stand elsewhere.
pub(super) fn attribute(
    file: &Hdf5File,
    message: &Message,
) -> Result<Option<Hdf5Attribute>, ReadError> {
    let mut cursor = file.cursor(&message.data, message.at);
    let version = cursor.byte()?;
    let flags = cursor.byte()?;
    let sizes = [cursor.short()?, cursor.short()?, cursor.short()?].map(usize::from);
    let pad = match version {
        1 => 8,
        2 => 1,
        3 => {
            cursor.skip(1)?;
            1
        }
        _ => return Err(cursor.error("an attribute of a version that is not 1 to 3")),
    };
    if version > 1 && flags & 3 != 0 {
        return Ok(None);
    }
    let mut part = |size: usize| {
        let at = cursor.position();
        let data = cursor.take(size)?.to_vec();
        // What is padded is padded to a multiple of its own size, whatever stands before it.
        cursor.skip(size.next_multiple_of(pad).saturating_sub(size).min(cursor.left()))?;
        Ok::<_, ReadError>(Message { kind: 0, flags: 0, data, at })
    };
    let [name, kind, shape] = [part(sizes[0])?, part(sizes[1])?, part(sizes[2])?];
    let name_at = name.at;
    let name = String::from_utf8_lossy(&name.data).trim_end_matches('\0').to_owned();
    let (scalar, shape) = (scalar(file, &kind)?, space(file, &shape)?);
    let at = cursor.position();
    let left = cursor.left();
    let count = shape.iter().try_fold(1_u64, |all, one| all.checked_mul(*one));
    let size = count.and_then(|count| count.checked_mul(scalar.size()));
    let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= left);
    let size = size.ok_or_else(|| cursor.error("an attribute that is longer than its message"))?;
    let data = cursor.take(size)?.to_vec();
    Ok(Some(Hdf5Attribute { name, scalar, shape, data, at, name_at }))
}

/// A link to an object of the same file.
pub(super) fn link(file: &Hdf5File, message: &Message) -> Result<Option<(String, u64)>, ReadError> {
    let mut cursor = file.cursor(&message.data, message.at);
    cursor.skip(1)?;
    let flags = cursor.byte()?;
    let kind = if flags & 8 != 0 { cursor.byte()? } else { 0 };
    cursor.skip(if flags & 4 != 0 { 8 } else { 0 })?;
    cursor.skip(if flags & 0x10 != 0 { 1 } else { 0 })?;
    let length = cursor.number(1 << (flags & 3))?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let name = String::from_utf8_lossy(cursor.take(length)?).into_owned();
    if kind != 0 {
        return Ok(None);
    }
    Ok(Some((name, cursor.offset()?)))
}

impl Hdf5Attribute {
    /// Its texts; none if it has something else.
    ///
    /// # Errors
    /// If a text of any length stands where there is none.
    pub fn texts(&self, file: &Hdf5File) -> Result<Option<Vec<Vec<u8>>>, ReadError> {
        let size = usize::try_from(self.scalar.size()).unwrap_or(usize::MAX).max(1);
        match self.scalar {
            Hdf5Scalar::Text(_) => {
                file.count((self.data.len() / size) as u64)?;
                let text = |bytes: &[u8]| {
                    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
                    bytes[..end].to_vec()
                };
                Ok(Some(self.data.chunks(size).map(text).collect()))
            }
            Hdf5Scalar::AnyText(_) => {
                let texts = self.data.chunks(size).map(|one| heap::text(file, one, self.at));
                texts.collect::<Result<_, _>>().map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Where its only text stands in the source, and for how many bytes there is room; none if it has something else.
    ///
    /// # Errors
    /// As [`Self::texts`].
    pub fn place(&self, file: &Hdf5File) -> Result<Option<(u64, u64)>, ReadError> {
        let found = match self.scalar {
            Hdf5Scalar::Text(size) if self.data.len() as u64 == u64::from(size) => {
                Some((self.at, u64::from(size)))
            }
            Hdf5Scalar::AnyText(size) if self.data.len() as u64 == u64::from(size) => {
                heap::place(file, &self.data, self.at)?
            }
            _ => None,
        };
        Ok(found.and_then(|(at, room)| Some((file.place(at)?, room))))
    }

    /// Its first text, if it is one.
    ///
    /// # Errors
    /// As [`Self::texts`].
    pub fn text(&self, file: &Hdf5File) -> Result<Option<Vec<u8>>, ReadError> {
        Ok(self.texts(file)?.and_then(|texts| texts.into_iter().next()))
    }
}
