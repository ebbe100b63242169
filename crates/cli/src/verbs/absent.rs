//! Verbs that this build does not have: done by a command beside it that has them, as git does it; else an error that says how to get one.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::args::DisabledVerbArgs;
use crate::exit::CallStatus;

/// The command with every verb that is published: `pip install 'unskew[full]'` puts it beside this one.
const FULL: &str = if cfg!(windows) { "unskew-full.exe" } else { "unskew-full" };

pub fn run(args: &DisabledVerbArgs, verb: &str, feature: &str) -> anyhow::Result<CallStatus> {
    if let Some(full) = beside(&std::env::current_exe()?) {
        return hand_over(&full);
    }
    let mut asked = format!("unskew {verb}");
    for argument in &args.arguments {
        asked.push(' ');
        asked.push_str(&argument.to_string_lossy());
    }
    bail!(
        "this build of Unskew has no `{verb}`, so this was not done: {asked}\n\
         \x20 get one that has it: pip install 'unskew[full]', or cargo build --release --features {feature}"
    )
}

/// The full command beside this one, if it is installed and this is not it.
fn beside(own: &Path) -> Option<PathBuf> {
    let full = own.with_file_name(FULL);
    (full != own && full.is_file()).then_some(full)
}

/// Does what was asked of this process in the other command: same arguments, same exit status.
#[cfg(unix)]
fn hand_over(full: &Path) -> anyhow::Result<CallStatus> {
    use std::os::unix::process::CommandExt as _;
    // Its help is that of the command that was called.
    let error = Command::new(full).arg0("unskew").args(std::env::args_os().skip(1)).exec();
    Err(error).with_context(|| full.display().to_string())
}

#[cfg(not(unix))]
fn hand_over(full: &Path) -> anyhow::Result<CallStatus> {
    let done = Command::new(full).args(std::env::args_os().skip(1)).status();
    let done = done.with_context(|| full.display().to_string())?;
    std::process::exit(done.code().unwrap_or(2))
}
