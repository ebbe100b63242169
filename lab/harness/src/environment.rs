//! The Python environments of the corpus: one for each JAX, TensorFlow and PyTorch release that is run, made from a file
//! of pinned requirements.
//!
//! `python/environments/<name>.txt` names every package with its version and the SHA-256 of its files; its
//! first line names the Pythons that have files of all of them. An environment is made beside its place,
//! under another name, and moved there when it is whole; it remembers the hash of the requirements that it
//! was made from. So one that is there is finished, and one whose requirements changed is made again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest, Sha256};
use unskew_peers::Peer;

use crate::run_command;

/// Where the requirement files lie, from the root of the repository.
const REQUIREMENTS: &str = "python/environments";

/// In an environment: the hash of the requirements that it was made from.
const STAMP: &str = "requirements.sha256";

/// Resolves and pins requirements with pip, for several Pythons.
const PIN: &str = include_str!("environment/pin.py");

/// The Pythons that an environment is pinned for unless others are named, the first one's choice of versions
/// first.
const PYTHONS: &str = "3.12,3.11,3.13";

/// What PyTorch needs of Python. Its wheels ask for gigabytes of libraries for GPUs besides, so what they ask for
/// is not asked.
const TORCH_NEEDS: [&str; 10] = [
    "--no-deps",
    "filelock",
    "fsspec",
    "jinja2",
    "markupsafe",
    "mpmath",
    "networkx",
    "sympy",
    "numpy",
    "typing-extensions",
];

/// Prints the Python version of an interpreter, as `3.11`.
const VERSION: &str = "import sys; print('%d.%d' % sys.version_info[:2])";

/// The same, and fails if its pip knows no `--python`.
const VERSION_WITH_PIP: &str = "import sys, pip; \
                                assert tuple(map(int, pip.__version__.split('.')[:2])) >= (22, 3); \
                                print('%d.%d' % sys.version_info[:2])";

/// Pythons for which pip has no version that knows `--python`. Another Python's pip puts packages for them
/// where they look.
const WITHOUT_PIP: [&str; 2] = ["3.6", "3.7"];

/// One environment: its requirements, and where it belongs.
pub struct Environment {
    /// The name of its folder, such as `jax-0.10.2`.
    pub name: String,
    requirements: PathBuf,
    place: PathBuf,
    /// The version of Python, if it is not the first one here that has files of all requirements.
    python: Option<String>,
}

impl Environment {
    /// The environment of this name.
    ///
    /// # Errors
    /// If the repository has no requirements of that name.
    pub fn named(name: &str) -> anyhow::Result<Self> {
        let requirements = unskew_peers::root().join(REQUIREMENTS).join(format!("{name}.txt"));
        ensure!(
            requirements.is_file(),
            "no requirements for {name}; `cargo xtask pin NAME==VERSION` makes them: {}",
            requirements.display()
        );
        let place = corpus().join("python").join(name);
        Ok(Self { name: name.to_owned(), requirements, place, python: None })
    }

    /// The same with this version of Python, such as `3.12`, and in this folder.
    #[must_use]
    pub fn with_python(self, version: &str, place: PathBuf) -> Self {
        Self { place, python: Some(version.to_owned()), ..self }
    }

    /// Every environment that the repository has requirements for, in no order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn all() -> anyhow::Result<Vec<Self>> {
        let folder = unskew_peers::root().join(REQUIREMENTS);
        let mut all = Vec::new();
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if let (Some(name), Some("txt")) = (
                path.file_stem().and_then(|name| name.to_str()),
                path.extension().and_then(|e| e.to_str()),
            ) {
                all.push(Self::named(name)?);
            }
        }
        Ok(all)
    }

    /// Makes the environment if it is not there, and says which of the two it was.
    ///
    /// # Errors
    /// If no fitting Python is here, or pip does not install the requirements.
    pub fn make(&self) -> anyhow::Result<&'static str> {
        let text = fs::read_to_string(&self.requirements)?;
        let stamp = format!("{:x}", Hex(Sha256::digest(text.as_bytes()).as_slice()));
        if fs::read_to_string(self.place.join(STAMP)).is_ok_and(|found| found == stamp) {
            return Ok("there");
        }
        let python = match &self.python {
            Some(version) => interpreter(version)?,
            None => fitting(&self.name, &text)?,
        };
        let part = self.place.with_file_name(format!("{}.part", self.name));
        remove(&part)?;
        self.install(&python, &part)?;
        fs::write(part.join(STAMP), stamp)?;
        remove(&self.place)?;
        fs::rename(&part, &self.place).with_context(|| self.place.display().to_string())?;
        Ok("made")
    }

    /// Removes the environment.
    ///
    /// # Errors
    /// If that fails; part of it may then be gone.
    pub fn remove(&self) -> anyhow::Result<()> {
        remove(&self.place)
    }

    fn install(&self, python: &Path, part: &Path) -> anyhow::Result<()> {
        // Without a pip of its own, an environment needs no script, and can be moved.
        let made = Command::new(python).args(["-m", "venv", "--without-pip"]).arg(part).output()?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr).trim());
        let version = version(python, VERSION).unwrap_or_default();
        let mut install = if WITHOUT_PIP.contains(&&*version) {
            let python = interpreters(&[]).into_iter().find(|it| with_pip(it).is_some());
            let mut pip = Command::new(python.context("no Python here has pip 22.3 or newer")?);
            pip.args(["-m", "pip", "install", "--python-version", &version]);
            pip.args(["--implementation", "cp", "--platform", "manylinux2014_x86_64", "--target"]);
            pip.arg(part.join(format!("lib/python{version}/site-packages")));
            pip.args(["--no-compile", "--disable-pip-version-check"]);
            pip
        } else {
            let mut uv = Command::new(uv()?);
            uv.args(["pip", "install", "--python"]).arg(part.join("bin/python"));
            uv.args(["--link-mode", "hardlink", "--cache-dir"]).arg(corpus().join("cache"));
            // Certificates of the system, as pip takes them.
            uv.env("UV_SYSTEM_CERTS", "1").env("UV_NATIVE_TLS", "1");
            uv
        };
        let install = install
            .args(["--quiet", "--require-hashes", "--no-deps", "--only-binary=:all:"])
            .arg("--requirement")
            .arg(&self.requirements)
            .output()?;
        let said = String::from_utf8_lossy(&install.stderr);
        ensure!(install.status.success(), "{} was not installed:\n{}", self.name, said.trim());
        Ok(())
    }
}

/// The releases of a family that are named; without names, all that the repository has requirements for.
///
/// # Errors
/// If the folder of requirements cannot be read.
pub fn releases(family: &str, named: &[String]) -> anyhow::Result<Vec<String>> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let version =
        |it: &Environment| it.name.strip_prefix(family)?.strip_prefix('-').map(str::to_owned);
    Ok(Environment::all()?.iter().filter_map(version).collect())
}

/// Does something with a release, such as `torch` and `2.15.0`, whose environment is made for it if it is not there, and
/// removed after it unless it is to be kept.
///
/// # Errors
/// If it cannot be made or removed, or the act fails.
pub fn with_release<T>(
    family: &str,
    version: &str,
    keep: bool,
    act: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let environment = Environment::named(&format!("{family}-{version}"))?;
    let was_there = Peer::named(family, version).is_ok();
    environment.make()?;
    let done = act();
    if !was_there && !keep {
        environment.remove()?;
    }
    done
}

fn corpus() -> PathBuf {
    unskew_peers::root().join("corpus")
}

/// The command `uv`: that of the corpus where it runs, else that on the path.
///
/// # Errors
/// If there is neither.
pub fn uv() -> anyhow::Result<PathBuf> {
    let runs = |uv: &PathBuf| {
        let version = Command::new(uv).arg("--version").output();
        version.is_ok_and(|said| said.status.success())
    };
    let ours = corpus().join("tools/uv");
    let found = [ours, "uv".into()].into_iter().find(runs);
    found.context("uv is not here, and that of the corpus does not run on this machine; install uv (`pip install uv`)")
}

/// The interpreter of an environment at `place` with these requirements, made by uv unless it is there and whole. The Python is
/// such as `3.11`.
///
/// # Errors
/// If uv or the Python is not here, or the requirements cannot be installed.
pub fn with_requirements(
    place: &Path,
    python: &str,
    requirements: &[&str],
    dependencies: Dependencies,
) -> anyhow::Result<PathBuf> {
    let (found, whole) = (place.join("bin/python"), place.join("whole"));
    if whole.exists() {
        return Ok(found);
    }
    make_empty(place, python)?;
    let mut install = Command::new(uv()?);
    install.args(["pip", "install", "--quiet", "--python"]).arg(&found);
    if dependencies == Dependencies::None {
        install.arg("--no-deps");
    }
    run_command(install.args(requirements))?;
    fs::write(whole, "")?;
    Ok(found)
}

/// Makes an environment at `place` in which nothing is installed, in the place of what is there. The Python is such as `3.11`.
///
/// # Errors
/// If uv or the Python is not here.
pub fn make_empty(place: &Path, python: &str) -> anyhow::Result<()> {
    let mut venv = Command::new(uv()?);
    venv.args(["venv", "--quiet", "--clear", "--python"]).arg(interpreter(python)?);
    run_command(venv.arg(place))?;
    Ok(())
}

/// Whether packages are installed with what they require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependencies {
    /// With it.
    All,
    /// Alone.
    None,
}

/// Writes the requirements of a release: `cargo xtask pin NAME==VERSION [REQUIREMENT...]`.
///
/// # Errors
/// If the release is of nothing that is run, or pip finds no set of packages.
pub fn pin(release: &str, others: &[String], pythons: Option<&str>) -> anyhow::Result<()> {
    let (family, version) = release.split_once("==").unwrap_or((release, ""));
    let packages = packages(family, version)?;
    let needs = if family == "torch" { &TORCH_NEEDS[..] } else { &[] };
    // What is asked for by the caller comes in the place of the same without a version.
    let asked = |need: &&&str| !others.iter().any(|other| other.split("==").next() == Some(need));
    let output = Command::new("python3")
        .args(["-c", PIN, pythons.unwrap_or(PYTHONS)])
        .args(packages)
        .args(needs.iter().filter(asked))
        .args(others)
        .output()
        .context("cannot run python3; install Python 3 with pip")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{release} was not pinned:\n{}", said.trim());
    let name = format!("{REQUIREMENTS}/{family}-{version}.txt");
    let file = unskew_peers::root().join(&name);
    fs::write(&file, &output.stdout).with_context(|| file.display().to_string())?;
    print!("{said}");
    println!("{name}: review it; {}", next_step(family, version));
    Ok(())
}

/// What to do with new requirements.
fn next_step(family: &str, version: &str) -> String {
    match family {
        "pillow" => "run `cargo lab extensions`".to_owned(),
        "torchvision" => "run `cargo lab torch-models`".to_owned(),
        "mkdocs-material" => "run `cargo xtask site`".to_owned(),
        "moto" | "mlflow" | "maturin" | "protobuf" => {
            "name it in corpus.toml and run `cargo xtask corpus`".to_owned()
        }
        _ => format!("run `cargo lab {family} --release {version}`"),
    }
}

/// What to ask of pip for a release.
fn packages(family: &str, version: &str) -> anyhow::Result<Vec<String>> {
    let names: &[&str] = match family {
        "jax" => &["jax", "jaxlib"],
        // Before 1.15 there was one package for all machines.
        "tensorflow" if is_before(version, 1, 15) => &["tensorflow"],
        // The same as `tensorflow`, without what a GPU wants.
        "tensorflow" => &["tensorflow-cpu"],
        "torch" => &["torch"],
        // Families of models; what goes with it is named when it is pinned, and PyTorch stands beside it.
        "torchvision" => &["torchvision"],
        // An S3 server for tests.
        "moto" => &["moto[server]"],
        // A runtime of protobuf; its compiler is named beside it: `grpcio-tools==1.80.0`.
        "protobuf" => &["protobuf"],
        // A model registry for tests.
        "mlflow" => &["mlflow"],
        // What builds and tests the Python package; the rest of it is named when it is pinned.
        "maturin" => &["maturin"],
        // What makes the site of the docs.
        "mkdocs-material" => &["mkdocs-material"],
        // What wheels with native extensions import beside their framework; the rest is named when it is pinned.
        "pillow" => &["pillow"],
        // What jax.export needs beside JAX; its other package is named when it is pinned.
        "flatbuffers" => &["flatbuffers"],
        _ => {
            bail!(
                "only jax, flatbuffers, pillow, tensorflow, torch, torchvision, protobuf, moto, mlflow, maturin and mkdocs-material are run, \
                 such as jax==0.10.2, not {family}"
            )
        }
    };
    ensure!(!version.is_empty(), "a release has a version, such as {family}==1.2.3");
    Ok(names.iter().map(|name| format!("{name}=={version}")).collect())
}

/// Whether a version such as `1.4.1` is older than this one.
fn is_before(version: &str, major: u32, minor: u32) -> bool {
    let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
    (parts.next(), parts.next()) < (Some(major), Some(minor))
}

/// What an interpreter says of its version, if it can be asked.
fn version(python: &Path, question: &str) -> Option<String> {
    let output = Command::new(python).args(["-c", question]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The version of an interpreter whose pip knows `--python`.
fn with_pip(python: &Path) -> Option<String> {
    version(python, VERSION_WITH_PIP)
}

/// The interpreter here of this version, such as `3.9`.
///
/// # Errors
/// If there is none.
pub fn interpreter(wanted: &str) -> anyhow::Result<PathBuf> {
    let mut all = interpreters(&[wanted]).into_iter();
    let found = all.find(|python| version(python, VERSION).as_deref() == Some(wanted));
    found.with_context(|| {
        format!("no Python {wanted} is here; install one (`uv python install {wanted}`, `pyenv install {wanted}`)")
    })
}

/// The first interpreter here whose version the requirements name.
fn fitting(name: &str, requirements: &str) -> anyhow::Result<PathBuf> {
    let head = requirements.lines().next().and_then(|line| line.strip_prefix("# Python: "));
    let wanted: Vec<&str> = head
        .with_context(|| format!("{name}.txt does not begin with '# Python: '"))?
        .split(' ')
        .collect();
    let mut seen = Vec::new();
    for python in interpreters(&wanted) {
        let old = version(&python, VERSION).filter(|version| WITHOUT_PIP.contains(&&**version));
        if let Some(version) = old.or_else(|| with_pip(&python)) {
            if wanted.contains(&version.as_str()) {
                return Ok(python);
            }
            seen.push(version);
        }
    }
    let newest = wanted.last().copied().unwrap_or("3.12");
    bail!(
        "{name} needs Python {} with pip 22.3 or newer; install one (`uv python install {newest}`, \
         `pyenv install {newest}`, or the system's packages python{newest}, python3-pip), or name it in \
         UNSKEW_PYTHON; found: {}",
        wanted.join(" or "),
        if seen.is_empty() { "none".to_owned() } else { seen.join(", ") }
    )
}

/// Where an interpreter may be: as named by the user, on the path, among those of pyenv.
fn interpreters(versions: &[&str]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::env::var_os("UNSKEW_PYTHON").map(PathBuf::from).into_iter().collect();
    all.push("python3".into());
    all.extend(versions.iter().map(|version| format!("python{version}").into()));
    let pyenv = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    let pyenv = pyenv.or_else(|| Some(std::env::home_dir()?.join(".pyenv")));
    if let Some(entries) = pyenv.and_then(|root| root.join("versions").read_dir().ok()) {
        let mut installed: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path().join("bin/python3")).collect();
        installed.sort();
        all.extend(installed);
    }
    all
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

/// Bytes as hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl std::fmt::LowerHex for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_requirement_is_pinned_with_a_hash_and_names_its_pythons() -> anyhow::Result<()> {
        let all = Environment::all()?;
        assert!(all.len() > 20, "{}", all.len());
        for environment in all {
            let text = fs::read_to_string(&environment.requirements)?;
            let name = &environment.name;
            assert!(text.starts_with("# Python: 3."), "{name}");
            for entry in text.lines().skip(1).filter(|line| !line.starts_with(' ')) {
                assert!(entry.contains("==") && entry.ends_with('\\'), "{name}: {entry}");
            }
            let (family, version) = name.rsplit_once('-').unwrap_or_default();
            for package in packages(family, version)? {
                // Its extras are packages of their own in what pip resolves.
                let package = package.replace("[server]", "");
                assert!(text.contains(&format!("\n{package} ")), "{name}: {package}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_python_that_is_not_here_is_an_error_that_names_it_and_says_how_to_get_it() {
        let said = fitting("jax-9.9.9", "# Python: 2.9\n").err().map(|error| format!("{error:#}"));
        let said = said.unwrap_or_default();
        for part in
            ["jax-9.9.9 needs Python 2.9", "uv python install 2.9", "UNSKEW_PYTHON", "found: 3."]
        {
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn an_environment_without_its_stamp_or_of_other_requirements_is_not_finished()
    -> anyhow::Result<()> {
        let scratch =
            std::env::temp_dir().join(format!("unskew-environment-{}", std::process::id()));
        fs::create_dir_all(scratch.join("place"))?;
        let requirements = scratch.join("none.txt");
        // Nothing here is such a Python, so making it fails: which shows that it was not taken for finished.
        fs::write(&requirements, "# Python: 2.9\n")?;
        let name = "none".to_owned();
        let environment =
            Environment { name, requirements, place: scratch.join("place"), python: None };
        assert!(environment.make().is_err());
        fs::write(environment.place.join(STAMP), "the hash of something else")?;
        assert!(environment.make().is_err());
        let stamp = format!("{:x}", Hex(Sha256::digest(b"# Python: 2.9\n").as_slice()));
        fs::write(environment.place.join(STAMP), stamp)?;
        assert_eq!(environment.make()?, "there");
        fs::remove_dir_all(scratch)?;
        Ok(())
    }
}
