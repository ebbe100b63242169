//! One released runtime, as the database lists it.

use unskew_core::{Date, Version};
use unskew_definitions::{Rows, Runs};

/// A release of one family: what `unskew releases` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseRow {
    /// The exact version: `1.10.2`.
    pub version: Version,
    /// The day of the release.
    pub released: Date,
}

/// One operator of one release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The name: `aten::gelu`, `Cast`.
    pub name: String,
    /// The whole schema or definition on one line.
    pub text: String,
    /// The first release of the database that has this definition.
    pub since: Version,
    /// The last release that has it; none if the newest release has it.
    pub until: Option<Version>,
}

/// The operators of `release` among `rows`: all overloads of the one called `pattern`, or, if there is
/// none, those whose name with its overload contains it.
pub(crate) fn search(rows: &Rows, release: Version, pattern: &str) -> Vec<Operator> {
    let operator = |(text, runs): (&str, &str)| {
        let name = text.split('(').next().unwrap_or(text).to_owned();
        let run = *runs.parse::<Runs>().ok()?.run_of(release)?;
        Some(Operator { name, text: text.to_owned(), since: run.since, until: run.until })
    };
    let exact: Vec<Operator> = rows.named(pattern).filter_map(operator).collect();
    if !exact.is_empty() {
        return exact;
    }
    let contains =
        |row: &(&str, &str)| row.0.split('(').next().is_some_and(|name| name.contains(pattern));
    rows.iter().filter(contains).filter_map(operator).collect()
}
