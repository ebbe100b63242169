//! Published wheels, fetched by their digests and unpacked.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::run_command;

/// The wheel of this file name and SHA-256, fetched unless it is there. It is for Python 3.11.
///
/// # Errors
/// If its name is none of a wheel, or pip does not find it.
pub fn fetch(file: &str, sha256: &str) -> anyhow::Result<PathBuf> {
    let folder = unskew_peers::root().join("corpus/extensions");
    let path = folder.join(file);
    if path.exists() {
        return Ok(path);
    }
    let parts: Vec<&str> = file.trim_end_matches(".whl").split('-').collect();
    let [name, version, .., platforms] = *parts else {
        anyhow::bail!("no name of a wheel: {file}");
    };
    let scratch = tempfile::tempdir()?;
    let requirement = scratch.path().join("requirement.txt");
    fs::write(&requirement, format!("{name}=={version} --hash=sha256:{sha256}\n"))?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]);
    pip.args(["--require-hashes", "--python-version", "3.11"]);
    for platform in platforms.split('.') {
        pip.args(["--platform", platform]);
    }
    run_command(pip.arg("-d").arg(&folder).arg("-r").arg(&requirement))?;
    Ok(path)
}

/// Unpacks a wheel into a folder of its own in `into`, unless that was done.
///
/// # Errors
/// If it is no archive.
pub fn unpack(wheel: &Path, into: &Path) -> anyhow::Result<PathBuf> {
    let stem = wheel.file_stem().context("a file without a name")?;
    let site = into.join(stem);
    if !site.exists() {
        zip::ZipArchive::new(File::open(wheel)?)?.extract(&site)?;
    }
    Ok(site)
}
