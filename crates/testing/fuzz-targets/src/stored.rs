//! A type with everything that versioned serialization has.

use unskew_serdes::{Format, family};

family!(/** A family of three versions. */ pub StoredFamily = "src/stored.history.toml");

/// An enumeration whose last value came with version 2.
#[derive(Debug, PartialEq, Clone, Copy, Default, Format)]
#[format(family = StoredFamily, plain, view)]
pub enum StoredScalar {
    /// The value of `StoredScalar::default()`.
    #[default]
    #[format(id = 1)]
    Pred,
    /// A value of all versions, with a gap before it.
    #[format(id = 11)]
    F32,
    /// A value that version 2 brought.
    #[format(id = 32, since = 2)]
    F6,
}

/// A structure that stands in others.
#[derive(Debug, Default, PartialEq, Clone, Format)]
#[format(family = StoredFamily, view)]
pub struct StoredSharding {
    /// Numbers in the least width.
    pub axes: Vec<u32>,
    /// A list that version 1 brought.
    #[format(since = 1)]
    pub unreduced: Vec<i64>,
}

/// A value of everything.
#[derive(Debug, PartialEq, Clone, Format)]
#[format(family = StoredFamily, view)]
pub struct StoredSpec {
    /// A text of any length.
    pub name: String,
    /// An enumeration of the same family.
    pub kind: StoredScalar,
    /// Nested, and perhaps absent.
    pub sharding: Option<StoredSharding>,
    /// A list of nested values.
    pub others: Vec<StoredSharding>,
    /// Bytes that need not be UTF-8.
    pub layout: Vec<u8>,
    /// A field that newer versions do not have.
    #[format(until = 1)]
    pub legacy: u32,
    /// A field that version 2 brought.
    #[format(since = 2)]
    pub scale: u64,
    /// A field that older readers may skip.
    #[format(since = 1, skippable)]
    pub comment: String,
}
