//! The arguments of `ops`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, clap::Args)]
pub struct Ops {
    #[command(subcommand)]
    pub what: OpsVerb,
}

/// What is done with operators.
#[derive(Debug, Subcommand)]
pub enum OpsVerb {
    /// Print the operator table of a release, of a build with a selection, or of a torch.package
    #[command(after_help = "\
Examples:
  unskew ops table torch@2.1 -o table.json
  unskew ops table torch@2.1 --from-list selected_operators.yaml --name camera-7 -o table.json
  unskew ops table package.pt --add -o with-table.pt

`unskew check model.pt --with table.json` holds a model against the table.")]
    Table(OpsTable),
    /// Print the selective-build list that covers models, with what upgraders will call
    #[command(after_help = "\
Examples:
  unskew ops closure model.ptl > selected.yaml
  unskew ops closure models/*.pt -o selected.yaml")]
    Closure(OpsClosure),
    /// Run a model with the operators of a release, without PyTorch
    #[command(after_help = "\
Inputs are given in the order of the method's parameters: an .npy file for a tensor, or a
number, true, false or none.

Examples:
  unskew ops run model.pt --input x.npy
  unskew ops run model.pt --input x.npy --input 3 --as torch@1.12 -o outputs/")]
    Run(OpsRun),
}

#[derive(Debug, clap::Args)]
pub struct OpsTable {
    /// A PyTorch release (torch@2.1), or a torch.package
    #[arg(value_name = "RELEASE|PACKAGE")]
    pub subject: String,
    /// Only the operators of this selective-build list: YAML of PyTorch's builds, or one name a line
    #[arg(long, value_name = "LIST", conflicts_with_all = ["add", "release"])]
    pub from_list: Option<PathBuf>,
    /// What the device is called [default: the name of the release or of the file]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The release that the package was written with, if the package does not tell
    #[arg(long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// Write the package with the table in it
    #[arg(long, requires = "output")]
    pub add: bool,
    /// Write to this file, which appears whole or not at all
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct OpsClosure {
    /// PyTorch models
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    /// Write to this file, which appears whole or not at all
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct OpsRun {
    /// A TorchScript archive of any age, or one of torch.export
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// An input: an .npy file, or a number, true, false, none
    #[arg(long, value_name = "INPUT", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// The method to call
    #[arg(long, value_name = "NAME", default_value = "forward")]
    pub method: String,
    /// With the operators of this release [default: of the newest]
    #[arg(long = "as", value_name = "RELEASE")]
    pub release: Option<String>,
    /// Save outputs as NAME.npy in this folder instead of printing them
    #[arg(long, short, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}
