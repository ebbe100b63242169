//! The programs that StableHLO is measured with: artifacts that the newest jaxlib makes of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use clap::Args;
use tempfile::TempDir;
use unskew_jax_matrix::JaxHost;

pub(crate) const LOWER: &str = "lab/xla/probes/stablehlo_lower.py";
pub(crate) const MAKE: &str = "lab/xla/probes/stablehlo_make.py";
pub(crate) const MODULES: &str = "lab/xla/probes/stablehlo_modules.py";

/// How often programs that take a probe down are passed over.
const CRASHES: usize = 400;

/// Which programs are taken.
#[derive(Args)]
pub struct Programs {
    /// A folder with programs as text: `stablehlo/testdata` and `stablehlo/tests` of the public repository
    #[arg(long)]
    programs: Vec<PathBuf>,
    /// How many programs are made at random beside the modules of JAX's own back-compatibility data
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// The same seed makes the same programs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keeps what is made in this folder, and goes on from what is there
    #[arg(long)]
    work: Option<PathBuf>,
}

/// A folder with artifacts, in which more is made of them.
pub(crate) struct Bench {
    /// Every jaxlib that is here, oldest first.
    pub(crate) hosts: Vec<JaxHost>,
    pub(crate) base: PathBuf,
    folder: PathBuf,
    _temporary: TempDir,
}

impl Bench {
    /// Has the newest jaxlib make the artifacts, unless they are there.
    ///
    /// # Errors
    /// If no environment is there, or a probe fails.
    pub(crate) fn new(programs: &Programs) -> anyhow::Result<Self> {
        let temporary = tempfile::tempdir()?;
        let folder = programs.work.clone().unwrap_or_else(|| temporary.path().to_owned());
        let base = folder.join("base");
        let bench = Self { hosts: JaxHost::all(), base, folder, _temporary: temporary };
        bench.at("base")?;
        if artifacts(&bench.base)?.is_empty() {
            make(bench.writer()?, programs, &bench.base, &bench.at("made")?)?;
        }
        Ok(bench)
    }

    /// The jaxlib that makes and prints: the newest.
    pub(crate) fn writer(&self) -> anyhow::Result<&JaxHost> {
        self.hosts.last().context("`cargo xtask corpus` makes the environments of JAX")
    }

    /// A folder of this name, which is there.
    pub(crate) fn at(&self, name: &str) -> anyhow::Result<PathBuf> {
        let path = self.folder.join(name);
        fs::create_dir_all(&path)?;
        Ok(path)
    }
}

/// The Python of a jaxlib, with a script of this repository.
pub(crate) fn probe(host: &JaxHost, script: &str) -> Command {
    let mut command = host.peer.command();
    command.arg(unskew_peers::root().join(script));
    command.stderr(Stdio::null());
    command
}

fn make(writer: &JaxHost, arguments: &Programs, base: &Path, made: &Path) -> anyhow::Result<()> {
    ensure!(probe(writer, MODULES).arg(base).status()?.success(), "{MODULES} failed");
    let numbers = [arguments.seed.to_string(), arguments.count.to_string()];
    ensure!(probe(writer, MAKE).arg(made).args(numbers).status()?.success(), "{MAKE} failed");
    for folder in arguments.programs.iter().map(PathBuf::as_path).chain([made]) {
        again(&|| {
            let mut command = probe(writer, LOWER);
            command.arg("parse").arg(folder).arg(base);
            command
        })?;
    }
    Ok(())
}

/// Starts a probe until it ends well: a program that takes it down is passed over the next time.
pub(crate) fn again(probe: &dyn Fn() -> Command) -> anyhow::Result<()> {
    for _ in 0..CRASHES {
        if probe().status()?.success() {
            return Ok(());
        }
    }
    anyhow::bail!("{LOWER} ends again and again")
}

/// The artifacts in a folder, by their names.
pub(crate) fn artifacts(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let files = fs::read_dir(folder)?.map(|file| Ok(file?.path()));
    let mut files = files.collect::<anyhow::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "bc"));
    files.sort();
    Ok(files)
}
