//! Real entries, and what is done to them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod broken;
mod caches;
