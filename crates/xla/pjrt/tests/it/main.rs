//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod agreement;
mod callbacks;
mod compiled;
mod conform;
mod corpus;
mod extensions;
mod host;
mod host_page;
mod layout;
mod load;
mod made;
mod made_extensions;
mod made_profiler;
mod past;
mod probe;
mod programs;
mod table;
mod transfers;
