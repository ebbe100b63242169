//! Writing: one requested version for a value and everything in it.

use std::fmt;

use crate::{Family, FamilyVersion, Format};

/// How deep values may be nested. Deeper ones are refused on both sides.
pub const MAX_DEPTH: u32 = 64;

/// Which format is recorded when several hold a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FormatRecording {
    /// The lowest that holds it: the most readers take it.
    #[default]
    Lowest,
    /// The newest that is not newer than what was requested.
    AsRequested,
}

/// Where values are written, and in which version.
///
/// The version is the writer's own, and there is no way to change it or to make another writer
/// without a [`FamilyVersion`]: a nested value cannot be written in another version than its parent.
pub struct Encoder<'a, F: Family> {
    out: &'a mut Vec<u8>,
    version: FamilyVersion<F>,
    record: FormatRecording,
    depth: u32,
}

/// Why a value was not written.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct EncodeError(Box<Inner>);

/// As the text: whoever unwraps it is told what to do.
impl fmt::Debug for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {cause}")]
struct Inner {
    path: FieldPath,
    cause: EncodeProblem,
}

/// What stands in the way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeProblem {
    /// The field is younger than the requested version, and holds something.
    #[error(
        "has a value that {family} {requested} cannot hold: the field is there since {since}; clear it, or write for version {since}"
    )]
    TooYoung {
        /// The name of the family that counts the version.
        family: &'static str,
        /// The version that was requested.
        requested: u32,
        /// The first version that holds it.
        since: u32,
    },
    /// The field was removed, and holds something.
    #[error(
        "has a value that {family} {requested} cannot hold: the field was there until {until}; clear it, or write for version {until}"
    )]
    Removed {
        /// The name of the family that counts the version.
        family: &'static str,
        /// The version that was requested.
        requested: u32,
        /// The last version that holds it.
        until: u32,
    },
    /// Values are nested too deep.
    #[error("is nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// A conversion to an older form says no.
    #[error("{0}")]
    Refused(String),
}

/// The path to a field: `sharding.axes[3]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(&'static str),
    Item(usize),
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Steps are added from the inside out.
        for (i, step) in self.0.iter().rev().enumerate() {
            match step {
                Step::Field(name) if i == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Item(index) => write!(f, "[{index}]")?,
            }
        }
        if self.0.is_empty() { f.write_str("the value") } else { Ok(()) }
    }
}

impl FieldPath {
    pub(crate) fn field(&mut self, name: &'static str) {
        self.0.push(Step::Field(name));
    }

    pub(crate) fn item(&mut self, index: usize) {
        self.0.push(Step::Item(index));
    }
}

impl EncodeError {
    /// An error at the value that is being written.
    #[cold]
    pub fn new(cause: EncodeProblem) -> Self {
        Self(Box::new(Inner { path: FieldPath::default(), cause }))
    }

    /// The same, seen from the struct whose field it is.
    #[cold]
    #[must_use]
    pub fn in_field(mut self, name: &'static str) -> Self {
        self.0.path.field(name);
        self
    }

    /// The same, seen from the list that it is an item of.
    #[cold]
    #[must_use]
    pub fn in_item(mut self, index: usize) -> Self {
        self.0.path.item(index);
        self
    }

    /// What stands in the way.
    pub fn problem(&self) -> &EncodeProblem {
        &self.0.cause
    }

    /// The path to the field, from the outermost value.
    pub fn path(&self) -> &FieldPath {
        &self.0.path
    }
}

/// Writes a value for readers of `version`.
///
/// # Errors
/// [`EncodeError`] with the path of the field that the version cannot hold; `out` is then as it was.
pub fn write<F: Family, T: Format<F>>(
    value: &T,
    version: FamilyVersion<F>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    write_as(value, version, FormatRecording::Lowest, out)
}

/// The same with a choice of what is recorded.
///
/// # Errors
/// As [`write()`].
pub fn write_as<F: Family, T: Format<F>>(
    value: &T,
    version: FamilyVersion<F>,
    record: FormatRecording,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let start = out.len();
    let written = value.write(&mut Encoder { out, version, record, depth: 0 });
    if written.is_err() {
        out.truncate(start);
    }
    written
}

/// The same for what has no type of its own.
pub(crate) fn write_with<F: Family>(
    version: FamilyVersion<F>,
    out: &mut Vec<u8>,
    body: impl FnOnce(&mut Encoder<'_, F>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let start = out.len();
    let written = body(&mut Encoder { out, version, record: FormatRecording::Lowest, depth: 0 });
    if written.is_err() {
        out.truncate(start);
    }
    written
}

impl<F: Family> Encoder<'_, F> {
    /// The version that was requested.
    pub fn version(&self) -> u32 {
        self.version.number()
    }

    /// Which format is recorded when several hold a value.
    pub fn record(&self) -> FormatRecording {
        self.record
    }

    /// Writes one byte as it is.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    /// Writes bytes as they are.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Writes a number: seven bits a byte, the lowest first, as few bytes as hold it.
    #[inline]
    pub fn varint(&mut self, number: u64) {
        if number < 0x80 {
            self.out.push(number as u8);
        } else {
            self.long_varint(number);
        }
    }

    fn long_varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    /// Writes a length or a count.
    #[inline]
    pub fn count(&mut self, count: usize) {
        self.varint(count as u64);
    }

    /// Writes the head of a block of numbers: how many, and how wide.
    #[inline]
    pub(crate) fn block_head(&mut self, count: usize, width: u8) {
        if count < 0x80 {
            self.out.extend_from_slice(&[count as u8, width]);
        } else {
            self.count(count);
            self.byte(width);
        }
    }

    #[inline]
    pub(crate) fn extend(&mut self, bytes: impl Iterator<Item = u8>) {
        self.out.extend(bytes);
    }

    /// Makes room for `count` items of `width` bytes, and lets `fill` write each.
    #[inline]
    pub(crate) fn fixed<T: Copy, const W: usize>(
        &mut self,
        items: &[T],
        fill: impl Fn(T) -> [u8; W],
    ) {
        let start = self.out.len();
        self.out.resize(start + items.len() * W, 0);
        let (room, _) = self.out[start..].as_chunks_mut::<W>();
        for (place, item) in room.iter_mut().zip(items) {
            *place = fill(*item);
        }
    }

    /// Writes a value with its head: the number of its format, and the length of its body.
    ///
    /// `skippable` says that the body goes on with fields that a reader of that format may skip.
    ///
    /// # Errors
    /// Those of `body`, and [`EncodeProblem::TooDeep`].
    #[inline]
    pub fn framed(
        &mut self,
        format: u32,
        skippable: bool,
        body: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let head = u64::from(format) << 1 | u64::from(skippable);
        // Both at once in the one case that matters.
        if head < 0x80 {
            self.out.extend_from_slice(&[head as u8, 0]);
        } else {
            self.varint(head);
            self.out.push(0);
        }
        self.behind_length(body)
    }

    /// Writes the length of what `body` writes, and that.
    ///
    /// # Errors
    /// Those of `body`, and [`EncodeProblem::TooDeep`].
    #[inline]
    pub fn sized(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.out.push(0);
        self.behind_length(body)
    }

    /// Writes a body behind the byte that is kept free for its length: most bodies are short.
    #[inline]
    fn behind_length(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        if self.depth == MAX_DEPTH {
            return Err(EncodeError::new(EncodeProblem::TooDeep));
        }
        self.depth += 1;
        let length_at = self.out.len() - 1;
        body(self)?;
        self.depth -= 1;
        let length = self.out.len() - length_at - 1;
        if length < 0x80 {
            self.out[length_at] = length as u8;
        } else {
            self.lengthen(length_at, length);
        }
        Ok(())
    }

    /// Puts a length of several bytes where one was kept free.
    #[cold]
    fn lengthen(&mut self, length_at: usize, length: usize) {
        let mut encoded = Vec::with_capacity(10);
        let mut rest = length as u64;
        while rest >= 0x80 {
            encoded.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        encoded.push(rest as u8);
        self.out.splice(length_at..=length_at, encoded);
    }
}
