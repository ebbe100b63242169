//! `unskew fleet serve`, a real process asked over HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may; clippy knows only functions marked as tests"
)]

mod access;
mod clocks;
mod description;
mod endings;
mod hostile;
mod idle;
mod jobs;
mod schema;
mod served;
mod trouble;
mod uploads;
