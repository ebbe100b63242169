//! Structs with room behind them.

use super::call::Record;

/// The most bytes that a plug-in is given for one struct. The largest of today has 201.
pub const CAPACITY: usize = 1024;

/// A struct with zeros behind it, so that a plug-in that is newer than this crate finds fields it
/// knows, and none of them set.
#[repr(C, align(16))]
pub struct PaddedStruct<T: Record> {
    record: T,
    behind: [u64; CAPACITY / 8],
}

impl<T: Record> PaddedStruct<T> {
    /// The struct, announcing `size` bytes, at most [`CAPACITY`].
    pub fn new(record: T, size: usize) -> Self {
        let mut padded = Self { record, behind: [0; CAPACITY / 8] };
        if T::ANNOUNCES_SIZE {
            // SAFETY: the first word of the struct is its size, and so many bytes are there.
            unsafe { (&raw mut padded.record).cast::<usize>().write(size.min(CAPACITY)) };
        }
        padded
    }

    /// The struct itself, without the padding.
    pub fn record(&mut self) -> &mut T {
        &mut self.record
    }

    /// The address of the struct and of what is behind it.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        (&raw mut *self).cast()
    }
}
