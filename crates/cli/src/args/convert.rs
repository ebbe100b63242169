//! The arguments of `convert`.

use std::path::PathBuf;

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct Convert {
    /// The artifact: a file or a SavedModel folder; it is never changed
    #[arg(value_name = "A")]
    pub artifact: PathBuf,
    /// The release that is to accept the result: torch@1.4, tensorflow@2.4
    #[arg(long, value_name = "RELEASE")]
    pub to: String,
    /// Where the result goes; it appears whole or not at all
    #[arg(long, short, value_name = "OUT", required_unless_present = "dry_run")]
    pub output: Option<PathBuf>,
    /// Print what would be done, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// An adaptation that loses something and may be used all the same; can be given several times
    #[arg(long, value_name = "ADAPTATION")]
    pub allow: Vec<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
