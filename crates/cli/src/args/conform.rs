//! The arguments of `conform`.

use std::path::PathBuf;

use super::{ReportFormat, Trusting};

#[derive(Debug, clap::Args)]
pub struct Conform {
    /// The plug-in, a shared object
    #[arg(value_name = "PLUGIN", required_unless_present = "diff", conflicts_with = "diff")]
    pub plugin: Option<PathBuf>,
    /// Compare two plug-ins: which checks the second one newly fails or passes
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with = "format")]
    pub diff: Option<Vec<PathBuf>>,
    /// Time limit of one check, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub limit: u64,
    #[command(flatten)]
    pub trusting: Trusting,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
