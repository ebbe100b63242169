//! Breaks of executables that the CPU backend serializes: `data/executable-breaks.tsv`.

use unskew_core::Version;

const TABLE: &str = include_str!("../data/executable-breaks.tsv");

/// Two releases of jaxlib, one after the other among those that were tried: neither what the first and older ones write is
/// loaded by the second and newer ones, nor the other way around.
type Break = (Version, Version);

/// All breaks, oldest first.
fn breaks() -> impl Iterator<Item = Break> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let (before, after) = line.split_once('\t')?;
        Some((before.parse().ok()?, after.parse().ok()?))
    })
}

/// Whether a break lies between a jaxlib and all that may have written a file.
pub(crate) fn lies_between(reader: Version, writers: &[Version]) -> bool {
    !writers.is_empty()
        && breaks().any(|(before, after)| {
            let (old, new) =
                (writers.iter().all(|one| *one <= before), writers.iter().all(|one| *one >= after));
            old && reader >= after || new && reader <= before
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn the_table_is_in_order() {
        let all: Vec<Break> = breaks().collect();
        assert_eq!(all.len(), TABLE.lines().filter(|line| !line.starts_with('#')).count());
        assert!(all.iter().all(|(before, after)| before < after));
        assert!(all.is_sorted());
    }

    #[test]
    fn releases_are_apart_by_a_break_and_not_by_their_number() {
        assert!(lies_between(version("0.4.30"), &[version("0.10.2")]));
        assert!(lies_between(version("0.10.2"), &[version("0.4.30")]));
        // 0.7.2 loads some of 0.9.0.
        assert!(!lies_between(version("0.7.2"), &[version("0.9.0")]));
        // One of two writers is on the side of the reader.
        assert!(!lies_between(version("0.10.2"), &[version("0.4.30"), version("0.10.2")]));
        // Between the two releases of a break nothing is known.
        assert!(!lies_between(version("0.4.32"), &[version("0.4.31")]));
    }
}
