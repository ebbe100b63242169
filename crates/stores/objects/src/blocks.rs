//! Some blocks of an object, kept for a while.
//!
//! Readers of formats ask for a magic number, then for the end of an archive, then for records here and there, in
//! small steps. A request costs some ten milliseconds whatever its size, so what is fetched is rounded to blocks,
//! and more is fetched where readers go on.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;

/// The size of a block, and the least that is fetched.
pub(crate) const BLOCK: u64 = 64 << 10;
/// The most that is fetched at once because a reader goes on.
const AHEAD: u64 = 1 << 20;
/// What is fetched of the end of an object when a byte of its last block is wanted: the directory of an archive
/// stands before its end record.
const TAIL: u64 = 128 << 10;
/// An object no larger than this is fetched whole.
const SMALL: u64 = 256 << 10;
/// The most bytes that are kept.
const KEPT: u64 = 4 << 20;

/// Pieces of an object. None overlaps another, unless both were asked for at once.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Where each begins, and its bytes; the one that was used last stands last.
    pieces: VecDeque<(u64, Bytes)>,
    /// Where the last fetch ended and how much it brought, to see whether a reader goes on.
    last: Option<(u64, u64)>,
}

impl Blocks {
    /// Copies what is there of the bytes from `offset` on; 0 if nothing is.
    pub(crate) fn read(&mut self, offset: u64, buffer: &mut [u8]) -> usize {
        let inside = |(start, bytes): &(u64, Bytes)| {
            offset >= *start && offset - *start < bytes.len() as u64
        };
        let Some(at) = self.pieces.iter().rposition(inside) else { return 0 };
        let Some((start, bytes)) = self.pieces.remove(at) else { return 0 };
        let from = &bytes[(offset - start) as usize..];
        let n = from.len().min(buffer.len());
        buffer[..n].copy_from_slice(&from[..n]);
        self.pieces.push_back((start, bytes));
        n
    }

    /// Keeps bytes that begin at `start`, and forgets what was not used for longest.
    pub(crate) fn keep(&mut self, start: u64, bytes: Bytes) {
        self.last = Some((start.saturating_add(bytes.len() as u64), bytes.len() as u64));
        self.pieces.push_back((start, bytes));
        let mut kept: u64 = self.pieces.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        while kept > KEPT && self.pieces.len() > 1 {
            kept -= self.pieces.pop_front().map_or(0, |(_, bytes)| bytes.len() as u64);
        }
    }

    /// What to fetch of an object of `size` bytes when some are wanted from `offset` on, which is below `size`.
    pub(crate) fn wanted(&self, offset: u64, size: u64) -> Range<u64> {
        if size <= SMALL {
            return 0..size;
        }
        let start = offset / BLOCK * BLOCK;
        if size - offset <= BLOCK {
            return start.min((size - TAIL) / BLOCK * BLOCK)..size;
        }
        let goes_on = self.last.filter(|(end, _)| *end == start);
        let len = goes_on.map_or(BLOCK, |(_, len)| (len * 2).clamp(BLOCK, AHEAD));
        let end = start.saturating_add(len).min(size);
        // What is there already is not fetched again.
        let next = self.pieces.iter().map(|(start, _)| *start).filter(|next| *next > offset).min();
        start..next.map_or(end, |next| next.min(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: u64 = 4 << 30;

    #[test]
    fn the_end_of_an_archive_comes_in_one_piece() {
        let blocks = Blocks::default();
        let wanted = blocks.wanted(SIZE - 22, SIZE);
        assert_eq!(wanted, SIZE - TAIL..SIZE);
        assert_eq!(blocks.wanted(0, 1000), 0..1000);
        assert_eq!(blocks.wanted(SIZE / 2 + 1, SIZE), SIZE / 2..SIZE / 2 + BLOCK);
    }

    #[test]
    fn a_reader_that_goes_on_gets_more_each_time() {
        let mut blocks = Blocks::default();
        let mut lengths = Vec::new();
        let mut at = 0;
        for _ in 0..6 {
            let wanted = blocks.wanted(at, SIZE);
            lengths.push((wanted.end - wanted.start) / BLOCK);
            blocks.keep(wanted.start, vec![0; (wanted.end - wanted.start) as usize].into());
            at = wanted.end;
        }
        assert_eq!(lengths, [1, 2, 4, 8, 16, 16]);
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_right_and_little_is_kept(
            size in 1..1_500_000u64,
            reads in prop::collection::vec((any::<u64>(), 1..9000usize), 1..30),
        ) {
            let whole: Vec<u8> = b"0123456789abcdefghijklm".iter().copied().cycle().take(size as usize).collect();
            let mut blocks = Blocks::default();
            for (at, len) in reads {
                let at = at % size;
                let mut buffer = vec![0; len];
                let mut n = blocks.read(at, &mut buffer);
                if n == 0 {
                    let wanted = blocks.wanted(at, size);
                    prop_assert!(wanted.contains(&at) && wanted.end <= size);
                    prop_assert!(wanted.end - wanted.start <= AHEAD + BLOCK);
                    let part = &whole[wanted.start as usize..wanted.end as usize];
                    blocks.keep(wanted.start, Bytes::copy_from_slice(part));
                    n = blocks.read(at, &mut buffer);
                }
                prop_assert!(n > 0);
                prop_assert_eq!(&buffer[..n], &whole[at as usize..at as usize + n]);
                let kept: u64 = blocks.pieces.iter().map(|(_, bytes)| bytes.len() as u64).sum();
                prop_assert!(kept <= KEPT);
            }
        }
    }
}
