//! The compression of entries.

use std::fmt;
use std::io::{BufReader, Read};
use std::sync::Arc;

use flate2::bufread::ZlibDecoder;
use ruzstd::decoding::StreamingDecoder;
use unskew_source::{Budget, Resource, Source, SourceReader};

use crate::Damage;

/// The most bytes that an entry has, packed or unpacked, to be looked at.
const LARGEST: u64 = 256 << 20;

/// What a frame of zstandard begins with.
const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// How an entry is compressed. JAX hashes it into the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryCompression {
    /// By a Python without zstandard.
    Zlib,
    /// By a Python with `zstandard`, or since 3.14 with its own.
    Zstandard,
}

impl fmt::Display for EntryCompression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zlib => "zlib",
            Self::Zstandard => "zstandard",
        })
    }
}

impl EntryCompression {
    /// The compression by the first bytes.
    pub(crate) fn from_head(head: &[u8]) -> Option<Self> {
        // Deflate with any window, and a checksum over the two bytes.
        let zlib = |a: u8, b: u8| {
            a & 0x0f == 8 && a >> 4 <= 7 && (u16::from(a) << 8 | u16::from(b)) % 31 == 0
        };
        match head {
            head if head.starts_with(&ZSTANDARD) => Some(Self::Zstandard),
            [a, b, ..] if zlib(*a, *b) => Some(Self::Zlib),
            _ => None,
        }
    }

    /// What is inside a file, checksum included; it counts against the budget. Bytes behind the end are passed over, as
    /// JAX does.
    pub(crate) fn unpack(
        self,
        source: &Arc<dyn Source>,
        budget: &Budget,
    ) -> Result<Vec<u8>, Damage> {
        if source.size() > LARGEST {
            return Err(Damage::TooLarge);
        }
        let limit = budget.left(Resource::Bytes).min(LARGEST);
        let packed = BufReader::new(SourceReader::new(source.clone()));
        let mut inside = Vec::new();
        let read = match self {
            Self::Zlib => ZlibDecoder::new(packed).take(limit + 1).read_to_end(&mut inside),
            Self::Zstandard => match StreamingDecoder::new(packed) {
                Ok(decoder) => decoder.take(limit + 1).read_to_end(&mut inside),
                Err(_) => return Err(Damage::Packing),
            },
        };
        let size = inside.len() as u64;
        match read {
            Ok(_) if size > limit || budget.bytes(size).is_err() => Err(Damage::TooLarge),
            Ok(_) => Ok(inside),
            Err(_) => Err(Damage::Packing),
        }
    }
}
