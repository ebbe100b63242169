//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod large;
mod query;
mod registries;
mod resume;
mod scan;
mod stores;
mod table;
