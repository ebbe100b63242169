//! Reader processes of the artifacts of a scan.

use std::process::Command;

use unskew_scan::{Allowance, JudgeProcesses, Question};

use crate::verbs::this_program;

/// Processes of this program that judge artifacts.
pub fn processes(question: &Question) -> JudgeProcesses {
    let program = this_program();
    let budget = unskew_source::budget::scale().to_string();
    // A runtime in a store is read by each of them, with the settings of the store.
    let settings = question.with.iter().any(|name| unskew_artifact::is_uri(name));
    let temporary = std::env::var_os("TMPDIR");
    JudgeProcesses::new(move |allowance| {
        let mut command = Command::new(&program);
        let Allowance { memory, seconds } = allowance;
        command.args(["--budget", &budget, "__judge", &memory.to_string(), &seconds.to_string()]);
        command.envs(temporary.as_ref().map(|folder| ("TMPDIR", folder)));
        if settings {
            command.envs(std::env::vars_os());
        }
        command
    })
}
