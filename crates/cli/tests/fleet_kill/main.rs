//! `unskew fleet` killed at any moment, as a command and as a service: what there is afterwards is what was before, or
//! what should come.
//!
//! SIGKILL comes after a random part of the time that something takes when nobody kills it; `UNSKEW_KILLS=50` has it
//! come so often on each kind of storage, in place of a few times.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may; clippy knows only functions marked as tests"
)]

mod command;
mod ground;
mod job;
mod upload;
