//! Who reads the artifacts of a fleet: processes of this program that can do nothing else.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use unskew_fleet::{Allowance, Inspectors};

/// Processes of this program that read artifacts.
pub fn inspectors(allowance: Allowance) -> Arc<Inspectors> {
    // This very program, also when another was put in its place since it began.
    let program = match cfg!(target_os = "linux") {
        true => PathBuf::from("/proc/self/exe"),
        // Without a name no program is run: one of that name may lie anywhere.
        false => std::env::current_exe().unwrap_or_default(),
    };
    Inspectors::new(allowance, move |allowance| {
        let mut command = Command::new(&program);
        let Allowance { memory, seconds } = allowance;
        command.args(["__inspect", &memory.to_string(), &seconds.to_string()]);
        command
    })
}
