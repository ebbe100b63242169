//! `cargo xtask corpus`: the real models and plug-ins that tests use, from `corpus.toml`.
//!
//! What is there of a package of the right hash is left alone, so the command is cheap to repeat and goes on
//! where it was interrupted. The same holds for the Python environments, which [`crate::environment`] makes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use unskew_peers::Peer;

use crate::environment::Environment;
use crate::fetch::fetch;
use crate::{device_headers, pjrt_headers, run_command};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    package: Vec<Package>,
    environments: Environments,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Environments {
    /// The ones that the tests need.
    always: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Package {
    name: String,
    version: String,
    file: String,
    size: u64,
    sha256: String,
    /// Whether only tests with real releases need it.
    #[serde(default)]
    real: bool,
    /// Whether tests read the package file itself, which then stays beside its members.
    #[serde(default)]
    whole: bool,
    /// Member of the package → path in the corpus folder.
    keep: BTreeMap<String, PathBuf>,
}

/// Fetches the files that are missing; if `real`, also makes the environments that tests need, and those of all releases
/// whose names begin with one of `families`.
///
/// # Errors
/// If Python 3 or pip is missing, a file is not in the index, or its hash is not the pinned one.
pub fn run(real: bool, families: impl IntoIterator<Item = &'static str>) -> anyhow::Result<()> {
    let families: Vec<&str> = families.into_iter().collect();
    let mut corpus = Corpus::read()?;
    corpus.package.retain(|package| real || !package.real);
    let folder = folder();
    fs::create_dir_all(folder.join("packages"))?;
    for package in &corpus.package {
        let label = format!("{} {}", package.name, package.version);
        let done = package.obtain(&folder).with_context(|| label.clone())?;
        println!("corpus: {label}: {} MB, {done}", package.size.div_ceil(1 << 20));
    }
    pjrt_headers::obtain(false)?;
    device_headers::obtain(false)?;
    let total: u64 = corpus.package.iter().map(|package| package.size).sum();
    println!("corpus: {} packages, {} MB", corpus.package.len(), total >> 20);
    if !real {
        return Ok(());
    }
    let always = &corpus.environments.always;
    let named = always.iter().map(|name| Environment::named(name));
    let mut environments: Vec<Environment> = named.collect::<anyhow::Result<_>>()?;
    environments.extend(Environment::all()?.into_iter().filter(|it| {
        let family = families.iter().any(|family| it.name.starts_with(family));
        family && !always.contains(&it.name)
    }));
    for environment in environments {
        let begun = Instant::now();
        let done = environment.make()?;
        println!("corpus: python/{}: {done}, {} s", environment.name, begun.elapsed().as_secs());
    }
    // Models that the newest release writes and older ones are tried on.
    let written = written_models()?;
    println!("{}: there", written.display());
    Ok(())
}

/// Lets TensorFlow 2.21.0 write its models into the corpus, unless they are there.
///
/// # Errors
/// If it did not.
pub fn written_models() -> anyhow::Result<PathBuf> {
    let place = folder().join("written");
    // The graph of single ops is written last, so one that is there says that all are.
    if !place.join("renamed-ops.pb").is_file() {
        fs::create_dir_all(&place)?;
        let tensorflow = Peer::named("tensorflow", "2.21.0")?;
        run_command(tensorflow.probe("tensorflow", "tf_write.py").arg(&place))?;
    }
    Ok(place)
}

/// The package files, fetched if need be, whose name says yes.
///
/// # Errors
/// If one cannot be fetched.
pub fn packages(wanted: impl Fn(&str) -> bool) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    fs::create_dir_all(folder().join("packages"))?;
    for package in Corpus::read()?.package.iter().filter(|package| wanted(&package.file)) {
        found.push(package.file(&folder())?);
    }
    found.sort();
    Ok(found)
}

fn folder() -> PathBuf {
    unskew_peers::root().join("corpus")
}

impl Corpus {
    fn read() -> anyhow::Result<Self> {
        let file = unskew_peers::root().join("corpus.toml");
        let text = fs::read_to_string(file).context("corpus.toml")?;
        toml::from_str(&text).context("corpus.toml")
    }
}

impl Package {
    /// Makes what is wanted of the package, unless a stamp beside the package files says that it was made of the same.
    fn obtain(&self, folder: &Path) -> anyhow::Result<&'static str> {
        let file = folder.join("packages").join(&self.file);
        let stamp = folder.join("packages").join(format!("{}.sha256", self.file));
        let whole = self.whole.then_some(&file);
        let there = self.keep.values().map(|place| folder.join(place));
        let there = there.chain(whole.cloned()).all(|place| place.is_file());
        if there && fs::read_to_string(&stamp).is_ok_and(|of| of == self.sha256) {
            return Ok("there");
        }
        self.unpack(&self.file(folder)?, folder)?;
        if !self.whole {
            fs::remove_file(&file)?;
        }
        fs::write(&stamp, &self.sha256)?;
        Ok("fetched")
    }

    /// The package file, which is fetched if it is not there with the right hash.
    fn file(&self, folder: &Path) -> anyhow::Result<PathBuf> {
        let file = folder.join("packages").join(&self.file);
        if !file.is_file() || hash(&file)? != self.sha256 {
            self.fetch(&file)?;
        }
        Ok(file)
    }

    fn fetch(&self, file: &Path) -> anyhow::Result<()> {
        let part = file.with_extension("part");
        fetch::<&str>(&self.name, &self.file, &part, &[])?;
        let found = hash(&part)?;
        if found != self.sha256 {
            bail!("{}: SHA-256 is {found}, corpus.toml pins {}", self.file, self.sha256);
        }
        fs::rename(&part, file)?;
        Ok(())
    }

    fn unpack(&self, file: &Path, folder: &Path) -> anyhow::Result<()> {
        let opened = File::open(file)?;
        let mut left = self.keep.clone();
        if self.file.ends_with(".whl") {
            let mut archive = zip::ZipArchive::new(opened)?;
            for (member, place) in &self.keep {
                let mut reader = archive.by_name(member).with_context(|| member.clone())?;
                let place = folder.join(place);
                write(&mut reader, &place)?;
                if member.contains(".data/scripts/") {
                    executable(&place)?;
                }
                left.remove(member);
            }
        } else {
            let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(opened));
            for entry in archive.entries()? {
                let mut entry = entry?;
                let member = entry.path()?.to_string_lossy().into_owned();
                if let Some(place) = left.remove(&member) {
                    write(&mut entry, &folder.join(place))?;
                }
            }
        }
        match left.keys().next() {
            Some(member) => bail!("{} has no member {member}", self.file),
            None => Ok(()),
        }
    }
}

/// A script of a wheel is a command.
#[cfg(unix)]
fn executable(path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn executable(_: &Path) -> anyhow::Result<()> {
    Ok(())
}

/// Writes a member beside its place and moves it there, so that none is ever half there.
fn write(reader: &mut dyn Read, place: &Path) -> anyhow::Result<()> {
    let folder = place.parent().context("a member needs a folder")?;
    fs::create_dir_all(folder)?;
    let part = place.with_extension("part");
    let mut out = File::create(&part)?;
    io::copy(reader, &mut out)?;
    out.flush()?;
    fs::rename(&part, place).with_context(|| place.display().to_string())
}

fn hash(path: &Path) -> anyhow::Result<String> {
    let mut file = File::open(path).with_context(|| path.display().to_string())?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 1 << 20];
    loop {
        match file.read(&mut block)? {
            0 => break,
            n => hasher.update(&block[..n]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
