//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod hub;
mod s3;
mod web;
