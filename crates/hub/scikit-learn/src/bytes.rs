//! The bytes of a pickle: as they are, or decompressed.

use std::io::Read as _;

use flate2::read::{GzDecoder, ZlibDecoder};
use unskew_source::{ReadError, Source, SourceExt as _, SourceProblem};

/// The most bytes of a pickle, decompressed: the numbers of all arrays are among them.
const LARGEST: u64 = 128 << 20;

/// How much tells whether it is a pickle of scikit-learn.
pub(crate) const HEAD: u64 = 1 << 20;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    /// What `joblib.dump(model, path, compress=3)` writes.
    Zlib,
    Gzip,
}

impl Compression {
    /// What the first bytes say; none if they begin no pickle and nothing that one may be compressed in.
    pub(crate) fn from_head(head: &[u8]) -> Option<Self> {
        match head {
            [0x80, 2..=5, ..] => Some(Self::None),
            [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => Some(Self::Zlib),
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            _ => None,
        }
    }
}

/// Up to `limit` bytes of the pickle.
pub(crate) fn head(
    source: &dyn Source,
    compression: Compression,
    limit: u64,
) -> Result<Vec<u8>, ReadError> {
    let packed = source.head(limit)?;
    let mut bytes = Vec::new();
    let read = match compression {
        Compression::None => return Ok(packed),
        Compression::Zlib => ZlibDecoder::new(&*packed).take(limit).read_to_end(&mut bytes),
        Compression::Gzip => GzDecoder::new(&*packed).take(limit).read_to_end(&mut bytes),
    };
    // The packed bytes end where `limit` cuts them: what came before is what was asked for.
    drop(read);
    Ok(bytes)
}

/// The whole pickle.
///
/// # Errors
/// If it is too large, or the compressed data is broken.
pub(crate) fn all(source: &dyn Source, compression: Compression) -> Result<Vec<u8>, ReadError> {
    let too_large = |size| {
        let what = "the pickle, decompressed".to_owned();
        ReadError::new(source.name(), SourceProblem::TooLarge { what, size, limit: LARGEST })
    };
    if source.size() > LARGEST {
        return Err(too_large(source.size()));
    }
    let packed = source.head(source.size())?;
    if compression == Compression::None {
        return Ok(packed);
    }
    let mut bytes = Vec::new();
    let read = match compression {
        Compression::Gzip => GzDecoder::new(&*packed).take(LARGEST + 1).read_to_end(&mut bytes),
        _ => ZlibDecoder::new(&*packed).take(LARGEST + 1).read_to_end(&mut bytes),
    };
    read.map_err(|error| {
        let what = format!("the compressed pickle is broken: {error}");
        ReadError::new(source.name(), SourceProblem::Malformed(what))
    })?;
    match bytes.len() as u64 {
        size if size > LARGEST => Err(too_large(size)),
        _ => Ok(bytes),
    }
}
