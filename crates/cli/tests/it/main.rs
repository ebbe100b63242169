//! The integration tests of this crate as one program, so that its dependencies are linked once.
//!
//! Beside it: `cli`, whose harness is its own; `fleet_kill` and `fleet_two`, which need a machine without other tests:
//! they choose moments and measure times.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

#[cfg(all(unix, not(feature = "fleet")))]
mod absent;
mod adapt_failed;
mod axe;
mod browser;
mod ci;
mod conform_hosts;
#[cfg(any(feature = "run", feature = "serve"))]
mod current_folder;
mod device;
mod environment;
#[cfg(feature = "fleet")]
mod fleet;
#[cfg(feature = "fleet")]
mod fleet_pages;
#[cfg(feature = "fleet")]
mod fleet_serve;
#[cfg(feature = "fleet")]
mod fleet_trouble;
mod hostile_text;
#[cfg(feature = "serve")]
mod jax;
mod killed;
#[cfg(feature = "cloud")]
mod lock_fetch;
mod operators;
mod options;
mod outputs;
#[cfg(feature = "cloud")]
mod package;
mod page;
mod programs;
mod readme;
#[cfg(feature = "run")]
mod run_crash;
#[cfg(feature = "run")]
mod run_files;
mod sandbox;
#[cfg(feature = "scan")]
mod scan_budget;
mod schemas;
mod security;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod sources;
#[cfg(feature = "scan")]
mod store;
mod tf_ops;
