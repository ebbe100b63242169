//! The arguments of `diff`.

use std::ffi::OsString;

use super::ReportFormat;
use super::packages::Packages;

#[derive(Debug, clap::Args)]
pub struct Diff {
    /// The old side: a file, folder, archive, git revision (v1.0:include), package (pypi:NAME==VERSION) or release
    #[arg(value_name = "OLD")]
    pub old: OsString,
    /// The new side, in the same forms
    #[arg(value_name = "NEW", required_unless_present = "git")]
    pub new: Option<OsString>,
    /// Compare one path in two git revisions; OLD is then that path
    #[arg(long, value_name = "OLD..NEW")]
    pub git: Option<String>,
    /// Version policy for headers: pjrt, stream-executor, semver, soname or none [default: detected from their version
    /// macros]
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// Read headers with this macro defined; may be given several times
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Do not fail for what a raised major number allows
    #[arg(long)]
    pub allow_major: bool,
    #[command(flatten)]
    pub packages: Packages,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
