//! The arguments of `diff`.

use std::ffi::OsString;

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct Diff {
    /// What was: a file or a release
    #[arg(value_name = "OLD")]
    pub old: OsString,
    /// What is: a file or a release
    #[arg(value_name = "NEW")]
    pub new: OsString,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
