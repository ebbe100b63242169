//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod bad_input;
mod choices;
mod environments;
mod image;
mod labels;
mod modules;
mod names;
mod plugins;
mod release_sources;
mod requirements;
mod unlisted;
