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
    /// The host that will load it: jax@0.6.2, torch_xla@2.9
    #[arg(long = "for", value_name = "HOST", group = "age")]
    pub host: Option<String>,
    /// The PJRT version to report to hosts: 0.54
    #[arg(long, value_name = "VERSION", group = "age")]
    pub present: Option<Version>,
    /// Behave like a plug-in built against this PJRT version: 0.48
    #[arg(long, value_name = "VERSION", group = "age")]
    pub emulate: Option<Version>,
    /// Put a guard page after the function table, so that reads past its end are caught
    #[arg(long, requires = "emulate")]
    pub guard: bool,
    /// The StableHLO version that the emulated plug-in reports as current
    #[arg(long, value_name = "VERSION", requires = "emulate")]
    pub stablehlo: Option<Version>,
    /// Which extensions to expose to hosts
    #[arg(long, value_name = "WHICH", default_value = "fitting")]
    pub extensions: ShownExtensions,
    /// What to do with serialized executables without an adapter's stamp
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    pub unstamped: UnstampedChoice,
    #[command(flatten)]
    pub trusting: Trusting,
    /// Write the result into this folder
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// File name and platform name of the result [default: the plug-in's file name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The prebuilt adapter library [default: beside this executable, or in ../lib]
    #[arg(long, value_name = "FILE")]
    pub adapter: Option<PathBuf>,
}

/// The extensions of a plug-in that hosts can find.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ShownExtensions {
    /// Extensions with the same layout in both PJRT versions
    Fitting,
    /// No extensions
    None,
}

/// What happens to serialized executables that no adapter has stamped.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum UnstampedChoice {
    /// Refuse them: one made by another build of the plug-in computes wrong results
    Refuse,
    /// Let the plug-in load them
    Load,
}
