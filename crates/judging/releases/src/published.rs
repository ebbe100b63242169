//! Every release that the package index lists, with its day and the row that it is judged by:
//! `data/FAMILY/published.tsv`, made by `cargo lab harvest published`.

use std::sync::OnceLock;

use unskew_core::{Date, Version};

use crate::{Exact, Family};

/// Why a release is judged by the row of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Basis {
    /// Both packages were compared, and what is judged is equal in them.
    Compared,
    /// Both packages were compared, and differ in something that the row does not say.
    Differs,
    /// Both are patch releases of one minor, and were not compared.
    Patch,
    /// It was built before the release that it is judged by.
    Next,
    /// It was built before a release that is not in the database yet.
    Newest,
    /// It was built between two that have rows, and is judged by what both know.
    Between,
    /// It was built after the last one that has a row, and is judged by what that one knows.
    After,
    /// It is newer than all that the database lists, and is judged as the newest before it.
    Unlisted,
}

/// A release as the index lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Published {
    pub(crate) version: Exact,
    /// The day of its first upload.
    pub(crate) released: Date,
    /// The row that it is judged by: its own, or that of another; none if the database has no facts of it.
    pub(crate) row: Option<Version>,
    /// Why, if the row is that of another.
    pub(crate) basis: Basis,
    /// What differs, in words.
    pub(crate) remark: String,
}

/// Every release of a family that was published, oldest version first.
pub(crate) fn all(family: Family) -> &'static [Published] {
    static ALL: [OnceLock<Vec<Published>>; Family::ALL.len()] =
        [const { OnceLock::new() }; Family::ALL.len()];
    ALL[family as usize].get_or_init(|| read(family.known().published))
}

/// The published release whose version has exactly these numbers: an index lists `2.1.0`, and not `2.1`. No other line
/// is read for it.
pub(crate) fn written(family: Family, version: &Exact) -> Option<Published> {
    let written = version.to_string();
    let begins = |line: &&str| {
        line.strip_prefix(written.as_str()).is_some_and(|rest| rest.starts_with('\t'))
    };
    family.known().published.lines().find(begins).and_then(line)
}

/// The published release of this version, however many zeros it is written with.
pub(crate) fn find(family: Family, version: &Exact) -> Option<&'static Published> {
    all(family).iter().find(|one| one.version == *version)
}

/// The rows of a table. It is part of this crate, and a test reads every line.
fn read(text: &str) -> Vec<Published> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(line).collect()
}

fn line(text: &str) -> Option<Published> {
    let mut cells = text.split('\t');
    let (version, released) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
    let row = match cells.next()? {
        "-" => None,
        row => Some(row.parse().ok()?),
    };
    let basis = match cells.next()? {
        "row" | "compared" | "-" => Basis::Compared,
        "differs" => Basis::Differs,
        "patch" => Basis::Patch,
        "next" => Basis::Next,
        _ => return None,
    };
    let remark = cells.next().unwrap_or_default().to_owned();
    Some(Published { version, released, row, basis, remark })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_they_stand_in_order() {
        for family in Family::ALL {
            let text = family.known().published;
            let lines = text.lines().filter(|line| !line.starts_with('#')).count();
            assert_eq!(all(family).len(), lines, "{family}");
            let versions: Vec<_> =
                all(family).iter().map(|one| one.version.to_pep440().unwrap()).collect();
            assert!(versions.is_sorted(), "{family}");
            for one in all(family) {
                assert_eq!(written(family, &one.version).as_ref(), Some(one), "{family}");
            }
        }
    }

    #[test]
    fn every_row_was_published_and_every_published_release_names_a_row_that_there_is() {
        for family in Family::ALL {
            for row in family.rows() {
                let own = find(family, &Exact::from_numbers(row.version));
                assert_eq!(
                    own.and_then(|one| one.row),
                    Some(row.version),
                    "{family} {}",
                    row.version
                );
            }
            for one in all(family) {
                let known = |version| family.rows().iter().any(|row| row.version == version);
                assert!(one.row.is_none_or(known), "{family} {}", one.version);
                assert_eq!(one.basis == Basis::Differs, !one.remark.is_empty(), "{}", one.version);
            }
        }
    }
}
