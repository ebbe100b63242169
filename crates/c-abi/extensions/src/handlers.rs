//! Handlers of XLA's foreign function interface (FFI), and the version of it that they were compiled with.
//!
//! A handler is a function of C that XLA calls from programs. Asked for its metadata, it writes the version of the header
//! that it was compiled with: `struct_size` 24, then major and minor. Every jaxlib since 0.4.36 asks when a handler is
//! registered. Here nothing is called: the constants are looked for in the instructions that write them.

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::sync::Arc;

use memchr::memmem;
use unskew_core::Version;
use unskew_source::{ReadError, Source, SourceReader};

use crate::blocks::look_through;

/// The handlers of a shared object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handlers {
    /// The versions of the FFI that they were compiled with; empty if the instructions do not show it.
    pub versions: BTreeSet<Version>,
}

/// What every handler says if the structure that it is to fill is too small.
const MARK: &[u8] = b"XLA_FFI_Metadata\0";

/// The most bytes of an object that are searched.
const SEARCHED: u64 = 256 << 20;

/// `movq $24, 8(..)` without its prefix: the size of the version, which is the second field.
const SIZE: &[u8] = &[0x08, 24, 0, 0, 0];

/// How far before and after that the version is written.
const BEFORE: usize = 96;
const AFTER: usize = 64;

/// The highest minor that a constant is taken for.
const HIGHEST: u32 = 63;

impl Handlers {
    /// The handlers of a shared object; none if it has none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        if source.size() > SEARCHED {
            return Ok(None);
        }
        let failed = |error: io::Error| ReadError::new(source.name(), error.into());
        let finder = memmem::Finder::new(MARK);
        let mut has_handlers = false;
        look_through(&**source, SEARCHED, MARK.len(), |block| {
            has_handlers = finder.find(block).is_some();
            if has_handlers { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(failed)?;
        if !has_handlers {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let reader = SourceReader::new(source.clone());
        reader.take(SEARCHED).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Self::from_bytes(&bytes))
    }

    /// The handlers in the bytes of a shared object.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        memmem::find(bytes, MARK)?;
        let Some(image) = Image::parse(bytes) else { return Some(Self::default()) };
        let mut minors = BTreeSet::new();
        for at in memmem::find_iter(bytes, SIZE) {
            if is_move(&bytes[..at]) {
                let found = image.minors(at.saturating_sub(BEFORE), at + SIZE.len() + AFTER);
                // More than one: constants of something else stand among them.
                minors.extend(found.first().filter(|_| found.len() == 1));
            }
        }
        let version = |minor: &u32| Version::pair(0, i64::from(*minor));
        Some(Self { versions: minors.iter().map(version).collect() })
    }
}

/// Whether bytes end with `movq` of a constant to a register and one byte: `48 c7 46`, `49 c7 44 24`.
fn is_move(bytes: &[u8]) -> bool {
    match bytes {
        [.., 0x49, 0xc7, 0x44, 0x24] => true,
        [.., 0x48 | 0x49, 0xc7, register] => register & 0xf8 == 0x40 && *register != 0x44,
        _ => false,
    }
}

/// A shared object for x86-64, and where its bytes are in memory.
struct Image<'a> {
    bytes: &'a [u8],
    /// Place in the file, address, size.
    segments: Vec<(u64, u64, u64)>,
}

impl<'a> Image<'a> {
    /// None if it is no ELF file for x86-64.
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        const X86_64: [u8; 2] = [62, 0];
        let is_elf = bytes.starts_with(b"\x7fELF\x02\x01") && bytes.get(18..20)? == X86_64;
        let number = |at: u64| number(bytes, at);
        let headers = number(32).filter(|_| is_elf)?;
        let count = u64::from(*bytes.get(56)?);
        let mut segments = Vec::new();
        for index in 0..count {
            let header = headers.checked_add(index * 56)?;
            // The kind of the segment: to be loaded.
            if number(header)? & 0xffff_ffff == 1 {
                let field = |at: u64| number(header.checked_add(at)?);
                segments.push((field(8)?, field(16)?, field(32)?));
            }
        }
        Some(Self { bytes, segments })
    }

    fn address(&self, at: u64) -> Option<u64> {
        let holds = |(from, _, size): &&(u64, u64, u64)| at >= *from && at - from < *size;
        let (from, address, _) = self.segments.iter().find(holds)?;
        address.checked_add(at - from)
    }

    /// The eight bytes at an address.
    fn constant(&self, address: u64) -> Option<u64> {
        let holds = |(_, from, size): &&(u64, u64, u64)| address >= *from && address - from < *size;
        let (at, from, _) = self.segments.iter().find(holds)?;
        number(self.bytes, at.checked_add(address - from)?)
    }

    /// The minors that instructions in this range write as `{0, minor}`, eight bytes or twice four, at 24.
    fn minors(&self, from: usize, to: usize) -> BTreeSet<u32> {
        let code = self.bytes.get(from..to.min(self.bytes.len())).unwrap_or_default();
        let (mut whole, mut halves, mut is_stored) = (BTreeSet::new(), BTreeSet::new(), false);
        let mut shifted = [None; 8];
        for at in 0..code.len() {
            match code[at..] {
                // mov register, 24(..) and movq xmm, 24(..)
                [0x48..=0x4f, 0x89, 0x40..=0x7f, 24, ..]
                | [0x66, 0x0f, 0xd6, 0x40..=0x7f, 24, ..]
                | [
                    0x48..=0x4f,
                    0x89,
                    0x44 | 0x4c | 0x54 | 0x5c | 0x64 | 0x6c | 0x74 | 0x7c,
                    0x24,
                    24,
                    ..,
                ] => {
                    is_stored = true;
                }
                // movl $minor, 28(..)
                [0xc7, 0x40..=0x47, 28, minor, 0, 0, 0, ..] => {
                    halves.insert(u32::from(minor));
                }
                // movabs $constant, register
                [0x48 | 0x49, 0xb8..=0xbf, 0, 0, 0, 0, minor, 0, 0, 0, ..] => {
                    whole.insert(u32::from(minor));
                }
                // mov $minor, register; shl $32, register
                [register @ 0xb8..=0xbf, minor, 0, 0, 0, ..] => {
                    shifted[usize::from(register & 7)] = Some(u32::from(minor));
                }
                [0x48, 0xc1, register @ 0xe0..=0xe7, 32, ..] => {
                    whole.extend(shifted[usize::from(register & 7)]);
                }
                // mov constant(%rip), register and movq constant(%rip), xmm
                [0x48 | 0x4c, 0x8b, register, a, b, c, d, ..] if register & 0xc7 == 5 => {
                    whole.extend(self.loaded(from + at + 7, [a, b, c, d]));
                }
                [0xf3, 0x0f, 0x7e, register, a, b, c, d, ..] if register & 0xc7 == 5 => {
                    whole.extend(self.loaded(from + at + 8, [a, b, c, d]));
                }
                _ => {}
            }
        }
        if is_stored {
            halves.append(&mut whole);
        }
        halves.retain(|minor| (1..=HIGHEST).contains(minor));
        halves
    }

    /// The minor of a constant that stands this far from the end of an instruction.
    fn loaded(&self, end: usize, distance: [u8; 4]) -> Option<u32> {
        let address = self.address(u64::try_from(end).ok()?)?;
        let distance = i64::from(i32::from_le_bytes(distance));
        let constant = self.constant(address.checked_add_signed(distance)?)?;
        u32::try_from(constant >> 32).ok().filter(|_| constant & 0xffff_ffff == 0)
    }
}

fn number(bytes: &[u8], at: u64) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let eight = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(eight.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An object with one segment, these instructions, and the constants of minor 2 behind them.
    fn object(code: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[18] = 62;
        bytes[32] = 64;
        bytes[56] = 1;
        bytes[64] = 1;
        bytes[80..88].copy_from_slice(&0x1000_u64.to_le_bytes());
        bytes[96..104].copy_from_slice(&0x1000_u64.to_le_bytes());
        bytes.extend(code);
        bytes.extend([0, 0, 0, 0, 2, 0, 0, 0]);
        bytes.extend(MARK);
        bytes
    }

    fn minors(code: &[u8]) -> Vec<Version> {
        Handlers::from_bytes(&object(code)).unwrap().versions.into_iter().collect()
    }

    const SIZE_TO_RSI: [u8; 8] = [0x48, 0xc7, 0x46, 0x08, 24, 0, 0, 0];
    const RAX_TO_RSI: [u8; 4] = [0x48, 0x89, 0x46, 24];

    #[test]
    fn the_version_is_read_from_what_compilers_write() {
        let two = vec![Version::pair(0, 2)];
        // As GCC does with -O2, and its constant behind the last instruction.
        let load = [&[0x48, 0x8b, 0x05, 12, 0, 0, 0][..], &SIZE_TO_RSI, &RAX_TO_RSI].concat();
        assert_eq!(minors(&load), two);
        // As Clang does, as GCC does with -Os, and without optimization.
        let whole = [&[0x48, 0xb8, 0, 0, 0, 0, 2, 0, 0, 0][..], &SIZE_TO_RSI, &RAX_TO_RSI];
        assert_eq!(minors(&whole.concat()), two);
        let shift = [&[0xb8, 2, 0, 0, 0][..], &SIZE_TO_RSI, &[0x48, 0xc1, 0xe0, 32], &RAX_TO_RSI];
        assert_eq!(minors(&shift.concat()), two);
        let halves = [&SIZE_TO_RSI[..], &[0xc7, 0x46, 28, 2, 0, 0, 0]];
        assert_eq!(minors(&halves.concat()), two);
    }

    #[test]
    fn what_does_not_show_is_not_guessed() {
        assert_eq!(minors(&[]), []);
        assert_eq!(minors(&SIZE_TO_RSI), []);
        // Two constants: one of them is something else.
        let both = [&SIZE_TO_RSI[..], &[0xc7, 0x46, 28, 2, 0, 0, 0, 0xc7, 0x46, 28, 3, 0, 0, 0]];
        assert_eq!(minors(&both.concat()), []);
        assert_eq!(Handlers::from_bytes(b"no object at all"), None);
        // Another machine.
        let mut arm = object(&SIZE_TO_RSI);
        arm[18] = 183;
        assert_eq!(Handlers::from_bytes(&arm), Some(Handlers::default()));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_read_to_their_end(
            code in proptest::collection::vec(any::<u8>(), 0..300),
            header in proptest::collection::vec(any::<u8>(), 100),
        ) {
            let mut bytes = object(&[&SIZE_TO_RSI[..], &code].concat());
            let _ = Handlers::from_bytes(&bytes);
            bytes[20..120].copy_from_slice(&header);
            let _ = Handlers::from_bytes(&bytes);
        }
    }
}
