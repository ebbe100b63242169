//! The arguments: one definition, from which help and errors follow.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use unskew_core::{Context, Date, Severity, Version};
use unskew_report::Format;

const EXIT_STATUS: &str = "\
Exit status:
  0  no finding of severity error
  1  at least one, or something could not be read (--deny warning: warnings count too)
  2  could not run: wrong arguments, or nothing could be read";

const NAMES: &str = "\
A side is a path (model, checkpoint, plug-in, wheel, folder) or a release: torch@2.1,
tensorflow@2.15, jax@0.6.2. A shorter version means the newest that begins with it, a
family alone (torch) all its releases. To name a file called `torch`, write `./torch`.";

/// Will these two pieces of ML software, built at different times, work together?
#[derive(Debug, Parser)]
#[command(version, name = "unskew", after_help = EXIT_STATUS, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub verb: Verb,
    #[command(flatten)]
    pub global: Global,
}

/// What every verb takes.
#[derive(Debug, clap::Args)]
pub struct Global {
    /// When to colour
    #[command(flatten)]
    pub color: Color,
    /// Judge promises as of this day (YYYY-MM-DD) instead of today
    #[arg(long, global = true, value_name = "DATE")]
    as_of: Option<Date>,
    /// From which severity on a finding makes the exit status 1
    #[arg(long, global = true, value_name = "SEVERITY", default_value = "error")]
    deny: Deny,
}

/// When to colour.
#[derive(Debug, clap::Args)]
pub struct Color {
    /// When to colour
    #[arg(long = "color", global = true, value_name = "WHEN", default_value = "auto")]
    choice: ColorChoice,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Deny {
    Error,
    Warning,
    Note,
}

impl Color {
    /// Lets every stream of this process follow the choice.
    pub fn write_global(&self) {
        match self.choice {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

impl Global {
    /// The day of the question; the one clock of Unskew.
    pub fn context(&self) -> Context {
        let today = || jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
        Context::on(self.as_of.unwrap_or_else(today))
    }

    /// From which severity on findings count.
    pub fn deny(&self) -> Severity {
        match self.deny {
            Deny::Error => Severity::Error,
            Deny::Warning => Severity::Warning,
            Deny::Note => Severity::Note,
        }
    }
}

/// One verb.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Say what a file is and every version it carries
    #[command(after_help = "\
Examples:
  unskew inspect model.pt
  unskew inspect saved_model/ libpjrt_cpu.so wheel.whl --format json")]
    Inspect(Inspect),
    /// Judge two sides: a verdict with reasons
    #[command(after_help = format!("{NAMES}\n
Examples:
  unskew check model.pt --with torch@1.10
  unskew check frozen_graph.pb --with tensorflow@2.4 tensorflow@2.15
  unskew check libpjrt_cpu.so --with jax@0.6.2 --deny warning\n\n{EXIT_STATUS}"))]
    Check(Check),
    /// Judge every pair of many: a table
    #[command(after_help = format!("{NAMES}\n`all` means every release.\n
Examples:
  unskew matrix models/ --with torch
  unskew matrix *.pb --with tensorflow --format html -o matrix.html
  unskew matrix a.pt b.pb --with all --format csv\n\n{EXIT_STATUS}"))]
    Matrix(Matrix),
    /// Explain a rule: what it means, why, and what mends it
    #[command(after_help = "\
Examples:
  unskew explain            lists every rule
  unskew explain CO001")]
    Explain(Explain),
    /// Show the built-in database of releases
    #[command(after_help = "\
Examples:
  unskew releases
  unskew releases torch
  unskew releases torch@2.1 --op aten::gelu
  unskew releases --axis ifrt.serdes --as-of 2026-07-01")]
    Releases(Releases),
    /// Make a PJRT plug-in that a host of another age can use
    #[command(after_help = "\
Examples:
  unskew adapt pjrt_c_api_cpu_plugin.so --for jax@0.6.2 -o adapted/
  unskew adapt libpjrt.so --present 0.54 -o adapted/
  unskew adapt libpjrt.so --emulate 0.48 --guard -o old/

The result is a shared object with a file of settings beside it; both stay together. It loads the
plug-in from where that lies now.")]
    Adapt(Adapt),
    /// Check whether a PJRT plug-in does what the interface says, and who can use it
    #[command(after_help = format!("\
Examples:
  unskew conform libpjrt_cpu.so
  unskew conform libpjrt_cpu.so --verbose
  unskew conform --diff old.so new.so\n\n{EXIT_STATUS}"))]
    Conform(Conform),
    /// Make some checks of a plug-in: a child process of `conform`
    #[command(name = "__conform", hide = true)]
    ConformChild { path: PathBuf, from: usize, to: usize },
    /// Load a plug-in and print what it says about itself: a child process of the others
    #[command(name = "__probe", hide = true)]
    Probe { path: PathBuf },
}

#[derive(Debug, clap::Args)]
pub struct Inspect {
    /// What to look at: paths or releases
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

#[derive(Debug, clap::Args)]
pub struct Check {
    /// One side: a path or a release
    #[arg(value_name = "A")]
    pub a: OsString,
    /// The other sides: paths or releases
    #[arg(long, required = true, num_args = 1.., value_name = "B")]
    pub with: Vec<OsString>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

#[derive(Debug, clap::Args)]
pub struct Matrix {
    /// The rows: paths or releases
    #[arg(required = true, value_name = "A")]
    pub a: Vec<OsString>,
    /// The columns: paths or releases
    #[arg(long, required = true, num_args = 1.., value_name = "B")]
    pub with: Vec<OsString>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: GridFormat,
    /// Write to this file, which appears whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("age").required(true))]
pub struct Adapt {
    /// The plug-in, a shared object
    #[arg(value_name = "PLUGIN")]
    pub plugin: PathBuf,
    /// The host that is to use it: jax@0.6.2
    #[arg(long = "for", value_name = "HOST", group = "age")]
    pub host: Option<String>,
    /// The PJRT version that hosts are to see: 0.54
    #[arg(long, value_name = "VERSION", group = "age")]
    pub present: Option<Version>,
    /// Behave as a plug-in that was built at this PJRT version: 0.48
    #[arg(long, value_name = "VERSION", group = "age")]
    pub emulate: Option<Version>,
    /// End the table of functions at memory that nobody may read
    #[arg(long, requires = "emulate")]
    pub guard: bool,
    /// The StableHLO version that the emulated plug-in names as its current one
    #[arg(long, value_name = "VERSION", requires = "emulate")]
    pub stablehlo: Option<Version>,
    /// Which extensions hosts see
    #[arg(long, value_name = "WHICH", default_value = "fitting")]
    pub extensions: ShownExtensions,
    /// What happens to serialized executables that no adapter has stamped
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    pub unstamped: UnstampedChoice,
    /// The folder for the result
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// The name of the result, and of its platform [default: that of the plug-in's file]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The adapter as it was built [default: beside this command, or in ../lib]
    #[arg(long, value_name = "FILE")]
    pub adapter: Option<PathBuf>,
}

/// Which extensions of a plug-in hosts see.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ShownExtensions {
    /// Those that mean the same at both ages
    Fitting,
    /// None
    None,
}

/// What happens to serialized executables that no adapter has stamped.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum UnstampedChoice {
    /// They are refused: another build of the plug-in may have made them, and then they compute garbage
    Refuse,
    /// The plug-in loads them
    Load,
}

#[derive(Debug, clap::Args)]
pub struct Explain {
    /// The code of a rule, such as CO001; without it, all rules are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Releases {
    /// A family (torch) or a release (torch@2.1)
    #[arg(value_name = "NAME[@VERSION]")]
    pub name: Option<String>,
    /// Operators whose name contains this
    #[arg(long, value_name = "PATTERN", requires = "name")]
    pub op: Option<String>,
    /// The dated history of a version line (pjrt.api); without a name, all lines are listed
    #[arg(long, value_name = "AXIS", num_args = 0..=1, conflicts_with = "name")]
    pub axis: Option<Option<String>>,
    /// With --axis: what a release made on this day must support
    #[arg(long, value_name = "DATE", requires = "axis")]
    pub released: Option<Date>,
    /// With --released: how far its window reaches back
    #[arg(long, value_name = "WEEKS", requires = "released", default_value_t = 12)]
    pub weeks: u32,
}

#[derive(Debug, clap::Args)]
pub struct Conform {
    /// The plug-in
    #[arg(value_name = "PLUGIN", required_unless_present = "diff", conflicts_with = "diff")]
    pub plugin: Option<PathBuf>,
    /// Say what the second plug-in lost or gained against the first
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with = "format")]
    pub diff: Option<Vec<PathBuf>>,
    /// Show the checks that passed too
    #[arg(long)]
    pub verbose: bool,
    /// How long one check may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub limit: u64,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

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
}

impl From<ReportFormat> for Format {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Full => Self::Full,
            ReportFormat::Concise => Self::Concise,
            ReportFormat::Json => Self::Json,
            ReportFormat::Sarif => Self::Sarif,
            ReportFormat::Github => Self::Github,
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
