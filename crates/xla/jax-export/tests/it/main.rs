//! Real files of `jax.export`, written by five releases: what they hold, who reads them, and what broken ones do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod broken;
mod converted;
mod files;
mod verdicts;
