//! Tests of the reader, the verdicts and the conversion.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod converted;
mod hostile;
mod verdicts;
