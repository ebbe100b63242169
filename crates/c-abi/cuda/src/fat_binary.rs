//! Headers of fat binaries: the format of the section `.nv_fatbin`.
//!
//! The section is a sequence of fat binaries, each at a multiple of eight bytes. All numbers are little endian.
//!
//! | bytes of a fat binary | |
//! | --- | --- |
//! | 0..4 | `BA55ED50` |
//! | 4..6, 6..8 | version, size of this header |
//! | 8..16 | size of all entries |
//!
//! | bytes of an entry | |
//! | --- | --- |
//! | 0..2 | 1: PTX, 2 and 16: machine code |
//! | 4..8 | size of this header; the payload stands behind it |
//! | 8..16 | size of the payload, compressed or not |
//! | 24..26, 26..28 | minor and major version: of the language PTX, of the format of machine code |
//! | 28..32 | architecture: 90 of `sm_90` |
//! | 40..48 | flags; bit 20: for this architecture only (`sm_90a`), bit 21: for its family (`sm_100f`) |
//! | 56..64 | size before it was compressed; 0 if it was not |
//!
//! NVIDIA documents none of it. It was found by comparing what `fatbinary` of CUDA 13.5 makes of known code with what
//! `cuobjdump` lists of it.

use std::ops::Range;

use unskew_source::{ReadError, Source, SourceExt as _};

use crate::{CodeScope, CodeTarget, ComputeCapability, DeviceCode};

const MAGIC: u32 = 0xba55_ed50;

/// The bytes of the header of a fat binary, and those that are read of an entry's.
const HEADER: u64 = 16;
const ENTRY: u64 = 64;

/// The most entries of one object. The library with most of them, cuBLASLt, has 7,000.
pub(crate) const ENTRIES: usize = 1 << 18;

/// Code of fewer bytes, before it is compressed, has no kernel: compilers and linkers of device code leave such pieces in every
/// library, also where its kernels lie elsewhere (cuFFT). Measured on libraries of CUDA 12.4 to 13.0: machine code without a kernel
/// has up to 1,160 bytes, with one 1,728 and more. For `sm_100` and later, and since version 1.8 of its format (CUDA 13), it is up
/// to 2,248, and 2,856 and more. PTX without a kernel has up to 145 bytes, with one 189 and more.
const EMPTY: u64 = 1_400;
const EMPTY_NEWER: u64 = 2_500;
const EMPTY_PTX: u64 = 160;

const PTX: u16 = 1;
const CUBIN: [u16; 2] = [2, 16];

/// Flags of an entry.
const EXACT: u64 = 1 << 20;
const FAMILY: u64 = 1 << 21;

/// Shows the code of each fat binary of a section, as long as entries are left, without code that has no kernel and of kinds that are not known.
///
/// # Errors
/// If the bytes are no sequence of fat binaries, or more than are read.
pub(crate) fn each(
    source: &dyn Source,
    section: Range<u64>,
    left: &mut usize,
    mut show: impl FnMut(Vec<DeviceCode>),
) -> Result<(), ReadError> {
    let malformed = |at: u64, what: &str| {
        ReadError::malformed(source.name(), what).in_record(".nv_fatbin").at(at)
    };
    let mut at = section.start;
    while section.end.saturating_sub(at) >= HEADER {
        let header = source.bytes(at, HEADER)?;
        if number(&header, 0, 8) == 0 {
            // Linkers fill the space between fat binaries of several object files.
            at += HEADER / 2;
            take(source, left)?;
            continue;
        }
        if number(&header, 0, 4) != u64::from(MAGIC) {
            return Err(malformed(at, "no fat binary where one has to begin"));
        }
        let mut entry = at.saturating_add(number(&header, 6, 2));
        let end = entry.saturating_add(number(&header, 8, 8));
        if end > section.end || entry < at + HEADER {
            return Err(malformed(at, "a fat binary is larger than its section"));
        }
        let mut codes = Vec::new();
        while end.saturating_sub(entry) >= ENTRY {
            take(source, left)?;
            let header = source.bytes(entry, ENTRY)?;
            let (size, payload) = (number(&header, 4, 4), number(&header, 8, 8));
            if size < ENTRY {
                return Err(malformed(entry, "the header of an entry is too short"));
            }
            codes.extend(code(&header));
            entry = entry.saturating_add(size).saturating_add(payload);
            if entry > end {
                return Err(malformed(entry, "an entry is larger than its fat binary"));
            }
        }
        show(codes);
        at = section.start + (end - section.start).next_multiple_of(8);
    }
    Ok(())
}

fn take(source: &dyn Source, left: &mut usize) -> Result<(), ReadError> {
    *left = left.checked_sub(1).ok_or_else(|| {
        let what = format!("more than {ENTRIES} pieces of code for GPUs");
        ReadError::malformed(source.name(), what).in_record(".nv_fatbin")
    })?;
    Ok(())
}

fn code(header: &[u8]) -> Option<DeviceCode> {
    let kind = number(header, 0, 2) as u16;
    let flags = number(header, 40, 8);
    let scope = match (flags & EXACT != 0, flags & FAMILY != 0) {
        (true, _) => CodeScope::Exact,
        (false, true) => CodeScope::Family,
        (false, false) => CodeScope::Portable,
    };
    let capability = ComputeCapability::from_number(number(header, 28, 4) as u32);
    let target = CodeTarget { capability, scope };
    let version = (number(header, 26, 2) as u16, number(header, 24, 2) as u16);
    let size = number(header, 56, 8).max(number(header, 8, 8));
    match kind {
        PTX if size >= EMPTY_PTX => Some(DeviceCode::Ptx { target, isa: version }),
        kind if CUBIN.contains(&kind) => {
            let is_newer = version >= (1, 8) || capability.major >= 10;
            let least = if is_newer { EMPTY_NEWER } else { EMPTY };
            (size >= least).then_some(DeviceCode::Cubin(target))
        }
        _ => None,
    }
}

/// The number in `len` bytes of a header, up to eight; 0 where there are none.
fn number(header: &[u8], at: usize, len: usize) -> u64 {
    let bytes = header.get(at..at + len).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
