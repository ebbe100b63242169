//! Pieces of a file that is written: bytes, and places of the file that was read.

use super::Raw;
use crate::bytecode::Span;
use crate::convert::numbers::varint;

/// What is written: bytes, and places of the file that was read.
#[derive(Default)]
pub(super) struct Pieces {
    pub(super) done: Vec<Raw>,
    pub(super) bytes: Vec<u8>,
}

impl Pieces {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { done: Vec::new(), bytes }
    }

    pub(super) fn cut(&mut self) {
        if !self.bytes.is_empty() {
            self.done.push(Raw::Bytes(std::mem::take(&mut self.bytes)));
        }
    }

    pub(super) fn copy(&mut self, span: Span) {
        self.cut();
        self.done.push(Raw::Copied(span));
    }

    pub(super) fn section(&mut self, id: u8, mut contents: Self) {
        contents.cut();
        let len = |piece: &Raw| match piece {
            Raw::Bytes(bytes) => bytes.len() as u64,
            Raw::Copied(span) => span.end - span.start,
        };
        self.bytes.push(id);
        varint(&mut self.bytes, contents.done.iter().map(len).sum());
        for piece in contents.done {
            match piece {
                Raw::Bytes(bytes) => self.bytes.extend_from_slice(&bytes),
                Raw::Copied(span) => self.copy(span),
            }
        }
    }
}
