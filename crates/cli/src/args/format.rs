//! How results are printed.

use clap::ValueEnum;
use unskew_report::Format;

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people: everything
    #[value(alias = "text")]
    Full,
    /// One line a finding
    Concise,
    /// The documented schema
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub workflow commands
    Github,
    /// JUnit XML
    Junit,
}

impl From<ReportFormat> for Format {
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

/// How a matrix is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GridFormat {
    /// A table with the reasons below
    #[value(alias = "text", alias = "full")]
    Table,
    /// One line a pair
    Csv,
    /// One page that needs nothing else
    Html,
    /// One line a finding
    Concise,
    /// The documented schema
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub workflow commands
    Github,
}
