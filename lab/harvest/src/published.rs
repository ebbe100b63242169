//! Every release that the package index lists: `cargo lab harvest published==FAMILY`.
//!
//! What a table already says of a release stays; a new release comes in as what its number tells: a row of its
//! own, a patch release of a minor that has a row, a build before a release, or nothing that the database knows.
//! `cargo lab harvest published==FAMILY@VERSION` compares a patch release with the one that has the row.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use unskew_core::Date;
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
    let path = table(family);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let head: String =
        text.lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    let known = known_lines(&text);
    let lines = match version {
        None => listed(family, &known)?,
        Some(version) => compared(family, known, version)?,
    };
    let lines = lines.iter().map(|line| format!("{}\n", line.join("\t")));
    fs::write(&path, head + &lines.collect::<String>()).with_context(|| path.display().to_string())
}

/// A release that the index of its family lists.
pub(crate) struct ListedRelease {
    pub(crate) version: Exact,
    /// The day of its first upload.
    pub(crate) day: Date,
    /// Whether the table of the family has it.
    pub(crate) is_known: bool,
}

/// Every release that the index lists, oldest first.
///
/// # Errors
/// If the index cannot be asked.
pub(crate) fn listed_releases(family: Family) -> Result<Vec<ListedRelease>> {
    let known = known_lines(&fs::read_to_string(table(family))?);
    let release = |(written, day): (String, String)| {
        let is_known = known.iter().any(|line| line.first() == Some(&written));
        let (version, day) = (written.parse()?, day.parse().with_context(|| day.clone())?);
        Ok(ListedRelease { version, day, is_known })
    };
    index_listing(family)?.into_iter().map(release).collect()
}

/// The versions of the index and their days, as the table writes them.
fn index_listing(family: Family) -> Result<Vec<(String, String)>> {
    let listing = run_command(
        Command::new("python3")
            .arg(unskew_peers::root().join(PATCHES))
            .args(["list", family.as_str()]),
    )?;
    let line = |line: &str| {
        let (version, day) = line.split_once('\t').context("no day")?;
        Ok((version.to_owned(), day.to_owned()))
    };
    listing.lines().map(line).collect()
}

fn table(family: Family) -> PathBuf {
    unskew_peers::root().join(format!("crates/judging/releases/data/{family}/published.tsv"))
}

fn known_lines(text: &str) -> Vec<Line> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Every release of the index; those that the table lacks as their numbers tell.
fn listed(family: Family, known: &[Line]) -> Result<Vec<Line>> {
    let line = |(version, day): (String, String)| -> Result<Line> {
        match known.iter().find(|line| line.first() == Some(&version)) {
            Some(line) => Ok(line.clone()),
            None => {
                println!("new: {version}");
                let (row, basis) = guessed(family, &version)?;
                Ok(vec![version, day, row, basis.to_owned()])
            }
        }
    };
    index_listing(family)?.into_iter().map(line).collect()
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
