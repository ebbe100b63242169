//! A file with a pickle: as it is, decompressed, or as joblib writes it.

use std::io::Read as _;
use std::sync::Arc;

use flate2::read::{GzDecoder, ZlibDecoder};
use unskew_source::{ReadError, Source, SourceExt as _, SourceProblem};

use crate::{Pickle, scan, scan_joblib};

/// The most bytes of a pickle, decompressed: the numbers of all arrays are among them.
const LARGEST: u64 = 128 << 20;

/// How much of a file tells what is pickled.
const HEAD: u64 = 1 << 20;

/// What stands in a pickle of joblib that has arrays.
const JOBLIB: &[u8] = b"NumpyArrayWrapper";

/// A pickle in a file of its own.
#[derive(Clone, Debug)]
pub struct PickleFile {
    /// What it describes.
    pub pickle: Pickle,
    /// Whether joblib wrote it, with arrays.
    pub is_joblib: bool,
    /// How it is compressed, in words; empty if it is not.
    pub compression: &'static str,
    /// The pickle itself, decompressed: what ranges of bytes in it are ranges of.
    pub bytes: Vec<u8>,
}

/// The first bytes of a pickle, decompressed.
#[derive(Debug)]
pub struct PickleHead {
    bytes: Vec<u8>,
    compression: Compression,
}

impl PickleHead {
    /// Whether these bytes stand in it.
    pub fn has(&self, mark: &[u8]) -> bool {
        memchr::memmem::find(&self.bytes, mark).is_some()
    }

    /// Whether the file is compressed.
    pub fn is_compressed(&self) -> bool {
        self.compression != Compression::None
    }

    /// Whether joblib wrote it, with arrays.
    pub fn is_joblib(&self) -> bool {
        self.has(JOBLIB)
    }
}

impl PickleFile {
    /// The pickle in `source`; none if its first bytes begin none, or `is_wanted` says so of them.
    ///
    /// # Errors
    /// If it is one, but broken or too large.
    pub fn read(
        source: &Arc<dyn Source>,
        is_wanted: impl FnOnce(&PickleHead) -> bool,
    ) -> Result<Option<Self>, ReadError> {
        let start = head(&**source, Compression::None, 4)?;
        let Some(compression) = Compression::from_head(&start) else { return Ok(None) };
        let head = PickleHead { bytes: head(&**source, compression, HEAD)?, compression };
        let is_pickle = Compression::from_head(&head.bytes) == Some(Compression::None);
        if !is_pickle || !is_wanted(&head) {
            return Ok(None);
        }
        drop(head);
        let all = all(&**source, compression)?;
        let is_joblib = memchr::memmem::find(&all, JOBLIB).is_some();
        let pickle = match is_joblib {
            true => scan_joblib(source.name(), &all)?,
            false => scan(source.name(), &all)?,
        };
        Ok(Some(Self { pickle, is_joblib, compression: compression.in_words(), bytes: all }))
    }
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    None,
    /// What `joblib.dump(model, path, compress=3)` writes.
    Zlib,
    Gzip,
}

impl Compression {
    /// What the first bytes say; none if they begin no pickle and nothing that one may be compressed in.
    fn from_head(head: &[u8]) -> Option<Self> {
        match head {
            [0x80, 2..=5, ..] => Some(Self::None),
            [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => Some(Self::Zlib),
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            _ => None,
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Zlib => "zlib",
            Self::Gzip => "gzip",
        }
    }
}

/// Up to `limit` bytes of the pickle.
fn head(source: &dyn Source, compression: Compression, limit: u64) -> Result<Vec<u8>, ReadError> {
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
fn all(source: &dyn Source, compression: Compression) -> Result<Vec<u8>, ReadError> {
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
