//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod cover;
mod databases;
mod depot;
mod postgres;
mod prune;
mod real;
mod service;
mod store;
mod survey;
