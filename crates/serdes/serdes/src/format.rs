//! Trait of types that can be written and read.

use crate::{DecodeError, Decoder, EncodeError, Encoder, Family, FormatSchema};

/// A type that can be written for readers of any version of the family `F`, and read again.
///
/// Derive it. By hand it is for types without a format of their own: numbers, texts, containers.
pub trait Format<F: Family>: Sized {
    /// The least number of bytes that a value takes: bounds what a count in hostile input can claim.
    const LEAST_BYTES: usize = 1;

    /// Writes the value in the version of the writer.
    ///
    /// # Errors
    /// [`EncodeError`] if that version cannot hold it.
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError>;

    /// Reads a value, by the version that it carries.
    ///
    /// # Errors
    /// [`DecodeError`] with the place and what is wrong.
    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError>;

    /// Says what the type looks like at a version, for fingerprints.
    fn schema(version: u32, to: &mut FormatSchema);

    /// Writes a list: its count, then each item. Numbers have a denser form.
    ///
    /// # Errors
    /// As [`Format::write`].
    #[inline]
    fn write_list(items: &[Self], to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        to.count(items.len());
        for (i, item) in items.iter().enumerate() {
            item.write(to).map_err(|error| error.in_item(i))?;
        }
        Ok(())
    }

    /// Reads a value over one that is there, whose memory is used again. After an error it is a value, but of
    /// which one is not said.
    ///
    /// # Errors
    /// As [`Format::read`].
    #[inline]
    fn read_into(&mut self, from: &mut Decoder<'_, F>) -> Result<(), DecodeError> {
        *self = Self::read(from)?;
        Ok(())
    }

    /// Reads a list over one that is there; into an empty one, if none is.
    ///
    /// # Errors
    /// As [`Format::read`].
    #[inline(always)]
    fn read_list(items: &mut Vec<Self>, from: &mut Decoder<'_, F>) -> Result<(), DecodeError> {
        let count = from.count(Self::LEAST_BYTES)?;
        items.truncate(count);
        for item in items.iter_mut() {
            item.read_into(from)?;
        }
        let more = count - items.len();
        make_room(items, more.min(from.room(size_of::<Self>())));
        for _ in 0..more {
            items.push(Self::read(from)?);
        }
        Ok(())
    }
}

/// Makes room for `more` items. What is empty is made anew: growing would copy what is no longer there.
#[inline]
pub(crate) fn make_room<T>(items: &mut Vec<T>, more: usize) {
    if !items.is_empty() {
        items.reserve_exact(more);
    } else if items.capacity() < more {
        *items = Vec::with_capacity(more);
    }
}
