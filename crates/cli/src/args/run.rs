//! The arguments of `run`.

use std::path::PathBuf;

use clap::ValueEnum;
use unskew_array::Fill;
use unskew_pjrt::Attribute;

use super::client_options::{attributes, client_option};

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// The plug-in, a shared object
    #[arg(value_name = "PLUGIN")]
    pub plugin: PathBuf,
    /// The program: StableHLO as text or bytecode
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// An input; give one per parameter, in order
    #[arg(long, short, value_name = "INPUT", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// Fill parameters without an input: zeros, ones, iota, random or random:SEED
    #[arg(long, value_name = "FILL")]
    pub fill: Option<Fill>,
    /// Write the results as .npy files into this folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Number of replicas of the program
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub replicas: u32,
    /// Number of partitions of the program
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub partitions: u32,
    /// Run on the device with this id
    #[arg(long, value_name = "ID", conflicts_with_all = ["replicas", "partitions"])]
    pub device: Option<i32>,
    /// A client option that the plug-in defines (repeatable)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = client_option)]
    pub client_options: Vec<(String, String)>,
    /// Run the program N more times, for --timings
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub repeat: u32,
    /// Print how long each step took
    #[arg(long)]
    pub timings: bool,
    /// How much of the results to print
    #[arg(long, value_name = "WHAT", default_value = "full")]
    pub print: Shown,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: RunFormat,
    /// For the child process
    #[arg(long, hide = true)]
    pub in_this_process: bool,
}

/// How much of the results is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// Shapes and values; long arrays are abbreviated
    Full,
    /// Shapes only
    Summary,
}

/// Output format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// Human-readable text
    Text,
    /// JSON in the documented schema
    Json,
}

impl RunArgs {
    /// `--option`, with their types inferred.
    pub fn options(&self) -> Vec<Attribute> {
        attributes(&self.client_options)
    }
}
