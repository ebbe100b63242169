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

/// What some rules are about: a file of which ending, against releases of what.
struct Sides {
    /// What their codes begin with: a family, or a whole code.
    codes: &'static str,
    file: &'static str,
    endings: &'static [&'static str],
    runtime: &'static str,
}

const TORCH: &[&str] = &["pt", "pth", "ptl", "pt2", "ckpt", "bin", "safetensors"];

const KERAS: &[&str] = &["keras", "h5", "hdf5"];

/// Rules about a file and a release, a whole code before its family. Those about environments are not here.
const SIDES: [Sides; 25] = [
    Sides { codes: "PT", file: "MODEL.pt", endings: TORCH, runtime: "torch" },
    Sides { codes: "OP", file: "MODEL.pt", endings: TORCH, runtime: "torch" },
    Sides {
        codes: "TF",
        file: "MODEL",
        endings: &["pb", "pbtxt", "keras", "h5"],
        runtime: "tensorflow",
    },
    Sides { codes: "KR", file: "MODEL.keras", endings: KERAS, runtime: "keras" },
    Sides { codes: "TJ", file: "model.json", endings: &["json"], runtime: "tfjs" },
    Sides { codes: "ON", file: "MODEL.onnx", endings: &["onnx", "ort"], runtime: "onnxruntime" },
    Sides { codes: "PJ", file: "PLUGIN.so", endings: &["so", "dylib"], runtime: "jax" },
    Sides {
        codes: "SH",
        file: "PROGRAM.stablehlo",
        endings: &["stablehlo", "mlirbc", "mlir"],
        runtime: "jax",
    },
    Sides { codes: "JX", file: "EXPORTED.jaxexp", endings: &["jaxexp"], runtime: "jax" },
    Sides { codes: "JC", file: "CACHE_FOLDER", endings: &[], runtime: "jax" },
    Sides { codes: "IF", file: "VALUE.ifrt", endings: &["ifrt"], runtime: "jax" },
    Sides { codes: "SE", file: "PLUGIN.so", endings: &["so", "dylib"], runtime: "tensorflow" },
    Sides { codes: "GG", file: "MODEL.gguf", endings: &["gguf"], runtime: "llama-cpp-python" },
    Sides { codes: "PE", file: "adapter_config.json", endings: &["json"], runtime: "peft" },
    Sides { codes: "TK", file: "tokenizer.json", endings: &["json"], runtime: "tokenizers" },
    Sides {
        codes: "SK",
        file: "MODEL.joblib",
        endings: &["joblib", "pkl", "pickle"],
        runtime: "scikit-learn",
    },
    Sides {
        codes: "BO",
        file: "MODEL.json",
        endings: &["ubj", "json", "txt", "cbm"],
        runtime: "xgboost",
    },
    Sides {
        codes: "CN",
        file: "FILE.pkl",
        endings: &["pkl", "pt", "pth", "joblib", "pickle"],
        runtime: "PACKAGE",
    },
    Sides { codes: "HF014", file: "MODEL_FOLDER", endings: &[], runtime: "vllm" },
    Sides { codes: "HF015", file: "MODEL_FOLDER", endings: &[], runtime: "vllm" },
    Sides { codes: "HF016", file: "MODEL_FOLDER", endings: &[], runtime: "vllm" },
    Sides { codes: "HF017", file: "MODEL_FOLDER", endings: &[], runtime: "vllm" },
    Sides { codes: "HF", file: "MODEL_FOLDER", endings: &[], runtime: "transformers" },
    Sides { codes: "AR", file: "FILE", endings: &[], runtime: "RELEASE" },
    Sides { codes: "CO", file: "FILE", endings: &[], runtime: "RELEASE" },
];

/// What to run for these causes. The first decides: all of them are of one boundary, or all are listed anyway. `runtime` is
/// the release that the numbers of the text name.
pub(super) fn step(causes: &[ErrorCause], files: &[&str], runtime: Option<&str>) -> NextStep {
    match causes.first() {
        Some(ErrorCause::Rule(rule)) => {
            match SIDES.iter().find(|sides| rule.code.starts_with(sides.codes)) {
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
