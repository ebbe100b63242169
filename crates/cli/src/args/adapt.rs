//! The arguments of `adapt`.

use std::path::PathBuf;

use clap::ValueEnum;
use unskew_core::Version;

use super::Trusting;

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
    #[command(flatten)]
    pub trusting: Trusting,
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
