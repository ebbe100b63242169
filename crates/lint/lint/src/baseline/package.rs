//! Packages of an index, fetched by `pip` as it is set up on this machine.
//!
//! Only wheels: of a source package `pip` would run the set-up code. A wheel for any interpreter and machine
//! will do, because it is read and never installed. It is kept in the cache (`UNSKEW_CACHE`, else the
//! user's cache folder) with the digest that it had; a wheel that has another one later is refused.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest as _, Sha256};
use unskew_source::unfinished::{self, UnfinishedFolder};

use super::{BaselineError, Snapshot, archive};

/// The Python versions for which wheels are looked for, if there is none for the one at hand.
const PYTHONS: &[&str] = &["3.12", "3.11", "3.10", "3.9", "3.13", "3.14", "3.8"];
const PLATFORMS: &[&str] = &[
    "any",
    "manylinux2014_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux_2_27_x86_64",
    "manylinux_2_28_x86_64",
];

/// A package with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    name: String,
    version: String,
    sha256: Option<String>,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=={}", self.name, self.version)
    }
}

impl Package {
    /// Reads `NAME==VERSION`, or `NAME==VERSION#sha256=DIGEST` as `pip` writes it.
    ///
    /// # Errors
    /// [`BaselineError::Package`] if it is not written so.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let (package, digest) = match text.split_once("#sha256=") {
            Some((package, digest)) => (package, Some(digest.to_ascii_lowercase())),
            None => (text, None),
        };
        let plain = |text: &str| {
            let first = text.starts_with(|c: char| c.is_ascii_alphanumeric());
            first && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-+!".contains(&b))
        };
        let hex = |d: &String| d.len() == 64 && d.bytes().all(|b| b.is_ascii_hexdigit());
        match package.split_once("==") {
            Some((name, version))
                if plain(name) && plain(version) && digest.as_ref().is_none_or(hex) =>
            {
                let (name, version) = (name.to_ascii_lowercase(), version.to_owned());
                Ok(Self { name, version, sha256: digest })
            }
            _ => Err(BaselineError::Package {
                name: text.to_owned(),
                why: "not written as NAME==VERSION or NAME==VERSION#sha256=DIGEST".to_owned(),
            }),
        }
    }

    fn no(&self, why: impl Into<String>) -> BaselineError {
        BaselineError::Package { name: self.to_string(), why: why.into() }
    }

    /// The files of the wheel, which is fetched if it is not in the cache.
    ///
    /// # Errors
    /// If `pip` is not there or finds no wheel, or the wheel has another digest than it had or should have.
    pub fn open(&self, label: &str) -> Result<Snapshot, BaselineError> {
        let cache =
            cache().ok_or_else(|| self.no("no folder to keep it in: set UNSKEW_CACHE to one"))?;
        let folder = cache.join("packages").join(self.to_string());
        let (wheel, recorded) = match kept(&folder) {
            Some(found) => found,
            None => self.fetch(&folder)?,
        };
        let digest = digest(&wheel).map_err(|error| self.no(error.to_string()))?;
        for wanted in [Some(&recorded), self.sha256.as_ref()].into_iter().flatten() {
            if *wanted != digest {
                let file = wheel.display();
                return Err(self.no(format!(
                    "{file} is not the wheel that was meant: SHA-256 {wanted} is wanted, and it has {digest}"
                )));
            }
        }
        let file = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
        archive::open(&wheel, label, format!("{file}, SHA-256 {digest}"))
    }

    /// Fetches the wheel into `folder`, which appears whole or not at all.
    fn fetch(&self, folder: &Path) -> Result<(PathBuf, String), BaselineError> {
        let failed = |error: std::io::Error| self.no(error.to_string());
        let parent = folder.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(failed)?;
        // What is left of one that was killed while it fetched.
        let _ = unfinished::sweep(parent);
        let fresh = UnfinishedFolder::begin(parent, 0o700).map_err(failed)?;
        let mut said = String::new();
        for python in std::iter::once(None).chain(PYTHONS.iter().copied().map(Some)) {
            match self.download(fresh.path(), python) {
                Ok(()) => {}
                Err(Refusal::NoPip(error)) => {
                    return Err(self.no(format!("pip cannot be run ({error})")));
                }
                Err(Refusal::Said(line)) => {
                    if said.is_empty() {
                        said = line;
                    }
                    continue;
                }
            }
            let Some(wheel) = wheel_in(fresh.path()) else { continue };
            let recorded = digest(&wheel).map_err(failed)?;
            std::fs::write(fresh.path().join("sha256"), &recorded).map_err(failed)?;
            // Somebody else may have fetched it in the meantime.
            if std::fs::rename(fresh.path(), folder).is_ok() {
                fresh.keep();
            }
            break;
        }
        kept(folder).ok_or_else(|| self.no(format!("no wheel of it could be fetched: {said}")))
    }

    fn download(&self, into: &Path, python: Option<&str>) -> Result<(), Refusal> {
        let interpreter = std::env::var_os("UNSKEW_PYTHON").unwrap_or_else(|| "python3".into());
        let mut command = Command::new(interpreter);
        command.args(["-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]);
        command.args(["--disable-pip-version-check", "--no-input", "--dest"]).arg(into);
        if let Some(python) = python {
            let abi = format!("cp{}", python.replace('.', ""));
            command.args(["--python-version", python, "--implementation", "cp"]);
            command.args(["--abi", &abi, "--abi", "abi3", "--abi", "none"]);
            command.args(PLATFORMS.iter().flat_map(|platform| ["--platform", platform]));
        }
        let ran = command.arg(self.to_string()).stdin(Stdio::null()).output();
        let ran = ran.map_err(Refusal::NoPip)?;
        if ran.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        let mut errors = said.lines().filter_map(|line| line.trim().strip_prefix("ERROR: "));
        Err(Refusal::Said(
            errors
                .next_back()
                .or_else(|| said.lines().next_back())
                .unwrap_or("no answer")
                .to_owned(),
        ))
    }
}

/// Why `pip` fetched nothing.
enum Refusal {
    NoPip(std::io::Error),
    Said(String),
}

/// The folder for what was fetched.
fn cache() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let own = set("UNSKEW_CACHE").map(PathBuf::from);
    let users = || set("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("unskew"));
    let home = || set("HOME").map(|home| PathBuf::from(home).join(".cache/unskew"));
    own.or_else(users).or_else(home)
}

/// The wheel that is kept in a folder, with its digest.
fn kept(folder: &Path) -> Option<(PathBuf, String)> {
    let recorded = std::fs::read_to_string(folder.join("sha256")).ok()?;
    Some((wheel_in(folder)?, recorded.trim().to_owned()))
}

fn wheel_in(folder: &Path) -> Option<PathBuf> {
    let paths = std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok());
    paths.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "whl"))
}

fn digest(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let (mut hash, mut block) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        let count = file.read(&mut block)?;
        match block.get(..count) {
            Some(bytes) if count > 0 => hash.update(bytes),
            _ => break,
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_one_version_and_nothing_that_pip_could_take_for_an_option() {
        for text in ["x==1.0", "tensorflow-cpu==2.20.0", "jaxlib==0.6.2+cu12"] {
            assert_eq!(Package::parse(text).unwrap().to_string(), text);
        }
        for text in ["x", "x>=1", "--index-url==x", "x==1 --pre", "x==1#sha256=12"] {
            assert!(Package::parse(text).is_err(), "{text}");
        }
    }
}
