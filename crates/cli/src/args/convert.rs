//! The arguments of `convert`.

use std::path::PathBuf;

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct Convert {
    /// The artifact: a file or a SavedModel folder; it is never changed
    #[arg(value_name = "A")]
    pub artifact: PathBuf,
    /// The release that is to accept the result: torch@1.4, tensorflow@2.4
    #[arg(long, value_name = "RELEASE")]
    pub to: String,
    /// Where the result goes; it appears whole or not at all
    #[arg(long, short, value_name = "OUT", required_unless_present = "dry_run")]
    pub output: Option<PathBuf>,
    /// Print what would be done, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// An adaptation that loses something and may be used all the same; can be given several times
    #[arg(long, value_name = "ADAPTATION")]
    pub allow: Vec<String>,
    #[command(flatten)]
    pub archive: TorchArchive,
    #[command(flatten)]
    pub versions: Versions,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

/// What is known of a PyTorch file, and what is checked.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "PyTorch files")]
pub struct TorchArchive {
    /// The release that wrote the file, where the file does not show it: torch@1.12.1
    #[arg(long, value_name = "RELEASE")]
    pub written_by: Option<String>,
    /// Read every record and verify its checksum first; tensors are copied without being read otherwise
    #[arg(long)]
    pub verify: bool,
}

/// What becomes of the versions of a TensorFlow graph; they stay as they are unless one of these is given.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Versions of TensorFlow graphs")]
pub struct Versions {
    /// Write this producer; the plan says which deprecations that brings to life
    #[arg(long, value_name = "N", conflicts_with = "clear_versions")]
    pub set_producer: Option<i32>,
    /// Remove the versions: no deprecation applies then
    #[arg(long)]
    pub clear_versions: bool,
    /// Consumers below this GraphDef version must not read the graph
    #[arg(long, value_name = "N")]
    pub min_consumer: Option<i32>,
    /// The consumer of this GraphDef version must not read the graph; can be given several times
    #[arg(long, value_name = "N")]
    pub bad_consumer: Vec<i32>,
    /// Set --min-consumer and --bad-consumer only in graphs that use this op
    #[arg(long, value_name = "OP")]
    pub only_with_op: Option<String>,
}

impl Versions {
    /// Whether nothing is asked for.
    pub fn stay(&self) -> bool {
        let Self { set_producer, clear_versions, min_consumer, bad_consumer, .. } = self;
        set_producer.is_none()
            && !clear_versions
            && min_consumer.is_none()
            && bad_consumer.is_empty()
    }
}
