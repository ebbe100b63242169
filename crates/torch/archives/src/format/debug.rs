//! Debug records, whose form tells who wrote them.
//!
//! A debug record maps bytes of the code to the sources that it came from. Up to 1.7 its entries are
//! pairs; from 1.9 to 1.11 triples, with a tag; from 1.12 on the sources stand in a table of texts.

use unskew_core::Version;

use crate::ProducerReleases;
use crate::pickle::{self, PickleValue};

/// What the table form begins with.
const TABLE: &str = "FORMAT_WITH_STRING_TABLE";

/// The first release that writes and reads the table form. Older ones end the process where they should say on which line an
/// exception came up.
pub(crate) const TABLED: Version = Version::pair(1, 12);

/// Whether a debug record is of the table form; one that cannot be read is not.
pub(crate) fn is_tabled(bytes: &[u8]) -> bool {
    let Ok(pickle) = pickle::scan("", bytes) else { return false };
    pickle.members(pickle.root()).next().and_then(PickleValue::text) == Some(TABLE)
}

/// Narrows `producer` by the debug record in `bytes`; one that cannot be read says nothing.
pub(super) fn narrow(producer: &mut ProducerReleases, bytes: &[u8]) {
    let Ok(pickle) = pickle::scan("", bytes) else { return };
    let mut members = pickle.members(pickle.root());
    let Some(first) = members.next() else { return };
    if first.text() == Some(TABLE) {
        return producer.narrow(Some(TABLED), None, "debug record with a table of texts");
    }
    match first {
        PickleValue::Tuple(entry) if entry.len() == 2 => {
            producer.narrow(None, Some(Version::pair(1, 8)), "debug record of pairs");
        }
        PickleValue::Tuple(entry) if entry.len() == 3 => {
            let (since, until) = (Version::pair(1, 8), Version::pair(1, 11));
            // A single entry of a pair may itself be spread over the outer tuple.
            if matches!(pickle.value(entry[0]), PickleValue::Int(_)) {
                producer.narrow(Some(since), Some(until), "debug record of triples");
            }
        }
        _ => {}
    }
}
