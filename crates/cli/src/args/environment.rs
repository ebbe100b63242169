//! The arguments of `env` and `lock`.

use std::path::PathBuf;

use clap::ValueEnum;
use unskew_core::Version;

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct Env {
    /// An environment: its folder, its python, or a site-packages folder
    #[arg(value_name = "ENVIRONMENT", default_value = ".venv")]
    pub path: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

#[derive(Debug, clap::Args)]
pub struct Lock {
    /// uv.lock, pylock.toml, poetry.lock, pixi.lock, requirements.txt, or an explicit list of conda
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// The Python to choose wheels for: 3.12
    #[arg(long, value_name = "VERSION")]
    pub python: Option<Version>,
    /// The machine to choose wheels for
    #[arg(long, value_name = "MACHINE", default_value = "x86-64")]
    pub machine: LockMachine,
    /// Read wheels of which no facts are built in, by range, from where the lock says they lie
    #[arg(long)]
    pub fetch: bool,
    /// The package index for locks that name none
    #[arg(long, value_name = "URL", default_value = unskew_verbs::INDEX, requires = "fetch")]
    pub index: String,
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
