//! Releases of Keras 3 beside one Python: each is a folder of its own, and needs neither TensorFlow nor PyTorch.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::ensure;
use unskew_core::Version;
use unskew_lab_harness::environment::{Dependencies, uv, with_requirements};
use unskew_lab_harness::run_command;

/// What Keras 3 needs beside itself; old releases want numpy 1, and 3.0 imports jax where it computes with numpy.
const NEEDED: [&str; 12] = [
    "numpy==1.26.4",
    "scipy==1.13.1",
    "jax==0.4.30",
    "jaxlib==0.4.30",
    "h5py==3.11.0",
    "optree==0.12.1",
    "dm-tree==0.1.8",
    "ml-dtypes==0.4.1",
    "absl-py",
    "rich",
    "namex",
    "packaging",
];

/// What came of each thing that a release was asked to read: `ok` or how it fails, and the error.
pub(super) type Answers = BTreeMap<String, (String, String)>;

/// A Python and the releases beside it, in a folder.
pub(super) struct KerasPython {
    folder: PathBuf,
}

impl KerasPython {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Runs a probe in a release; what it prints becomes the file at `place`, if that is not there already.
    pub(super) fn ask(
        &self,
        release: &str,
        probe: &str,
        arguments: &[&str],
        place: &Path,
    ) -> anyhow::Result<()> {
        if place.exists() {
            return Ok(());
        }
        let environment = self.folder.join("python");
        let python = with_requirements(&environment, "3.11", &NEEDED, Dependencies::All)?;
        let site = self.folder.join(format!("keras-{release}"));
        if !site.exists() {
            let package = format!("keras=={release}");
            let mut install = Command::new(uv()?);
            install.args(["pip", "install", "--quiet", "--no-deps", "--python"]).arg(&python);
            run_command(install.arg("--target").arg(&site).arg(package))?;
        }
        let part = place.with_extension("part");
        let zero = release.parse::<Version>()? < Version::pair(3, 1);
        let status = Command::new(python)
            .arg(unskew_peers::root().join(probe))
            .args(arguments)
            .env("PYTHONPATH", &site)
            .env("KERAS_BACKEND", if zero { "jax" } else { "numpy" })
            .stdout(Stdio::from(File::create(&part)?))
            .stderr(Stdio::null())
            .status()?;
        ensure!(status.success(), "{probe} on keras {release}: {status}");
        fs::rename(part, place)?;
        Ok(())
    }
}

/// The lines of a reader: what it read, what came of it, the error.
pub(super) fn answers(place: &Path) -> anyhow::Result<Answers> {
    let line = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        Some((cells.next()?, (cells.next()?, cells.next().unwrap_or_default())))
    };
    Ok(fs::read_to_string(place)?.lines().filter_map(line).collect())
}
