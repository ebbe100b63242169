//! The arguments of `lint`.

use std::path::PathBuf;

use super::ReportFormat;
use super::packages::Packages;

#[derive(Debug, clap::Args)]
pub struct Lint {
    /// The configuration [default: unskew.toml in this folder or the nearest parent]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Compare with this: git:main..., git:merge-base, git:REVISION, a folder, an archive, pypi:NAME==VERSION
    #[arg(long, value_name = "BASELINE")]
    pub baseline: Option<String>,
    #[command(flatten)]
    pub packages: Packages,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
