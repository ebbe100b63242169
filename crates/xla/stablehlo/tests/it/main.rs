//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod agreement;
mod asks;
mod differential;
mod hostile;
mod parse;
mod parties;
mod print;
mod programs;
mod rewrite;
