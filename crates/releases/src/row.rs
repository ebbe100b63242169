//! One released runtime, as the database lists it.

use unskew_core::{Date, Fact, Version};

/// A release of one family: what `unskew releases` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The exact version: `1.10.2`.
    pub version: Version,
    /// The day of the release.
    pub released: Date,
    /// Its versions on the axes of its family, in words: `file format`, `1 to 6`.
    pub axes: Vec<Fact>,
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
