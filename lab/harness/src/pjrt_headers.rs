//! `headers.toml`: which headers of which packages, and how they get here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use unskew_core::Date;

/// The name of the core header.
pub const CORE: &str = "pjrt_c_api.h";

/// Members of wheels that may be headers of the interface.
const PATTERNS: [&str; 2] = ["*/pjrt_c_api*.h", "*/pjrt/extensions/*_extension.h"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pins {
    package: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    version: String,
    file: String,
    minor: i32,
    /// The day of the build, where the minor alone does not tell the layout.
    built: Option<toml::value::Datetime>,
    /// Whether `cargo xtask corpus` fetches it, for the tests.
    #[serde(default)]
    always: bool,
    /// The SHA-256 of each member.
    headers: BTreeMap<String, String>,
}

/// The headers of one package.
pub struct Pin {
    name: String,
    version: String,
    file: String,
    headers: BTreeMap<String, String>,
    /// The minor of the interface that they declare.
    pub minor: i32,
    /// The day of the build, where the minor alone does not tell the layout.
    pub built: Option<Date>,
    /// Whether `cargo xtask corpus` fetches it, for the tests.
    pub always: bool,
}

/// Every package of `headers.toml`.
///
/// # Errors
/// If the file is not as it should be.
pub fn pins() -> anyhow::Result<Vec<Pin>> {
    let text =
        fs::read_to_string(unskew_peers::root().join("headers.toml")).context("headers.toml")?;
    let pins: Pins = toml::from_str(&text).context("headers.toml")?;
    pins.package.into_iter().map(Pin::of).collect()
}

/// Fetches what is missing: of `all` packages, or of those that tests need.
///
/// # Errors
/// If Python 3 or pip is missing, a file is not in the index, or a hash is not the pinned one.
pub fn obtain(all: bool) -> anyhow::Result<()> {
    let wanted: Vec<Pin> = pins()?.into_iter().filter(|pin| all || pin.always).collect();
    for pin in &wanted {
        if !pin.is_there()? {
            println!("headers: {}: fetching", pin.label());
            pin.fetch().with_context(|| pin.label())?;
        }
    }
    println!("headers: {} packages", wanted.len());
    Ok(())
}

impl Pin {
    fn of(entry: Entry) -> anyhow::Result<Self> {
        let Entry { name, version, file, minor, built, always, headers } = entry;
        let built = built.map(|day| day.to_string().parse()).transpose()?;
        Ok(Self { name, version, file, headers, minor, built, always })
    }

    /// The package and its version, as people write them.
    pub fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Where its headers are kept.
    pub fn folder(&self) -> PathBuf {
        folder().join(format!("{}-{}", self.name, self.version))
    }

    fn is_there(&self) -> anyhow::Result<bool> {
        let folder = self.folder();
        Ok(folder.is_dir() && digests(&folder)? == self.headers)
    }

    fn fetch(&self) -> anyhow::Result<()> {
        let (folder, part) = (self.folder(), self.folder().with_extension("part"));
        fetch(&self.name, &self.file, &part)?;
        let found = digests(&part)?;
        for (member, hash) in &self.headers {
            match found.get(member) {
                Some(other) if other == hash => {}
                Some(other) => bail!("{member}: SHA-256 is {other}, headers.toml pins {hash}"),
                None => bail!("{} has no member {member}", self.file),
            }
        }
        if let Some(member) = found.keys().find(|member| !self.headers.contains_key(*member)) {
            bail!("headers.toml does not pin a header of {}: {member}", self.file);
        }
        if folder.is_dir() {
            fs::remove_dir_all(&folder)?;
        }
        fs::rename(part, folder)?;
        Ok(())
    }
}

/// Fetches the headers of a file of a package into an empty folder.
fn fetch(name: &str, file: &str, folder: &Path) -> anyhow::Result<()> {
    if folder.is_dir() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    crate::fetch(name, file, folder, &PATTERNS)
}

/// The headers below a folder that declare the interface: path to SHA-256. A header that stands in a package
/// twice counts once.
fn digests(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in next.read_dir().with_context(|| next.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
            } else if !is_api(&name) || path.components().any(|part| part.as_os_str() == "external")
            {
                fs::remove_file(&path)?;
            } else {
                let digest = Sha256::digest(fs::read(&path)?);
                let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                let member = path.strip_prefix(folder)?.to_string_lossy().into_owned();
                found.insert(member, hash);
            }
        }
    }
    // Some packages have a header in two places: the shorter path counts.
    let mut members: Vec<(String, String)> = found.clone().into_iter().collect();
    members.sort_by_key(|(member, _)| member.len());
    let mut seen = BTreeSet::new();
    for (member, hash) in members {
        let name = member.rsplit('/').next().unwrap_or_default().to_owned();
        if !seen.insert((name, hash)) {
            fs::remove_file(folder.join(&member))?;
            found.remove(&member);
        }
    }
    Ok(found)
}

/// Prints the entries of packages for `headers.toml`, each given as `PACKAGE=FILE`; `minor` reads that of the headers in a
/// folder.
///
/// # Errors
/// If a file cannot be fetched or is no wheel of a version.
pub fn print(
    packages: &[String],
    minor: impl Fn(&Path) -> anyhow::Result<i32>,
) -> anyhow::Result<()> {
    for package in packages {
        let (name, file) = package.split_once('=').context("PACKAGE=FILE wanted")?;
        let version = file.split('-').nth(1).context("a wheel's name wanted")?;
        let folder = folder().join("part");
        fetch(name, file, &folder)?;
        let headers = digests(&folder)?;
        let minor = minor(&folder)?;
        println!("[[package]]\nname    = {name:?}\nversion = {version:?}\nfile    = {file:?}");
        println!("minor   = {minor}\n[package.headers]");
        for (member, hash) in &headers {
            println!("{member:?} = {hash:?}");
        }
        println!();
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// Whether a header declares the interface, rather than what one plug-in makes of it in C++.
pub fn is_api(name: &str) -> bool {
    name == CORE || name.ends_with("_extension.h") || name == "pjrt_c_api_device_event.h"
}

/// Where headers are kept, from the root of the repository.
fn folder() -> PathBuf {
    unskew_peers::root().join("corpus/headers")
}
