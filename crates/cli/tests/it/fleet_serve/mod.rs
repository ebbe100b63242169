//! `unskew fleet serve`, a real process asked over HTTP.

mod access;
mod clocks;
mod description;
mod endings;
mod hostile;
mod idle;
mod jobs;
mod schema;
mod secrets;
mod served;
#[cfg(target_os = "linux")]
mod strangers;
mod trouble;
mod uploads;
