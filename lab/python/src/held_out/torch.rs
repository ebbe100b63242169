//! Environments with the PyTorch of the corpus.
//!
//! It is linked in, not copied. In the place of the libraries for GPUs, which are gigabytes, lie stand-ins where a wheel of
//! NVIDIA would put them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use unskew_lab_harness::environment::make_empty;
use unskew_peers::{Peer, torch_stubs};

use crate::drifted::environment::{DrawnEnvironment, PYTHON};

const RELEASE: &str = "2.15.0";

/// Where the libraries lie in a wheel of NVIDIA.
const LIBRARIES: &str = "nvidia/cu13/lib";

const STAND_INS: &str = "nvidia_stand_ins-0.dist-info";

impl DrawnEnvironment {
    /// Installs a package as of a day beside PyTorch, and others that it needs; none if that cannot be.
    ///
    /// # Errors
    /// If uv, the Python or the PyTorch is not here.
    pub(super) fn beside_torch(
        package: &str,
        others: &[&str],
        day: &str,
        place: &Path,
    ) -> anyhow::Result<Option<Self>> {
        make_empty(place, PYTHON)?;
        let this = Self { package: package.to_owned(), place: place.to_owned() };
        let mut asked = vec!["install", "--no-deps", "--exclude-newer", day, package];
        if this.pip(&asked)?.is_err() {
            return Ok(None);
        }
        asked.truncate(4);
        asked.extend(others);
        if !others.is_empty() && this.pip(&asked)?.is_err() {
            return Ok(None);
        }
        let peer = Peer::named("torch", RELEASE)?;
        let site = Path::new("lib").join(format!("python{PYTHON}")).join("site-packages");
        let (from, to) = (peer.folder().join(&site), place.join(&site));
        link(&from, &to)?;
        link(&torch_stubs(&peer)?, &to.join(LIBRARIES))?;
        record_stand_ins(&to)?;
        Ok(Some(this))
    }
}

/// Links all files of a folder into another one.
fn link(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    for entry in from.read_dir().with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            link(&from, &to)?;
        } else if !to.exists() {
            fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(|_| ()))?;
        }
    }
    Ok(())
}

/// Makes a package of the stand-ins.
fn record_stand_ins(site: &Path) -> anyhow::Result<()> {
    let info = site.join(STAND_INS);
    fs::create_dir_all(&info)?;
    fs::write(
        info.join("METADATA"),
        "Metadata-Version: 2.1\nName: nvidia-stand-ins\nVersion: 0\n",
    )?;
    let mut record = format!("{STAND_INS}/METADATA,,\n{STAND_INS}/RECORD,,\n");
    for entry in site.join(LIBRARIES).read_dir()?.flatten() {
        let _ = writeln!(record, "{LIBRARIES}/{},,", entry.file_name().to_string_lossy());
    }
    fs::write(info.join("RECORD"), record)?;
    Ok(())
}
