//! A type with everything that versioned serialization has.

use unskew_serdes::{Format, family};

family!(/** A family of three versions. */ pub Stored = "src/stored.history.toml");

/// An element type.
#[derive(Debug, PartialEq, Clone, Copy, Default, Format)]
#[format(family = Stored, plain, view)]
pub enum Kind {
    /// A truth value.
    #[default]
    #[format(id = 1)]
    Pred,
    /// Single precision.
    #[format(id = 11)]
    F32,
    /// Six bits.
    #[format(id = 32, since = 2)]
    F6,
}

/// A sharding.
#[derive(Debug, Default, PartialEq, Clone, Format)]
#[format(family = Stored, view)]
pub struct Sharding {
    /// Numbers in the least width.
    pub axes: Vec<u32>,
    /// Came later.
    #[format(since = 1)]
    pub unreduced: Vec<i64>,
}

/// A value of everything.
#[derive(Debug, PartialEq, Clone, Format)]
#[format(family = Stored, view)]
pub struct Spec {
    /// A text.
    pub name: String,
    /// An enumeration.
    pub kind: Kind,
    /// Nested, and perhaps absent.
    pub sharding: Option<Sharding>,
    /// A list of nested values.
    pub others: Vec<Sharding>,
    /// Bytes.
    pub layout: Vec<u8>,
    /// Went.
    #[format(until = 1)]
    pub legacy: u32,
    /// Came later.
    #[format(since = 2)]
    pub scale: u64,
    /// May be skipped.
    #[format(since = 1, skippable)]
    pub comment: String,
}
