//! The arguments of `history`.

use std::ffi::OsString;
use std::path::PathBuf;

use unskew_core::{Date, Version, Window};

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct HistoryArgs {
    /// A dated version history: a changelog, a header with a list of versions, a TOML history, or the name
    /// of a version line in the database, such as pjrt.api
    #[arg(value_name = "HISTORY")]
    pub source: OsString,
    /// Compute the window for this day (YYYY-MM-DD) instead of today. Findings still use today, or --as-of
    #[arg(long, value_name = "DATE")]
    pub at: Option<Date>,
    /// The compatibility window: "12 weeks", "180 days or 1 release"
    #[arg(long, value_name = "WINDOW")]
    pub window: Option<Window>,
    /// Print when this version leaves the window (repeatable)
    #[arg(long, value_name = "VERSION")]
    pub when: Vec<Version>,
    /// Source of the landing dates: `git` (the commit that added each line), a version line of the database,
    /// or another history
    #[arg(long, value_name = "SOURCE")]
    pub landed: Option<OsString>,
    /// Hide versions that left the window before this day
    #[arg(long, value_name = "DATE")]
    pub since: Option<Date>,
    /// Write the timeline to this SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
