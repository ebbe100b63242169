//! A file in blocks that overlap, for what is searched and not kept: extensions have hundreds of megabytes.

use std::io;
use std::ops::ControlFlow;

use unskew_source::Source;

/// The bytes of a block, without its overlap.
const BLOCK: usize = 1 << 20;

/// Shows the first `end` bytes of a source in blocks, until `look` breaks. What is `overlap` bytes long lies whole in one of them.
pub(crate) fn look_through(
    source: &dyn Source,
    end: u64,
    overlap: usize,
    mut look: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<()> {
    let end = end.min(source.size());
    let (mut at, mut kept) = (0_u64, 0_usize);
    let mut buffer = vec![0; BLOCK + overlap];
    while at < end {
        let room = buffer.len().min(kept + usize::try_from(end - at).unwrap_or(BLOCK));
        let n = source.read_at(at, &mut buffer[kept..room])?;
        if n == 0 {
            break;
        }
        let length = kept + n;
        if look(&buffer[..length]).is_break() {
            break;
        }
        let from = length.saturating_sub(overlap.saturating_sub(1));
        buffer.copy_within(from..length, 0);
        kept = length - from;
        at += n as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use unskew_source::BytesSource;

    use super::*;

    #[test]
    fn what_lies_across_two_blocks_is_seen_whole() {
        let needle = b"needle";
        for at in [0, BLOCK - 3, BLOCK + 5, 2 * BLOCK + 9, 3 * BLOCK - needle.len()] {
            let mut bytes = vec![0; 3 * BLOCK];
            bytes[at..at + needle.len()].copy_from_slice(needle);
            let source = BytesSource::new("a", bytes);
            let mut seen = 0;
            let mut look = |block: &[u8]| {
                seen += memchr::memmem::find_iter(block, needle).count();
                ControlFlow::Continue(())
            };
            look_through(&source, u64::MAX, needle.len(), &mut look).unwrap();
            assert_eq!(seen, 1, "{at}");
        }
    }
}
