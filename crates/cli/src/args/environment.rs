//! The arguments of `env` and `lock`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use unskew_core::Version;
use unskew_verbs::{ComputeCapability, DriverVersion};

use super::ReportFormat;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Env {
    #[command(subcommand)]
    pub what: Option<EnvVerb>,
    /// An environment: its folder, its python, a site-packages folder; or an image: an OCI layout, a tar of one [default: the
    /// active one ($VIRTUAL_ENV, $CONDA_PREFIX), else .venv here or in a folder above]
    #[arg(value_name = "ENVIRONMENT")]
    pub path: Option<PathBuf>,
    #[command(flatten)]
    pub system: SystemLibrariesArgs,
    #[command(flatten)]
    pub gpu: GpuArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

#[derive(Debug, Subcommand)]
pub enum EnvVerb {
    /// Print what a wheel would have to declare: ABI dependencies, requirements, its platform tag
    Labels {
        /// A wheel
        wheel: PathBuf,
    },
}

// The C and C++ libraries of the system that modules are to be loaded on.
#[derive(Debug, clap::Args)]
pub struct SystemLibrariesArgs {
    /// Check modules against this glibc: 2.28
    #[arg(long, value_name = "VERSION")]
    pub glibc: Option<Version>,
    /// Check modules against the libstdc++ with this version of GLIBCXX: 3.4.25
    #[arg(long, value_name = "VERSION")]
    pub glibcxx: Option<Version>,
}

// The GPUs that code for CUDA is to run on.
#[derive(Debug, clap::Args)]
pub struct GpuArgs {
    /// Check code for CUDA against this GPU: sm_120, 12.0, "RTX 5090"; repeat it for several [default of env: those of this machine]
    #[arg(long, value_name = "GPU")]
    pub gpu: Vec<ComputeCapability>,
    /// Check CUDA against this NVIDIA driver: 550, 550.54.14 [default of env: that of this machine]
    #[arg(long, value_name = "VERSION")]
    pub driver: Option<DriverVersion>,
}

#[derive(Debug, clap::Args)]
pub struct LockArgs {
    /// uv.lock, pylock.toml, poetry.lock, pixi.lock, conda-lock.yml, requirements.txt, an explicit list of conda, or a folder with some of them
    ///
    /// Each file is an environment of its own.
    #[arg(value_name = "FILE", required = true)]
    pub paths: Vec<PathBuf>,
    /// The Python to choose wheels for: 3.12
    #[arg(long, value_name = "VERSION")]
    pub python: Option<Version>,
    /// The machine to choose wheels for
    #[arg(long, value_name = "MACHINE", default_value = "x86-64")]
    pub machine: LockMachine,
    /// Read wheels of which no facts are built in, by range, from where the lock says they lie
    #[arg(long)]
    pub fetch: bool,
    /// The package index for locks that name none [default: that of pip or uv, else PyPI]
    #[arg(long, value_name = "URL", requires = "fetch")]
    pub index: Option<String>,
    #[command(flatten)]
    pub system: SystemLibrariesArgs,
    #[command(flatten)]
    pub gpu: GpuArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

/// Machines for which wheels were harvested.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LockMachine {
    /// x86-64, Linux
    #[value(name = "x86-64", alias = "x86_64")]
    X86,
    /// 64-bit ARM, Linux
    #[value(name = "aarch64", alias = "arm64")]
    Arm,
}
