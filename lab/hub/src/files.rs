//! Folders with what releases write, and the rows of what was measured of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use unskew_core::Version;
use unskew_definitions::Runs;

/// Makes a folder, without what an earlier run left there.
pub fn make_empty(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

/// The folders in a folder, in the order of their names.
pub fn folders(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let all = folder.read_dir().with_context(|| folder.display().to_string())?;
    let mut found: Vec<PathBuf> =
        all.filter_map(|one| Some(one.ok()?.path())).filter(|path| path.is_dir()).collect();
    found.sort();
    Ok(found)
}

/// Rows with the releases that have each, as the database has them. `releases` are all that were measured, the oldest first.
pub fn measured_rows(releases: &[Version], rows: &BTreeMap<String, BTreeSet<Version>>) -> String {
    let names: Vec<String> = releases.iter().map(Version::to_string).collect();
    let lines = rows.iter().map(|(row, has)| {
        format!("{row}\t{}\n", Runs::from_releases(releases, |one| has.contains(&one)))
    });
    // In the order of whole lines, not of rows.
    let lines: BTreeSet<String> = lines.collect();
    std::iter::once(format!("#releases\t{}\n", names.join(" "))).chain(lines).collect()
}
