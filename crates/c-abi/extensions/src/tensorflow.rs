//! Exports of the libraries of TensorFlow releases, by library and platform: `data/tensorflow.bin`.
//!
//! A release exports some 200 000 symbols of its own, of protobuf and of absl, and an extension or a plug-in that imports
//! one of them loads only where it is there. The names of all releases together have 40 MB; their fingerprints, with the
//! releases that have them, have one and a half. A name that no release has is taken for one that some release has once
//! in ten thousand.
//!
//! A symbol may be in several places: the libraries of a wheel, for each platform that there are wheels for. The file is
//! a list of groups to its end, each a mask of releases (LEB128) for every place of [`PLACES`], and the set of the
//! symbols that are there and nowhere else ([`fingerprints`]). A bit of a mask is a release of those that were measured
//! on that platform; for Linux, they are the columns of TensorFlow in [`crate::table`]. `cargo lab harvest
//! tensorflow-exports==VERSION` makes it, and `tensorflow-macos==VERSION` its part for macOS.
//!
//! ```
//! use unskew_extensions::tensorflow::{LINUX, PLACES, Symbols, hash};
//!
//! let name = "_ZN10tensorflow8internal15LogMessageFatalD1Ev";
//! let mut span = [0; PLACES];
//! span[LINUX] = 1 << 3;
//! let read = Symbols::read(&Symbols::from_symbols([(hash(name), span)]).to_bytes()).unwrap();
//! assert_eq!(read.find(name, LINUX, 3), [true, false]);
//! assert_eq!(read.find(name, LINUX, 2), [false, false]);
//! ```

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rayon::slice::ParallelSliceMut as _;
use unskew_abi::fingerprints::{self, FingerprintReader};

use crate::fingerprint::fingerprint;

/// The first place of the wheels for Linux: their framework library, then all others.
pub const LINUX: usize = 0;
/// The first place of the wheels for macOS on ARM: an image each, as `images.tsv` lists them.
pub const MACOS_ARM: usize = 2;
/// The same on Intel.
pub const MACOS_INTEL: usize = 6;
/// How many places there are.
pub const PLACES: usize = 10;

/// The releases that have a symbol, a bit each: a mask for every place.
pub type ReleaseMask = [u32; PLACES];

/// How many bits a hash has.
const HASH: u32 = 32;

/// How many bits the number of a group has beside it.
const GROUP: u32 = u64::BITS - HASH;

/// Symbols by their hashes, each with the releases that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    spans: Vec<ReleaseMask>,
    /// In order: a hash, and in the low bits the number of its span.
    symbols: Vec<u64>,
}

impl Symbols {
    /// The table of these symbols, each by its [`hash`].
    pub fn from_symbols(symbols: impl IntoIterator<Item = (u64, ReleaseMask)>) -> Self {
        let symbols: BTreeMap<u64, ReleaseMask> = symbols.into_iter().collect();
        let mut spans: Vec<ReleaseMask> = symbols.values().copied().collect();
        spans.sort_unstable();
        spans.dedup();
        let number = |span: &ReleaseMask| spans.binary_search(span).unwrap_or_default() as u64;
        let symbols = symbols.iter().map(|(hash, span)| hash << GROUP | number(span)).collect();
        Self { spans, symbols }
    }

    /// Reads the table; none if the bytes are none.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (mut reader, mut table) = (FingerprintReader::new(bytes, 0), Self::default());
        while !reader.is_at_end() {
            let number = table.spans.len() as u64;
            let mut span = [0; PLACES];
            for mask in &mut span {
                *mask = u32::try_from(reader.number()?).ok()?;
            }
            table.spans.push(span);
            reader.set(HASH, |hash| table.symbols.push(hash << GROUP | number))?;
        }
        table.symbols.par_sort_unstable();
        Some(table)
    }

    /// The table as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut groups: BTreeMap<ReleaseMask, Vec<u64>> = BTreeMap::new();
        for (hash, span) in self.iter() {
            groups.entry(span).or_default().push(hash);
        }
        let mut bytes = Vec::new();
        for (span, hashes) in groups {
            for mask in span {
                fingerprints::put_number(&mut bytes, mask.into());
            }
            fingerprints::put_set(&mut bytes, &hashes, HASH);
        }
        bytes
    }

    /// Each symbol by its hash, in order, with the releases that have it.
    pub fn iter(&self) -> impl Iterator<Item = (u64, ReleaseMask)> {
        self.symbols.iter().map(|symbol| (symbol >> GROUP, self.span(*symbol)))
    }

    fn span(&self, symbol: u64) -> ReleaseMask {
        let number = usize::try_from(symbol & ((1 << GROUP) - 1)).ok();
        number.and_then(|number| self.spans.get(number)).copied().unwrap_or_default()
    }

    /// The releases of each place that have the symbol `name`.
    pub fn releases(&self, name: &str) -> ReleaseMask {
        let hash = hash(name);
        let found = self.symbols.binary_search_by_key(&hash, |symbol| symbol >> GROUP);
        let symbol = found.ok().and_then(|at| self.symbols.get(at));
        symbol.map(|symbol| self.span(*symbol)).unwrap_or_default()
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// In which of the places from `first` on a release, by its number among those that were measured on that
    /// platform, has a symbol.
    pub fn find<const COUNT: usize>(
        &self,
        name: &str,
        first: usize,
        release: usize,
    ) -> [bool; COUNT] {
        let (span, bit) = (self.releases(name), bit(release).unwrap_or_default());
        std::array::from_fn(|place| span.get(first + place).is_some_and(|mask| mask & bit != 0))
    }
}

/// The bit of a release in a mask, by its number; none if a mask has no room for it.
pub fn bit(release: usize) -> Option<u32> {
    1_u32.checked_shl(u32::try_from(release).ok()?)
}

/// What the table knows a name by.
pub fn hash(name: &str) -> u64 {
    fingerprint(name, HASH)
}

/// The table that is part of the program, read when somebody asks for it.
pub fn symbols() -> &'static Symbols {
    #[expect(clippy::expect_used, reason = "part of the program")]
    static SYMBOLS: LazyLock<Symbols> = LazyLock::new(|| {
        Symbols::read(include_bytes!("../data/tensorflow.bin")).expect("data/tensorflow.bin")
    });
    &SYMBOLS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_table_is_written_as_it_was_read() {
        let bytes = include_bytes!("../data/tensorflow.bin");
        let symbols = Symbols::read(bytes).unwrap();
        assert!(symbols.len() > 400_000);
        assert!(symbols.to_bytes() == bytes);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(names in proptest::collection::vec(("[a-z]{1,9}", 0_usize..32, 0..PLACES), 0..60)) {
            let mut spans: BTreeMap<u64, ReleaseMask> = BTreeMap::new();
            for (name, release, place) in &names {
                spans.entry(hash(name)).or_default()[*place] |= bit(*release).unwrap();
            }
            let symbols = Symbols::from_symbols(spans);
            let read = Symbols::read(&symbols.to_bytes()).unwrap();
            prop_assert_eq!(&read, &symbols);
            for (name, release, place) in &names {
                prop_assert_eq!(read.find(name, *place, *release), [true]);
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Symbols::read(&bytes);
        }
    }
}
