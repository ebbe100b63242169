//! Files of `jax.export`: what they hold, and which JAX releases load and call them.
//!
//! `jax.export.export(f)(...).serialize()` gives a flatbuffer: names and trees of the arguments, dtypes, shardings,
//! platforms, the number of devices, and the program as a StableHLO artifact. Its format has had twelve versions since
//! November 2023. The number that a file stores is not one of them: every JAX up to 0.8.1 wrote 2, and those up to
//! 0.11.0 wrote 3. So the version is told by the fields that are there ([`Exported::oldest_format`]).
//!
//! A JAX goes through a file in this order, and a verdict too:
//!
//! 1. **load** (`jax.export.deserialize`): the stored number, what its makers no longer read, dtypes, classes of pytrees;
//! 2. **call**: the number of devices, shardings, and then the program, by the rules of StableHLO.
//!
//! [`convert`] writes a file for another JAX: tables for the function and its gradients, with the fields that this JAX
//! looks for, are put in front of the old ones and lead to the same children; programs are written for its StableHLO.
//!
//! What each release knows stands in `data/readers.toml`, read from the published packages; `lab/xla/probes/export_read.py`
//! asks real releases, and `cargo lab jax-export` holds the verdicts against what they say.
#![forbid(unsafe_code)]

mod convert;
mod exported;
mod format;
mod jax_reader;
mod party;
pub mod rules;
mod schema;
mod verdict;

pub use convert::convert;
pub use exported::{Exported, Marks};
pub use format::{history, policy};
pub use jax_reader::reader;
pub use party::party;

/// The axis of JAX releases as readers of these files.
pub const AXIS: &str = "jax.export";
