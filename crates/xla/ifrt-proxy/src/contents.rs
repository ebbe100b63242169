//! Contents of a shard of an array: a buffer of the plug-in, or texts.
//!
//! PJRT has no texts. A local JAX keeps arrays of them in its own process, so they stay in the server's: they are made,
//! moved, taken apart and read, and no program takes them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use unskew_pjrt::{Buffer, Event};

use crate::memory_quota::QuotaGuard;
use crate::status::{Status, StatusCode};

#[derive(Debug)]
pub enum ShardContents {
    /// A buffer, which is shared with whoever sends it to a client from where it is.
    Device(Arc<Buffer>),
    Texts(Texts),
}

/// Texts in row-major order, as they travel: in a message of nothing but fields of number 1.
#[derive(Debug)]
pub struct Texts {
    dims: Vec<i64>,
    /// None once they are deleted.
    held: Mutex<Option<CountedBytes>>,
}

/// Copies share the bytes, which do not change, and are counted once.
#[derive(Clone, Debug)]
struct CountedBytes {
    data: Bytes,
    _charge: Arc<QuotaGuard>,
}

impl From<Buffer> for ShardContents {
    fn from(buffer: Buffer) -> Self {
        Self::Device(Arc::new(buffer))
    }
}

impl ShardContents {
    /// The buffer of the plug-in.
    ///
    /// # Errors
    /// UNIMPLEMENTED for texts.
    pub fn device(&self) -> Result<&Arc<Buffer>, Status> {
        match self {
            Self::Device(buffer) => Ok(buffer),
            Self::Texts(_) => Err(Status::unimplemented(
                "arrays of texts stay in the server's memory, as those of a local JAX in its process: \
                 they are copied, taken apart and read, and no program or reshard takes them",
            )),
        }
    }

    pub fn dimensions(&self) -> Result<Vec<i64>, Status> {
        match self {
            Self::Device(buffer) => Ok(buffer.dimensions()?),
            Self::Texts(texts) => Ok(texts.dims.clone()),
        }
    }

    /// What happens when they are there; none if they are.
    ///
    /// # Errors
    /// FAILED_PRECONDITION for texts that were deleted; what the plug-in answers.
    pub fn ready(&self) -> Result<Option<Event>, Status> {
        match self {
            Self::Device(buffer) => Ok(Some(buffer.ready()?)),
            Self::Texts(texts) => texts.held().map(|_| None),
        }
    }

    pub fn delete(&self) -> Result<(), Status> {
        match self {
            Self::Device(buffer) => Ok(buffer.delete()?),
            Self::Texts(texts) => {
                *texts.lock() = None;
                Ok(())
            }
        }
    }

    pub fn is_deleted(&self) -> Result<bool, Status> {
        match self {
            Self::Device(buffer) => Ok(buffer.is_deleted()?),
            Self::Texts(texts) => Ok(texts.lock().is_none()),
        }
    }

    /// How many bytes it has on a device. Texts, which have none there, count by themselves.
    pub fn on_device_size(&self) -> u64 {
        match self {
            // A plug-in that does not say how large a buffer is has its own way of running out of memory.
            Self::Device(buffer) => buffer.on_device_size().unwrap_or_default() as u64,
            Self::Texts(_) => 0,
        }
    }
}

impl Texts {
    /// Texts of this shape, whose bytes are counted already.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the data are no such message, or have another number of texts.
    pub fn new(data: Bytes, dims: &[i64], charge: QuotaGuard) -> Result<Self, Status> {
        let wanted =
            dims.iter().try_fold(1_u64, |count, dim| count.checked_mul(u64::try_from(*dim).ok()?));
        let wanted = wanted.ok_or_else(|| Status::invalid(format!("no shape: {dims:?}")))?;
        let given =
            count(&data).ok_or_else(|| Status::invalid("a host buffer that has no texts"))?;
        if given != wanted {
            return Err(Status::invalid(format!("{given} texts for an array of {wanted}")));
        }
        let held = CountedBytes { data, _charge: Arc::new(charge) };
        Ok(Self { dims: dims.to_vec(), held: Mutex::new(Some(held)) })
    }

    /// The texts as they travel.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if they were deleted.
    pub fn data(&self) -> Result<Bytes, Status> {
        self.held().map(|held| held.data)
    }

    /// The same texts, which are not deleted with these.
    ///
    /// # Errors
    /// As [`Texts::data`].
    pub fn copy(&self) -> Result<Self, Status> {
        Ok(Self { dims: self.dims.clone(), held: Mutex::new(Some(self.held()?)) })
    }

    fn held(&self) -> Result<CountedBytes, Status> {
        let deleted =
            || Status::new(StatusCode::FailedPrecondition, "the array of texts was deleted");
        self.lock().clone().ok_or_else(deleted)
    }

    fn lock(&self) -> MutexGuard<'_, Option<CountedBytes>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many texts there are; none if there is anything else.
fn count(mut data: &[u8]) -> Option<u64> {
    const TEXT: u8 = 1 << 3 | 2;
    let mut count = 0;
    while let Some((tag, rest)) = data.split_first() {
        data = rest;
        let size = prost::encoding::decode_varint(&mut data).ok().filter(|_| *tag == TEXT)?;
        data = data.get(usize::try_from(size).ok()?..)?;
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_quota::{MemoryKind, MemoryQuota, Totals};

    fn charge(totals: &Arc<Totals>, bytes: u64) -> QuotaGuard {
        MemoryQuota::new(100, Arc::clone(totals)).charge(MemoryKind::Host, bytes).unwrap()
    }

    #[test]
    fn texts_are_as_many_as_the_shape_says() {
        let totals = Totals::new(100, None);
        let made = |data: &'static [u8], dims: &[i64]| {
            Texts::new(Bytes::from_static(data), dims, charge(&totals, 1)).map(|texts| texts.dims)
        };
        assert_eq!(made(b"\x0a\x01a\x0a\x00", &[2, 1]).unwrap(), [2, 1]);
        assert!(made(b"", &[0, 7]).is_ok());
        assert!(made(b"\x0a\x01a", &[]).is_ok());
        for (data, dims) in [
            (&b"\x0a\x01a"[..], &[2_i64][..]),
            (b"\x0a\x02a", &[1]),
            (b"\x0a", &[1]),
            (b"\x12\x01a", &[1]),
            (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &[1]),
            (b"", &[-1]),
            (b"", &[i64::MAX, i64::MAX]),
        ] {
            assert_eq!(made(data, dims).unwrap_err().code, StatusCode::InvalidArgument, "{data:?}");
        }
    }

    #[test]
    fn copies_are_counted_once_until_the_last_is_gone() {
        let totals = Totals::new(100, None);
        let texts = Texts::new(Bytes::from_static(b"\x0a\x01a"), &[], charge(&totals, 3)).unwrap();
        let copy = ShardContents::Texts(texts.copy().unwrap());
        let texts = ShardContents::Texts(texts);
        assert_eq!(totals.at(MemoryKind::Host), 3);
        texts.delete().unwrap();
        texts.delete().unwrap();
        assert!(texts.is_deleted().unwrap() && !copy.is_deleted().unwrap());
        assert_eq!(texts.ready().unwrap_err().code, StatusCode::FailedPrecondition);
        assert!(copy.ready().unwrap().is_none());
        assert_eq!(copy.device().unwrap_err().code, StatusCode::Unimplemented);
        assert_eq!(totals.at(MemoryKind::Host), 3);
        copy.delete().unwrap();
        assert_eq!(totals.at(MemoryKind::Host), 0);
    }
}
