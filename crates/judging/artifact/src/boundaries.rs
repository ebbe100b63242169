//! The boundaries: every kind of file that is recognized, a row each.
//!
//! Whatever asks for kinds of files asks this table: the reading of a file and of what lies beside it, the choice of files in
//! a folder or a wheel, conversion, the message that says what was looked for, and the list of all rules. A boundary whose row
//! needs more than functions of its crate has a module below.

mod call_module;
mod class_names;
mod hub;
mod onnx;
mod stablehlo;
mod tensorflow;
mod torch;

use std::sync::Arc;

use unskew_compilation_cache::CacheFile;
use unskew_core::{Party, Rule};
use unskew_source::{ReadError, Source};

use crate::convert::ConvertOptions;
use crate::neighbourhood::Neighbourhood;
use crate::{Content, PlannedConversion, device, ifrt, rules, unversioned};

/// Makes a party of a file; none if the file is not of this boundary.
type PartyReader = fn(&Arc<dyn Source>) -> Result<Option<Party>, ReadError>;

/// Makes a party of a folder by its name, its path if it has one, and the files in it; none if it is not of this boundary.
type FolderReader = fn(&str, Option<String>, &[CacheFile], &[String]) -> Option<Party>;

/// Adds to a party of the boundary what lies beside its file.
type Beside = fn(Party, &Neighbourhood<'_>) -> Result<Party, ReadError>;

/// Compares stored data with their checksums if that was asked for, and otherwise says that it was not.
type Verify = fn(Party, &Neighbourhood<'_>, bool) -> Result<Party, ReadError>;

/// What a boundary makes of an artifact; none if it is not its own, or the target is none that it converts for.
type Planned = Result<Option<PlannedConversion>, ReadError>;

/// Plans an artifact anew for a target.
type Convert = fn(&Content, &Party, &ConvertOptions) -> Planned;

/// How a boundary reads what is its own.
#[derive(Clone, Copy)]
pub(crate) enum Read {
    /// A file is one party.
    File(PartyReader),
    /// A folder is one party, and so is a file that lies alone.
    Folder(FolderReader, PartyReader),
    /// A shared object is a party for each interface that it serves, and may have to be run: see [`crate::plugin`].
    Plugin,
}

pub(crate) struct Boundary {
    /// What it is called where nothing was recognized; empty for what nobody brings to be judged.
    pub(crate) looked_for: &'static str,
    /// Endings of files that may be of it, or their whole names. In a folder or a wheel only such files are opened:
    /// everything else there is code and text by the thousand.
    pub(crate) endings: &'static [&'static str],
    pub(crate) read: Read,
    pub(crate) beside: Option<Beside>,
    /// For data that are no members of an archive: those are verified for every boundary alike.
    pub(crate) verify: Option<Verify>,
    /// Adds what the database tells about a party that does not say it itself.
    pub(crate) infer: Option<fn(Party) -> Party>,
    pub(crate) convert: Option<Convert>,
    /// The lossy adaptations of its conversions, which are made only where they are allowed.
    pub(crate) lossy: &'static [&'static str],
    /// The formats of its artifacts; the first whose words fit is that of an artifact.
    pub(crate) formats: &'static [Format],
    pub(crate) rules: &'static [&'static [&'static Rule]],
}

/// A boundary that recognizes nothing: the columns that a row leaves out.
const NONE: Boundary = Boundary {
    looked_for: "",
    endings: &[],
    read: Read::File(|_| Ok(None)),
    beside: None,
    verify: None,
    infer: None,
    convert: None,
    lossy: &[],
    formats: &[],
    rules: &[],
};

/// A format whose artifacts have endings of their own.
pub(crate) struct Format {
    /// What the kind of its parties contains.
    pub(crate) kind: &'static str,
    /// The endings, the usual one first.
    pub(crate) endings: &'static [&'static str],
}

const fn format(kind: &'static str, endings: &'static [&'static str]) -> Format {
    Format { kind, endings }
}

/// The boundaries in the order in which they are asked: those with magic numbers first; a bare protobuf message has none
/// and comes last.
pub(crate) const BOUNDARIES: &[Boundary] = &[
    Boundary {
        looked_for: "plug-ins and extensions (.so)",
        endings: &["so", "dylib", "dll"],
        read: Read::Plugin,
        rules: &[unskew_pjrt::rules::RULES, unskew_stream_executor::rules::RULES],
        ..NONE
    },
    Boundary {
        endings: &["so"],
        read: Read::File(unskew_extensions::party),
        rules: &[unskew_extensions::rules::RULES],
        ..NONE
    },
    Boundary { read: Read::File(device::party), ..NONE },
    Boundary {
        looked_for: "StableHLO",
        endings: &["mlirbc", "stablehlo", "bc", "vhlo", "mlir"],
        read: Read::File(unskew_stablehlo::party),
        convert: Some(stablehlo::convert),
        lossy: &[unskew_stablehlo::rewrite::APPROXIMATE],
        formats: &[
            format("StableHLO", &["stablehlo", "mlirbc", "vhlo"]),
            format("MLIR text", &["mlir"]),
        ],
        rules: &[unskew_stablehlo::rules::RULES],
        ..NONE
    },
    Boundary {
        looked_for: "JAX",
        endings: &["jaxexp", "jaxexport", "exported"],
        read: Read::File(unskew_jax_export::party),
        convert: Some(stablehlo::convert_export),
        formats: &[format("jax.export", &["jaxexp", "jaxexport", "exported"])],
        rules: &[unskew_jax_export::rules::RULES],
        ..NONE
    },
    Boundary {
        read: Read::Folder(
            unskew_compilation_cache::folder_party,
            unskew_compilation_cache::entry_party,
        ),
        rules: &[unskew_compilation_cache::rules::RULES],
        ..NONE
    },
    Boundary { read: Read::File(unskew_compilation_cache::executable_party), ..NONE },
    // Before PyTorch, which reads any pickle.
    Boundary {
        looked_for: "scikit-learn",
        endings: &["joblib", "pkl", "pickle", "sav"],
        read: Read::File(unskew_scikit_learn::party),
        beside: Some(class_names::with_names_of_model),
        formats: &[format("scikit-learn model", &["joblib", "pkl", "pickle"])],
        rules: &[unskew_scikit_learn::rules::RULES],
        ..NONE
    },
    // Pickles that PyTorch does not read. What it does read gets the same names.
    Boundary {
        looked_for: "pickles",
        endings: &[
            "joblib",
            "pkl",
            "pickle",
            "gz",
            "model_index.json",
            "modules.json",
            "dataset_info.json",
        ],
        read: Read::File(unskew_class_names::party),
        beside: Some(class_names::with_models),
        formats: &[format("pickle of joblib", &["joblib", "pkl", "pickle"])],
        rules: &[unskew_class_names::rules::RULES],
        ..NONE
    },
    Boundary {
        looked_for: "PyTorch",
        endings: &[
            "pt",
            "pth",
            "pt2",
            "ptl",
            "pte",
            "ff",
            "ts",
            "jit",
            "torchscript",
            "pkl",
            "bin",
        ],
        read: Read::File(unskew_torch::party),
        beside: Some(class_names::with_names_of_checkpoint),
        infer: Some(torch::infer),
        convert: Some(torch::convert),
        formats: &[
            format("torch.export", &["pt2", "pt", "pth", "ckpt", "jit"]),
            format("ExecuTorch", &["pte"]),
            format("TorchScript", &["pt", "pth", "ckpt", "jit", "ptl", "ff"]),
            format("mobile", &["ptl", "ff"]),
            format("checkpoint", ARCHIVE),
            format("pickle", ARCHIVE),
            format("torch.package", ARCHIVE),
            format("safetensors", &["safetensors"]),
        ],
        rules: &[
            unskew_torch::rules::RULES,
            unskew_torch_schemas::rules::RULES,
            unskew_torch_operators::rules::RULES,
        ],
        ..NONE
    },
    Boundary { read: Read::File(ifrt::party), rules: &[unskew_ifrt::rules::RULES], ..NONE },
    Boundary {
        looked_for: "Keras",
        endings: &["keras", "h5", "hdf5"],
        read: Read::File(unskew_keras::party),
        convert: Some(tensorflow::convert_keras),
        lossy: &[unskew_keras::UNCOMPILED],
        formats: &[
            format("Keras archive", &["keras"]),
            format("Keras model in HDF5", &["h5", "hdf5"]),
        ],
        rules: &[unskew_keras::rules::RULES],
        ..NONE
    },
    Boundary {
        looked_for: "TensorFlow.js",
        endings: &["model.json"],
        read: Read::File(unskew_tfjs::party),
        beside: Some(tensorflow::shards),
        rules: &[unskew_tfjs::rules::RULES],
        ..NONE
    },
    Boundary {
        looked_for: "GGUF",
        endings: &["gguf"],
        read: Read::File(unskew_gguf::party),
        beside: Some(|party, around| {
            let open = |name: &str| around.open(name);
            Ok(if around.is_known() { unskew_gguf::with_parts(party, &open) } else { party })
        }),
        formats: &[format("GGUF file", &["gguf"])],
        rules: &[unskew_gguf::rules::RULES],
        ..NONE
    },
    Boundary {
        looked_for: "folders of Hugging Face",
        endings: &["config.json"],
        read: Read::File(unskew_transformers::party),
        beside: Some(|party, around| {
            let open = |name: &str| around.open(name);
            Ok(if around.is_known() {
                unskew_transformers::with_files(party, &open)
            } else {
                party
            })
        }),
        formats: &[format("model folder of Hugging Face", &["json"])],
        rules: &[unskew_transformers::rules::RULES],
        ..NONE
    },
    // In a folder `config.json` stands for it; diffusers gives its folders another one.
    Boundary {
        looked_for: "indexes of weights (model.safetensors.index.json)",
        endings: &[
            "diffusion_pytorch_model.safetensors.index.json",
            "diffusion_pytorch_model.bin.index.json",
        ],
        read: Read::File(unskew_transformers::index_party),
        beside: Some(|party, around| {
            let open = |name: &str| around.open(name);
            Ok(if around.is_known() {
                unskew_transformers::with_indexed_files(party, &open)
            } else {
                party
            })
        }),
        formats: &[format("index of weights", &["json"])],
        ..NONE
    },
    Boundary {
        endings: &["adapter_config.json"],
        read: Read::File(unskew_peft::party),
        convert: Some(hub::convert_adapter),
        formats: &[format("adapter of PEFT", &["json"])],
        rules: &[unskew_peft::rules::RULES],
        ..NONE
    },
    Boundary {
        endings: &["tokenizer.json"],
        read: Read::File(unskew_tokenizers::party),
        convert: Some(hub::convert_tokenizer),
        formats: &[format("tokenizer of Hugging Face", &["json"])],
        rules: &[unskew_tokenizers::rules::RULES],
        ..NONE
    },
    Boundary {
        looked_for: "XGBoost, LightGBM, CatBoost",
        // The others of theirs, `json` and `txt`, are those of many kinds.
        endings: &["ubj", "cbm", "xgb", "bst"],
        read: Read::File(unskew_boosters::party),
        rules: &[unskew_boosters::rules::RULES],
        ..NONE
    },
    // A new boundary goes before the formats that are only shown.
    Boundary {
        endings: &["safetensors", "tflite"],
        read: Read::File(unversioned::party),
        formats: &[format(unversioned::TFLITE, &["tflite"])],
        rules: &[rules::RULES],
        ..NONE
    },
    Boundary {
        looked_for: "ONNX",
        endings: &["onnx", "onnxtxt", "onnxtext", "ort"],
        read: Read::File(unskew_onnx::party),
        beside: Some(onnx::beside),
        convert: Some(onnx::convert),
        formats: &[format("ONNX model", &["onnx"])],
        rules: &[unskew_onnx::rules::RULES],
        ..NONE
    },
    Boundary { read: Read::File(onnx::reduced_build), ..NONE },
    Boundary {
        looked_for: "TensorFlow",
        endings: &["pb", "pbtxt", "meta", "index", "ckpt"],
        read: Read::File(call_module::read),
        beside: Some(tensorflow::beside),
        verify: Some(tensorflow::verify),
        infer: Some(tensorflow::infer),
        convert: Some(tensorflow::convert),
        lossy: &unskew_tensorflow::GraphConvertOptions::LOSSY,
        formats: &[
            format("GraphDef", GRAPH),
            format("SavedModel", GRAPH),
            format("MetaGraph", GRAPH),
            format("OpList", GRAPH),
        ],
        rules: &[unskew_tensorflow::rules::RULES],
    },
];

/// Endings of what `torch.save` writes.
const ARCHIVE: &[&str] = &["pt", "pth", "ckpt", "jit"];

/// Endings of graphs, in bytes and as text.
const GRAPH: &[&str] = &["pb", "pbtxt"];

/// What is looked for, for messages.
pub(crate) fn looked_for() -> String {
    let kinds = BOUNDARIES.iter().map(|boundary| boundary.looked_for).chain(["wheels"]);
    kinds.filter(|kind| !kind.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Whether some boundary may read files with this ending, or of this name, which is in small letters.
pub(crate) fn is_known(ending: &str) -> bool {
    BOUNDARIES.iter().any(|boundary| boundary.endings.contains(&ending))
}

/// The rules of all boundaries.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    BOUNDARIES.iter().flat_map(|boundary| boundary.rules.iter().copied().flatten().copied())
}

/// The endings that artifacts of the kind of `party` have, the usual one first; empty if its kind has none of its own.
pub fn endings_of(party: &Party) -> Vec<&'static str> {
    let of_its_kind = |format: &&Format| party.kind.contains(format.kind);
    formats().filter(of_its_kind).flat_map(|format| format.endings).copied().collect()
}

/// Whether an ending, in small letters, stands for one format: a file of another one should not have it.
pub fn names_a_format(ending: &str) -> bool {
    formats().any(|format| format.endings.contains(&ending))
}

fn formats() -> impl Iterator<Item = &'static Format> {
    BOUNDARIES.iter().flat_map(|boundary| boundary.formats)
}
