//! Tables of what a span of releases has: a row is a name, more cells, the first release and the last one (empty: the
//! newest).

use unskew_core::Version;

/// The releases that a table was made of, oldest first.
pub(super) fn releases(text: &str) -> Vec<Version> {
    let line = text.lines().find_map(|line| line.strip_prefix("#releases\t"));
    line.unwrap_or_default().split(' ').filter_map(|release| release.parse().ok()).collect()
}

pub(super) fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

/// The cells of the rows that hold for a release, without those that say so.
pub(super) fn cells(
    text: &'static str,
    release: Version,
) -> impl Iterator<Item = Vec<&'static str>> {
    rows(text).filter_map(move |mut row| {
        let until: Option<Version> = row.pop()?.parse().ok();
        let since: Version = row.pop()?.parse().ok()?;
        (since <= release && until.is_none_or(|until| release <= until)).then_some(row)
    })
}

/// The names that a release has, each with its second cell.
pub(super) fn names(
    text: &'static str,
    release: Version,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    cells(text, release).filter_map(|row| Some((*row.first()?, *row.get(1)?)))
}
