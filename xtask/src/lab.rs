//! `cargo lab`: the laboratory, a crate for each subject. What each command does, what it makes and what it costs is stated
//! in `lab/SUBJECT/experiments.toml`; the crate of the one that is named is built, and no other.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, ensure};
use unskew_lab_harness::catalogue;

/// Which command of the laboratory is run.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Lab {
    /// The command; all are listed if none is named.
    name: Option<String>,
    /// Its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Lists the commands, or runs the one that is named.
///
/// # Errors
/// If there is no such command, its crate is not built, or it fails.
pub fn start(lab: &Lab) -> anyhow::Result<()> {
    match lab.name.as_deref() {
        None | Some("-h" | "--help" | "help") => list(),
        Some(name) => run(name, lab.arguments.iter().cloned()),
    }
}

/// Prints every command: what it does, what it holds that against, what it makes, what it costs.
fn list() -> anyhow::Result<()> {
    let mut of = String::new();
    for (subject, one) in catalogue::all()? {
        if subject != of {
            println!("\n{subject} (lab/{subject})");
            of = subject;
        }
        println!("  {:24} {}", one.name, one.summary);
        let cost = one.cost();
        for (what, text) in [("against", &one.oracle), ("makes", &one.makes), ("takes", &cost)] {
            if !text.is_empty() {
                println!("  {:24}   {what}: {}", "", text.replace('`', ""));
            }
        }
    }
    println!("\ncargo lab NAME --help has the arguments of each.");
    Ok(())
}

/// Builds the crate of a command and runs that.
///
/// # Errors
/// If there is no such command, its crate is not built, or it fails.
pub fn run(name: &str, arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    let all = catalogue::all()?;
    let found = all.iter().find(|(_, one)| one.name == name);
    let (subject, _) =
        found.with_context(|| format!("`cargo lab` lists what there is; no {name}"))?;
    let program = format!("unskew-lab-{subject}");
    build(&program)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    let program = format!("debug/{program}{}", std::env::consts::EXE_SUFFIX);
    let mut command = Command::new(unskew_peers::root().join(target).join(program));
    let status = command.arg(name).args(arguments).status().context("a command of the lab")?;
    ensure!(status.success(), "cargo lab {name}: {status}");
    Ok(())
}

/// Builds a program with the features that tests have, as the launcher builds this one.
fn build(program: &str) -> anyhow::Result<()> {
    let choice = ["--exclude", "unskew-python", "--bin", program, "--example", "features_of_tests"];
    let status = Command::new(env!("CARGO"))
        .current_dir(unskew_peers::root())
        .args(["build", "--quiet", "--workspace"])
        .args(choice)
        .args(["--features", env!("UNSKEW_FEATURES")])
        .status()?;
    ensure!(status.success(), "{program} was not built");
    Ok(())
}
