//! `cargo xtask pictures`: the pictures of the README, drawn from what the command prints.
//!
//! Each is made in a folder that has nothing but `examples`, as a reader of a fresh clone has it.

mod strip;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anstyle_svg::Term;
use anyhow::{Context as _, ensure};

/// The folder of the pictures, from the root of the repository.
const FOLDER: &str = "docs/images";

/// The terminal picture at the head of the README: a failing check, the conversion, and the check of its result.
const SESSION: [&str; 3] = [
    "unskew check examples/gelu-2.15.0.pt",
    "unskew convert examples/gelu-2.15.0.pt --to torch@1.4 -o old.pt",
    "unskew check old.pt torch@1.4",
];

/// The day on which promises are judged: a picture is the same on every day.
const AS_OF: &str = "2026-11-30";

/// Draws the pictures with this command as `unskew`, and writes them, or compares them with what is there.
///
/// # Errors
/// If a command cannot be run, or, with `check`, a picture is stale.
pub fn run(unskew: &Path, check: bool) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let folder = tempfile::tempdir()?;
    std::os::unix::fs::symlink(root.join("examples"), folder.path().join("examples"))?;
    let pictures = [
        ("check-convert-check.svg", session(unskew, folder.path())?),
        ("examples-by-release.svg", strip::draw(&table(unskew, folder.path())?)?),
    ];
    let mut stale: Vec<PathBuf> = Vec::new();
    for (name, picture) in pictures {
        let place = Path::new(FOLDER).join(name);
        if !check {
            fs::create_dir_all(root.join(FOLDER))?;
            fs::write(root.join(&place), picture)?;
        } else if fs::read_to_string(root.join(&place)).ok().as_deref() != Some(&*picture) {
            stale.push(place);
        }
    }
    ensure!(stale.is_empty(), "stale, run `cargo xtask pictures`: {stale:?}");
    println!("pictures: {}", if check { "none is stale" } else { "drawn" });
    Ok(())
}

/// The commands and what they print, with the colours of a terminal.
fn session(unskew: &Path, folder: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    for command in SESSION {
        let arguments = command.strip_prefix("unskew ").context("a command of unskew")?;
        let arguments =
            ["--color", "always", "--as-of", AS_OF].into_iter().chain(arguments.split(' '));
        let _ = writeln!(
            text,
            "$ \x1b[1m{command}\x1b[0m\n{}\n",
            output(unskew, folder, arguments)?.trim_end()
        );
    }
    Ok(Term::new().render_svg(text.trim_end()) + "\n")
}

/// The examples by releases of PyTorch, as CSV.
fn table(unskew: &Path, folder: &Path) -> anyhow::Result<String> {
    let arguments = "matrix examples --with torch --format csv --as-of";
    output(unskew, folder, arguments.split(' ').chain([AS_OF]))
}

/// What the command prints; status 1 says that something has a finding.
fn output<'a>(
    unskew: &Path,
    folder: &Path,
    arguments: impl Iterator<Item = &'a str>,
) -> anyhow::Result<String> {
    let ran = Command::new(unskew).current_dir(folder).args(arguments).output()?;
    let errors = String::from_utf8_lossy(&ran.stderr);
    ensure!(ran.status.code().is_some_and(|code| code < 2), "{}: {errors}", unskew.display());
    Ok(String::from_utf8(ran.stdout)?)
}
