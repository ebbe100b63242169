//! Lint of interfaces: what people who change one hand in, and what it does to those who were built before.
//!
//! Promises are made about several kinds of files ([`unskew_kinds`]): C headers, protobuf files, dated histories,
//! locks of serialized types, tables of operators. What is the same for all of them is the way from a promise to an
//! exit status:
//!
//! 1. a [`Kind`](unskew_kinds::InterfaceKind) says what changed between two sides;
//! 2. a [`LintConfig`] is what stands in `unskew.toml`, which says what is promised about which files;
//! 3. a [`BaselinePlace`] says where they are as they were, and a [`Snapshot`] reads them from its [`Sources`]: a revision, a folder, an archive, a package;
//! 4. [`lint`](lint()) holds the one against the other, on a day.
//!
//! Rules of the family `PO` are about promises.
#![forbid(unsafe_code)]

mod baseline;
mod boundary;
mod histories;
mod judge;
pub mod rules;
mod serdes;

pub use baseline::{
    BaselineError, BaselinePackage, BaselinePlace, Commit, IndexedFile, PackageSource, Repository,
    Snapshot, Sources, States,
};
pub use boundary::{
    Acceptance, Against, AnnouncedMajor, AnnouncedRemoval, Boundary, DatedRelease, Known,
    LintConfig, LintConfigError, Majors, PathScope, Paths, PromiseText, ReaderFirst, Weight,
};
pub use histories::Histories;
pub use judge::{FileVerdict, LintFailure, LintRequest, LintResult, fingerprint, lint};
pub use serdes::Serdes;
