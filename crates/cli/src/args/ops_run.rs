//! The arguments of `ops run` and `ops bisect`.

use std::path::PathBuf;

use unskew_interpreter::QuantizedEngine;

/// A call of a model.
#[derive(Debug, clap::Args)]
pub struct ModelCall {
    /// A TorchScript archive of any release, or a torch.export archive
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// An input: an .npy file, or a number, true, false, none
    #[arg(long, value_name = "INPUT", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// The method to call
    #[arg(long, value_name = "NAME", default_value = "forward")]
    pub method: String,
}

#[derive(Debug, clap::Args)]
pub struct OpsRun {
    #[command(flatten)]
    pub call: ModelCall,
    /// Use the operators of this release [default: the newest]
    #[arg(long = "as", value_name = "RELEASE")]
    pub release: Option<String>,
    /// Calculate in this many threads; the result is the same for every number [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Calculate quantized operators as this engine does: fbgemm or qnnpack
    #[arg(long, value_name = "ENGINE", default_value = "fbgemm", value_parser = engine)]
    pub engine: QuantizedEngine,
    /// Print the time of each operator to stderr
    #[arg(long)]
    pub profile: bool,
    /// Save outputs as NAME.npy in this folder instead of printing them
    #[arg(long, short, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct OpsBisect {
    #[command(flatten)]
    pub call: ModelCall,
    /// The first release [default: the oldest of the database]
    #[arg(long, value_name = "RELEASE")]
    pub from: Option<String>,
    /// The last release [default: the newest of the database]
    #[arg(long, value_name = "RELEASE")]
    pub to: Option<String>,
    /// Run the model for real with the PyTorch of this Python; may be given several times
    #[arg(long, value_name = "PYTHON")]
    pub python: Vec<PathBuf>,
}

/// An engine of quantized operators by its name.
fn engine(name: &str) -> Result<QuantizedEngine, String> {
    QuantizedEngine::named(name)
        .ok_or_else(|| format!("no engine that is known (fbgemm, qnnpack): {name}"))
}
