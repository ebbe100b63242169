//! `unskew lint` on repositories with a dated history: what counts is what was promised, on that day.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test may fail")]

mod configuration;
mod landing;
mod policy;
mod repository;
mod windows;
