//! The C++ symbols that TensorFlow releases export: a table of hashes, `data/cpp.bin`.
//!
//! A release exports some 170 000 C++ symbols of its own, of protobuf and of absl, and a plug-in that imports one of
//! them loads only where it is there. The names of all releases together have 40 MB; their hashes, with the
//! releases that have them, have one. A name that no release has is taken for one that some release has once in ten
//! thousand.
//!
//! A symbol may be in several places: the libraries of a wheel, for each platform that there are wheels for. The file is
//! a list of groups to its end, each a mask of releases (LEB128) for every place of [`PLACES`], and the set of the
//! symbols that are there and nowhere else ([`fingerprints`]). A bit of a mask is a release of those that were measured
//! on that platform. `cargo xtask harvest tensorflow-exports==VERSION` makes it.
//!
//! ```
//! use unskew_stream_executor::symbols::{LINUX, PLACES, Symbols, hash, is_covered};
//!
//! let name = "_ZN10tensorflow8internal15LogMessageFatalD1Ev";
//! assert!(is_covered(name));
//! let mut span = [0; PLACES];
//! span[LINUX] = 1 << 3;
//! let read = Symbols::read(&Symbols::of([(hash(name), span)]).to_bytes()).unwrap();
//! assert_eq!(read.find(name, LINUX, 3), [true, false]);
//! assert_eq!(read.find(name, LINUX, 2), [false, false]);
//! ```

use std::collections::BTreeMap;

use unskew_abi::fingerprints::{self, Reader};

/// The parts of mangled names that say that a symbol belongs to TensorFlow or to what is linked into it.
const PARTS: [&str; 4] = ["10tensorflow", "3tsl", "6google8protobuf", "4absl"];

/// How names begin of what a compiler puts wherever it is used, so that no library has to export it: statics of
/// functions, names of types, templates of the standard library and of Eigen.
const EVERYWHERE: [&str; 10] = [
    "_ZZ",
    "_ZGV",
    "_ZTS",
    "_ZSt",
    "_ZNSt",
    "_ZNKSt",
    "_ZN5Eigen",
    "_ZNK5Eigen",
    "_ZTISt",
    "_ZTVSt",
];

/// Whether the name is a C++ symbol of TensorFlow or of what is linked into it.
pub(crate) fn is_cpp(name: &str) -> bool {
    name.starts_with("_Z") && PARTS.iter().any(|part| name.contains(part))
}

/// Whether the table says of such a symbol where it is.
pub fn is_covered(name: &str) -> bool {
    let everywhere = EVERYWHERE.iter().any(|start| name.starts_with(start));
    // A closure has no name that another file could know.
    is_cpp(name)
        && !everywhere
        && !name.contains("EUl")
        && !name.contains("_M_invoke")
        && !name.contains("_M_manager")
}

/// The first place of the wheels for Linux: their framework library, then all others.
pub const LINUX: usize = 0;
/// The first place of the wheels for macOS on ARM: an image each, as `images.tsv` lists them.
pub const MACOS_ARM: usize = 2;
/// The same on Intel.
pub const MACOS_INTEL: usize = 6;
/// How many places there are.
pub const PLACES: usize = 10;

/// The releases that have a symbol, a bit each: a mask for every place.
pub type Span = [u32; PLACES];

/// How many bits a hash has, and how many the number of a group beside it.
const HASH: u32 = 32;

/// Symbols by their hashes, each with the releases that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    spans: Vec<Span>,
    /// In order: a hash, and in the low bits the number of its span.
    symbols: Vec<u64>,
}

impl Symbols {
    /// The table of these symbols, each by its [`hash`].
    pub fn of(symbols: impl IntoIterator<Item = (u32, Span)>) -> Self {
        let symbols: BTreeMap<u32, Span> = symbols.into_iter().collect();
        let mut spans: Vec<Span> = symbols.values().copied().collect();
        spans.sort_unstable();
        spans.dedup();
        let number = |span: &Span| spans.binary_search(span).unwrap_or_default() as u64;
        let symbols =
            symbols.iter().map(|(hash, span)| u64::from(*hash) << HASH | number(span)).collect();
        Self { spans, symbols }
    }

    /// Reads the table; none if the bytes are none.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (mut reader, mut table) = (Reader::new(bytes, 0), Self::default());
        while !reader.is_at_end() {
            let number = table.spans.len() as u64;
            let mut span = [0; PLACES];
            for mask in &mut span {
                *mask = u32::try_from(reader.number()?).ok()?;
            }
            table.spans.push(span);
            reader.set(HASH, |hash| table.symbols.push(hash << HASH | number))?;
        }
        table.symbols.sort_unstable();
        Some(table)
    }

    /// The table as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut groups: BTreeMap<Span, Vec<u64>> = BTreeMap::new();
        for (hash, span) in self.iter() {
            groups.entry(span).or_default().push(u64::from(hash));
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
    pub fn iter(&self) -> impl Iterator<Item = (u32, Span)> {
        self.symbols.iter().map(|symbol| ((symbol >> HASH) as u32, self.span(*symbol)))
    }

    fn span(&self, symbol: u64) -> Span {
        self.spans.get(symbol as u32 as usize).copied().unwrap_or_default()
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
        let hash = u64::from(hash(name));
        let found = self.symbols.binary_search_by_key(&hash, |symbol| symbol >> HASH);
        let span = found.ok().and_then(|at| self.symbols.get(at)).map(|symbol| self.span(*symbol));
        let (span, bit) = (span.unwrap_or_default(), bit(release).unwrap_or_default());
        std::array::from_fn(|place| span.get(first + place).is_some_and(|mask| mask & bit != 0))
    }
}

/// The bit of a release in a mask, by its number; none if a mask has no room for it.
pub fn bit(release: usize) -> Option<u32> {
    1_u32.checked_shl(u32::try_from(release).ok()?)
}

/// What a table knows a mangled name by.
pub fn hash(name: &str) -> u32 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let long = name.bytes().fold(start, step);
    (long >> 32) as u32 ^ long as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The table of all platforms that the program has.
    #[test]
    fn the_table_is_written_as_it_was_read() {
        let bytes = include_bytes!("../data/cpp.bin");
        let symbols = Symbols::read(bytes).unwrap();
        assert!(symbols.len() > 400_000);
        assert!(symbols.to_bytes() == bytes);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(names in proptest::collection::vec(("[a-z]{1,9}", 0_usize..32, 0..PLACES), 0..60)) {
            let mut spans: BTreeMap<u32, Span> = BTreeMap::new();
            for (name, release, place) in &names {
                spans.entry(hash(name)).or_default()[*place] |= bit(*release).unwrap();
            }
            let symbols = Symbols::of(spans);
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
