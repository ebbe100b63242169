//! What to run next.

use serde::Deserialize;

use super::{ErrorCause, files};
use crate::shell::quoted;

/// The verb that looks further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NextVerb {
    /// What is installed, and whether it works together.
    Env,
    /// What would be installed.
    Lock,
    /// A file and a release.
    Check,
    /// A file that another format is made of.
    Convert,
    /// A file alone.
    Inspect,
    /// None: not a version problem.
    None,
}

impl NextVerb {
    /// The name of the verb.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Env => "env",
            Self::Lock => "lock",
            Self::Check => "check",
            Self::Convert => "convert",
            Self::Inspect => "inspect",
            Self::None => "none",
        }
    }
}

/// A verb and the command with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextStep {
    /// The verb.
    pub verb: NextVerb,
    /// The command; words in capitals stand for what the text does not say.
    pub command: String,
}

/// What a family of rules is about: a file of which ending, against releases of what.
struct Sides {
    family: &'static str,
    file: &'static str,
    endings: &'static [&'static str],
    runtime: &'static str,
}

const TORCH: &[&str] = &["pt", "pth", "ptl", "pt2", "ckpt", "bin", "safetensors"];

const KERAS: &[&str] = &["keras", "h5", "hdf5"];

/// The families of rules about a file and a release. Those about environments are not here.
const SIDES: [Sides; 19] = [
    Sides { family: "PT", file: "MODEL.pt", endings: TORCH, runtime: "torch" },
    Sides { family: "OP", file: "MODEL.pt", endings: TORCH, runtime: "torch" },
    Sides {
        family: "TF",
        file: "MODEL",
        endings: &["pb", "pbtxt", "keras", "h5"],
        runtime: "tensorflow",
    },
    Sides { family: "KR", file: "MODEL.keras", endings: KERAS, runtime: "keras" },
    Sides { family: "TJ", file: "model.json", endings: &["json"], runtime: "tfjs" },
    Sides { family: "ON", file: "MODEL.onnx", endings: &["onnx", "ort"], runtime: "onnxruntime" },
    Sides { family: "PJ", file: "PLUGIN.so", endings: &["so", "dylib"], runtime: "jax" },
    Sides {
        family: "SH",
        file: "PROGRAM.stablehlo",
        endings: &["stablehlo", "mlirbc", "mlir"],
        runtime: "jax",
    },
    Sides { family: "JX", file: "EXPORTED.jaxexp", endings: &["jaxexp"], runtime: "jax" },
    Sides { family: "JC", file: "CACHE_FOLDER", endings: &[], runtime: "jax" },
    Sides { family: "IF", file: "VALUE.ifrt", endings: &["ifrt"], runtime: "jax" },
    Sides { family: "SE", file: "PLUGIN.so", endings: &["so", "dylib"], runtime: "tensorflow" },
    Sides { family: "GG", file: "MODEL.gguf", endings: &["gguf"], runtime: "llama-cpp-python" },
    Sides { family: "PE", file: "adapter_config.json", endings: &["json"], runtime: "peft" },
    Sides { family: "TK", file: "tokenizer.json", endings: &["json"], runtime: "tokenizers" },
    Sides {
        family: "SK",
        file: "MODEL.joblib",
        endings: &["joblib", "pkl", "pickle"],
        runtime: "scikit-learn",
    },
    Sides { family: "HF", file: "MODEL_FOLDER", endings: &[], runtime: "transformers" },
    Sides { family: "AR", file: "FILE", endings: &[], runtime: "RELEASE" },
    Sides { family: "CO", file: "FILE", endings: &[], runtime: "RELEASE" },
];

/// What to run for these causes. The first decides: all of them are of one boundary, or all are listed anyway. `runtime` is
/// the release that the numbers of the text name.
pub(super) fn step(causes: &[ErrorCause], files: &[&str], runtime: Option<&str>) -> NextStep {
    match causes.first() {
        Some(ErrorCause::Rule(rule)) => {
            match SIDES.iter().find(|sides| sides.family == rule.family()) {
                Some(sides) => {
                    let file = files::with_ending(files, sides.endings)
                        .map_or(sides.file.to_owned(), quoted);
                    let release = match runtime {
                        Some(release) => release.to_owned(),
                        None => format!("{}@VERSION", sides.runtime),
                    };
                    NextStep {
                        verb: NextVerb::Check,
                        command: format!("unskew check {file} --with {release}"),
                    }
                }
                None => NextStep { verb: NextVerb::Env, command: "unskew env".to_owned() },
            }
        }
        Some(ErrorCause::Known(error)) => {
            let ending = error.kind.rsplit_once('.').map(|(_, ending)| [ending]);
            let named = ending.and_then(|ending| files::with_ending(files, &ending));
            let file = named.map_or(error.kind.clone(), quoted);
            let command = match error.next {
                NextVerb::Env => "unskew env".to_owned(),
                NextVerb::Lock => "unskew lock requirements.txt".to_owned(),
                _ => format!("unskew inspect {file}"),
            };
            NextStep { verb: error.next, command }
        }
        None => NextStep { verb: NextVerb::None, command: "unskew env".to_owned() },
    }
}
