//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod bad_input;
mod choices;
mod environments;
mod gpu;
mod image;
mod keywords;
mod labels;
#[path = "../../../../c-abi/cuda/tests/it/made.rs"]
mod made;
mod modules;
mod names;
mod plugins;
mod release_sources;
mod requirements;
mod source_cache;
mod unlisted;
