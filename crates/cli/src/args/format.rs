//! Formats in which results are printed.

use clap::ValueEnum;
use unskew_report::RenderFormat;

/// Output formats of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Human-readable, with every detail
    #[value(alias = "text")]
    Full,
    /// One line per finding
    Concise,
    /// JSON in the documented schema
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub workflow commands
    Github,
    /// JUnit XML
    Junit,
}

impl From<ReportFormat> for RenderFormat {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Full => Self::Full,
            ReportFormat::Concise => Self::Concise,
            ReportFormat::Json => Self::Json,
            ReportFormat::Sarif => Self::Sarif,
            ReportFormat::Github => Self::Github,
            ReportFormat::Junit => Self::Junit,
        }
    }
}

/// Output formats of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GridFormat {
    /// A table, with the reasons below it
    #[value(alias = "text", alias = "full")]
    Table,
    /// One line per pair
    Csv,
    /// One self-contained page
    Html,
    /// One line per finding
    Concise,
    /// JSON in the documented schema
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub workflow commands
    Github,
}
