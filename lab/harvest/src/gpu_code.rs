//! `cargo lab harvest gpu-code==2.15.0`: the code for GPUs in the wheel of a release of PyTorch on PyPI.
//!
//! The wheel for Linux on x86-64 comes from the index by `pip download`, or with `--from` from a file.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use unskew_core::Version;
use unskew_cuda::GpuCode;
use unskew_source::{Archive, FileSource};

use crate::symbols::{MACHINES, members, wheels_of};

/// The table, from the root of the repository.
const TABLE: &str = "crates/judging/environments/data/torch-gpu-code.tsv";

/// The libraries of PyTorch that are built with it. Those of NVIDIA lie beside them in some releases.
const LIBRARIES: &str = "torch/lib/libtorch_cuda";

/// Takes a release into the table; one that is there is replaced.
///
/// # Errors
/// If the wheel cannot be had or read, or holds no code for GPUs.
pub(crate) fn harvest(version: &str, from: Option<&Path>) -> anyhow::Result<()> {
    let release: Version = version.parse()?;
    let paths = wheels_of("torch", version, &MACHINES[..1], from)?;
    let paths = paths.paths()?;
    let row = row(release, paths.first().context("no wheel")?)?;
    println!("{row}");
    let path = unskew_peers::root().join(TABLE);
    let text = fs::read_to_string(&path).with_context(|| TABLE.to_owned())?;
    let (head, rows): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let key = |line: &str| line.split('\t').next().and_then(|one| one.parse::<Version>().ok());
    let mut rows: Vec<&str> = rows.into_iter().filter(|line| key(line) != Some(release)).collect();
    rows.push(&row);
    rows.sort_by_key(|line| key(line));
    let lines = head.into_iter().chain(rows).map(|line| format!("{line}\n"));
    fs::write(&path, lines.collect::<String>()).with_context(|| TABLE.to_owned())
}

/// The line of a release: its version, its CUDA, and the code that most of its fat binaries hold.
fn row(release: Version, wheel: &Path) -> anyhow::Result<String> {
    let archive = Archive::open(Arc::new(FileSource::open(wheel)?))?;
    let text = archive.entry("torch/version.py").context("no torch/version.py")?;
    let text = String::from_utf8_lossy(&archive.read(text)?).into_owned();
    let cuda = unskew_environments::cuda_of_text(&text).context("no version of CUDA")?;
    let mut code = GpuCode::default();
    for (_, source) in members(&archive, &|path| path.starts_with(LIBRARIES))? {
        if let Some(held) = GpuCode::read(&source)? {
            code.extend(&held);
        }
    }
    let most: Vec<String> = code.held_by(50).iter().map(ToString::to_string).collect();
    anyhow::ensure!(!most.is_empty(), "no code for GPUs");
    Ok(format!("{release}\t{cuda}\t{}", most.join(" ")))
}
