//! The arguments of `diff`.

use std::ffi::OsString;

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct Diff {
    /// What was: a file, a folder, an archive, a revision (v1.0:include), a package (pypi:NAME==VERSION) or a release
    #[arg(value_name = "OLD")]
    pub old: OsString,
    /// What is
    #[arg(value_name = "NEW", required_unless_present = "git")]
    pub new: Option<OsString>,
    /// Compare one path in two revisions; with it, OLD is that path
    #[arg(long, value_name = "OLD..NEW")]
    pub git: Option<String>,
    /// Hold headers to this policy, pjrt or stream-executor, instead of the one that their versions name
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
