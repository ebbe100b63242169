//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod data;
mod tensorflow_battery;
mod tensorflow_behaviour;
mod tensorflow_kernels;
mod tensorflow_loaders;
