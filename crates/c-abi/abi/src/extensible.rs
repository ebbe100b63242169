//! Reading C structs that announce their own size.
#![allow(unsafe_code, reason = "foreign structs are read through raw pointers")]

use std::ffi::c_void;
use std::mem::size_of;
use std::ptr::NonNull;

/// The largest size that a struct of a plug-in interface may announce. The largest real one, the
/// function table of the PJRT C API, has 1,144 bytes after three years; a size above this limit is a
/// struct that was never filled in, or a lie that would lead a reader into unmapped memory.
pub const LARGEST_STRUCT: usize = 64 << 10;

/// Whether a struct that announces `struct_size` bytes has the field that ends at `field_end`.
///
/// The end of the field decides, not the size of the struct in anyone's header: sizes of such
/// structs need not be multiples of eight (a trailing `bool` makes 33, 121, 185), and a compiler's
/// `sizeof` includes padding that holds no field.
pub const fn has_field(struct_size: usize, field_end: usize) -> bool {
    field_end <= struct_size
}

/// A foreign struct whose announced size cannot be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("struct_size {announced} is not between {least} and {LARGEST_STRUCT}")]
pub struct Implausible {
    /// The `struct_size` that it announces, in bytes.
    pub announced: usize,
    /// The least that would be plausible.
    pub least: usize,
}

/// A struct of another party, read by the size that it announces and never beyond.
#[derive(Clone, Copy, Debug)]
pub struct ForeignStruct {
    base: NonNull<u8>,
    size: usize,
}

impl ForeignStruct {
    /// The struct at `base`, whose first word is its size; `least` is the size below which it is of
    /// no use to the caller.
    ///
    /// # Errors
    /// [`Implausible`] if the size is below `least` or above [`LARGEST_STRUCT`].
    ///
    /// # Safety
    /// `base` must point to a readable word, aligned to eight bytes, and if that word is at most
    /// [`LARGEST_STRUCT`], as many bytes must be readable for as long as the value is used.
    pub unsafe fn announced(base: NonNull<c_void>, least: usize) -> Result<Self, Implausible> {
        // SAFETY: the caller says that the first word is readable and aligned.
        let size = unsafe { base.cast::<usize>().read() };
        if size < least.max(size_of::<usize>()) || size > LARGEST_STRUCT {
            return Err(Implausible { announced: size, least });
        }
        Ok(Self { base: base.cast(), size })
    }

    /// The struct at `base`, of which `size` bytes are there: for structs from before their kind
    /// announced a size.
    ///
    /// # Safety
    /// `size` bytes from `base` on must be readable for as long as the value is used.
    pub unsafe fn sized(base: NonNull<c_void>, size: usize) -> Self {
        Self { base: base.cast(), size }
    }

    /// The size that it announces, in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The word at `offset`; none if the struct ends before its end.
    pub fn word(&self, offset: usize) -> Option<usize> {
        self.bytes(offset).map(usize::from_ne_bytes)
    }

    /// The 32-bit number at `offset`; none if the struct ends before its end.
    pub fn int(&self, offset: usize) -> Option<i32> {
        self.bytes(offset).map(i32::from_ne_bytes)
    }

    /// The pointer at `offset`, which may be null; none if the struct ends before its end.
    pub fn pointer(&self, offset: usize) -> Option<*mut c_void> {
        // The address came from foreign code, so its provenance is not ours to know.
        self.word(offset).map(std::ptr::with_exposed_provenance_mut)
    }

    /// The byte at `offset`; none if the struct ends before its end.
    pub fn byte(&self, offset: usize) -> Option<u8> {
        self.bytes(offset).map(|[byte]| byte)
    }

    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }

    fn bytes<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        if !has_field(self.size, offset.checked_add(N)?) {
            return None;
        }
        // SAFETY: `offset + N` lies within the size, all of which the maker of the value declared
        // readable; an array of bytes has no alignment.
        Some(unsafe { self.base.add(offset).cast::<[u8; N]>().read() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(words: &[usize]) -> NonNull<c_void> {
        NonNull::from(words).cast()
    }

    #[test]
    fn a_field_past_the_announced_size_is_absent() {
        let words = [20, 7, 9];
        // SAFETY: twenty of the twenty-four bytes are announced.
        let read = unsafe { ForeignStruct::announced(at(&words), 16) }.unwrap();
        assert_eq!(read.word(8), Some(7));
        assert_eq!(read.word(16), None);
        assert_eq!(read.int(16), Some(9_u32.cast_signed()));
        assert_eq!(read.word(usize::MAX), None);
    }

    #[test]
    fn sizes_that_cannot_be_true_are_refused() {
        for announced in [0, 7, 15, LARGEST_STRUCT + 1, usize::MAX] {
            let words = [announced, 0];
            // SAFETY: two words are readable, and every size is refused before more is read.
            let read = unsafe { ForeignStruct::announced(at(&words), 16) };
            assert_eq!(read.unwrap_err(), Implausible { announced, least: 16 });
        }
    }
}
