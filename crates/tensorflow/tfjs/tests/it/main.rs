//! Tests of the reader and the verdicts, on models that the converter wrote and on any bytes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod hostile;
mod models;
