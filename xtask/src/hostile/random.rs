//! Numbers that are the same on every machine: a run is repeated by its seed.

/// SplitMix64, a generator of 64 bits of state.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    /// The generator of one mutation of a run.
    pub fn new(seed: u64, nth: u64) -> Self {
        let mut random = Self(seed ^ nth.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % (end.max(1) as u64)) as usize
    }

    /// One of them.
    pub fn of<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    /// How often something is repeated: mostly a few times, sometimes so often that it hurts.
    pub fn times(&mut self) -> usize {
        match self.below(10) {
            0..5 => 1 + self.below(8),
            5..8 => 1 + self.below(3_000),
            _ => 1 + self.below(400_000),
        }
    }
}
