//! What all mutations do: put bytes in place of others, once or often.

use unskew_random::Random;

/// No file of a run is larger.
pub(super) const LARGEST: usize = 24 << 20;

/// How often something is repeated: mostly a few times, sometimes so often that it hurts.
pub(super) fn times(random: &mut Random) -> usize {
    match random.below(10) {
        0..5 => 1 + random.below(8),
        5..8 => 1 + random.below(3_000),
        _ => 1 + random.below(400_000),
    }
}

/// `with` in place of the bytes of `range`.
pub(super) fn put(bytes: &mut Vec<u8>, range: std::ops::Range<usize>, with: &[u8]) {
    let end = range.end.min(bytes.len());
    let start = range.start.min(end);
    bytes.splice(start..end, with.iter().copied());
}

/// `piece`, so often; never more than a file may have.
pub(super) fn repeated(piece: &[u8], times: usize) -> Vec<u8> {
    piece.repeat(times.min(LARGEST / piece.len().max(1)))
}
