//! JAX releases as readers of exported functions.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Party, Provision, Version};
use unskew_tables::toml_table;

use crate::AXIS;

/// The newest JAX whose reading is known.
pub(crate) const KNOWN: Version = Version::triple(0, 12, 0);

/// What a JAX release reads of these files.
#[derive(Clone, Debug)]
pub(crate) struct JaxReader {
    since: Version,
    /// The stored numbers that it takes; none if it does not look.
    pub(crate) stored: Option<Vec<u64>>,
    /// The newest format version whose fields it knows.
    pub(crate) format: u64,
    /// The largest number of a dtype that it knows.
    pub(crate) dtypes: u64,
    /// Whether it refuses what is no longer promised.
    pub(crate) expired: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    reader: Vec<JaxReaderRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JaxReaderRow {
    since: String,
    stored: Option<Vec<u64>>,
    format: u64,
    dtypes: u64,
    expired: bool,
}

/// Adds to a JAX release that it reads these files.
pub fn reader(party: Party, jax: Version) -> Party {
    match reader_of_version(jax) {
        Some(_) => party.provide(Provision::version(AXIS, jax).at("jax.export")),
        None => party,
    }
}

/// What the JAX of this version reads; none before there were such files.
pub(crate) fn reader_of_version(jax: Version) -> Option<&'static JaxReader> {
    readers().iter().rev().find(|reader| reader.since <= jax)
}

/// The first JAX for which `fits` holds, and holds from there on.
pub(crate) fn first(fits: impl Fn(&JaxReader) -> bool) -> Option<Version> {
    let unfit = readers().iter().rposition(|reader| !fits(reader));
    readers().get(unfit.map_or(0, |unfit| unfit + 1)).map(|reader| reader.since)
}

/// The last row for which `fits` holds: the releases before the next one.
pub(crate) fn before(fits: impl Fn(&JaxReader) -> bool) -> Option<Version> {
    let last = readers().iter().rposition(fits)?;
    readers().get(last + 1).map(|reader| reader.since)
}

fn readers() -> &'static [JaxReader] {
    static READERS: LazyLock<Vec<JaxReader>> = LazyLock::new(|| {
        let table: Table = toml_table!("data/readers.toml");
        table.reader.into_iter().filter_map(row).collect()
    });
    &READERS
}

fn row(JaxReaderRow { since, stored, format, dtypes, expired }: JaxReaderRow) -> Option<JaxReader> {
    Some(JaxReader { since: since.parse().ok()?, stored, format, dtypes, expired })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_they_stand_in_order() {
        let written = include_str!("../data/readers.toml").matches("[[reader]]").count();
        assert_eq!(readers().len(), written);
        assert!(readers().windows(2).all(|pair| pair[0].since < pair[1].since));
        assert!(readers().windows(2).all(|pair| pair[0].format <= pair[1].format));
    }

    #[test]
    fn a_release_between_two_rows_reads_as_the_earlier_says() {
        assert!(reader_of_version(Version::triple(0, 4, 20)).is_none());
        assert_eq!(reader_of_version(Version::triple(0, 8, 1)).unwrap().format, 4);
        assert_eq!(reader_of_version(Version::triple(0, 8, 2)).unwrap().format, 5);
        assert_eq!(first(|reader| reader.stored.is_none()), Some(Version::triple(0, 8, 2)));
        assert_eq!(before(|reader| !reader.expired), Some(Version::triple(0, 11, 1)));
    }
}
