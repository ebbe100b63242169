//! A compressed member that is inflated no further than somebody reads.
//!
//! What is asked of a shared object stands in its first tables and in those that are loaded; behind them come tables for
//! debuggers, up to half of the file. Inflating takes most of the time of a wheel, so what nobody asks for stays packed.
//! What was inflated is kept, in memory up to [`limits::RECORD`] and in a file without a name behind that.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::sync::{Mutex, PoisonError};

use crc32fast::Hasher;
use flate2::{Decompress, FlushDecompress, Status};

use crate::{Budget, FileSource, RawMember, Source, limits};

/// How many packed bytes are read at once.
const PACKED: usize = 64 << 10;

/// How many bytes are inflated at once.
const STEP: usize = 256 << 10;

/// A deflated member as a source of its own.
pub(crate) struct Inflating {
    name: String,
    member: RawMember,
    budget: Budget,
    /// How many bytes are kept in memory.
    in_memory: u64,
    state: Mutex<InflateState>,
}

/// How far it is inflated.
struct InflateState {
    inflate: Decompress,
    checksum: Hasher,
    /// Packed bytes that were read and not inflated, and where the next stand in the member's archive.
    packed: Vec<u8>,
    taken: usize,
    next: u64,
    /// The first bytes, which are kept.
    first: Vec<u8>,
    /// The bytes behind them.
    rest: Option<FileSource>,
    /// How many bytes `rest` has.
    more: u64,
    /// What went wrong: it goes wrong again for whoever asks next.
    failed: Option<(io::ErrorKind, String)>,
}

impl Inflating {
    pub(crate) fn new(name: String, member: RawMember, budget: Budget) -> Self {
        let state = InflateState {
            inflate: Decompress::new(false),
            checksum: Hasher::new(),
            packed: Vec::new(),
            taken: 0,
            next: member.range.start,
            first: Vec::new(),
            rest: None,
            more: 0,
            failed: None,
        };
        Self { name, member, budget, in_memory: limits::RECORD, state: Mutex::new(state) }
    }

    /// Inflates until there are `wanted` bytes.
    fn reach(&self, state: &mut InflateState, wanted: u64) -> io::Result<()> {
        if let Some((kind, what)) = &state.failed {
            return Err(io::Error::new(*kind, what.clone()));
        }
        while state.done() < wanted.min(self.member.size) {
            if let Err(error) = self.step(state) {
                state.failed = Some((error.kind(), error.to_string()));
                return Err(error);
            }
        }
        Ok(())
    }

    /// Inflates the next block into the state.
    fn step(&self, state: &mut InflateState) -> io::Result<()> {
        let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        if state.taken == state.packed.len() {
            let left = self.member.range.end.saturating_sub(state.next);
            state.packed.resize(PACKED.min(usize::try_from(left).unwrap_or(PACKED)), 0);
            state.taken = 0;
            let n = self.member.source.read_at(state.next, &mut state.packed)?;
            state.packed.truncate(n);
            state.next += n as u64;
        }
        let left = self.member.size - state.done();
        let room = STEP.min(usize::try_from(left).unwrap_or(STEP));
        let (before_in, before_out) = (state.inflate.total_in(), state.inflate.total_out());
        let from = state.first.len();
        state.first.reserve(room);
        state.first.resize(from + room, 0);
        let (packed, out) = (&state.packed[state.taken..], &mut state.first[from..]);
        let status = state.inflate.decompress(packed, out, FlushDecompress::None);
        let produced = (state.inflate.total_out() - before_out) as usize;
        state.taken += (state.inflate.total_in() - before_in) as usize;
        state.first.truncate(from + produced);
        let status = status.map_err(|_| broken("its compressed bytes are broken"))?;
        state.checksum.update(&state.first[from..]);
        self.budget.bytes(produced as u64).map_err(|spent| broken(&spent.to_string()))?;
        if from as u64 >= self.in_memory {
            state.spill(from)?;
        }
        let done = state.done();
        if done == self.member.size {
            if state.checksum.clone().finalize() != self.member.crc32 {
                return Err(broken("its bytes do not have the checksum that the archive says"));
            }
        } else if status == Status::StreamEnd || (produced == 0 && state.packed.is_empty()) {
            let what = format!("ends after {done} bytes, {} needed", self.member.size);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
        }
        Ok(())
    }
}

impl InflateState {
    fn done(&self) -> u64 {
        self.first.len() as u64 + self.more
    }

    /// Moves what stands in memory from `from` on to the file.
    fn spill(&mut self, from: usize) -> io::Result<()> {
        if self.rest.is_none() {
            let file = tempfile::tempfile()?;
            self.rest = Some(FileSource::of_file("the rest of a member", file)?);
        }
        if let Some(rest) = &self.rest {
            let mut file: &File = rest.file();
            // Where reading moves the file's position, it stands elsewhere.
            file.seek(SeekFrom::Start(self.more))?;
            file.write_all(&self.first[from..])?;
        }
        self.more += (self.first.len() - from) as u64;
        self.first.truncate(from);
        Ok(())
    }

    /// Copies what is inflated of the bytes from `offset` on.
    fn copy(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let first = self.first.len() as u64;
        if offset >= first {
            return match &self.rest {
                Some(rest) => rest.read_at(offset - first, buffer),
                None => Ok(0),
            };
        }
        let bytes = &self.first[offset as usize..];
        let n = bytes.len().min(buffer.len());
        buffer[..n].copy_from_slice(&bytes[..n]);
        Ok(n)
    }
}

impl Source for Inflating {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.member.size
    }

    fn budget(&self) -> Option<&Budget> {
        Some(&self.budget)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.reach(&mut state, offset.saturating_add(buffer.len() as u64))?;
        state.copy(offset, buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flate2::{Compression, write::DeflateEncoder};
    use proptest::prelude::*;

    use super::*;
    use crate::{BytesSource, SourceExt as _};

    fn member(bytes: &[u8]) -> RawMember {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        let packed = encoder.finish().unwrap();
        RawMember {
            range: 0..packed.len() as u64,
            source: Arc::new(BytesSource::new("a.zip", packed)),
            size: bytes.len() as u64,
            crc32: crc32fast::hash(bytes),
            deflated: true,
        }
    }

    fn inflating(member: RawMember) -> Inflating {
        Inflating::new("a.zip!b".to_owned(), member, Budget::for_size(1 << 30))
    }

    /// Bytes that do not pack to nothing.
    fn mixed(size: usize) -> Vec<u8> {
        (0..size).map(|n| (n as u32).wrapping_mul(2_654_435_761).to_be_bytes()[n % 3]).collect()
    }

    #[test]
    fn no_more_is_inflated_than_is_read() {
        let bytes = mixed(4 << 20);
        let source = inflating(member(&bytes));
        assert_eq!(source.bytes(100, 16).unwrap(), &bytes[100..116]);
        let left = source.budget.left(crate::Resource::Bytes);
        assert!(Budget::for_size(1 << 30).left(crate::Resource::Bytes) - left < 2 << 20, "{left}");
        assert_eq!(source.bytes(3 << 20, 16).unwrap(), &bytes[3 << 20..(3 << 20) + 16]);
        assert_eq!(source.all().unwrap(), bytes);
    }

    #[test]
    fn what_is_too_large_for_memory_is_read_from_a_file() {
        let bytes = mixed((5 << 20) + 7);
        let source = Inflating { in_memory: 2 << 20, ..inflating(member(&bytes)) };
        for at in [bytes.len() - 9, (2 << 20) - 4, 0, (2 << 20) + 4] {
            assert_eq!(source.bytes(at as u64, 9).unwrap(), &bytes[at..at + 9], "{at}");
        }
        assert!(source.state.lock().unwrap().first.len() <= (2 << 20) + STEP);
    }

    #[test]
    fn a_member_that_lies_is_an_error_where_the_lie_is_reached() {
        let bytes = mixed(3 << 20);
        let longer = inflating(RawMember { size: 4 << 20, ..member(&bytes) });
        assert!(longer.head(16).is_ok());
        let error = longer.all().unwrap_err().to_string();
        assert!(error.contains("ends after 3145728 bytes, 4194304 needed"), "{error}");
        let other = inflating(RawMember { crc32: 7, ..member(&bytes) });
        assert!(other.head(16).is_ok());
        let error = other.all().unwrap_err().to_string();
        assert!(error.contains("checksum"), "{error}");
        // It is as broken for the next.
        assert!(other.head(16).is_err());
        let mut cut = member(&bytes);
        cut.range.end /= 2;
        assert!(inflating(cut).all().is_err());
    }

    proptest! {
        #[test]
        fn broken_bytes_are_read_or_refused(at in 0..4000_usize, byte in any::<u8>()) {
            let bytes = mixed(5000);
            let whole = member(&bytes);
            let mut packed = whole.source.all().unwrap();
            let at = at % packed.len();
            packed[at] = byte;
            let source = inflating(RawMember { source: Arc::new(BytesSource::new("a.zip", packed)), ..whole });
            if let Ok(read) = source.all() {
                prop_assert_eq!(read, bytes);
            }
        }
    }
}
