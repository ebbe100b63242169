//! The integration tests of this crate as one program, so that its dependencies are linked once.
//!
//! Beside it: `memory`, which counts what its process allocates.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod derive;
mod guard;
mod properties;
mod proto;
mod versions;
