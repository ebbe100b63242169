//! StableHLO.
#![forbid(unsafe_code)]

mod bytecode;
pub mod rules;

pub use bytecode::{Bytecode, Dialect, Kind};
