//! Writing messages.

use crate::derive_support::lowest_living;
use crate::proto::{Enumeration, Message};
use crate::write::{EncodeProblem, MAX_DEPTH};
use crate::{EncodeError, Family, FamilyVersion};

/// Where messages are written, and in which version: like a [`Writer`](crate::Encoder), it has one
/// version, and what is nested is written in that.
pub struct ProtoEncoder<'a, F: Family> {
    out: &'a mut Vec<u8>,
    version: FamilyVersion<F>,
    depth: u32,
}

impl<'a, F: Family> ProtoEncoder<'a, F> {
    pub(super) fn new(out: &'a mut Vec<u8>, version: FamilyVersion<F>) -> Self {
        Self { out, version, depth: 0 }
    }

    /// The version that was requested.
    pub fn version(&self) -> u32 {
        self.version.number()
    }

    /// Says that the value is there since a version.
    ///
    /// # Errors
    /// [`EncodeProblem::TooYoung`] if the requested version does not have it.
    pub fn needs(&self, since: u32) -> Result<(), EncodeError> {
        let requested = self.version();
        if requested >= since {
            return Ok(());
        }
        Err(EncodeError::new(EncodeProblem::TooYoung { family: F::NAME, requested, since }))
    }

    /// Which of `formats`, rising, to record: the lowest that has what came with `least`, or the
    /// newest that was requested.
    pub fn format(&self, formats: &[u32], least: u32, as_requested: bool) -> u32 {
        let least = least.max(lowest_living::<F>(formats));
        let mut able = formats.iter().copied();
        let chosen = if as_requested {
            able.rfind(|format| *format <= self.version())
        } else {
            able.find(|format| *format >= least)
        };
        chosen.unwrap_or(least)
    }

    /// A number of an enumeration, unless it is 0.
    ///
    /// # Errors
    /// [`EncodeProblem::TooYoung`] if the requested version does not have the value.
    pub fn enumeration<E: Enumeration>(&mut self, field: u32, value: E) -> Result<(), EncodeError> {
        self.needs(value.since().version)?;
        self.int(field, i64::from(value.number()));
        Ok(())
    }

    /// A number, unless it is 0. Negative ones take ten bytes, as protobuf's own do.
    pub fn int(&mut self, field: u32, number: i64) {
        if number != 0 {
            self.present_int(field, number);
        }
    }

    /// A number, also if it is 0.
    pub fn present_int(&mut self, field: u32, number: i64) {
        self.tag(field, 0);
        varint(self.out, number.cast_unsigned());
    }

    /// Writes a boolean field; false is the default and takes no bytes.
    pub fn flag(&mut self, field: u32, yes: bool) {
        self.int(field, i64::from(yes));
    }

    /// A number of eight bytes, also if it is 0.
    pub fn fixed(&mut self, field: u32, number: i64) {
        self.tag(field, 1);
        self.out.extend_from_slice(&number.to_le_bytes());
    }

    /// A fraction of four bytes, also if it is 0.
    pub fn float(&mut self, field: u32, fraction: f32) {
        self.tag(field, 5);
        self.out.extend_from_slice(&fraction.to_le_bytes());
    }

    /// Numbers in one block, unless there are none.
    pub fn ints(&mut self, field: u32, numbers: impl IntoIterator<Item = i64>) {
        let mut block = Vec::new();
        for number in numbers {
            varint(&mut block, number.cast_unsigned());
        }
        self.bytes(field, &block);
    }

    /// Numbers of eight bytes in one block, unless there are none.
    pub fn fixeds(&mut self, field: u32, numbers: &[i64]) {
        let block: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.bytes(field, &block);
    }

    /// Bytes or a text, unless they are empty.
    pub fn bytes(&mut self, field: u32, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.present_bytes(field, bytes);
        }
    }

    /// Bytes or a text or a whole message, also if they are empty.
    pub fn present_bytes(&mut self, field: u32, bytes: &[u8]) {
        self.tag(field, 2);
        varint(self.out, bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    /// A nested message, in the version of this one.
    ///
    /// # Errors
    /// Those of the message.
    pub fn message<M: Message<F>>(&mut self, field: u32, message: &M) -> Result<(), EncodeError> {
        self.nested(field, |to| message.write(to))
    }

    /// A nested message that `write` writes.
    ///
    /// # Errors
    /// Those of `write`, and [`EncodeProblem::TooDeep`].
    pub fn nested(
        &mut self,
        field: u32,
        write: impl FnOnce(&mut ProtoEncoder<'_, F>) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let inner = self.inner(write)?;
        self.present_bytes(field, &inner);
        Ok(())
    }

    /// A message with the name of its type: field 1 and field 2 of what is around it.
    ///
    /// # Errors
    /// Those of the message, and [`EncodeProblem::TooDeep`].
    pub fn named<M: Message<F>>(&mut self, name: &str, message: &M) -> Result<(), EncodeError> {
        let inner = self.inner(|to| message.write(to))?;
        self.bytes(1, name.as_bytes());
        self.bytes(2, &inner);
        Ok(())
    }

    /// All of a message, as bytes that are written already.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn inner(
        &self,
        write: impl FnOnce(&mut ProtoEncoder<'_, F>) -> Result<(), EncodeError>,
    ) -> Result<Vec<u8>, EncodeError> {
        if self.depth == MAX_DEPTH {
            return Err(EncodeError::new(EncodeProblem::TooDeep));
        }
        let mut inner = Vec::new();
        let (version, depth) = (self.version, self.depth + 1);
        write(&mut ProtoEncoder { out: &mut inner, version, depth })?;
        Ok(inner)
    }

    fn tag(&mut self, field: u32, kind: u8) {
        varint(self.out, u64::from(field) << 3 | u64::from(kind));
    }
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
