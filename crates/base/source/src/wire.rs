//! The fields of a protobuf message over a source: structure only, payloads skipped.
//!
//! A protobuf library decodes messages from memory. Here a message may be a 4 GB graph whose weights
//! lie between its nodes, so the fields are walked where they lie: a length-delimited payload is a
//! [`ByteSpan`] of the source that is read, entered as a message, or left alone.
//!
//! ```
//! use unskew_source::{BytesSource, wire};
//! // field 1 = 300, field 2 = "hi"
//! let source = BytesSource::new("m", vec![0x08, 0xac, 0x02, 0x12, 0x02, b'h', b'i']);
//! let mut message = wire::WireMessage::whole(&source);
//! let first = message.next().unwrap().unwrap();
//! assert_eq!((first.number, first.varint()), (1, Some(300)));
//! let second = message.next().unwrap().unwrap();
//! assert_eq!(message.string(&second).unwrap(), "hi");
//! assert!(message.next().unwrap().is_none());
//! ```

use crate::{ReadError, Source, SourceExt, SourceProblem, limits};

/// How much is read ahead at a time. Larger than most nodes, smaller than most weights.
const BLOCK: usize = 8 << 10;

/// A part of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSpan {
    /// The offset of the first byte in the source.
    pub start: u64,
    /// The length in bytes.
    pub len: u64,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageValue {
    /// Wire type 0: int32 to uint64, bool, enumerations.
    Varint(u64),
    /// Wire type 1: fixed64, sfixed64, double.
    Fixed64(u64),
    /// Wire type 2: where the payload lies.
    Bytes(ByteSpan),
    /// Wire type 5: fixed32, sfixed32, float.
    Fixed32(u32),
}

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageField {
    /// The field number of the message definition, from 1.
    pub number: u32,
    /// The value by its wire type; not yet of the declared type.
    pub value: MessageValue,
    /// The byte of the source where the field begins.
    pub offset: u64,
}

impl MessageField {
    /// The number, if the field is a varint.
    pub fn varint(&self) -> Option<u64> {
        match self.value {
            MessageValue::Varint(n) => Some(n),
            _ => None,
        }
    }

    /// Where the payload lies, if the field is length-delimited.
    #[inline]
    pub fn span(&self) -> Option<ByteSpan> {
        match self.value {
            MessageValue::Bytes(span) => Some(span),
            _ => None,
        }
    }
}

/// A message in a source, read field by field.
pub struct WireMessage<'s> {
    source: &'s dyn Source,
    block: Vec<u8>,
    block_start: u64,
    position: u64,
    end: u64,
    depth: usize,
}

impl<'s> WireMessage<'s> {
    /// The whole source as one message.
    pub fn whole(source: &'s dyn Source) -> Self {
        Self::at(source, ByteSpan { start: 0, len: source.size() })
    }

    /// A part of the source as a message.
    pub fn at(source: &'s dyn Source, span: ByteSpan) -> Self {
        let end = span.start.saturating_add(span.len).min(source.size());
        Self { source, block: Vec::new(), block_start: 0, position: span.start, end, depth: 0 }
    }

    /// A message that was taken out of the source before. Errors name the source, and count from the first of `bytes`.
    pub fn taken(source: &'s dyn Source, bytes: Vec<u8>) -> Self {
        let end = bytes.len() as u64;
        Self { source, block: bytes, block_start: 0, position: 0, end, depth: 0 }
    }

    /// The source that the message lies in.
    pub fn source(&self) -> &'s dyn Source {
        self.source
    }

    /// How many bytes of the message are left behind that field.
    pub fn left(&self) -> u64 {
        self.end.saturating_sub(self.position)
    }

    /// The byte of the source behind the field that was read last, payload included.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The next field; none at the end. The payload of a length-delimited field is not read.
    ///
    /// # Errors
    /// If the bytes are no message.
    #[allow(clippy::should_implement_trait, reason = "an iterator could not be fallible and lend")]
    pub fn next(&mut self) -> Result<Option<MessageField>, ReadError> {
        if self.position >= self.end {
            return Ok(None);
        }
        match self.short() {
            Some(field) => Ok(Some(field)),
            None => self.any().map(Some),
        }
    }

    /// The next field, of whatever form. A function of its own, so that the one above needs no registers but its own.
    #[inline(never)]
    fn any(&mut self) -> Result<MessageField, ReadError> {
        let offset = self.position;
        let key = self.varint()?;
        // Fewer bits than a number of 32 has, so nothing is lost below.
        if !(1..1 << 29).contains(&(key >> 3)) {
            return Err(self.malformed(offset, "a field number out of range"));
        }
        let number = (key >> 3) as u32;
        let value = match key & 7 {
            0 => MessageValue::Varint(self.varint()?),
            1 => MessageValue::Fixed64(u64::from_le_bytes(self.array(offset)?)),
            2 => {
                let len = self.varint()?;
                let start = self.position;
                match start.checked_add(len) {
                    Some(end) if end <= self.end => self.position = end,
                    _ => return Err(self.beyond(offset, start.saturating_add(len))),
                }
                MessageValue::Bytes(ByteSpan { start, len })
            }
            5 => MessageValue::Fixed32(u32::from_le_bytes(self.array(offset)?)),
            kind => return Err(self.malformed(offset, &format!("not a wire type: {kind}"))),
        };
        Ok(MessageField { number, value, offset })
    }

    /// Reads the message in `field` with `read`, then goes on behind it. The block that was read
    /// ahead is shared, so a small nested message costs no read of its own.
    ///
    /// # Errors
    /// If the field is no message, the nesting is too deep, or `read` fails.
    pub fn enter<T>(
        &mut self,
        field: &MessageField,
        read: impl FnOnce(&mut WireMessage<'s>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let around = self.begin(field)?;
        let result = read(self);
        self.depth -= 1;
        (self.position, self.end) = around;
        result
    }

    /// Goes into a field; gives the position behind it and the end of the message around it.
    fn begin(&mut self, field: &MessageField) -> Result<(u64, u64), ReadError> {
        let span = self.payload(field)?;
        if self.depth >= limits::DEPTH {
            let problem = SourceProblem::TooDeep { limit: limits::DEPTH };
            return Err(ReadError::new(self.source.name(), problem).at(field.offset));
        }
        let around = (self.position, self.end);
        self.position = span.start;
        self.end = span.start + span.len;
        self.depth += 1;
        Ok(around)
    }

    /// The payload of a length-delimited field.
    ///
    /// # Errors
    /// If the field is not length-delimited, or larger than [`limits::RECORD`].
    pub fn bytes(&mut self, field: &MessageField) -> Result<Vec<u8>, ReadError> {
        let span = self.payload(field)?;
        if let Some(bytes) = self.buffered(span) {
            return Ok(bytes.to_vec());
        }
        self.source.bytes(span.start, span.len)
    }

    /// The payload of a field, if it was read ahead already: to look at without a copy.
    #[inline]
    pub fn ahead(&self, field: &MessageField) -> Option<&[u8]> {
        self.buffered(field.span()?)
    }

    /// The bytes of the message from a field on, its key included, if they were read ahead already. What lies there may be
    /// known by its bytes.
    #[inline]
    pub fn rest(&self, field: &MessageField) -> Option<&[u8]> {
        let len = self.end.checked_sub(field.offset)?;
        self.buffered(ByteSpan { start: field.offset, len })
    }

    /// The payload of a field, if it was read ahead already and is text.
    pub fn text_ahead(&self, field: &MessageField) -> Option<&str> {
        std::str::from_utf8(self.ahead(field)?).ok()
    }

    /// The payload of a field as text.
    ///
    /// # Errors
    /// As [`WireMessage::bytes`], or if it is not UTF-8.
    pub fn string(&mut self, field: &MessageField) -> Result<String, ReadError> {
        let bytes = self.bytes(field)?;
        String::from_utf8(bytes)
            .map_err(|_| self.malformed(field.offset, "a text that is not UTF-8"))
    }

    /// An error of this source at `offset`.
    pub fn malformed(&self, offset: u64, what: &str) -> ReadError {
        ReadError::malformed(self.source.name(), format!("not a protobuf message: {what}"))
            .at(offset)
    }

    fn beyond(&self, offset: u64, needed: u64) -> ReadError {
        let problem = SourceProblem::Truncated { len: self.end, needed };
        ReadError::new(self.source.name(), problem).at(offset)
    }

    #[inline]
    fn payload(&self, field: &MessageField) -> Result<ByteSpan, ReadError> {
        match field.value {
            MessageValue::Bytes(span) => Ok(span),
            _ => {
                let what = format!("field {} is not length-delimited", field.number);
                Err(self.malformed(field.offset, &what))
            }
        }
    }

    #[inline]
    fn buffered(&self, span: ByteSpan) -> Option<&[u8]> {
        let from = usize::try_from(span.start.checked_sub(self.block_start)?).ok()?;
        let len = usize::try_from(span.len).ok()?;
        self.block.get(from..from.checked_add(len)?)
    }

    /// The next field, if it is of a common form: a key of one byte, and a number or a length of one byte or two, or four
    /// bytes as they are, all of which were read ahead.
    #[inline]
    fn short(&mut self) -> Option<MessageField> {
        let offset = self.position;
        let at = usize::try_from(offset.wrapping_sub(self.block_start)).ok()?;
        let ahead = self.block.get(at..)?;
        let [key, low, high] = *ahead.first_chunk::<3>()?;
        if !(8..0x80).contains(&key) {
            return None;
        }
        let varint = || match (low, high) {
            (0..0x80, _) => Some((offset + 2, u64::from(low))),
            (_, 0..0x80) => Some((offset + 3, u64::from(low & 0x7f) | u64::from(high) << 7)),
            _ => None,
        };
        let (value, end) = match key & 7 {
            0 => varint().map(|(end, number)| (MessageValue::Varint(number), end))?,
            2 => {
                let (start, len) = varint()?;
                (MessageValue::Bytes(ByteSpan { start, len }), start + len)
            }
            5 => {
                let bytes = ahead.get(1..)?.first_chunk()?;
                (MessageValue::Fixed32(u32::from_le_bytes(*bytes)), offset + 5)
            }
            _ => return None,
        };
        if end > self.end {
            return None;
        }
        self.position = end;
        Some(MessageField { number: u32::from(key >> 3), value, offset })
    }

    fn array<const N: usize>(&mut self, offset: u64) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        for byte in &mut array {
            *byte = self.byte(offset)?;
        }
        Ok(array)
    }

    /// The byte at the position, if it lies in what was read ahead.
    #[inline]
    fn ahead_byte(&self) -> Option<u8> {
        if self.position >= self.end {
            return None;
        }
        let at = usize::try_from(self.position.wrapping_sub(self.block_start)).ok()?;
        self.block.get(at).copied()
    }

    /// A number. Most have one byte, which lies in what was read ahead.
    #[inline]
    fn varint(&mut self) -> Result<u64, ReadError> {
        match self.ahead_byte() {
            Some(byte) if byte < 0x80 => {
                self.position += 1;
                Ok(u64::from(byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, ReadError> {
        let offset = self.position;
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = match self.ahead_byte() {
                Some(byte) => {
                    self.position += 1;
                    byte
                }
                None => self.byte(offset)?,
            };
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.malformed(offset, "a number of more than ten bytes"))
    }

    fn byte(&mut self, offset: u64) -> Result<u8, ReadError> {
        if self.position >= self.end {
            return Err(self.beyond(offset, self.position + 1));
        }
        let in_block = |start: u64, len: usize, at: u64| {
            usize::try_from(at.wrapping_sub(start)).ok().filter(|i| *i < len)
        };
        let index = match in_block(self.block_start, self.block.len(), self.position) {
            Some(index) => index,
            None => {
                let left = self.source.size().saturating_sub(self.position);
                let want = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
                self.block.resize(want, 0);
                self.block_start = self.position;
                if let Err(error) = self.source.fill(self.position, &mut self.block) {
                    self.block.clear();
                    return Err(error);
                }
                0
            }
        };
        self.position += 1;
        Ok(self.block[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BytesSource;
    use proptest::prelude::*;

    fn walk(message: &mut WireMessage<'_>) -> Result<usize, ReadError> {
        let mut fields = 0;
        while let Some(field) = message.next()? {
            fields += 1;
            if field.span().is_some() {
                // Anything may look like a message; whether it is one is not the point here.
                let _ = message.enter(&field, walk);
                let _ = message.string(&field);
            }
        }
        Ok(fields)
    }

    #[test]
    fn a_message_that_was_taken_out_is_read_without_the_source() {
        let source = BytesSource::new("m", vec![]);
        let mut message =
            WireMessage::taken(&source, vec![0x08, 0xac, 0x02, 0x12, 0x02, b'h', b'i']);
        let number = message.next().unwrap().unwrap();
        assert_eq!((number.number, number.varint()), (1, Some(300)));
        let text = message.next().unwrap().unwrap();
        assert_eq!(message.string(&text).unwrap(), "hi");
        assert!(message.next().unwrap().is_none());
        let error = WireMessage::taken(&source, vec![0x12, 0x05, b'h']).next().unwrap_err();
        assert!(error.to_string().contains("m"), "{error}");
    }

    #[test]
    fn the_rest_of_a_message_begins_with_the_key_of_the_field_and_ends_with_the_message() {
        let source = BytesSource::new("m", vec![0x12, 4, 0x0a, 0, 0x12, 0, 0x08, 1]);
        let mut message = WireMessage::whole(&source);
        let outer = message.next().unwrap().unwrap();
        assert_eq!(message.rest(&outer).map(<[u8]>::len), Some(8));
        let rest = message.enter(&outer, |inner| {
            inner.next()?;
            let field = inner.next()?.unwrap();
            Ok(inner.rest(&field).map(<[u8]>::to_vec))
        });
        assert_eq!(rest.unwrap(), Some(vec![0x12, 0]));
    }

    fn varint(mut number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    #[test]
    fn a_field_is_the_same_whether_it_was_read_ahead_or_not() {
        for number in [0, 1, 0x7f, 0x80, 0x12c, 0x3fff, 0x4000] {
            let length = varint(number);
            let payload = vec![b'x'; number as usize];
            let fields = [
                ([&[0x10], &*length].concat(), MessageValue::Varint(number)),
                (
                    [&[0x12], &*length, &*payload].concat(),
                    MessageValue::Bytes(ByteSpan { start: 1 + length.len() as u64, len: number }),
                ),
                (
                    [&[0x15], &(number as u32).to_le_bytes()[..]].concat(),
                    MessageValue::Fixed32(number as u32),
                ),
            ];
            for (field, value) in fields {
                let source = BytesSource::new("m", [&*field, &[0x18, 1, 0]].concat());
                let span = ByteSpan { start: 0, len: field.len() as u64 + 2 };
                let mut late = WireMessage::at(&source, span);
                let mut early = WireMessage::at(&source, span);
                early.byte(0).unwrap();
                early.position = 0;
                for message in [&mut late, &mut early] {
                    let expected = MessageField { number: 2, value, offset: 0 };
                    assert_eq!(message.next().unwrap(), Some(expected));
                    assert_eq!(message.next().unwrap().and_then(|it| it.varint()), Some(1));
                    assert_eq!(message.next().unwrap(), None);
                }
                let mut cut =
                    WireMessage::at(&source, ByteSpan { start: 0, len: field.len() as u64 - 1 });
                cut.byte(0).unwrap();
                cut.position = 0;
                assert!(cut.next().is_err(), "{value:?}");
            }
        }
    }

    #[test]
    fn a_payload_that_is_not_asked_for_is_not_read() {
        struct OnlyHead(u64);
        impl Source for OnlyHead {
            fn name(&self) -> &str {
                "graph"
            }
            fn size(&self) -> u64 {
                self.0
            }
            fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
                let head = [0x0a, 0x80, 0x80, 0x80, 0x80, 0x10];
                assert!(offset < BLOCK as u64, "byte {offset} was read");
                buffer.fill(0);
                let n = buffer.len().min(head.len());
                buffer[..n].copy_from_slice(&head[..n]);
                Ok(buffer.len())
            }
        }
        let source = OnlyHead((4 << 30) + 6);
        let mut message = WireMessage::whole(&source);
        let field = message.next().unwrap().unwrap();
        assert_eq!(field.span(), Some(ByteSpan { start: 6, len: 4 << 30 }));
        assert_eq!(message.next().unwrap(), None);
    }

    #[test]
    fn messages_in_messages_have_a_limit() {
        let mut bytes = Vec::new();
        for _ in 0..200 {
            let mut outer = vec![0x0a];
            let mut len = bytes.len();
            while len >= 0x80 {
                outer.push((len & 0x7f) as u8 | 0x80);
                len >>= 7;
            }
            outer.push(len as u8);
            outer.append(&mut bytes);
            bytes = outer;
        }
        fn descend(message: &mut WireMessage<'_>) -> Result<(), ReadError> {
            while let Some(field) = message.next()? {
                message.enter(&field, descend)?;
            }
            Ok(())
        }
        let source = BytesSource::new("deep", bytes);
        let error = descend(&mut WireMessage::whole(&source)).unwrap_err();
        assert!(matches!(*error.problem, SourceProblem::TooDeep { .. }), "{error}");
    }

    #[test]
    fn a_length_beyond_the_message_names_the_byte() {
        let source = BytesSource::new("m", vec![0x08, 0x01, 0x12, 0xff, 0x01, b'x']);
        let mut message = WireMessage::whole(&source);
        message.next().unwrap();
        let error = message.next().unwrap_err();
        assert_eq!(error.to_string(), "m, byte 2: ends after 6 bytes, 260 needed");
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let len = bytes.len();
            let source = BytesSource::new("any", bytes);
            if let Ok(fields) = walk(&mut WireMessage::whole(&source)) {
                prop_assert!(fields <= len);
            }
        }
    }
}
