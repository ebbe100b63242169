//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod bytes;
mod checkpoints;
mod convert;
mod fingerprints;
mod graphs;
mod real;
mod registries;
mod savers;
mod written;
