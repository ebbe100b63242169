//! The version of a plug-in as its code says it, without running it.
//!
//! Plug-ins built from XLA fill in their function table in one function, which their compiler has written the same way since
//! 2024: the size of the table, the size of the version (24 bytes), no extensions of it, and both numbers of the version as
//! one constant, each stored at its offset. Only this very sequence is recognized, only if all places that have it agree, and
//! only if the size is the one of that version. It says nothing of extensions and attributes.

use std::sync::Arc;

use unskew_abi::code_around;
use unskew_core::Version;
use unskew_source::Source;

use crate::layout;

/// How far from `GetPjrtApi` the code is looked at, in bytes. Measured: 90 to 450 KiB.
const REACH: u64 = 1 << 20;

/// The most bytes between two stores of the sequence: the compiler interleaves others.
const GAP: usize = 16;

/// `mov qword ptr [rax], imm32`: the size of the table.
const TABLE_SIZE: &[u8] = b"\x48\xc7\x00";

/// `mov qword ptr [rax + 16], 24` and `mov qword ptr [rax + 24], 0`: the head of the version.
const VERSION_HEAD: &[u8] = b"\x48\xc7\x40\x10\x18\0\0\0\x48\xc7\x40\x18\0\0\0\0";

/// `movabs r9, imm64`: both numbers of the version.
const VERSION: &[u8] = b"\x49\xb9";

/// `mov qword ptr [rax + 32], r9`.
const STORE: &[u8] = b"\x4c\x89\x48\x20";

/// What the code of a plug-in says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Built {
    /// The minor version; the major one is 0.
    pub minor: i32,
    /// The size that its table announces, in bytes.
    pub table_size: u64,
}

impl Built {
    /// The version as it is written: `0.81`.
    pub fn version(self) -> Version {
        Version::pair(0, self.minor.into())
    }
}

/// What the code of the plug-in in `source` says; none if it is not written as expected.
pub fn built(source: &Arc<dyn Source>) -> Option<Built> {
    of_code(&code_around(source, "GetPjrtApi", REACH)?)
}

fn of_code(code: &[u8]) -> Option<Built> {
    let mut found = None;
    for at in memchr::memmem::find_iter(code, VERSION_HEAD) {
        let Some(here) = at_head(code, at) else { continue };
        match found {
            Some(before) if before != here => return None,
            _ => found = Some(here),
        }
    }
    found.filter(|built| {
        let table = layout::table_size(built.minor);
        let size = built.table_size as usize;
        table.is_some_and(|table| table.declared == size || table.end == size)
    })
}

/// The sequence whose middle lies at `at`.
fn at_head(code: &[u8], at: usize) -> Option<Built> {
    let before = &code[at.saturating_sub(TABLE_SIZE.len() + 4 + GAP)..at];
    let size = memchr::memmem::rfind(before, TABLE_SIZE)?;
    let size = number(before.get(size + TABLE_SIZE.len()..)?)?;
    let behind = code.get(at + VERSION_HEAD.len()..)?;
    let behind = &behind[..behind.len().min(2 * GAP + 14)];
    let version = memchr::memmem::find(behind, VERSION)? + VERSION.len();
    let (major, minor) = (number(behind.get(version..)?)?, number(behind.get(version + 4..)?)?);
    let store = memchr::memmem::find(behind.get(version + 8..)?, STORE)?;
    if major != 0 || store > GAP {
        return None;
    }
    Some(Built { minor: i32::try_from(minor).ok()?, table_size: size.into() })
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(size: u32, minor: u32) -> Vec<u8> {
        let (size, minor) = (size.to_le_bytes(), minor.to_le_bytes());
        let store_of_chain = b"\x4c\x89\x48\x08";
        let parts: [&[u8]; 9] = [
            b"\x55\x48\x89\xe5",
            TABLE_SIZE,
            &size,
            store_of_chain,
            VERSION_HEAD,
            VERSION,
            &[0; 4],
            &minor,
            STORE,
        ];
        parts.concat()
    }

    #[test]
    fn the_version_is_read_where_the_size_fits_it() {
        assert_eq!(of_code(&code(984, 81)), Some(Built { minor: 81, table_size: 984 }));
        assert_eq!(of_code(&code(808, 54)), Some(Built { minor: 54, table_size: 808 }));
        assert_eq!(of_code(&code(985, 81)), None, "a size that no header of this version has");
        assert_eq!(of_code(&code(984, u32::MAX)), None);
    }

    #[test]
    fn two_builders_that_disagree_say_nothing() {
        let twice = [code(984, 81), code(984, 81)].concat();
        assert!(of_code(&twice).is_some());
        let both = [code(984, 81), code(808, 54)].concat();
        assert_eq!(of_code(&both), None);
    }

    #[test]
    fn code_that_is_cut_anywhere_or_of_any_other_kind_says_nothing() {
        let whole = code(984, 81);
        for end in 0..whole.len() {
            assert_eq!(of_code(&whole[..end]), None, "{end}");
        }
        assert_eq!(of_code(&[0x90; 4096]), None);
    }
}
