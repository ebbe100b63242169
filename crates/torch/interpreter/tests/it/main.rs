//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod archives;
mod cases;
mod conversions;
mod corpus;
mod exported;
mod golden;
mod hostile;
mod newest;
mod properties;
mod quantized;
mod samples;
mod schemas;
