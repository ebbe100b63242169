//! Tests of the readers and the verdicts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod folders;
mod hostile;
mod servers;
