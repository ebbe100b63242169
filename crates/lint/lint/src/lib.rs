//! What people who change an interface hand in, and what it does to those who were built before.
//!
//! Promises are made about several kinds of files ([`unskew_kinds`]): C headers, protobuf files, dated histories,
//! locks of serialized types, tables of operators. What is the same for all of them is the way from a promise to an
//! exit status:
//!
//! 1. a [`Kind`](unskew_kinds::Kind) says what changed between two sides;
//! 2. [`boundary`] reads `unskew.toml`, which says what is promised about which files;
//! 3. [`baseline`] reads what they were: a revision, a folder, an archive, a package;
//! 4. [`judge`] holds the one against the other, on a day.
//!
//! Rules of the family `PO` are about promises.
#![forbid(unsafe_code)]

pub mod baseline;
pub mod boundary;
pub mod histories;
pub mod judge;
pub mod rules;
pub mod serdes;
