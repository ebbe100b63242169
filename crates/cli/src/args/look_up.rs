//! The arguments of `explain` and `releases`.

use std::path::PathBuf;

use clap::ValueEnum;
use unskew_core::Date;

#[derive(Debug, clap::Args)]
pub struct Explain {
    /// The code or the name of a rule, such as CO001; or an error message in quotation marks; or `-` for a log on the
    /// standard input. Without it, all rules are listed
    #[arg(value_name = "CODE|NAME|TEXT|-")]
    pub what: Option<String>,
    /// The environment in which to look for the cause of an error message. Without it, the active one, or `.venv` here or
    /// in a folder above
    #[arg(long, value_name = "PATH", requires = "what")]
    pub env: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = ExplainFormat::Text, help = "Output format of what an error message means", requires = "what")]
    pub format: ExplainFormat,
}

/// Output formats of what an error message means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    /// Human-readable
    #[value(alias = "full")]
    Text,
    /// JSON in the documented schema
    Json,
}

#[derive(Debug, clap::Args)]
pub struct ReleasesArgs {
    /// A family (torch) or a release (torch@2.1)
    #[arg(value_name = "NAME[@VERSION]")]
    pub name: Option<String>,
    /// Show operators whose name contains this, or matches it: 'aten::*_copy'
    #[arg(long, value_name = "PATTERN", requires = "name")]
    pub op: Option<String>,
    /// Show the dated history of a version line (pjrt.api). Without a name, all lines are listed
    #[arg(long, value_name = "AXIS", num_args = 0..=1, conflicts_with = "name")]
    pub axis: Option<Option<String>>,
    /// With --axis: show which versions a release made on this day must support
    #[arg(long, value_name = "DATE", requires = "axis")]
    pub released: Option<Date>,
    /// With --released: length of the compatibility window, in weeks
    #[arg(long, value_name = "WEEKS", requires = "released", default_value_t = 12)]
    pub weeks: u32,
}
