//! The C++ symbols that TensorFlow releases export: a table of hashes, `data/linux/cpp.bin` and the like.
//!
//! A release exports some 170 000 C++ symbols of its own, of protobuf and of absl, and a plug-in that imports one of
//! them loads only where it is there. The names of all releases together have 40 MB; their hashes, with the
//! releases that have them, have one. A name that no release has is taken for one that some release has once in ten
//! thousand.
//!
//! A table has `PLACES` places in which a release may have a symbol, a library or several each. The file has two
//! numbers of 32 bits, how many different spans of releases there are and how many symbols, then the spans (for each
//! place a mask of the releases that have a symbol there), and then the symbols in the order of their hashes: how much
//! larger the hash is than the one before, and which span, both in seven bits a byte. A bit of a mask is a release of
//! those that were measured. `cargo xtask harvest tensorflow-exports==VERSION` makes it.
//!
//! ```
//! use unskew_stream_executor::symbols::{Symbols, is_covered};
//!
//! let name = "_ZN10tensorflow8internal15LogMessageFatalD1Ev";
//! assert!(is_covered(name));
//! let mut symbols = Symbols::<2>::default();
//! symbols.insert(name, 3, 0);
//! let read = Symbols::<2>::read(&symbols.to_bytes()).unwrap();
//! assert_eq!(read.find(name, 3), [true, false]);
//! assert_eq!(read.find(name, 2), [false, false]);
//! ```

use std::collections::BTreeMap;

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

/// The releases that have a symbol, a bit each: a mask for every place.
type Span<const PLACES: usize> = [u32; PLACES];

/// Symbols by their hashes, each with the releases that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols<const PLACES: usize> {
    spans: BTreeMap<u32, Span<PLACES>>,
}

impl<const PLACES: usize> Symbols<PLACES> {
    /// Reads the table; none if the bytes are none.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (spans, rest) = number(bytes)?;
        let (count, mut rest) = number(rest)?;
        let mut known = Vec::new();
        for _ in 0..spans {
            let mut span = [0; PLACES];
            for mask in &mut span {
                (*mask, rest) = number(rest)?;
            }
            known.push(span);
        }
        let (mut hash, mut read) = (0_u32, BTreeMap::new());
        for _ in 0..count {
            let (more, behind) = varint(rest)?;
            let (span, behind) = varint(behind)?;
            hash = hash.checked_add(more)?;
            read.insert(hash, *known.get(span as usize)?);
            rest = behind;
        }
        rest.is_empty().then_some(Self { spans: read })
    }

    /// The table as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut often: BTreeMap<Span<PLACES>, usize> = BTreeMap::new();
        for span in self.spans.values() {
            *often.entry(*span).or_default() += 1;
        }
        let mut order: Vec<(Span<PLACES>, usize)> = often.into_iter().collect();
        // What is often there gets a short number.
        order.sort_by_key(|(span, count)| (std::cmp::Reverse(*count), *span));
        let numbers: BTreeMap<Span<PLACES>, usize> =
            order.iter().enumerate().map(|(number, (span, _))| (*span, number)).collect();
        let mut bytes = Vec::new();
        for value in [order.len(), self.spans.len()] {
            bytes.extend_from_slice(&(value as u32).to_le_bytes());
        }
        for mask in order.iter().flat_map(|(span, _)| span) {
            bytes.extend_from_slice(&mask.to_le_bytes());
        }
        let mut last = 0;
        for (hash, span) in &self.spans {
            put_varint(&mut bytes, hash - last);
            put_varint(&mut bytes, numbers.get(span).map_or(0, |number| *number as u32));
            last = *hash;
        }
        bytes
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// In which places a release, by its number among those that were measured, has a symbol.
    pub fn find(&self, name: &str, release: usize) -> [bool; PLACES] {
        let span = self.spans.get(&hash(name)).copied().unwrap_or([0; PLACES]);
        span.map(|mask| bit(release).is_some_and(|bit| mask & bit != 0))
    }

    /// Adds that a release has a symbol in a place.
    pub fn insert(&mut self, name: &str, release: usize, place: usize) {
        let Some(bit) = bit(release).filter(|_| place < PLACES) else { return };
        let span = self.spans.entry(hash(name)).or_insert([0; PLACES]);
        if let Some(mask) = span.get_mut(place) {
            *mask |= bit;
        }
    }

    /// Makes room for a release with this number: those from there on move up.
    pub fn make_room(&mut self, release: usize) {
        let Some(bit) = bit(release) else { return };
        let moved = |mask: u32| mask & (bit - 1) | (mask & !(bit - 1)) << 1;
        for span in self.spans.values_mut() {
            *span = span.map(moved);
        }
    }

    /// Forgets what a release has.
    pub fn forget(&mut self, release: usize) {
        let Some(bit) = bit(release) else { return };
        for span in self.spans.values_mut() {
            *span = span.map(|mask| mask & !bit);
        }
        self.spans.retain(|_, span| span.iter().any(|mask| *mask != 0));
    }
}

fn bit(release: usize) -> Option<u32> {
    1_u32.checked_shl(u32::try_from(release).ok()?)
}

fn hash(name: &str) -> u32 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let long = name.bytes().fold(start, step);
    (long >> 32) as u32 ^ long as u32
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*first), rest))
}

fn varint(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut value = 0_u64;
    for (i, byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((u32::try_from(value).ok()?, bytes.get(i + 1..)?));
        }
    }
    None
}

fn put_varint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_release_is_put_between_others_and_replaced() {
        let (both, nowhere) = ([true, true], [false, false]);
        let mut symbols = Symbols::<2>::default();
        for (release, place) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            symbols.insert("_Z3tsl", release, place);
        }
        symbols.make_room(1);
        assert_eq!(symbols.find("_Z3tsl", 1), nowhere);
        assert_eq!((symbols.find("_Z3tsl", 0), symbols.find("_Z3tsl", 2)), (both, both));
        symbols.forget(0);
        symbols.forget(2);
        assert!(symbols.is_empty());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(names in proptest::collection::vec(("[a-z]{1,9}", 0_usize..32, 0_usize..4), 0..60)) {
            let mut symbols = Symbols::<4>::default();
            for (name, release, place) in &names {
                symbols.insert(name, *release, *place);
            }
            let read = Symbols::<4>::read(&symbols.to_bytes()).unwrap();
            prop_assert_eq!(&read, &symbols);
            for (name, release, place) in &names {
                prop_assert!(read.find(name, *release)[*place]);
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Symbols::<2>::read(&bytes);
        }
    }
}
