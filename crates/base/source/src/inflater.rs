//! Members of an archive that are wanted as a whole.
//!
//! What inflates is larger than most of the members that it inflates, and is cleared when it is made: so one serves them
//! all.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use flate2::{Decompress, FlushDecompress, Status};

use crate::{RawMember, SourceExt as _, SourceProblem};

/// How many packed bytes are read at once.
const PACKED: u64 = 64 << 10;

/// How much room is made for bytes that the directory does not say of.
const MORE: usize = 64 << 10;

/// Inflates one member after another. Who asks while it is in use has another one made.
#[derive(Default)]
pub(crate) struct Inflater(Mutex<Option<Decompress>>);

impl Inflater {
    /// All bytes of a member, whose checksum is compared; of one that has more than `most`, the first of them and at
    /// least one more than that.
    pub(crate) fn all(&self, member: &RawMember, most: u64) -> Result<Vec<u8>, SourceProblem> {
        let bytes = if member.deflated {
            let kept = self.kept().take();
            let mut inflate = kept.unwrap_or_else(|| Decompress::new(false));
            inflate.reset(false);
            let bytes = inflated(&mut inflate, member, most);
            *self.kept() = Some(inflate);
            bytes?
        } else {
            let len = (member.range.end - member.range.start).min(most.saturating_add(1));
            let mut bytes = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
            member.fill(0, &mut bytes)?;
            bytes
        };
        if bytes.len() as u64 <= most && crc32fast::hash(&bytes) != member.crc32 {
            return Err(broken("its bytes do not have the checksum that the archive says"));
        }
        Ok(bytes)
    }

    fn kept(&self) -> MutexGuard<'_, Option<Decompress>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RawMember {
    /// Fills `buffer` with its bytes as they stand in the archive, from the one at `at` on.
    fn fill(&self, at: u64, buffer: &mut [u8]) -> Result<(), SourceProblem> {
        let at = self.range.start.saturating_add(at);
        self.source.fill(at, buffer).map_err(|error| *error.problem)
    }
}

/// What is inflated until the stream ends, its packed bytes do, or there is more than `most`.
fn inflated(
    inflate: &mut Decompress,
    member: &RawMember,
    most: u64,
) -> Result<Vec<u8>, SourceProblem> {
    let size = member.range.end - member.range.start;
    // What deflate makes of a byte is at most 1,032 bytes: a size that is a lie takes no memory.
    let possible = size.saturating_mul(1_032).min(member.size).min(most);
    // With room for a byte more the end of the stream is seen at once.
    let mut bytes = Vec::with_capacity(usize::try_from(possible).unwrap_or(usize::MAX - 1) + 1);
    let mut packed = vec![0; usize::try_from(size.min(PACKED)).unwrap_or_default()];
    let mut done = 0;
    while done < size {
        packed.truncate(usize::try_from(size - done).unwrap_or(usize::MAX));
        member.fill(done, &mut packed)?;
        done += packed.len() as u64;
        let flush = if done == size { FlushDecompress::Finish } else { FlushDecompress::None };
        let mut left = packed.as_slice();
        loop {
            let before = inflate.total_in();
            let status = inflate.decompress_vec(left, &mut bytes, flush);
            let status = status.map_err(|_| broken("its compressed bytes are broken"))?;
            let taken = usize::try_from(inflate.total_in() - before).unwrap_or(usize::MAX);
            left = left.get(taken..).unwrap_or_default();
            if status == Status::StreamEnd || bytes.len() as u64 > most {
                return Ok(bytes);
            }
            if bytes.len() < bytes.capacity() {
                // All of it was taken.
                break;
            }
            bytes.reserve(MORE);
        }
    }
    Ok(bytes)
}

fn broken(what: &str) -> SourceProblem {
    io::Error::new(io::ErrorKind::InvalidData, what).into()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::Arc;

    use flate2::{Compression, write::DeflateEncoder};
    use proptest::prelude::*;

    use super::*;
    use crate::BytesSource;

    fn member(bytes: &[u8], deflated: bool) -> RawMember {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        let stored = if deflated { encoder.finish().unwrap() } else { bytes.to_vec() };
        RawMember {
            range: 0..stored.len() as u64,
            source: Arc::new(BytesSource::new("a.zip", stored)),
            size: bytes.len() as u64,
            crc32: crc32fast::hash(bytes),
            deflated,
        }
    }

    #[test]
    fn a_member_behind_a_broken_one_is_read() {
        let inflater = Inflater::default();
        let text = b"op_version_set = 1\n".repeat(9_000);
        let whole = member(&text, true);
        let mut cut = whole.clone();
        cut.range.end -= 9;
        for _ in 0..2 {
            let error = inflater.all(&cut, 1 << 20).unwrap_err().to_string();
            assert!(error.contains("checksum"), "{error}");
            assert_eq!(inflater.all(&whole, 1 << 20).unwrap(), text);
        }
    }

    #[test]
    fn what_is_larger_than_it_says_is_read_and_what_is_too_large_is_not() {
        let bytes = b"0123456789abcdef".repeat(1 << 15);
        for deflated in [false, true] {
            let whole = member(&bytes, deflated);
            let lie = RawMember { size: 3, ..whole.clone() };
            assert_eq!(Inflater::default().all(&lie, 1 << 30).unwrap(), bytes);
            for member in [whole, lie] {
                let read = Inflater::default().all(&member, 1_000).unwrap();
                assert!((1_001..bytes.len()).contains(&read.len()), "{}", read.len());
            }
        }
    }

    proptest! {
        #[test]
        fn members_are_read_as_they_were_packed(
            members in prop::collection::vec((0..300_000_u32, 1..4_000_000_000_u32, any::<bool>()), 1..4),
        ) {
            let inflater = Inflater::default();
            for (size, step, deflated) in members {
                let bytes: Vec<u8> = (0..size).map(|n| n.wrapping_mul(step).to_be_bytes()[0]).collect();
                prop_assert_eq!(inflater.all(&member(&bytes, deflated), 1 << 20).unwrap(), bytes);
            }
        }
    }
}
