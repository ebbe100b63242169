//! Pages that are made from something else: written, or held against what is there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

/// The first line of every page that is made, for whoever would edit it.
pub const MARK: &str = "<!-- made by `cargo xtask docs`; the source is named at the end -->\n\n";

/// Writes the pages, by their paths from the root of the repository. Of `folders` every page is made: what is no longer
/// made is removed.
///
/// # Errors
/// If a page cannot be read or written.
pub fn write(pages: &BTreeMap<PathBuf, String>, folders: &[&str]) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let leftover = leftover(root, pages, folders)?;
    let changed = stale(root, pages).len() + leftover.len();
    for (path, text) in pages {
        let path = root.join(path);
        let folder = path.parent().context("no parent folder")?;
        std::fs::create_dir_all(folder)?;
        std::fs::write(&path, text).with_context(|| format!("{}", path.display()))?;
    }
    for path in leftover {
        std::fs::remove_file(root.join(path))?;
    }
    println!("docs: {} pages, {changed} changed", pages.len());
    Ok(())
}

/// Compares the pages with those that lie in the repository.
///
/// # Errors
/// If one is stale.
pub fn check(pages: &BTreeMap<PathBuf, String>) -> anyhow::Result<()> {
    let stale = stale(unskew_peers::root(), pages);
    ensure!(stale.is_empty(), "stale, run `cargo xtask docs`: {}", stale.join(", "));
    println!("docs: {} pages, none is stale", pages.len());
    Ok(())
}

fn stale(root: &Path, pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let differs = |(path, text): &(&PathBuf, &String)| {
        std::fs::read_to_string(root.join(path)).ok().as_ref() != Some(*text)
    };
    pages.iter().filter(differs).map(|(path, _)| path.display().to_string()).collect()
}

fn leftover(
    root: &Path,
    pages: &BTreeMap<PathBuf, String>,
    folders: &[&str],
) -> anyhow::Result<Vec<PathBuf>> {
    let mut left = Vec::new();
    for made in folders {
        let folder = root.join(made);
        if folder.is_dir() {
            for entry in folder.read_dir()? {
                let path = Path::new(made).join(entry?.file_name());
                if !pages.contains_key(&path) {
                    left.push(path);
                }
            }
        }
    }
    left.sort();
    Ok(left)
}
