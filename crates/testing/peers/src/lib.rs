//! The real releases of frameworks that tests compare with: one way to find one, and one to run it.
//!
//! A [`Peer`] is a Python environment of the corpus (`corpus/python/jax-0.10.2`), made from pinned requirements by
//! `cargo xtask corpus`. [`run_probe`] starts a program in it, in a process of its own with a time limit, since what a
//! framework often does with a file or plug-in that it does not like is to die. A probe prints one line of JSON per
//! step; a [`ProbeOutcome`] has the steps and how the process ended.
//!
//! `cargo xtask test` makes no environments, so a test that needs one asks first whether it is [`there`]:
//!
//! ```
//! if !unskew_peers::there("jax-99.0.0") {
//!     // It has printed why. `cargo xtask test --real` makes the environments, and then a missing one is a failure.
//!     return;
//! }
//! ```
#![forbid(unsafe_code)]

mod peer;
mod probe_outcome;
mod run;
mod stubs;
mod torch;

pub use peer::{Peer, PeerError, there};
pub use probe_outcome::{ProbeOutcome, ProbeStep, ProcessEnd};
pub use run::run_probe;
pub use stubs::StubError;
pub use torch::{TorchError, torch_command, torch_stubs};

use std::path::{Path, PathBuf};

/// The root of the repository, where the corpus and the laboratory lie.
pub fn root() -> &'static Path {
    Path::new(env!("UNSKEW_ROOT"))
}

/// A script of the laboratory: `lab/SUBJECT/probes/SCRIPT`.
pub fn probe(subject: &str, script: &str) -> PathBuf {
    root().join("lab").join(subject).join("probes").join(script)
}
