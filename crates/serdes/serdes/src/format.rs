//! What can be written and read.

use crate::{Family, ReadError, Reader, Schema, WriteError, Writer};

/// A type that can be written for readers of any version of the family `F`, and read again.
///
/// Derive it. By hand it is for types without a format of their own: numbers, texts, containers.
pub trait Format<F: Family>: Sized {
    /// The least number of bytes that a value takes: bounds what a count in hostile input can claim.
    const LEAST_BYTES: usize = 1;

    /// Writes the value in the version of the writer.
    ///
    /// # Errors
    /// [`WriteError`] if that version cannot hold it.
    fn write(&self, to: &mut Writer<'_, F>) -> Result<(), WriteError>;

    /// Reads a value, by the version that it carries.
    ///
    /// # Errors
    /// [`ReadError`] with the place and what is wrong.
    fn read(from: &mut Reader<'_, F>) -> Result<Self, ReadError>;

    /// Says what the type looks like at a version, for fingerprints.
    fn schema(version: u32, to: &mut Schema);

    /// Writes a list: its count, then each item. Numbers have a denser form.
    ///
    /// # Errors
    /// As [`Format::write`].
    #[inline]
    fn write_list(items: &[Self], to: &mut Writer<'_, F>) -> Result<(), WriteError> {
        to.count(items.len());
        for (i, item) in items.iter().enumerate() {
            item.write(to).map_err(|error| error.in_item(i))?;
        }
        Ok(())
    }

    /// Reads a list.
    ///
    /// # Errors
    /// As [`Format::read`].
    #[inline]
    fn read_list(from: &mut Reader<'_, F>) -> Result<Vec<Self>, ReadError> {
        let count = from.count(Self::LEAST_BYTES)?;
        let mut items = Vec::with_capacity(count.min(from.room(size_of::<Self>())));
        for _ in 0..count {
            items.push(Self::read(from)?);
        }
        Ok(items)
    }
}
