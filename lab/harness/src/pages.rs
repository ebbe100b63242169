//! Pages that are made from something else: written, or held against what is there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// The first line of every page that is made, for whoever would edit it.
pub const MARK: &str = "<!-- made by `cargo xtask docs`; the source is named at the end -->\n\n";

/// Writes the pages, by their paths from the root of the repository, or, with `check`, says which of them are stale. Of
/// `folders` every page is made: what is no longer made is removed.
///
/// # Errors
/// If a page cannot be read or written, or one is stale.
pub fn write(
    pages: &BTreeMap<PathBuf, String>,
    folders: &[&str],
    check: bool,
) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let stale = stale(root, pages, folders)?;
    if check && !stale.is_empty() {
        bail!("stale, run `cargo xtask docs`: {}", stale.join(", "));
    }
    if !check {
        for (path, text) in pages {
            let path = root.join(path);
            let folder = path.parent().context("no parent folder")?;
            std::fs::create_dir_all(folder)?;
            std::fs::write(&path, text).with_context(|| format!("{}", path.display()))?;
        }
        for path in leftover(root, pages, folders)? {
            std::fs::remove_file(root.join(path))?;
        }
    }
    println!("docs: {} pages, {} changed", pages.len(), stale.len());
    Ok(())
}

/// The pages that differ, are missing, or are no longer made.
fn stale(
    root: &Path,
    pages: &BTreeMap<PathBuf, String>,
    folders: &[&str],
) -> anyhow::Result<Vec<String>> {
    let differs = |(path, text): &(&PathBuf, &String)| {
        std::fs::read_to_string(root.join(path)).ok().as_ref() != Some(*text)
    };
    let changed = pages.iter().filter(differs).map(|(path, _)| path.clone());
    Ok(changed
        .chain(leftover(root, pages, folders)?)
        .map(|path| path.display().to_string())
        .collect())
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
