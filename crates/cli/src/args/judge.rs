//! The arguments of `inspect`, `check` and `matrix`.

use std::ffi::OsString;
use std::path::PathBuf;

use unskew_core::VerdictQuestion;

use super::{GridFormat, ReportFormat, RunningArgs, UsageArgs};

#[derive(Debug, clap::Args)]
pub struct Inspect {
    /// Paths or releases to inspect
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
    #[command(flatten)]
    pub running: RunningArgs,
    /// Verify all checksums: tensors of TensorFlow checkpoints, members of archives
    #[arg(long)]
    pub verify: bool,
    /// Print the program of a StableHLO artifact or a file of jax.export as MLIR text; short leaves out long constants
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "short")]
    pub text: Option<ProgramTextLength>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

/// What `--require` asks of every pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum RequiredAnswer {
    /// It loads.
    Load,
    /// It loads and runs.
    Run,
    /// It loads, runs and gives the same results.
    Same,
}

impl From<RequiredAnswer> for VerdictQuestion {
    fn from(requirement: RequiredAnswer) -> Self {
        match requirement {
            RequiredAnswer::Load => Self::Loads,
            RequiredAnswer::Run => Self::Runs,
            RequiredAnswer::Same => Self::MeansTheSame,
        }
    }
}

/// How much of a program is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProgramTextLength {
    /// Constants of more than 16 elements without them.
    Short,
    /// Everything: text that MLIR's tools parse.
    Whole,
}

#[derive(Debug, clap::Args)]
pub struct Check {
    /// One side: a path or a release
    #[arg(value_name = "A")]
    pub a: OsString,
    /// The other sides: paths or releases, here or behind --with; none asks which releases work
    #[arg(value_name = "B")]
    pub others: Vec<OsString>,
    /// The other sides: paths or releases
    #[arg(long, num_args = 1.., value_name = "B")]
    pub with: Vec<OsString>,
    #[command(flatten)]
    pub running: RunningArgs,
    #[command(flatten)]
    pub usage: UsageArgs,
    /// Verify all checksums: tensors of TensorFlow checkpoints, members of archives
    #[arg(long)]
    pub verify: bool,
    /// What every pair has to do, judged and without an error; this alone sets the exit status then
    #[arg(long, value_name = "WHAT", conflicts_with = "deny")]
    pub require: Option<RequiredAnswer>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

#[derive(Debug, clap::Args)]
pub struct MatrixArgs {
    /// The rows: paths or releases
    #[arg(required = true, value_name = "A")]
    pub a: Vec<OsString>,
    /// The columns: paths or releases
    #[arg(long, required = true, num_args = 1.., value_name = "B")]
    pub with: Vec<OsString>,
    #[command(flatten)]
    pub running: RunningArgs,
    #[command(flatten)]
    pub usage: UsageArgs,
    /// What every pair has to do, judged and without an error; this alone sets the exit status then
    #[arg(long, value_name = "WHAT", conflicts_with = "deny")]
    pub require: Option<RequiredAnswer>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: GridFormat,
    /// Write to this file, atomically
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
