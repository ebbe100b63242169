//! A fingerprint of everything that judges: the sources, data and rules of the crates that a verdict comes
//! from. A verdict that was kept is good as long as the fingerprint is the same, and no longer.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// The crates that have a say in a verdict or in a conversion.
const JUDGES: [&str; 18] = [
    "abi",
    "artifact",
    "core",
    "fleet",
    "ifrt",
    "interpreter",
    "lint",
    "operator-yaml",
    "ops",
    "pjrt",
    "releases",
    "script",
    "serdes",
    "source",
    "stablehlo",
    "stream-executor",
    "tensorflow",
    "torch",
];

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut hasher = Sha256::new();
    for judge in JUDGES {
        for part in ["src", "data", "rules"] {
            let folder = crates.join(judge).join(part);
            if folder.is_dir() {
                println!("cargo::rerun-if-changed={}", folder.display());
                for file in files(&folder) {
                    add(&crates, &file, &mut hasher);
                }
            }
        }
    }
    let mut text = String::new();
    for byte in hasher.finalize().iter().take(8) {
        let _ = write!(text, "{byte:02x}");
    }
    println!("cargo::rustc-env=UNSKEW_JUDGE={text}");
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
