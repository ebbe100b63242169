//! Golden tests of the command: each file `tests/cli/**/*.test` says in its first lines what is run,
//! and below them what it prints. `tests/cli/readme.test` explains the notation.
//!
//! `UNSKEW_BLESS=1 cargo test -p unskew-cli --test cli` writes what the command prints now into the
//! files; the review is the difference. The examples of rules are run with them (`tests/examples`).

mod examples;
mod golden;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use golden::{Golden, Ran};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut files = Vec::new();
    if let Err(error) = collect(&root, &mut files) {
        eprintln!("{}: {error}", root.display());
        return ExitCode::FAILURE;
    }
    files.sort();
    let mut trials: Vec<Trial> = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || run(&path))
        })
        .collect();
    match examples::trials() {
        Ok(examples) => trials.extend(examples),
        Err(error) => {
            eprintln!("the files of rules: {error}");
            return ExitCode::FAILURE;
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "test") {
            files.push(path);
        }
    }
    Ok(())
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let golden = Golden::parse(&text)?;
    let printed = match golden.run()? {
        Ran::Printed(printed) => printed,
        Ran::Skipped(why) => {
            println!("skipped {}: {why}", path.display());
            return Ok(());
        }
    };
    let fresh = golden.with(&printed);
    if fresh == text {
        return Ok(());
    }
    if std::env::var_os("UNSKEW_BLESS").is_some() {
        std::fs::write(path, fresh)?;
        return Ok(());
    }
    let difference = similar::TextDiff::from_lines(&text, &fresh);
    let shown = difference.unified_diff().context_radius(3).to_string();
    Err(format!("{shown}\nUNSKEW_BLESS=1 accepts the new output").into())
}
