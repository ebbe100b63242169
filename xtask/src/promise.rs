//! `cargo xtask promise`: freezes the dated histories and locks of this repository, as the baseline of its own lint.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The folder, with the files at the paths that they have in the repository.
const FOLDER: &str = "promised";

/// Whether a file, by its path in the repository, is promised: histories, and locks of serialized types. Those of the
/// linter's tests are none.
fn is_promised(path: &str) -> bool {
    let form = path.ends_with(".history.toml") || path.ends_with(".lock");
    form && path.starts_with("crates/") && !path.starts_with("crates/lint/")
}

/// Writes the folder anew.
///
/// # Errors
/// If a file cannot be read or written.
pub fn run() -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let frozen = root.join(FOLDER);
    if frozen.join("crates").exists() {
        std::fs::remove_dir_all(frozen.join("crates")).context("the old state")?;
    }
    let mut files = Vec::new();
    collect(root, &root.join("crates"), &mut files)?;
    for path in &files {
        let to = frozen.join(path);
        let folder = to.parent().context("a file has a folder")?;
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        std::fs::copy(root.join(path), &to).with_context(|| to.display().to_string())?;
    }
    println!("{} files frozen in {FOLDER}; write the day into {FOLDER}/README.md", files.len());
    Ok(())
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let below = path.strip_prefix(root)?;
        if kind.is_dir() && entry.file_name() != "target" {
            collect(root, &path, files)?;
        } else if kind.is_file() && is_promised(&below.to_string_lossy().replace('\\', "/")) {
            files.push(below.to_owned());
        }
    }
    Ok(())
}
