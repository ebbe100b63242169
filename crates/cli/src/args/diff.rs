//! The arguments of `diff`.

use std::ffi::OsString;

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct Diff {
    /// What was: a file, a folder of headers or a release
    #[arg(value_name = "OLD")]
    pub old: OsString,
    /// What is: a file, a folder of headers or a release
    #[arg(value_name = "NEW")]
    pub new: OsString,
    /// Hold headers to this policy, pjrt or stream-executor, instead of the one that their versions name
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
