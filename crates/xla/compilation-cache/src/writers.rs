//! Writers: which jaxlib wrote an entry, by the debug options in it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use unskew_core::Version;

use crate::CacheEntry;

/// The releases and their options.
const TABLE: &str = include_str!("../data/writers.tsv");

/// The first JAX that was seen to leave a broken entry where it is. 0.4.28 writes it anew; of 0.4.29 it is not known.
pub const BROKEN_ENTRIES_STAY: Version = Version::triple(0, 4, 30);

/// The first JAX that names entries with `-cache` behind the key.
pub const SUFFIXED: Version = Version::triple(0, 4, 31);

/// The first JAX that leaves the folder of the cache out of the key.
pub const FOLDER_NOT_IN_KEY: Version = Version::triple(0, 11, 0);

/// The first JAX whose cache with a limit gets along with an entry that has no access time.
pub const ACCESS_TIME_OPTIONAL: Version = Version::triple(0, 11, 2);

/// A release of jaxlib, and the debug options that it knows and writes.
#[derive(Clone, Debug)]
pub struct JaxlibWriter {
    /// The release of jaxlib.
    pub version: Version,
    known: BTreeSet<u32>,
    always: BTreeSet<u32>,
}

impl JaxlibWriter {
    /// Whether this release can have written an entry with such a name and such options. What it says no to, it never
    /// wrote: it does not know an option that is there, or one is missing that it always writes.
    pub fn may_have_written(&self, suffixed: bool, entry: &CacheEntry) -> bool {
        let named = suffixed == (self.version >= SUFFIXED);
        named && entry.debug_options().is_none_or(|debug_options| self.may_write(debug_options))
    }

    /// Whether it writes these debug options, by their numbers.
    pub(crate) fn may_write(&self, debug_options: &BTreeSet<u32>) -> bool {
        debug_options.is_subset(&self.known) && self.always.is_subset(debug_options)
    }
}

/// The releases of jaxlib that are known here, oldest first.
pub fn writers() -> &'static [JaxlibWriter] {
    static WRITERS: LazyLock<Vec<JaxlibWriter>> = LazyLock::new(|| parse(TABLE));
    &WRITERS
}

/// Each line says what changed since the one before.
fn parse(table: &str) -> Vec<JaxlibWriter> {
    let mut writers: Vec<JaxlibWriter> = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        let Some(version) = cells.next().and_then(|text| text.parse().ok()) else { continue };
        let (mut known, mut always) = writers
            .last()
            .map(|last| (last.known.clone(), last.always.clone()))
            .unwrap_or_default();
        apply(&mut known, cells.next().unwrap_or_default());
        apply(&mut always, cells.next().unwrap_or_default());
        writers.push(JaxlibWriter { version, known, always });
    }
    writers
}

/// The jaxlib that comes with a release of JAX, if what it writes is known: some releases come with that of an earlier one.
pub fn writer(jax: Version) -> Option<&'static JaxlibWriter> {
    let newest = writers().last()?.version;
    writers().iter().rev().find(|writer| writer.version <= jax).filter(|_| jax <= newest)
}

/// Changes a set by what a line says: `+7-9 -12` adds three numbers and takes one away.
fn apply(set: &mut BTreeSet<u32>, changes: &str) {
    for change in changes.split(' ') {
        let (sign, numbers) = change.split_at(change.len().min(1));
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else { continue };
        for number in first..=last {
            if sign == "+" {
                set.insert(number);
            } else {
                set.remove(&number);
            }
        }
    }
}

fn changes(old: &BTreeSet<u32>, new: &BTreeSet<u32>) -> String {
    let mut words = Vec::new();
    for (sign, numbers) in [('+', new - old), ('-', old - new)] {
        let mut numbers = numbers.into_iter().peekable();
        while let Some(first) = numbers.next() {
            let mut last = first;
            while let Some(next) = numbers.next_if_eq(&(last + 1)) {
                last = next;
            }
            words.push(if first == last {
                format!("{sign}{first}")
            } else {
                format!("{sign}{first}-{last}")
            });
        }
    }
    words.join(" ")
}

/// A table with one more release, or with another row for one that is there.
pub fn with(
    table: &str,
    version: Version,
    known: &BTreeSet<u32>,
    always: &BTreeSet<u32>,
) -> String {
    let mut all = parse(table);
    all.retain(|writer| writer.version != version);
    all.push(JaxlibWriter { version, known: known.clone(), always: always.clone() });
    all.sort_by_key(|writer| writer.version);
    let head = table.lines().filter(|line| line.starts_with('#'));
    let mut text: String = head.map(|line| format!("{line}\n")).collect();
    let none = BTreeSet::new();
    let mut last = (&none, &none);
    for JaxlibWriter { version, known, always } in &all {
        text += &format!("{version}\t{}\t{}\n", changes(last.0, known), changes(last.1, always));
        last = (known, always);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_they_stand_in_order() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(writers().len(), rows);
        assert!(writers().windows(2).all(|pair| pair[0].version < pair[1].version));
        assert!(writers().iter().all(|writer| writer.always.is_subset(&writer.known)));
        assert!(writers().iter().all(|writer| writer.known.len() > 100));
    }

    #[test]
    fn a_table_with_a_row_that_is_there_is_the_same() {
        let one = &writers()[3];
        assert_eq!(with(TABLE, one.version, &one.known, &one.always), TABLE);
    }

    #[test]
    fn a_jax_without_a_jaxlib_of_its_own_has_the_one_before() {
        let of = |jax: Version| writer(jax).map(|writer| writer.version);
        assert_eq!(of(Version::triple(0, 5, 2)), Some(Version::triple(0, 5, 1)));
        assert_eq!(of(Version::triple(0, 10, 2)), Some(Version::triple(0, 10, 2)));
        assert_eq!(of(Version::triple(0, 4, 20)), None);
        assert_eq!(of(Version::triple(9, 0, 0)), None);
    }
}
