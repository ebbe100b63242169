//! Table of the symbols that releases export, without names. The columns are the releases of all frameworks; the symbols of
//! TensorFlow lie in [`crate::tensorflow`], which knows them by library.
//!
//! The file begins with lines of text: `unskew-exports 1`, then a column a line
//! (`torch 2.6.0 x86-64 cpu cxx11=0`), then an empty line. Groups follow to the end: the columns that have the symbols
//! of the group (a bit mask as LEB128), then the set of their fingerprints ([`unskew_abi::fingerprints`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use rayon::slice::ParallelSliceMut as _;
use unskew_abi::fingerprints::{FingerprintReader, put_number, put_set};
use unskew_core::Version;

use crate::fingerprint::fingerprint;
use crate::{Framework, tensorflow};

const MAGIC: &str = "unskew-exports 1";

/// The machines whose releases were harvested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Machine {
    /// x86-64, as wheels say it: `x86_64`.
    X86,
    /// 64-bit ARM, as wheels say it: `aarch64`.
    Arm,
}

impl Machine {
    /// The word that shared objects are described with.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::X86 => "x86-64",
            Self::Arm => "aarch64",
        }
    }

    /// The machine of this word.
    pub fn named(name: &str) -> Option<Self> {
        [Self::X86, Self::Arm].into_iter().find(|one| one.as_str() == name)
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The part of a package that a column is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Build {
    /// The libraries that every build has.
    Cpu,
    /// Those that only builds for CUDA add.
    Cuda,
}

impl Build {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        }
    }
}

/// The libraries of one release for one machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column {
    /// Whose release it is.
    pub framework: Framework,
    /// The release whose libraries were read.
    pub release: Version,
    /// What it was built for.
    pub machine: Machine,
    /// Whether the libraries of its CPU build or those of its CUDA build.
    pub build: Build,
    /// Whether its own functions take the strings of C++11 (`_GLIBCXX_USE_CXX11_ABI=1`).
    pub cxx11: bool,
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { framework, release, machine, build, cxx11 } = self;
        let build = build.as_str();
        write!(f, "{framework} {release} {machine} {build} cxx11={}", u8::from(*cxx11))
    }
}

impl Column {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let column = Self {
            framework: Framework::named(words.next()?)?,
            release: words.next()?.parse().ok()?,
            machine: Machine::named(words.next()?)?,
            build: match words.next()? {
                "cpu" => Build::Cpu,
                "cuda" => Build::Cuda,
                _ => return None,
            },
            cxx11: words.next()? == "cxx11=1",
        };
        words.next().is_none().then_some(column)
    }
}

/// Why bytes are no [`ExportTable`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExportTableError {
    /// The lines in front are not what they should be.
    #[error("no table of exports: {0}")]
    Head(String),
    /// A group ends early, or its fingerprints are not in order.
    #[error("table of exports is broken at byte {0}")]
    Group(usize),
    /// More columns than a mask has bits.
    #[error("{0} columns; a table has at most 128")]
    Columns(usize),
}

/// The most columns of a table.
const MOST_COLUMNS: usize = 128;

/// How many bits of a fingerprint are kept.
const FINGERPRINT: u32 = 40;

/// Releases as a mask over the columns of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReleaseSet(pub(crate) u128);

impl ReleaseSet {
    /// Whether no release has it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Which release exports which symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportTable {
    columns: Vec<Column>,
    /// The mask of each group, in order.
    masks: Vec<u128>,
    /// Fingerprints in order, each with the number of its group in its low bits: half a million of them are sorted
    /// whenever the program needs the table.
    symbols: Vec<u64>,
}

/// The bits of a group's number beside a fingerprint.
const GROUP: u32 = 64 - FINGERPRINT;

impl ExportTable {
    /// The table of these columns, each with the names that it exports.
    ///
    /// # Errors
    /// [`ExportTableError::Columns`] if there are too many.
    pub fn from_columns(
        columns: Vec<(Column, BTreeSet<String>)>,
    ) -> Result<Self, ExportTableError> {
        Self::default().with(columns)
    }

    /// The same with these columns too; a column that is there already is replaced.
    ///
    /// # Errors
    /// [`ExportTableError::Columns`] if there are too many.
    pub fn with(&self, more: Vec<(Column, BTreeSet<String>)>) -> Result<Self, ExportTableError> {
        let same = |a: &Column, b: &Column| {
            (a.framework, a.release, a.machine, a.build)
                == (b.framework, b.release, b.machine, b.build)
        };
        let mut columns: Vec<(Column, Option<usize>)> = Vec::new();
        for (index, column) in self.columns.iter().enumerate() {
            if !more.iter().any(|(new, _)| same(new, column)) {
                columns.push((column.clone(), Some(index)));
            }
        }
        columns.extend(more.iter().map(|(column, _)| (column.clone(), None)));
        columns.sort_unstable();
        if columns.len() > MOST_COLUMNS {
            return Err(ExportTableError::Columns(columns.len()));
        }
        let mut symbols: BTreeMap<u64, u128> = BTreeMap::new();
        for (hash, mask) in self.each() {
            let bit = |(at, (_, old)): (usize, &(Column, Option<usize>))| {
                old.filter(|old| mask >> old & 1 == 1).map_or(0, |_| 1_u128 << at)
            };
            let mask = columns.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
            if mask != 0 {
                symbols.insert(hash, mask);
            }
        }
        for (column, names) in &more {
            let at = columns.iter().position(|(one, _)| one == column).unwrap_or_default();
            for name in names {
                *symbols.entry(fingerprint(name, FINGERPRINT)).or_default() |= 1 << at;
            }
        }
        let columns = columns.into_iter().map(|(column, _)| column).collect();
        let masks: BTreeSet<u128> = symbols.values().copied().collect();
        let masks: Vec<u128> = masks.into_iter().collect();
        let group = |mask: &u128| masks.binary_search(mask).unwrap_or_default() as u64;
        let symbols = symbols.iter().map(|(hash, mask)| hash << GROUP | group(mask)).collect();
        Ok(Self { columns, masks, symbols })
    }

    /// Each fingerprint with the columns that have it, in order.
    fn each(&self) -> impl Iterator<Item = (u64, u128)> {
        self.symbols.iter().map(|symbol| (symbol >> GROUP, self.mask(*symbol)))
    }

    fn mask(&self, symbol: u64) -> u128 {
        let group = usize::try_from(symbol & ((1 << GROUP) - 1)).ok();
        group.and_then(|group| self.masks.get(group)).copied().unwrap_or_default()
    }

    /// The columns in their order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many symbols it has.
    pub fn symbols(&self) -> usize {
        self.symbols.len()
    }

    /// The columns that export a symbol.
    pub fn releases(&self, symbol: &str) -> ReleaseSet {
        let hash = fingerprint(symbol, FINGERPRINT);
        let found = self.symbols.binary_search_by_key(&hash, |symbol| symbol >> GROUP);
        ReleaseSet(found.ok().and_then(|at| self.symbols.get(at)).map_or(0, |one| self.mask(*one)))
    }

    /// The columns of the releases of TensorFlow in a mask of [`tensorflow::ReleaseMask`].
    fn of_tensorflow(&self, mask: u32) -> ReleaseSet {
        let columns = self.columns.iter().enumerate();
        let own = columns.filter(|(_, column)| column.framework == Framework::TensorFlow);
        let has = own
            .enumerate()
            .filter(|(bit, _)| mask.checked_shr(*bit as u32).is_some_and(|m| m & 1 == 1));
        ReleaseSet(has.fold(0, |all, (_, (at, _))| all | 1 << at))
    }

    /// The columns for which `keep` is true.
    pub fn select(&self, keep: impl Fn(&Column) -> bool) -> ReleaseSet {
        let bits = self.columns.iter().enumerate().filter(|(_, column)| keep(column));
        ReleaseSet(bits.fold(0, |mask, (at, _)| mask | 1 << at))
    }

    /// The releases of a framework for a machine, oldest first.
    pub fn of_framework(&self, framework: Framework, machine: Machine) -> Vec<Version> {
        let is = |column: &&Column| {
            (column.framework, column.machine, column.build) == (framework, machine, Build::Cpu)
        };
        self.columns.iter().filter(is).map(|column| column.release).collect()
    }

    /// The releases whose build for CUDA lacks a symbol, and those whose build for CPUs does; each by its column for CPUs.
    pub(crate) fn lacking(&self, releases: ReleaseSet) -> [u128; 2] {
        let (mut cuda, mut cpu) = (0, 0);
        for (at, column) in self.columns.iter().enumerate() {
            if column.build != Build::Cpu {
                continue;
            }
            let has = |at: usize| releases.0 >> at & 1 == 1;
            let twin = self.columns.get(at + 1).filter(|next| {
                (next.framework, next.release, next.machine, next.build)
                    == (column.framework, column.release, column.machine, Build::Cuda)
            });
            cpu |= u128::from(!has(at)) << at;
            cuda |= u128::from(!(has(at) || twin.is_some() && has(at + 1))) << at;
        }
        [cuda, cpu]
    }

    /// The table as a file.
    pub fn write(&self) -> Vec<u8> {
        let mut head = format!("{MAGIC}\n");
        self.columns.iter().for_each(|column| head.push_str(&format!("{column}\n")));
        head.push('\n');
        let mut groups: BTreeMap<u128, Vec<u64>> = BTreeMap::new();
        for (hash, mask) in self.each() {
            groups.entry(mask).or_default().push(hash);
        }
        let mut bytes = head.into_bytes();
        for (mask, hashes) in groups {
            put_number(&mut bytes, mask);
            put_set(&mut bytes, &hashes, FINGERPRINT);
        }
        bytes
    }

    /// Reads what [`ExportTable::write`] made.
    ///
    /// # Errors
    /// If it is no such file.
    pub fn read(bytes: &[u8]) -> Result<Self, ExportTableError> {
        let head = |what: &str| ExportTableError::Head(what.to_owned());
        let end = bytes.windows(2).position(|two| two == b"\n\n").ok_or_else(|| head("no head"))?;
        let text = std::str::from_utf8(&bytes[..end]).map_err(|_| head("not text"))?;
        let mut lines = text.lines();
        if lines.next() != Some(MAGIC) {
            return Err(head("another magic"));
        }
        let columns = lines
            .map(|line| Column::read(line).ok_or_else(|| head(line)))
            .collect::<Result<Vec<_>, _>>()?;
        if columns.len() > MOST_COLUMNS {
            return Err(ExportTableError::Columns(columns.len()));
        }
        let mut rest = FingerprintReader::new(bytes, end + 2);
        let mut table = Self { columns, ..Self::default() };
        while !rest.is_at_end() {
            table.group(&mut rest).ok_or_else(|| ExportTableError::Group(rest.at()))?;
        }
        table.symbols.par_sort_unstable();
        Ok(table)
    }

    /// Reads the next group.
    fn group(&mut self, rest: &mut FingerprintReader<'_>) -> Option<()> {
        let mask = rest.number()?;
        let group = self.masks.len() as u64;
        if group >> GROUP != 0 {
            return None;
        }
        self.masks.push(mask);
        rest.set(FINGERPRINT, |hash| self.symbols.push(hash << GROUP | group))
    }
}

/// The columns of [`table`] that export a symbol.
pub fn releases(symbol: &str) -> ReleaseSet {
    match Framework::of_symbol(symbol) {
        Some(Framework::TensorFlow) => {
            let span = tensorflow::symbols().releases(symbol);
            table().of_tensorflow(span[tensorflow::LINUX] | span[tensorflow::LINUX + 1])
        }
        _ => table().releases(symbol),
    }
}

/// The table that is part of the program.
pub fn table() -> &'static ExportTable {
    #[expect(clippy::expect_used, reason = "part of the program")]
    static TABLE: LazyLock<ExportTable> = LazyLock::new(|| {
        ExportTable::read(include_bytes!("../data/exports.bin")).expect("data/exports.bin")
    });
    &TABLE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(release: i64, build: Build) -> Column {
        let (framework, machine) = (Framework::Torch, Machine::X86);
        Column { framework, release: Version::pair(2, release), machine, build, cxx11: true }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(sets in prop::collection::vec(prop::collection::btree_set("[a-z]{1,3}", 0..60), 1..9)) {
            let columns = sets.iter().enumerate().map(|(n, names)| (column(n as i64, Build::Cpu), names.clone()));
            let table = ExportTable::from_columns(columns.collect()).unwrap();
            prop_assert_eq!(&ExportTable::read(&table.write()).unwrap(), &table);
            for name in sets.iter().flatten() {
                for (n, names) in sets.iter().enumerate() {
                    prop_assert_eq!(table.releases(name).0 >> n & 1 == 1, names.contains(name));
                }
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = ExportTable::read(&bytes);
            let _ = ExportTable::read(&[format!("{MAGIC}\n\n").as_bytes(), &bytes].concat());
        }
    }

    #[test]
    fn a_column_that_is_there_is_replaced_and_the_others_stay() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let one = ExportTable::from_columns(vec![
            (column(1, Build::Cpu), names(&["a", "b"])),
            (column(3, Build::Cpu), names(&["b"])),
        ]);
        let two = one.unwrap().with(vec![
            (column(2, Build::Cpu), names(&["b", "c"])),
            (column(1, Build::Cpu), names(&["a"])),
        ]);
        let two = two.unwrap();
        let columns: Vec<_> = two.columns().iter().map(|one| one.release.minor()).collect();
        assert_eq!(columns, [1, 2, 3]);
        assert_eq!(["a", "b", "c", "d"].map(|name| two.releases(name).0), [0b001, 0b110, 0b010, 0]);
    }

    #[test]
    fn the_tables_of_the_program_are_written_as_they_were_read_and_small() {
        let bytes = include_bytes!("../data/exports.bin");
        let table = ExportTable::read(bytes).unwrap();
        assert!(table.write() == bytes);
        let all = bytes.len() + include_bytes!("../data/tensorflow.bin").len();
        assert!(all <= 2_000_000, "{all} bytes");
        for (framework, least) in [(Framework::Torch, 16), (Framework::TensorFlow, 16)] {
            let releases = table.of_framework(framework, Machine::X86);
            assert!(releases.len() >= least && releases.is_sorted(), "{framework} {releases:?}");
        }
    }
}
