//! Other programs, asked.

use std::process::Command;

use anyhow::{Context as _, bail};

/// What a command prints.
///
/// # Errors
/// If it cannot be started, or fails: with what it says on its standard error.
pub fn run_command(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
