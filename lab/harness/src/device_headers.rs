//! `device-headers.toml`: which headers of which wheels, and how they get here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

const PACKAGE: &str = "tensorflow-cpu";

/// Where a wheel has what is below `tensorflow/c`.
const ROOT: &str = "tensorflow/include/tensorflow/c/experimental";

/// The headers of the interface, as far as a release has them.
pub const HEADERS: [&str; 3] = [
    "stream_executor/stream_executor.h",
    "grappler/grappler.h",
    "pluggable_profiler/pluggable_profiler.h",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pins {
    release: Vec<Pin>,
}

/// A release and its headers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    version: String,
    file: String,
    /// Whether `cargo xtask corpus` fetches it, for the tests.
    #[serde(default)]
    pub always: bool,
    /// The SHA-256 of each header.
    headers: BTreeMap<String, String>,
}

/// Every release of `device-headers.toml`.
///
/// # Errors
/// If the file is not as it should be.
pub fn pins() -> anyhow::Result<Vec<Pin>> {
    let name = "device-headers.toml";
    let text = fs::read_to_string(unskew_peers::root().join(name)).context(name)?;
    let pins: Pins = toml::from_str(&text).context(name)?;
    Ok(pins.release)
}

/// Fetches what is missing: of `all` releases, or of those that tests need.
///
/// # Errors
/// If Python 3 or pip is missing, a file is not in the index, or a hash is not the pinned one.
pub fn obtain(all: bool) -> anyhow::Result<()> {
    let wanted: Vec<Pin> = pins()?.into_iter().filter(|pin| all || pin.always).collect();
    for pin in &wanted {
        if pin.folder().is_dir() && digests(&pin.folder())? == pin.headers {
            continue;
        }
        println!("device headers: {}: fetching", pin.label());
        let part = pin.folder().with_extension("part");
        let found = fetch(&pin.file, &part).with_context(|| pin.label())?;
        ensure!(
            found == pin.headers,
            "{}: hashes are {found:?}, pinned {:?}",
            pin.label(),
            pin.headers
        );
        if pin.folder().is_dir() {
            fs::remove_dir_all(pin.folder())?;
        }
        fs::rename(part, pin.folder())?;
    }
    println!("device headers: {} releases", wanted.len());
    Ok(())
}

impl Pin {
    /// The release, as people write it.
    pub fn label(&self) -> String {
        format!("tensorflow {}", self.version)
    }

    /// The minor of the release.
    ///
    /// # Errors
    /// If it is none of TensorFlow 2.
    pub fn minor(&self) -> anyhow::Result<u32> {
        let minor = self.version.strip_prefix("2.").and_then(|rest| rest.split('.').next());
        Ok(minor.context("a release of TensorFlow 2 wanted")?.parse()?)
    }

    /// Where its headers are kept.
    pub fn folder(&self) -> PathBuf {
        folder().join(&self.version)
    }

    /// The header, if the release has it.
    ///
    /// # Errors
    /// If the release has it and it is not here.
    pub fn header(&self, name: &str) -> anyhow::Result<Option<String>> {
        if !self.headers.contains_key(name) {
            return Ok(None);
        }
        let path = self.folder().join(ROOT).join(name);
        Ok(Some(fs::read_to_string(&path).with_context(|| path.display().to_string())?))
    }
}

fn folder() -> PathBuf {
    unskew_peers::root().join("corpus/device-headers")
}

/// Fetches the headers in a wheel into an empty folder, and says what they hash to.
fn fetch(file: &str, folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    if folder.is_dir() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    crate::fetch(PACKAGE, file, folder, &HEADERS.map(|header| format!("{ROOT}/{header}")))?;
    digests(folder)
}

fn digests(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for header in HEADERS {
        let path = folder.join(ROOT).join(header);
        if path.is_file() {
            let digest = Sha256::digest(fs::read(&path)?);
            let hash = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            found.insert(header.to_owned(), hash);
        }
    }
    Ok(found)
}

/// Prints the entries of wheels.
///
/// # Errors
/// If one cannot be fetched or is no wheel of a version.
pub fn print(files: &[String]) -> anyhow::Result<()> {
    for file in files {
        let version = file.split('-').nth(1).context("a wheel's name wanted")?;
        let part = folder().join("pin.part");
        let headers = fetch(file, &part)?;
        println!("[[release]]\nversion = {version:?}\nfile    = {file:?}\n[release.headers]");
        headers.iter().for_each(|(header, hash)| println!("{header:?} = {hash:?}"));
        println!();
        fs::remove_dir_all(part)?;
    }
    Ok(())
}
