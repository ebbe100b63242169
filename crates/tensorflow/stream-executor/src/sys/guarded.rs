//! Memory for one struct in which every byte that a plug-in writes beside it shows.

use std::io;
use std::ptr::NonNull;

/// The size of a page.
const PAGE: usize = 4096;

/// How many bytes lie before and behind the struct, to be left alone. What is written further away meets
/// a page that cannot be written.
const BESIDE: usize = 512;

/// A zeroed struct between two guards.
///
/// The memory is never given back: plug-ins keep pointers to it, and the process ends with the trial.
#[derive(Clone, Copy, Debug)]
pub(super) struct GuardedStruct {
    base: NonNull<u8>,
    bytes: usize,
}

/// How far a plug-in wrote beside a struct, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Overrun {
    pub before: usize,
    pub behind: usize,
}

impl GuardedStruct {
    /// A struct of so many bytes.
    ///
    /// # Errors
    /// If there is no memory.
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        let inner = (BESIDE + bytes.next_multiple_of(8) + BESIDE).next_multiple_of(PAGE);
        let whole = inner + 2 * PAGE;
        let (rights, kind) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the system's choice.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), whole, rights, kind, -1, 0) };
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: these are the inner pages of the mapping that was just made.
        let open = unsafe {
            libc::mprotect(map.byte_add(PAGE), inner, libc::PROT_READ | libc::PROT_WRITE)
        };
        if open != 0 {
            return Err(io::Error::last_os_error());
        }
        // As near to the page behind as the guard and eight-byte alignment allow.
        let at = PAGE + inner - BESIDE - bytes.next_multiple_of(8);
        // SAFETY: within the mapping, which begins at no null address.
        let base = unsafe { map.cast::<u8>().add(at) };
        let base = NonNull::new(base).ok_or(io::ErrorKind::OutOfMemory)?;
        let guarded = Self { base, bytes };
        for offset in guarded.beside() {
            // SAFETY: within the inner pages, which can be written.
            unsafe { base.offset(offset).write(mark(offset)) };
        }
        Ok(guarded)
    }

    fn beside(self) -> impl Iterator<Item = isize> {
        let (beside, bytes) = (BESIDE as isize, self.bytes as isize);
        (-beside..0).chain(bytes..bytes + beside)
    }

    pub(super) fn address(self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// How many bytes it has.
    pub(super) fn bytes(self) -> usize {
        self.bytes
    }

    pub(super) fn overrun(self) -> Overrun {
        let mut overrun = Overrun::default();
        for offset in self.beside() {
            // SAFETY: within the inner pages, which can be read; a plug-in may write at the same time
            // from a thread of its own, which the volatile read allows for.
            let byte = unsafe { self.base.offset(offset).read_volatile() };
            if byte == mark(offset) {
                continue;
            }
            if offset < 0 {
                overrun.before = overrun.before.max(offset.unsigned_abs());
            } else {
                overrun.behind = offset as usize + 1 - self.bytes;
            }
        }
        overrun
    }

    /// Writes a value at an offset; nothing if it does not lie within the struct.
    pub(super) fn put<T: Copy>(self, offset: usize, value: T) {
        if offset + size_of::<T>() <= self.bytes {
            // SAFETY: within the struct; nothing is assumed of the alignment.
            unsafe { self.base.add(offset).cast::<T>().write_unaligned(value) };
        }
    }

    /// Eight or four bytes at an offset; none if they do not lie within the struct.
    pub(super) fn get<T: PlainNumber>(self, offset: usize) -> Option<T> {
        // SAFETY: within the struct, and every bit pattern is a number.
        (offset + size_of::<T>() <= self.bytes)
            .then(|| unsafe { self.base.add(offset).cast::<T>().read_unaligned() })
    }
}

/// A type of which every bit pattern is a value.
pub(super) trait PlainNumber: Copy {}
impl PlainNumber for i32 {}
impl PlainNumber for u64 {}
impl PlainNumber for usize {}

/// The byte of a guard at an offset: never 0 or 255, which plug-ins like to write, and not the same
/// everywhere.
fn mark(offset: isize) -> u8 {
    0x41 + (offset.unsigned_abs() % 89) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_beside_a_struct_is_measured() {
        let guarded = GuardedStruct::new(34).unwrap();
        assert_eq!(guarded.overrun(), Overrun::default());
        guarded.put(0, 34_u64);
        guarded.put(26, u64::MAX);
        assert_eq!((guarded.get(0), guarded.overrun()), (Some(34_u64), Overrun::default()));
        guarded.put(27, u64::MAX);
        assert_eq!((guarded.get::<u64>(27), guarded.overrun()), (None, Overrun::default()));
        // SAFETY: the guards can be written.
        unsafe {
            guarded.address().add(34).write(0);
            guarded.address().sub(3).write(7);
        }
        assert_eq!(guarded.overrun(), Overrun { before: 3, behind: 1 });
        // SAFETY: as above.
        unsafe { guarded.address().add(34 + 23).write(0) };
        assert_eq!(guarded.overrun(), Overrun { before: 3, behind: 24 });
    }
}
