//! Files of packages, fetched from the package index.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

/// The program that asks the package index; it needs nothing but Python 3 with pip.
const FETCH: &str = include_str!("fetch.py");

/// Fetches `file` of a package to `place`; where there are `patterns`, its members that match into that folder.
///
/// # Errors
/// If Python is missing, or the index does not have the file.
pub fn fetch<S: AsRef<OsStr>>(
    package: &str,
    file: &str,
    place: &Path,
    patterns: &[S],
) -> anyhow::Result<()> {
    let status = Command::new("python3")
        .args(["-c", FETCH, package, file])
        .arg(place)
        .args(patterns)
        .status()
        .context("cannot run python3; install Python 3 with pip (Debian: python3-pip)")?;
    ensure!(status.success(), "{file} was not fetched");
    Ok(())
}
