//! Protobuf messages changed in place of what they are: fields written, and messages copied but for a few
//! fields.

use unskew_source::wire::{ByteSpan, MessageField, WireMessage};
use unskew_source::{BytesSource, ReadError, SourceProblem};

/// The message as a source, if it is not larger than `largest`. Errors call it `name`.
pub(super) fn source(name: &str, bytes: &[u8], largest: usize) -> Result<BytesSource, ReadError> {
    if bytes.len() > largest {
        let (size, limit) = (bytes.len() as u64, largest as u64);
        let problem = SourceProblem::TooLarge { what: "the message".to_owned(), size, limit };
        return Err(ReadError::new(name, problem));
    }
    Ok(BytesSource::new(name, bytes))
}

/// Reads every message in the field `number` of `message` with `read`.
#[cfg(feature = "host")]
pub(super) fn each<'s>(
    message: &mut WireMessage<'s>,
    number: u32,
    read: &mut dyn FnMut(&mut WireMessage<'s>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    while let Some(found) = message.next()? {
        if found.number == number {
            message.enter(&found, &mut *read)?;
        }
    }
    Ok(())
}

pub(super) struct Copied<'m> {
    /// What it is read from.
    pub(super) source: &'m BytesSource,
    pub(super) bytes: &'m [u8],
}

impl Copied<'_> {
    /// The message at `span`, where for each field of which `replace` says so stands what it has put;
    /// what lies between stays byte for byte.
    ///
    /// # Errors
    /// If the bytes are no message, or as `replace` says.
    pub(super) fn replacing(
        &self,
        span: ByteSpan,
        mut replace: impl FnMut(&MessageField, &mut Vec<u8>) -> Result<bool, ReadError>,
    ) -> Result<Vec<u8>, ReadError> {
        let end = span.start.saturating_add(span.len);
        let mut out = Vec::with_capacity(self.part(span.start, end).len());
        let mut copied = span.start;
        let mut message = WireMessage::at(self.source, span);
        let mut next = message.next()?;
        while let Some(found) = next {
            next = message.next()?;
            let mut put = Vec::new();
            if replace(&found, &mut put)? {
                out.extend_from_slice(self.part(copied, found.offset));
                out.append(&mut put);
                // A field ends where the next begins.
                copied = next.map_or(end, |next| next.offset);
            }
        }
        out.extend_from_slice(self.part(copied, end));
        Ok(out)
    }

    /// The payload of a field; empty for a number.
    #[cfg(feature = "host")]
    pub(super) fn payload(&self, field: &MessageField) -> &[u8] {
        field.span().map_or(&[], |span| self.part(span.start, span.start + span.len))
    }

    fn part(&self, from: u64, to: u64) -> &[u8] {
        let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        range.and_then(|(from, to)| self.bytes.get(from..to)).unwrap_or_default()
    }
}

/// The numbers of a packed list, one by one; an error in place of one that is cut.
pub(super) fn packed(mut bytes: &[u8]) -> impl Iterator<Item = Option<u64>> {
    std::iter::from_fn(move || {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let Some((first, rest)) = bytes.split_first() else {
                return (shift > 0).then_some(None);
            };
            bytes = rest;
            value |= u64::from(first & 0x7f) << shift;
            if *first < 0x80 {
                return Some(Some(value));
            }
        }
        bytes = &[];
        Some(None)
    })
}

pub(super) fn number(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field) << 3);
    varint(out, value);
}

/// A field that is a message, or bytes.
pub(super) fn message(out: &mut Vec<u8>, field: u32, payload: &[u8]) {
    varint(out, u64::from(field) << 3 | 2);
    varint(out, payload.len() as u64);
    out.extend_from_slice(payload);
}

/// A number without its field.
pub(super) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
