//! The arguments of `conform`.

use std::path::PathBuf;

use super::{ReportFormat, Trusting};

#[derive(Debug, clap::Args)]
pub struct Conform {
    /// The plug-in
    #[arg(value_name = "PLUGIN", required_unless_present = "diff", conflicts_with = "diff")]
    pub plugin: Option<PathBuf>,
    /// Say what the second plug-in lost or gained against the first
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with = "format")]
    pub diff: Option<Vec<PathBuf>>,
    /// Show the checks that passed too
    #[arg(long)]
    pub verbose: bool,
    /// How long one check may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub limit: u64,
    #[command(flatten)]
    pub trusting: Trusting,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
