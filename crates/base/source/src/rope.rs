//! Bytes that are made of ranges of a source and of new bytes, before it is known how many there are.
//!
//! A message carries the length of every message in it, so what lies inside is made first. An
//! [`Assembly`] only grows at its end; this is what one is filled from.

use std::ops::Range;
use std::sync::Arc;

use crate::{Assembly, ReadError, Source};

/// A run of bytes.
#[derive(Clone)]
enum Piece {
    Copied(Range<u64>),
    New(Vec<u8>),
}

/// Bytes of one source and new bytes, in order. Neighbours of the same kind are one piece.
#[derive(Clone, Default)]
pub struct Rope {
    pieces: Vec<Piece>,
    size: u64,
}

impl Rope {
    /// Adds a range of the source.
    pub fn copy(&mut self, range: Range<u64>) {
        let size = range.end.saturating_sub(range.start);
        if size == 0 {
            return;
        }
        self.size = self.size.saturating_add(size);
        match self.pieces.last_mut() {
            Some(Piece::Copied(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(Piece::Copied(range)),
        }
    }

    /// Adds new bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.size = self.size.saturating_add(bytes.len() as u64);
        match self.pieces.last_mut() {
            Some(Piece::New(last)) => last.extend_from_slice(bytes),
            _ => self.pieces.push(Piece::New(bytes.to_vec())),
        }
    }

    /// Adds a number as protobuf writes it.
    pub fn varint(&mut self, mut number: u64) {
        let (mut bytes, mut len) = ([0; 10], 0);
        loop {
            let low = (number & 0x7f) as u8;
            number >>= 7;
            bytes[len] = if number == 0 { low } else { low | 0x80 };
            len += 1;
            if number == 0 {
                return self.bytes(&bytes[..len]);
            }
        }
    }

    /// Adds a field that holds a number.
    pub fn number(&mut self, field: u32, number: u64) {
        self.varint(u64::from(field) << 3);
        self.varint(number);
    }

    /// Adds a field that holds text.
    pub fn text(&mut self, field: u32, text: &str) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    /// Adds a field that holds another message.
    pub fn message(&mut self, field: u32, inner: Self) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(inner.size);
        self.append(inner);
    }

    /// Adds a field that holds 32 bits.
    pub fn fixed32(&mut self, field: u32, bits: u32) {
        self.varint(u64::from(field) << 3 | 5);
        self.bytes(&bits.to_le_bytes());
    }

    /// The new bytes, for one that copies nothing.
    pub fn new_bytes(&self) -> Vec<u8> {
        let new = |piece: &Piece| match piece {
            Piece::New(bytes) => bytes.clone(),
            Piece::Copied(_) => Vec::new(),
        };
        self.pieces.iter().flat_map(new).collect()
    }

    /// Adds everything of another.
    pub fn append(&mut self, other: Self) {
        for piece in other.pieces {
            match piece {
                Piece::Copied(range) => self.copy(range),
                Piece::New(bytes) => self.bytes(&bytes),
            }
        }
    }

    /// Whether this is the range and nothing else.
    pub fn is(&self, range: &Range<u64>) -> bool {
        match self.pieces.as_slice() {
            [] => range.is_empty(),
            [Piece::Copied(own)] => own == range,
            _ => false,
        }
    }

    /// The output that these bytes are.
    ///
    /// # Errors
    /// If a range does not lie in `source`.
    pub fn assemble(self, source: &Arc<dyn Source>, name: &str) -> Result<Assembly, ReadError> {
        let mut assembly = Assembly::new(name);
        for piece in self.pieces {
            match piece {
                Piece::Copied(range) => assembly.push_copy(source, range)?,
                Piece::New(bytes) => assembly.push_bytes(bytes),
            }
        }
        Ok(assembly)
    }
}

#[cfg(test)]
mod tests {
    use crate::{BytesSource, SourceExt as _};

    use super::*;

    #[test]
    fn lengths_are_those_of_what_lies_inside() {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("in", vec![7; 300]));
        let mut inner = Rope::default();
        inner.text(1, "ab");
        inner.copy(0..100);
        inner.copy(100..300);
        assert_eq!(inner.pieces.len(), 2);
        let mut outer = Rope::default();
        outer.message(2, inner);
        outer.number(3, 300);
        let bytes = outer.assemble(&source, "out").unwrap().all().unwrap();
        assert_eq!(bytes[..7], [0x12, 0xb0, 0x02, 0x0a, 2, b'a', b'b']);
        assert_eq!(bytes[307..], [0x18, 0xac, 0x02]);
    }
}
