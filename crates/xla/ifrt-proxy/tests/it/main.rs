//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod abacus;
mod bad_input;
mod clients;
mod hostile;
mod life;
mod requests;
mod sessions;
