//! `cargo xtask` and `cargo lab`: builds `unskew-xtask` with the features that the tests of the workspace have, and runs it.
//!
//! `cargo run --package unskew-xtask` would choose the features of its dependencies for itself alone. The tests choose
//! them for the whole workspace and for what only tests depend on, so most of what xtask stands on would be built twice.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let root = Path::new(env!("UNSKEW_ROOT"));
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let program = format!("debug/unskew-xtask{}", std::env::consts::EXE_SUFFIX);
    // As the tests are built: `cargo xtask test` leaves the Python module to what makes wheels. Only what asks for an
    // example, or a test, has the features that tests want of their dependencies: so there is one that is empty.
    let choice = [
        ["--exclude", "unskew-python"],
        ["--bin", "unskew-xtask"],
        ["--example", "features_of_tests"],
    ];
    let built = without_package(&mut Command::new(env!("CARGO")))
        .current_dir(root)
        .args(["build", "--quiet", "--workspace"])
        .args(choice.concat())
        .args(["--features", env!("UNSKEW_FEATURES")])
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return ExitCode::FAILURE;
    }
    let mut xtask = Command::new(root.join(target).join(program));
    match without_package(&mut xtask).args(std::env::args_os().skip(1)).status() {
        Ok(status) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            code.map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) => {
            eprintln!("{}: {error}", xtask.get_program().display());
            ExitCode::FAILURE
        }
    }
}

/// The command without what `cargo run` says of this package: build scripts ask for it, and would build their crates again
/// whenever cargo is called in the other way.
fn without_package(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        let told = name.to_string_lossy();
        if told.starts_with("CARGO_PKG_") || told.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}
