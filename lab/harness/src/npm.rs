//! Packages from npm.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::run_command;

/// The package of TensorFlow.js on npm.
const TFJS: &str = "@tensorflow/tfjs";

/// The bundle of a release of TensorFlow.js, fetched with npm into an empty folder.
///
/// # Errors
/// If npm does not have the release.
pub fn bundle(version: &str, scratch: &Path) -> anyhow::Result<PathBuf> {
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"]).arg(scratch);
    run_command(npm.arg(format!("{TFJS}@{version}")))?;
    let archive = scratch.read_dir()?.next().context("npm fetched nothing")??.path();
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&archive).arg("-C").arg(scratch);
    run_command(tar.arg("package/dist/tf.min.js"))?;
    Ok(scratch.join("package/dist/tf.min.js"))
}
