//! Numbers at random that are the same on every machine, so that a run is repeated by its seed.
//!
//! ```
//! use unskew_random::Random;
//!
//! let (mut one, mut same) = (Random::new(7), Random::new(7));
//! assert_eq!(one.next(), same.next());
//! assert!(one.below(3) < 3);
//! assert!(["red", "green"].contains(one.choose(&["red", "green"])));
//! ```
#![forbid(unsafe_code)]

/// What one step adds to the state; odd, so that every state comes.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64, a generator of 64 bits of state.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self::nth(seed, 0)
    }

    /// The numbers of one part of what is made from a seed, which do not depend on the parts before it.
    pub fn nth(seed: u64, part: u64) -> Self {
        let mut random = Self(seed ^ part.wrapping_mul(STEP));
        random.next();
        random
    }

    /// The next number, any of 64 bits.
    #[allow(clippy::should_implement_trait, reason = "there is always another one")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % (end.max(1) as u64)) as usize
    }

    /// One of them, if there are any.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }

    /// One of them.
    ///
    /// # Panics
    /// If there is none.
    pub fn choose<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_seed_differ_and_every_number_comes() {
        let mut seen = [false; 7];
        for part in 0..100 {
            assert_ne!(Random::nth(1, part).next(), Random::nth(1, part + 1).next());
            seen[Random::nth(1, part).below(7)] = true;
        }
        assert_eq!(seen, [true; 7]);
        assert_eq!(Random::new(1).pick::<u8>(&[]), None);
        assert_eq!(Random::new(1).below(0), 0);
    }
}
