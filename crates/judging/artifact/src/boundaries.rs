//! The boundaries: every kind of file that is recognized, a row each.
//!
//! Whatever asks for kinds of files asks this table: the reading of a file, the choice of files in a folder or a wheel,
//! the message that says what was looked for, and the list of all rules.

use std::sync::Arc;

use unskew_compilation_cache::CacheFile;
use unskew_core::{Party, Rule};
use unskew_source::{ReadError, Source};

use crate::{device, ifrt, onnx, rules, unversioned};

/// Makes a party of a file; none if the file is not of this boundary.
type Reader = fn(&Arc<dyn Source>) -> Result<Option<Party>, ReadError>;

/// Makes a party of a folder by its name, its path if it has one, and the files in it; none if it is not of this boundary.
type FolderReader = fn(&str, Option<String>, &[CacheFile], &[String]) -> Option<Party>;

/// How a boundary reads what is its own.
#[derive(Clone, Copy)]
pub(crate) enum Read {
    /// A file is one party.
    File(Reader),
    /// A folder is one party, and so is a file that lies alone.
    Folder(FolderReader, Reader),
    /// A shared object is a party for each interface that it serves, and may have to be run: see [`crate::plugin`].
    Plugin,
}

/// A kind of files.
pub(crate) struct Boundary {
    /// What it is called where nothing was recognized; empty for what nobody brings to be judged.
    pub(crate) looked_for: &'static str,
    /// Endings of files that may be of it, or their whole names. In a folder or a wheel only such files are opened:
    /// everything else there is code and text by the thousand.
    pub(crate) endings: &'static [&'static str],
    pub(crate) read: Read,
    /// The rules of its crates.
    pub(crate) rules: &'static [&'static [&'static Rule]],
}

/// The boundaries in the order in which they are asked: those with magic numbers first; a bare protobuf message has none
/// and comes last.
#[rustfmt::skip]
pub(crate) const BOUNDARIES: [Boundary; 15] = [
    Boundary { looked_for: "plug-ins (exports GetPjrtApi, SE_InitPlugin, TF_InitGraph or TF_InitKernel)", endings: &["so", "dylib", "dll"], read: Read::Plugin, rules: &[unskew_pjrt::rules::RULES, unskew_stream_executor::rules::RULES] },
    Boundary { looked_for: "native extensions of PyTorch and TensorFlow (.so)", endings: &["so"], read: Read::File(unskew_extensions::party), rules: &[unskew_extensions::rules::RULES] },
    Boundary { looked_for: "operator tables of devices (.json)", endings: &[], read: Read::File(device::party), rules: &[] },
    Boundary { looked_for: "StableHLO artifacts and MLIR text", endings: &["mlirbc", "stablehlo", "bc", "vhlo", "mlir"], read: Read::File(unskew_stablehlo::party), rules: &[unskew_stablehlo::rules::RULES] },
    Boundary { looked_for: "functions of jax.export", endings: &["jaxexp", "jaxexport", "exported"], read: Read::File(unskew_jax_export::party), rules: &[unskew_jax_export::rules::RULES] },
    Boundary { looked_for: "compilation caches of JAX", endings: &[], read: Read::Folder(unskew_compilation_cache::folder_party, unskew_compilation_cache::entry_party), rules: &[unskew_compilation_cache::rules::RULES] },
    Boundary { looked_for: "serialized executables of JAX", endings: &[], read: Read::File(unskew_compilation_cache::executable_party), rules: &[] },
    Boundary { looked_for: "PyTorch archives (.pt, .ptl, .pt2, .pte)", endings: &["pt", "pth", "pt2", "ptl", "pte", "ff", "ts", "jit", "torchscript", "pkl", "bin"], read: Read::File(unskew_torch::party), rules: &[unskew_torch::rules::RULES, unskew_torch_schemas::rules::RULES, unskew_torch_operators::rules::RULES] },
    Boundary { looked_for: "IFRT values with the name of their type", endings: &[], read: Read::File(ifrt::party), rules: &[unskew_ifrt::rules::RULES] },
    Boundary { looked_for: "Keras models and weights (.keras, .h5)", endings: &["keras", "h5", "hdf5"], read: Read::File(unskew_keras::party), rules: &[unskew_keras::rules::RULES] },
    Boundary { looked_for: "models of TensorFlow.js (model.json)", endings: &["model.json"], read: Read::File(unskew_tfjs::party), rules: &[unskew_tfjs::rules::RULES] },
    Boundary { looked_for: "", endings: &["safetensors", "gguf", "tflite"], read: Read::File(unversioned::party), rules: &[rules::RULES] },
    Boundary { looked_for: "ONNX models (.onnx, .onnxtxt, .ort)", endings: &["onnx", "onnxtxt", "onnxtext", "ort"], read: Read::File(unskew_onnx::party), rules: &[unskew_onnx::rules::RULES] },
    Boundary { looked_for: "configurations of reduced ONNX Runtimes (.config)", endings: &[], read: Read::File(onnx::reduced_build), rules: &[] },
    Boundary { looked_for: "TensorFlow graphs, SavedModels and checkpoints", endings: &["pb", "pbtxt", "meta", "index", "ckpt"], read: Read::File(unskew_tensorflow::party), rules: &[unskew_tensorflow::rules::RULES] },
];

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
