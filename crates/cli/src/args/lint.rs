//! The arguments of `lint`.

use std::path::PathBuf;

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct Lint {
    /// The promises, instead of the unskew.toml of this folder or the nearest one above it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What everything is compared with: git:main..., git:merge-base, git:REVISION, a folder, an archive, pypi:NAME==VERSION
    #[arg(long, value_name = "BASELINE")]
    pub baseline: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
