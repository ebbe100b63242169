//! Reader processes of a fleet's artifacts, which can do nothing else.

use std::process::Command;
use std::sync::Arc;

use unskew_fleet::{Allowance, Inspectors};

use crate::verbs::this_program;

/// Processes of this program that read artifacts.
pub fn inspectors(allowance: Allowance) -> Arc<Inspectors> {
    let program = this_program();
    Inspectors::new(allowance, move |allowance| {
        let mut command = Command::new(&program);
        let Allowance { memory, seconds } = allowance;
        command.args(["__inspect", &memory.to_string(), &seconds.to_string()]);
        command
    })
}
