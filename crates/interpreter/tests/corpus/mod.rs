//! The files that 24 releases wrote, with the inputs that they were given and what they gave, as
//! `unskew_torch_matrix` has them for the real releases.
#![allow(dead_code, unused_imports, reason = "each test uses a part")]

use std::collections::BTreeMap;

use unskew_interpreter::Value;
use unskew_torch_matrix::recorded::{self, value};

pub use unskew_torch_matrix::recorded::{difference, source};

/// Every file by `release/name`.
pub fn files() -> BTreeMap<String, Vec<u8>> {
    recorded::files().unwrap()
}

/// What a release recorded for a model.
pub struct Recorded {
    /// `1.10.2/add`.
    pub model: String,
    pub inputs: Vec<Value>,
    /// What it gave; none if it refused.
    pub output: Option<Value>,
}

pub fn recorded() -> Vec<Recorded> {
    let row = |row: recorded::Recorded| Recorded {
        inputs: row.values().unwrap(),
        output: row.output.as_ref().map(|output| value(output).unwrap()),
        model: row.model,
    };
    recorded::all().unwrap().into_iter().map(row).collect()
}
