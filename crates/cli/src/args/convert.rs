//! The arguments of `convert`.

use std::path::PathBuf;

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct Convert {
    /// The artifact: a file or a SavedModel folder. It is never modified
    #[arg(value_name = "A")]
    pub artifact: PathBuf,
    /// The target: torch@1.4, tensorflow@2.4, jax@0.5.3, stablehlo@1.0.0, mlir, onnxruntime@1.14, onnx-opset@11, ir@8
    #[arg(long, value_name = "RELEASE")]
    pub to: String,
    /// Write the result here, atomically
    #[arg(long, short, value_name = "OUT", required_unless_present = "dry_run")]
    pub output: Option<PathBuf>,
    /// Print the plan and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Permit this lossy adaptation (repeatable)
    #[arg(long, value_name = "ADAPTATION")]
    pub allow: Vec<String>,
    #[command(flatten)]
    pub archive: TorchArchive,
    #[command(flatten)]
    pub versions: Versions,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    pub format: ReportFormat,
}

// Facts about a PyTorch file that the file does not record, and checks before its conversion.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "PyTorch files")]
pub struct TorchArchive {
    /// The release that wrote the file, if the file does not record it: torch@1.12.1
    #[arg(long, value_name = "RELEASE")]
    pub written_by: Option<String>,
    /// Verify the checksum of every record first. By default, tensors are copied without a check
    #[arg(long)]
    pub verify: bool,
}

// New values for the versions of a TensorFlow graph. Without any of these options they are kept.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Versions of TensorFlow graphs")]
pub struct Versions {
    /// Set the producer version. The plan lists the deprecations that then apply
    #[arg(long, value_name = "N", conflicts_with = "clear_versions")]
    pub set_producer: Option<i32>,
    /// Remove the versions, so that no deprecation applies
    #[arg(long)]
    pub clear_versions: bool,
    /// Set the minimum consumer: lower GraphDef versions refuse the graph
    #[arg(long, value_name = "N")]
    pub min_consumer: Option<i32>,
    /// Ban one consumer: this GraphDef version refuses the graph (repeatable)
    #[arg(long, value_name = "N")]
    pub bad_consumer: Vec<i32>,
    /// Apply --min-consumer and --bad-consumer only to graphs that use this op
    #[arg(long, value_name = "OP")]
    pub only_with_op: Option<String>,
}

impl Versions {
    /// Whether no option asks for a change.
    pub fn stay(&self) -> bool {
        let Self { set_producer, clear_versions, min_consumer, bad_consumer, .. } = self;
        set_producer.is_none()
            && !clear_versions
            && min_consumer.is_none()
            && bad_consumer.is_empty()
    }
}
