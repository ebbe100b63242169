//! The arguments of `history`.

use std::ffi::OsString;
use std::path::PathBuf;

use unskew_core::{Date, Version, Window};

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct History {
    /// A dated history: a changelog, a header with a list of versions, a TOML history; or the name of an axis
    /// of the database, such as pjrt.api
    #[arg(value_name = "HISTORY")]
    pub source: OsString,
    /// Answer for this day (YYYY-MM-DD) instead of today; faults are judged as of today, or --as-of
    #[arg(long, value_name = "DATE")]
    pub at: Option<Date>,
    /// The window that is promised: "12 weeks", "180 days or 1 release"
    #[arg(long, value_name = "WINDOW")]
    pub window: Option<Window>,
    /// Say when this version falls out of the window (repeatable)
    #[arg(long, value_name = "VERSION")]
    pub when: Vec<Version>,
    /// Where days of landing come from: `git` (when each line came into the file), an axis of the database,
    /// or another history
    #[arg(long, value_name = "SOURCE")]
    pub landed: Option<OsString>,
    /// Leave out of the timeline what fell out of its window before this day
    #[arg(long, value_name = "DATE")]
    pub since: Option<Date>,
    /// Draw the timeline into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}
