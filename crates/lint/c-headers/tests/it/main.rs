//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod common;
mod compiler_view;
mod debug;
mod edits;
mod header;
mod header_folders;
mod history;
mod hostile;
mod measured;
mod mutants;
mod rules;
