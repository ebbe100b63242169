//! The library of a llama.cpp: built of a source package, or taken from a package on npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use unskew_lab_harness::run_command;
use unskew_releases::{Family, Release};

/// How llama-cpp-python is built: for any processor, without optimization, because a file is only loaded.
const BUILD: &str = "-DGGML_NATIVE=OFF -DLLAMA_NATIVE=OFF -DLLAVA_BUILD=OFF -DGGML_OPENMP=OFF -DLLAMA_CURL=OFF \
                     -DCMAKE_C_FLAGS_RELEASE=-O0 -DCMAKE_CXX_FLAGS_RELEASE=-O0";

/// Which version of node-llama-cpp has which build.
const BUILDS: &str = include_str!("../../harvest/probes/llama_cpp_builds.tsv");

/// The folder with the library of a release, below `folder`; it is made if it is not there.
///
/// # Errors
/// If the package cannot be had, or does not build here.
pub(crate) fn library(release: Release, folder: &Path) -> anyhow::Result<PathBuf> {
    let place = folder.join(release.to_string());
    if place.is_dir() {
        return Ok(place);
    }
    let part = folder.join(format!("{release}.part"));
    fs::create_dir_all(&part)?;
    match release.family() {
        Family::LlamaCpp => of_npm(release, &part)?,
        Family::LlamaCppPython => built(release, &part)?,
        other => bail!("no llama.cpp is in {other}"),
    }
    fs::rename(&part, &place)?;
    Ok(place)
}

fn of_npm(release: Release, part: &Path) -> anyhow::Result<()> {
    let build = release.row().version.to_string();
    let line = BUILDS.lines().find_map(|line| line.strip_prefix(&format!("{build}\t")));
    let package = line.with_context(|| format!("no package on npm has {release}"))?;
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"]).arg(part);
    run_command(npm.arg(format!("@node-llama-cpp/linux-x64@{package}")))?;
    let archive = one_file(part, ".tgz")?;
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&archive).arg("-C").arg(part);
    run_command(tar.args(["--strip-components=3", "package/bins/linux-x64"]))?;
    Ok(fs::remove_file(archive)?)
}

fn built(release: Release, part: &Path) -> anyhow::Result<()> {
    let version = release.row().version;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-binary", "llama-cpp-python"]);
    pip.env("CMAKE_ARGS", BUILD).arg("-w").arg(part);
    run_command(pip.arg(format!("llama-cpp-python=={version}")))?;
    let wheel = one_file(part, ".whl")?;
    let unpacked = part.join("unpacked");
    run_command(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked))?;
    for inside in ["llama_cpp", "llama_cpp/lib"] {
        let Ok(files) = unpacked.join(inside).read_dir() else { continue };
        for file in files {
            let path = file?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            if let Some(name) = name.filter(|name| name.starts_with("lib") && name.contains(".so"))
            {
                fs::copy(&path, part.join(name))?;
            }
        }
    }
    fs::remove_dir_all(&unpacked)?;
    Ok(fs::remove_file(wheel)?)
}

fn one_file(folder: &Path, ending: &str) -> anyhow::Result<PathBuf> {
    let mut files = folder.read_dir()?.filter_map(|file| Some(file.ok()?.path()));
    let found = files.find(|path| path.to_string_lossy().ends_with(ending));
    found.with_context(|| format!("no file {ending} in {}", folder.display()))
}
