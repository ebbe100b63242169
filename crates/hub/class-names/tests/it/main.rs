//! Tests of this crate as those who use it see it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod hostile;
mod verdicts;
