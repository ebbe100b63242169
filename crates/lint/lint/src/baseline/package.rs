//! Packages of an index.
//!
//! Only wheels, which are read and never installed. One is kept in the cache (`UNSKEW_CACHE`, else the user's cache folder)
//! with the digest that it had; a wheel that has another one later is refused. Who asks the index is a [`PackageSource`] of
//! the caller: without one only the cache is read.

use std::fmt;
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use unskew_source::cache_folder;
use unskew_source::unfinished::{self, UnfinishedFolder};

use super::{BaselineError, Snapshot, archive};

/// The most bytes of a wheel.
const WHEEL: u64 = 8 << 30;

/// Who asks an index of packages. Reasons of failure are shown as they are.
pub trait PackageSource {
    /// The files of a package, of every release.
    ///
    /// # Errors
    /// Why the index does not say.
    fn files(&self, package: &str) -> Result<Vec<IndexedFile>, String>;

    /// Writes the bytes of a file to `out`.
    ///
    /// # Errors
    /// Why it is not read whole.
    fn fetch(&self, file: &IndexedFile, out: &mut dyn Write) -> Result<(), String>;
}

/// A file that an index has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// Its name: `torch-2.7.1-cp311-cp311-manylinux_2_28_x86_64.whl`.
    pub name: String,
    /// Its URL.
    pub location: String,
    /// Its SHA-256 in hexadecimal digits, if the index says it.
    pub sha256: Option<String>,
}

/// A package with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselinePackage {
    name: String,
    version: String,
    sha256: Option<String>,
}

impl fmt::Display for BaselinePackage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=={}", self.name, self.version)
    }
}

impl BaselinePackage {
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

    /// The files of the wheel, which is fetched from `index` if it is not in the cache.
    ///
    /// # Errors
    /// If it is not in the cache and there is no index, the index has no wheel, or the wheel has another digest than it had
    /// or should have.
    pub fn open(
        &self,
        label: &str,
        index: Option<&dyn PackageSource>,
    ) -> Result<Snapshot, BaselineError> {
        let cache = cache_folder()
            .ok_or_else(|| self.no("no folder to keep it in: set UNSKEW_CACHE to one"))?;
        let folder = cache.join("packages").join(self.to_string());
        let (wheel, recorded) = match (kept(&folder), index) {
            (Some(found), _) => found,
            (None, Some(index)) => self.fetch(&folder, index)?,
            (None, None) => {
                let why = "not in the cache; --fetch fetches it from the package index";
                return Err(self.no(why));
            }
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
    fn fetch(
        &self,
        folder: &Path,
        index: &dyn PackageSource,
    ) -> Result<(PathBuf, String), BaselineError> {
        let failed = |error: std::io::Error| self.no(error.to_string());
        let refused = |why: String| self.no(format!("no wheel of it could be fetched: {why}"));
        let files = index.files(&normal(&self.name)).map_err(refused)?;
        let wheels = files.iter().filter(|file| self.is_of(file));
        let Some(wheel) = wheels.max_by_key(|file| preference(&file.name)) else {
            return Err(refused(match &self.sha256 {
                Some(digest) => format!("the index has none with the SHA-256 {digest}"),
                None => format!("the index has none of version {}", self.version),
            }));
        };
        let parent = folder.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(failed)?;
        // What is left of one that was killed while it fetched.
        let _ = unfinished::sweep(parent);
        let fresh = UnfinishedFolder::begin(parent, 0o700).map_err(failed)?;
        let file = std::fs::File::create_new(fresh.path().join(&wheel.name)).map_err(failed)?;
        let mut download = Download { file, hash: Sha256::new(), left: WHEEL };
        index.fetch(wheel, &mut download).map_err(refused)?;
        let digest = hexadecimal(download.hash);
        if let Some(wanted) = wheel.sha256.as_ref().filter(|wanted| **wanted != digest) {
            let name = &wheel.name;
            return Err(refused(format!(
                "{name} has the SHA-256 {digest}, and the index says {wanted}"
            )));
        }
        std::fs::write(fresh.path().join("sha256"), &digest).map_err(failed)?;
        // Somebody else may have fetched it in the meantime.
        if std::fs::rename(fresh.path(), folder).is_ok() {
            fresh.keep();
        }
        kept(folder).ok_or_else(|| refused(format!("it is not in {}", folder.display())))
    }

    /// Whether a file is a wheel of this version, and the one that is meant if a digest says so.
    fn is_of(&self, file: &IndexedFile) -> bool {
        let mut parts = file.name.strip_suffix(".whl").unwrap_or_default().split('-');
        let (name, version) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        // An index may say anything: this becomes the name of a file here.
        let plain = file.name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-+!".contains(&b));
        let is_meant = match &self.sha256 {
            Some(digest) => file.sha256.as_ref().is_none_or(|of| of == digest),
            None => true,
        };
        plain
            && is_meant
            && parts.count() >= 3
            && normal(name) == normal(&self.name)
            && release(version) == release(&self.version)
    }
}

/// A name of a package as indexes write it.
fn normal(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// A version without what makes no other one of it: `1.0.0` is `1`.
fn release(version: &str) -> (String, String) {
    let version = version.to_ascii_lowercase();
    let (public, local) = version.split_once('+').unwrap_or((&version, ""));
    let mut public = public.trim_start_matches('v');
    while let Some(shorter) = public.strip_suffix(".0") {
        public = shorter;
    }
    (public.to_owned(), local.replace(['-', '_'], "."))
}

/// Which of several wheels is read, the same on every machine: one for all of them, else for Linux on x86-64; the newest
/// Python.
fn preference(file: &str) -> (bool, bool, bool, u32) {
    let mut tags = file.trim_end_matches(".whl").rsplit('-');
    let platform = tags.next().unwrap_or_default();
    let python = tags.nth(1).unwrap_or_default().split('.').next().unwrap_or_default();
    let digits = python.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_linux = platform.ends_with("x86_64") && platform.contains("manylinux");
    (platform == "any", is_linux, platform.contains("linux"), digits.parse().unwrap_or(0))
}

/// A file that is being fetched, with its digest.
struct Download {
    file: std::fs::File,
    hash: Sha256,
    /// How many bytes more it may have.
    left: u64,
}

impl Write for Download {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        let left = self.left.checked_sub(written as u64);
        let too_large = || std::io::Error::other(format!("more than {} GiB", WHEEL >> 30));
        self.left = left.ok_or_else(too_large)?;
        self.hash.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
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
    Ok(hexadecimal(hash))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_one_version_and_a_plain_name() {
        for text in ["x==1.0", "tensorflow-cpu==2.20.0", "jaxlib==0.6.2+cu12"] {
            assert_eq!(BaselinePackage::parse(text).unwrap().to_string(), text);
        }
        for text in ["x", "x>=1", "--index-url==x", "x==1 --pre", "x==1#sha256=12"] {
            assert!(BaselinePackage::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_wheel_of_a_version_is_found_whatever_else_the_index_has() {
        let package = BaselinePackage::parse("Some.Name==1.0").unwrap();
        let file = |name: &str| IndexedFile {
            name: name.to_owned(),
            location: String::new(),
            sha256: Some("ab".to_owned()),
        };
        for name in ["some_name-1.0-py3-none-any.whl", "Some_Name-1.0.0-1-cp312-abi3-win_amd64.whl"]
        {
            assert!(package.is_of(&file(name)), "{name}");
        }
        for name in [
            "some_name-1.0.tar.gz",
            "some_name-1.0.1-py3-none-any.whl",
            "some_name-1.0+cpu-py3-none-any.whl",
            "../some_name-1.0-py3-none-any.whl",
            "some_name-1.0-/../../x-none-any.whl",
            "some-1.0-py3-none-any.whl",
            ".whl",
        ] {
            assert!(!package.is_of(&file(name)), "{name}");
        }
    }

    #[test]
    fn one_wheel_is_chosen_on_every_machine() {
        let order = [
            "x-1-cp313-cp313-win_amd64.whl",
            "x-1-cp313-cp313-musllinux_1_2_x86_64.whl",
            "x-1-cp39-cp39-manylinux_2_28_x86_64.whl",
            "x-1-cp312-cp312-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
            "x-1-py3-none-any.whl",
        ];
        assert!(order.is_sorted_by_key(|name| preference(name)));
    }
}
