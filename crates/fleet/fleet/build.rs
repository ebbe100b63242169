//! A fingerprint of everything that judges: the sources, data and rules of the crates that this one is built
//! from, as their manifests say. A verdict that was kept is good as long as the fingerprint is the same, and no longer.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut hasher = Sha256::new();
    // What a published package depends on says its version; the sources are not beside it.
    hasher.update(env!("CARGO_PKG_VERSION"));
    if let Some(root) = here.ancestors().find(|folder| folder.join("crates").is_dir()) {
        for judge in judges(root, here)? {
            for part in ["src", "data", "rules"] {
                let folder = judge.join(part);
                if folder.is_dir() {
                    println!("cargo::rerun-if-changed={}", folder.display());
                    for file in files(&folder) {
                        add(root, &file, &mut hasher);
                    }
                }
            }
        }
    }
    let mut text = String::new();
    for byte in hasher.finalize().iter().take(8) {
        let _ = write!(text, "{byte:02x}");
    }
    println!("cargo::rustc-env=UNSKEW_JUDGE={text}");
    Ok(())
}

/// The folders of a crate and of every crate of this workspace that it is built from, sorted.
fn judges(root: &Path, first: &Path) -> Result<BTreeSet<PathBuf>, Box<dyn std::error::Error>> {
    let workspace = manifest(root)?;
    let mut judges = BTreeSet::new();
    let mut open = vec![first.to_owned()];
    while let Some(folder) = open.pop() {
        if !judges.insert(folder.clone()) {
            continue;
        }
        let manifest = manifest(&folder)?;
        let names = ["dependencies", "build-dependencies"]
            .iter()
            .filter_map(|table| manifest.get(*table).and_then(toml::Value::as_table));
        for name in names.flat_map(toml::Table::keys) {
            let known = &workspace["workspace"]["dependencies"];
            let path = known.get(name).and_then(|known| known.get("path"));
            if let Some(path) = path.and_then(toml::Value::as_str) {
                open.push(root.join(path));
            }
        }
    }
    Ok(judges)
}

fn manifest(folder: &Path) -> Result<toml::Table, Box<dyn std::error::Error>> {
    let path = folder.join("Cargo.toml");
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(std::fs::read_to_string(path)?.parse()?)
}

/// Every file below a folder, in an order that is the same everywhere.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => open.push(path),
                path => all.push(path),
            }
        }
    }
    all.sort();
    all
}

/// The name of a file and what stands in it.
fn add(root: &Path, file: &Path, hasher: &mut Sha256) {
    let name = file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let bytes = std::fs::read(file).unwrap_or_default();
    hasher.update((name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(&bytes);
}
