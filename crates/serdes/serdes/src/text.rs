//! Texts.
//!
//! The one place of the crate with `unsafe`. Most texts are short and ASCII, and the check of the standard
//! library goes through these byte by byte; it would be a third of the time that a view takes.
#![allow(unsafe_code, reason = "a text that was found to be ASCII is not checked again")]

use crate::{
    DecodeError, DecodeProblem, Decoder, EncodeError, Encoder, Family, Format, FormatSchema,
};

impl<F: Family> Format<F> for String {
    #[inline]
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        to.count(self.len());
        to.bytes(self.as_bytes());
        Ok(())
    }

    #[inline(always)]
    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
        text(from).map(str::to_owned)
    }

    #[inline]
    fn read_into(&mut self, from: &mut Decoder<'_, F>) -> Result<(), DecodeError> {
        let text = text(from)?;
        self.clear();
        self.push_str(text);
        Ok(())
    }

    fn schema(_: u32, to: &mut FormatSchema) {
        to.word("text");
    }
}

#[inline(always)]
pub(crate) fn text<'a, F: Family>(from: &mut Decoder<'a, F>) -> Result<&'a str, DecodeError> {
    let count = from.count(1)?;
    let bytes = from.bytes(count)?;
    if is_ascii(bytes) {
        // SAFETY: ASCII is UTF-8.
        return Ok(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).map_err(|_| from.error(DecodeProblem::NotText))
}

/// As `<[u8]>::is_ascii`, which takes a branch for each byte behind the last eight: here the last sixteen, eight or
/// four are looked at once more.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH: u128 = u128::from_ne_bytes([0x80; 16]);
    let set = if let Some(last) = bytes.last_chunk() {
        let chunks = bytes.as_chunks().0.iter();
        chunks.fold(u128::from_ne_bytes(*last), |set, chunk| set | u128::from_ne_bytes(*chunk))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u32::from_ne_bytes(*first) | u32::from_ne_bytes(*last))
    } else {
        u128::from(bytes.iter().fold(0, |set, byte| set | byte))
    };
    set & HIGH == 0
}
