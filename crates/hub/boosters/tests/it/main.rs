//! Tests of the reader and the verdicts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod files;
mod hostile;
mod pickles;
mod verdicts;
