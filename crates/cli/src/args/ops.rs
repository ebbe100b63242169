//! The arguments of `ops`.

use std::path::PathBuf;

use clap::Subcommand;

#[cfg(not(feature = "run"))]
use super::DisabledVerbArgs;
#[cfg(feature = "run")]
use super::{OpsBisect, OpsRun};

#[derive(Debug, clap::Args)]
pub struct Ops {
    #[command(subcommand)]
    pub what: OpsVerb,
}

// The subcommands of `unskew ops`.
#[derive(Debug, Subcommand)]
pub enum OpsVerb {
    /// Print the operator table of a release, a selective build, or a torch.package
    #[command(after_help = "\
Examples:
  unskew ops table torch@2.1 -o table.json
  unskew ops table torch@2.1 --from-list selected_operators.yaml --name camera-7 -o table.json
  unskew ops table package.pt --add -o with-table.pt

`unskew check model.pt --with table.json` checks a model against the table.")]
    Table(OpsTable),
    /// Print the selective-build list for models, including the operators that upgraders call
    #[command(after_help = "\
Examples:
  unskew ops closure model.ptl > selected.yaml
  unskew ops closure models/*.pt -o selected.yaml")]
    Closure(OpsClosure),
    #[cfg(feature = "run")]
    /// Run a model with the operators of a release, without PyTorch
    #[command(after_help = "\
Inputs are given in the order of the method's parameters: an .npy file for a tensor, or a
number, true, false or none.

Examples:
  unskew ops run model.pt --input x.npy
  unskew ops run model.pt --input x.npy --input 3 --as torch@1.12 -o outputs/
  unskew ops run model.pt --input x.npy --threads 1 --profile")]
    Run(OpsRun),
    #[cfg(feature = "run")]
    /// Find the releases at which the answer of a model changes, and the call where it first differs
    #[command(after_help = "\
The model is run with the operators of one release after the other, without PyTorch. Changes that
were measured in real releases, but are not played, are listed with the calls that they concern.
With --python the model is run for real by each interpreter that is named.

Examples:
  unskew ops bisect model.pt --input x.npy
  unskew ops bisect model.pt --input x.npy --from torch@1.10 --to torch@2.15
  unskew ops bisect model.pt --input x.npy --python old/bin/python --python new/bin/python")]
    Bisect(OpsBisect),
    #[cfg(not(feature = "run"))]
    /// (not in this build: feature `run`) Run a model with the operators of a release, without PyTorch
    #[command(disable_help_flag = true)]
    Run(DisabledVerbArgs),
    #[cfg(not(feature = "run"))]
    /// (not in this build: feature `run`) Find the releases at which the answer of a model changes
    #[command(disable_help_flag = true)]
    Bisect(DisabledVerbArgs),
}

#[derive(Debug, clap::Args)]
pub struct OpsTable {
    /// A PyTorch release (torch@2.1), or a torch.package
    #[arg(value_name = "RELEASE|PACKAGE")]
    pub subject: String,
    /// Only the operators in this selective-build list: PyTorch's YAML, or one name per line
    #[arg(long, value_name = "LIST", conflicts_with_all = ["add", "release"])]
    pub from_list: Option<PathBuf>,
    /// The name of the device [default: the release or the file name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The release that wrote the package, if the package does not record it
    #[arg(long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// Write the package with the table added to it
    #[arg(long, requires = "output")]
    pub add: bool,
    /// Write to this file, atomically
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct OpsClosure {
    /// PyTorch models
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    /// Write to this file, atomically
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
}
