//! Tests of the boundary on models that are made here, and on any bytes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod convert;
mod faults;
mod hostile;
mod models;
mod ort;
mod proto;
mod shapes;
mod text;
