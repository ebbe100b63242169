//! Every release that the package index lists: `cargo lab harvest published==FAMILY`.
//!
//! What a table already says of a release stays; a new release comes in as what its number tells: a row of its
//! own, a patch release of a minor that has a row, a build before a release, or nothing that the database knows.
//! `cargo lab harvest published==FAMILY@VERSION` compares a patch release with the one that has the row.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use unskew_lab_harness::run_command;
use unskew_releases::{Exact, Family};

const PATCHES: &str = "lab/harvest/probes/published_patches.py";

/// What is said of one release: its version, its day, the row, why, and what differs.
type Line = Vec<String>;

/// Brings the table of a family up to date, or compares one of its patch releases.
///
/// # Errors
/// If the index cannot be asked, or a package cannot be read.
pub(crate) fn harvest(asked: &str) -> Result<()> {
    let (family, version) = match asked.split_once('@') {
        Some((family, version)) => (family, Some(version)),
        None => (asked, None),
    };
    let family: Family = family.parse()?;
    let path =
        unskew_peers::root().join(format!("crates/judging/releases/data/{family}/published.tsv"));
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let head: String =
        text.lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    let known = text.lines().filter(|line| !line.starts_with('#'));
    let known: Vec<Line> =
        known.map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    let lines = match version {
        None => listed(family, &known)?,
        Some(version) => compared(family, known, version)?,
    };
    let lines = lines.iter().map(|line| format!("{}\n", line.join("\t")));
    fs::write(&path, head + &lines.collect::<String>()).with_context(|| path.display().to_string())
}

/// Every release of the index; those that the table lacks as their numbers tell.
fn listed(family: Family, known: &[Line]) -> Result<Vec<Line>> {
    let listing = run_command(
        Command::new("python3")
            .arg(unskew_peers::root().join(PATCHES))
            .args(["list", family.as_str()]),
    )?;
    let line = |listed: &str| -> Result<Line> {
        let (version, day) = listed.split_once('\t').context("no day")?;
        match known.iter().find(|line| line.first().is_some_and(|one| one == version)) {
            Some(line) => Ok(line.clone()),
            None => {
                println!("new: {version}");
                let (row, basis) = guessed(family, version)?;
                Ok([version, day, &row, basis].map(str::to_owned).to_vec())
            }
        }
    };
    listing.lines().map(line).collect()
}

/// The row by which a release is judged, as far as its number tells.
fn guessed(family: Family, version: &str) -> Result<(String, &'static str)> {
    let exact: Exact = version.parse()?;
    if exact.is_before_release() {
        return Ok(("-".to_owned(), "next"));
    }
    let rows = || family.rows().iter().map(|row| row.version);
    if exact.is_numbers() && rows().any(|row| row == exact.numbers) {
        return Ok((version.to_owned(), "row"));
    }
    let minor = |row: unskew_core::Version| (row.major(), row.minor());
    // Releases of JAX count up in the last number, and are no patches of each other.
    let near = rows().rfind(|row| family != Family::Jax && minor(*row) == minor(exact.numbers));
    Ok(near.map_or(("-".to_owned(), "-"), |row| (row.to_string(), "patch")))
}

/// Compares a patch release with the release that has the row.
fn compared(family: Family, mut known: Vec<Line>, version: &str) -> Result<Vec<Line>> {
    let line = known.iter_mut().find(|line| line.first().is_some_and(|one| one == version));
    let line = line.with_context(|| format!("not in the table: {version}"))?;
    let row = line.get(2).filter(|row| *row != "-" && *row != version).cloned();
    let row = row.with_context(|| format!("no row of another to compare with: {version}"))?;
    let said =
        run_command(Command::new("python3").arg(unskew_peers::root().join(PATCHES)).args([
            family.as_str(),
            version,
            &row,
        ]))?;
    let read: Vec<Vec<&str>> = said.lines().map(|line| line.split('\t').collect()).collect();
    let [one, other] = read.as_slice() else { bail!("not two lines: {said}") };
    if one.get(1) == Some(&"-") || other.get(1) == Some(&"-") {
        bail!("cannot be compared here: {said}");
    }
    let differs: Vec<&str> = one[2..]
        .iter()
        .filter(|cell| !cell.starts_with("unpickler=") && !other[2..].contains(cell))
        .filter_map(|cell| cell.split('=').next())
        .collect();
    line.truncate(3);
    if differs.is_empty() {
        line.push("compared".to_owned());
    } else {
        line.push("differs".to_owned());
        line.push(format!("{}; see which, and write it here", differs.join(", ")));
    }
    println!("{}", line.join("  "));
    Ok(known)
}
