//! Texts.
//!
//! The one place of the crate with `unsafe`. Most texts are short and ASCII, and the check of the standard
//! library goes through these byte by byte; it would be a third of the time that a view takes.
#![allow(unsafe_code, reason = "a text that was found to be ASCII is not checked again")]

use crate::{Family, Format, ReadError, ReadProblem, Reader, Schema, WriteError, Writer};

impl<F: Family> Format<F> for String {
    #[inline]
    fn write(&self, to: &mut Writer<'_, F>) -> Result<(), WriteError> {
        to.count(self.len());
        to.bytes(self.as_bytes());
        Ok(())
    }

    #[inline]
    fn read(from: &mut Reader<'_, F>) -> Result<Self, ReadError> {
        text(from).map(str::to_owned)
    }

    fn schema(_: u32, to: &mut Schema) {
        to.word("text");
    }
}

/// A text, where it lies.
#[inline]
pub(crate) fn text<'a, F: Family>(from: &mut Reader<'a, F>) -> Result<&'a str, ReadError> {
    let count = from.count(1)?;
    let bytes = from.bytes(count)?;
    if bytes.is_ascii() {
        // SAFETY: ASCII is UTF-8.
        return Ok(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).map_err(|_| from.error(ReadProblem::NotText))
}
