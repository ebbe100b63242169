//! The arguments: one definition, from which help and errors follow.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use unskew_array::Fill;
use unskew_core::{Context, Date, Severity, Version};
use unskew_pjrt::{Attribute, Value};
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
    /// Check whether a PJRT plug-in or a pluggable device does what the interface says, and who can use it
    #[command(after_help = format!("\
Examples:
  unskew conform libpjrt_cpu.so
  unskew conform libpjrt_cpu.so --verbose
  unskew conform --diff old.so new.so\n\n{EXIT_STATUS}"))]
    Conform(Conform),
    /// Make some checks of a plug-in: a child process of `conform`
    #[command(name = "__conform", hide = true)]
    ConformChild { path: PathBuf, from: usize, to: usize },
    /// Compile a StableHLO program on a PJRT plug-in and run it
    #[command(after_help = "\
An input is a .npy file, a number for every place, or made: zeros, ones, iota, random[:SEED]. A .npz
file gives several inputs. With several devices, commas separate one input for each: a.npy,b.npy.

Examples:
  unskew run pjrt_c_api_cpu_plugin.so add.mlir --input a.npy --input b.npy -o results/
  unskew run libpjrt.so model.stablehlo --fill random --repeat 100 --timings
  unskew run libpjrt.so sum.mlir --replicas 2 --input 1,2

The plug-in runs in a child process. Plug-ins built from XLA log little; TF_CPP_MIN_LOG_LEVEL=0
lets them log everything.")]
    Run(Run),
    /// Load a plug-in and print what it says about itself: a child process of the others
    #[command(name = "__probe", hide = true)]
    Probe { path: PathBuf, seconds: Option<u64> },
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
pub struct Run {
    /// The plug-in, a shared object
    #[arg(value_name = "PLUGIN")]
    pub plugin: PathBuf,
    /// The program: StableHLO as text or bytecode
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// An input, one for each parameter in their order
    #[arg(long, short, value_name = "INPUT", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// What the parameters without an input get: zeros, ones, iota, random or random:SEED
    #[arg(long, value_name = "FILL")]
    pub fill: Option<Fill>,
    /// The folder for the results, as .npy files
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// How many replicas of the program run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub replicas: u32,
    /// Into how many partitions the program is split
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub partitions: u32,
    /// The device to run on, by its number
    #[arg(long, value_name = "ID", conflicts_with_all = ["replicas", "partitions"])]
    pub device: Option<i32>,
    /// An option of the client, which the plug-in defines
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = client_option)]
    pub client_options: Vec<(String, String)>,
    /// Run the program so many times more, for --timings
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub repeat: u32,
    /// Print how long each step took
    #[arg(long)]
    pub timings: bool,
    /// How much of the results to print
    #[arg(long, value_name = "WHAT", default_value = "full")]
    pub print: Shown,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: RunFormat,
    /// For the child process
    #[arg(long, hide = true)]
    pub in_this_process: bool,
}

/// How much of the results is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// Shapes and values, long arrays shortened
    Full,
    /// Shapes
    Summary,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

impl Run {
    /// The options of the client: numbers and truths by their looks, everything else as text.
    pub fn options(&self) -> Vec<Attribute> {
        let value = |text: &str| match (text.parse(), text) {
            (Ok(number), _) => Value::Number(number),
            (_, "true") => Value::Bool(true),
            (_, "false") => Value::Bool(false),
            _ => Value::Text(text.to_owned()),
        };
        let option =
            |(name, text): &(String, String)| Attribute { name: name.clone(), value: value(text) };
        self.client_options.iter().map(option).collect()
    }
}

fn client_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("wanted NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
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
