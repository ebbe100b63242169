//! The C++ symbols that TensorFlow releases export: a table of hashes, `data/cpp.bin`.
//!
//! A release exports some 170 000 C++ symbols of its own, of protobuf and of absl, and a plug-in that imports one of
//! them loads only where it is there. The names of all releases together have 40 MB; their hashes, with the
//! releases that have them, have one. A name that no release has is taken for one that some release has once in ten
//! thousand.
//!
//! The file has two numbers of 32 bits, how many different spans of releases there are and how many symbols, then
//! the spans (for each a mask of the releases that have a symbol in `libtensorflow_framework.so.2`, and one of those
//! that have it elsewhere), and then the symbols in the order of their hashes: how much larger the hash is than the
//! one before, and which span, both in seven bits a byte. A bit of a mask is a release of
//! [`measured`](crate::measured). `cargo xtask harvest tensorflow-exports==VERSION` makes it.
//!
//! ```
//! use unskew_stream_executor::symbols::{Symbols, Where, is_covered};
//!
//! let name = "_ZN10tensorflow8internal15LogMessageFatalD1Ev";
//! assert!(is_covered(name));
//! let mut symbols = Symbols::default();
//! symbols.insert(name, 3, Where { framework: true, elsewhere: false });
//! let read = Symbols::read(&symbols.to_bytes()).unwrap();
//! assert!(read.find(name, 3).framework);
//! assert!(!read.find(name, 2).framework);
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
pub fn is_cpp(name: &str) -> bool {
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

/// Which libraries of a release have a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Where {
    /// `libtensorflow_framework.so.2`.
    pub framework: bool,
    /// The others: `libtensorflow_cc.so.2`, and the library of the Python module.
    pub elsewhere: bool,
}

/// The releases that have a symbol, a bit each: in the framework's library, and elsewhere.
type Span = (u32, u32);

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    spans: BTreeMap<u32, Span>,
}

impl Symbols {
    /// Reads the table; none if the bytes are none.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (spans, rest) = number(bytes)?;
        let (count, mut rest) = number(rest)?;
        let mut known = Vec::new();
        for _ in 0..spans {
            let (framework, behind) = number(rest)?;
            let (elsewhere, behind) = number(behind)?;
            known.push((framework, elsewhere));
            rest = behind;
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
        let mut often: BTreeMap<Span, usize> = BTreeMap::new();
        for span in self.spans.values() {
            *often.entry(*span).or_default() += 1;
        }
        let mut order: Vec<(Span, usize)> = often.into_iter().collect();
        // What is often there gets a short number.
        order.sort_by_key(|(span, count)| (std::cmp::Reverse(*count), *span));
        let numbers: BTreeMap<Span, usize> =
            order.iter().enumerate().map(|(number, (span, _))| (*span, number)).collect();
        let mut bytes = Vec::new();
        for value in [order.len(), self.spans.len()] {
            bytes.extend_from_slice(&(value as u32).to_le_bytes());
        }
        for ((framework, elsewhere), _) in order {
            bytes.extend_from_slice(&framework.to_le_bytes());
            bytes.extend_from_slice(&elsewhere.to_le_bytes());
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

    /// Where a release, by its place among those that were measured, has a symbol.
    pub fn find(&self, name: &str, release: usize) -> Where {
        let (framework, elsewhere) = self.spans.get(&hash(name)).copied().unwrap_or_default();
        let has = |mask: u32| bit(release).is_some_and(|bit| mask & bit != 0);
        Where { framework: has(framework), elsewhere: has(elsewhere) }
    }

    /// Adds that a release has a symbol.
    pub fn insert(&mut self, name: &str, release: usize, place: Where) {
        let Some(bit) = bit(release) else { return };
        let span = self.spans.entry(hash(name)).or_default();
        span.0 |= if place.framework { bit } else { 0 };
        span.1 |= if place.elsewhere { bit } else { 0 };
    }

    /// Makes room for a release at this place: those from there on move up.
    pub fn make_room(&mut self, release: usize) {
        let Some(bit) = bit(release) else { return };
        let moved = |mask: u32| mask & (bit - 1) | (mask & !(bit - 1)) << 1;
        for span in self.spans.values_mut() {
            *span = (moved(span.0), moved(span.1));
        }
    }

    /// Forgets what a release has.
    pub fn forget(&mut self, release: usize) {
        let Some(bit) = bit(release) else { return };
        for span in self.spans.values_mut() {
            *span = (span.0 & !bit, span.1 & !bit);
        }
        self.spans.retain(|_, span| *span != (0, 0));
    }
}

fn bit(release: usize) -> Option<u32> {
    1_u32.checked_shl(u32::try_from(release).ok()?)
}

/// FNV-1a, folded.
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
        let both = Where { framework: true, elsewhere: true };
        let mut symbols = Symbols::default();
        symbols.insert("_Z3tsl", 0, both);
        symbols.insert("_Z3tsl", 1, both);
        symbols.make_room(1);
        assert_eq!(symbols.find("_Z3tsl", 1), Where::default());
        assert_eq!((symbols.find("_Z3tsl", 0), symbols.find("_Z3tsl", 2)), (both, both));
        symbols.forget(0);
        symbols.forget(2);
        assert!(symbols.is_empty());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(names in proptest::collection::vec(("[a-z]{1,9}", 0_usize..32, any::<bool>()), 0..60)) {
            let mut symbols = Symbols::default();
            for (name, release, framework) in &names {
                symbols.insert(name, *release, Where { framework: *framework, elsewhere: !framework });
            }
            let read = Symbols::read(&symbols.to_bytes()).unwrap();
            prop_assert_eq!(&read, &symbols);
            for (name, release, framework) in &names {
                let found = read.find(name, *release);
                let there = if *framework { found.framework } else { found.elsewhere };
                prop_assert!(there);
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Symbols::read(&bytes);
        }
    }
}
