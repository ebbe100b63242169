//! Families of releases, a row each: what the database knows of one, and where it stands.

use std::sync::Arc;

use unskew_core::{Fact, Party};
use unskew_definitions::Rows;
use unskew_extensions::{ExportedSymbols, Framework};
use unskew_gguf::LlamaFamily;
use unskew_transformers::ServerKind;

use crate::release_row::search;
use crate::{
    Family, Operator, ReleaseRow, jax, keras, llama, onnx, peft, scikit_learn, servers, tensorflow,
    tfjs, tokenizers, torch, torch_xla, transformers,
};

/// What the database knows of a family of releases.
pub(crate) struct ReleaseFamily {
    /// The key of this row.
    pub(crate) family: Family,
    /// The name of its package, and how its releases are written: `torch`.
    pub(crate) name: &'static str,
    /// What stands before the number of a release, where releases are builds that are counted: `b`.
    pub(crate) prefix: &'static str,
    /// What people call it: `PyTorch`.
    pub(crate) title: &'static str,
    /// Packages that are its releases, in small letters with `-` between words; each is also a name that people write.
    pub(crate) packages: &'static [&'static str],
    /// Where its packages have libraries of hundreds of megabytes, by the first letters of a path in `site-packages`: they are
    /// not read in an environment, and tables say what is in them. Empty for all others, whose modules are judged as those of
    /// any package.
    pub(crate) large_libraries: &'static [&'static str],
    /// `data/FAMILY/published.tsv`.
    pub(crate) published: &'static str,
    /// Whether native extensions are built against it, so that its own package is no extension.
    pub(crate) has_extensions: bool,
    /// Its releases in the database, oldest first.
    pub(crate) rows: fn() -> &'static [ReleaseRow],
    /// The versions of a release on the axes of the family, in words.
    pub(crate) axes: fn(&ReleaseRow) -> Vec<Fact>,
    pub(crate) party: fn(&ReleaseRow) -> Party,
    /// The operators of all its releases; none if it has no table of operators.
    pub(crate) history: fn() -> Option<&'static Rows>,
    /// An operator of its table that people know; empty without a table.
    pub(crate) known_operator: &'static str,
    /// Whether names of operators have dots of their own, so that only the part after the last one is an overload.
    pub(crate) dotted_names: bool,
}

/// The families, in the order of the keys.
static FAMILIES: [ReleaseFamily; Family::ALL.len()] = [
    ReleaseFamily {
        family: Family::Torch,
        name: "torch",
        prefix: "",
        title: "PyTorch",
        packages: &["torch", "pytorch", "libtorch"],
        large_libraries: &["torch/"],
        published: include_str!("../data/torch/published.tsv"),
        has_extensions: true,
        rows: torch::rows,
        axes: torch::axes,
        party: |row| torch::party(row).with_capability(symbols(Framework::Torch, row)),
        history: || Some(torch::database()?.0.rows()),
        known_operator: "aten::gelu",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::TensorFlow,
        name: "tensorflow",
        prefix: "",
        title: "TensorFlow",
        packages: &[
            "tensorflow",
            "tf",
            "tensorflow-cpu",
            "tensorflow-gpu",
            "tensorflow-intel",
            "tensorflow-macos",
            "tf-nightly",
            "tf-nightly-cpu",
            "tf-nightly-gpu",
        ],
        large_libraries: &["tensorflow/"],
        published: include_str!("../data/tensorflow/published.tsv"),
        has_extensions: true,
        rows: tensorflow::rows,
        axes: tensorflow::axes,
        party: |row| {
            // What device plug-ins bind to is a matter of another boundary.
            let exports = unskew_stream_executor::exports(&row.version);
            let party = keras::with_keras(tensorflow::party(row), row.version);
            let party = tensorflow::as_host(party).with_capability(exports);
            let party = match tensorflow::call_module(row) {
                Some(support) => party.with_capability(Arc::new(support)),
                None => party,
            };
            party.with_capability(symbols(Framework::TensorFlow, row))
        },
        history: || Some(tensorflow::history()?.rows()),
        known_operator: "ResizeBilinear",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::Jax,
        name: "jax",
        prefix: "",
        title: "JAX",
        packages: &["jax", "jaxlib"],
        large_libraries: &["jaxlib/"],
        published: include_str!("../data/jax/published.tsv"),
        has_extensions: true,
        rows: jax::rows,
        axes: jax::axes,
        party: jax::party,
        history: || None,
        known_operator: "",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::OnnxRuntime,
        name: "onnxruntime",
        prefix: "",
        title: "ONNX Runtime",
        packages: &["onnxruntime", "onnxruntime-gpu", "ort"],
        large_libraries: &["onnxruntime/"],
        published: include_str!("../data/onnxruntime/published.tsv"),
        has_extensions: false,
        rows: || onnx::rows(Family::OnnxRuntime),
        axes: |row| onnx::axes(Family::OnnxRuntime, row),
        party: |row| onnx::party(Family::OnnxRuntime, row),
        history: || onnx::history(Family::OnnxRuntime),
        known_operator: "Clip",
        dotted_names: true,
    },
    ReleaseFamily {
        family: Family::Onnx,
        name: "onnx",
        prefix: "",
        title: "onnx",
        packages: &["onnx"],
        large_libraries: &[],
        published: include_str!("../data/onnx/published.tsv"),
        has_extensions: false,
        rows: || onnx::rows(Family::Onnx),
        axes: |row| onnx::axes(Family::Onnx, row),
        party: |row| onnx::party(Family::Onnx, row),
        history: || onnx::history(Family::Onnx),
        known_operator: "Clip",
        dotted_names: true,
    },
    ReleaseFamily {
        family: Family::Keras,
        name: "keras",
        prefix: "",
        title: "Keras",
        packages: &["keras"],
        large_libraries: &[],
        published: include_str!("../data/keras/published.tsv"),
        has_extensions: false,
        rows: keras::rows,
        axes: keras::axes,
        party: keras::party,
        history: keras::history,
        known_operator: "LSTM",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::TorchXla,
        name: "torch_xla",
        prefix: "",
        title: "PyTorch/XLA",
        packages: &["torch-xla"],
        large_libraries: &["torch_xla/", "_XLAC"],
        published: include_str!("../data/torch_xla/published.tsv"),
        has_extensions: false,
        rows: torch_xla::rows,
        axes: torch_xla::axes,
        party: torch_xla::party,
        history: || None,
        known_operator: "",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::TfKeras,
        name: "tf_keras",
        prefix: "",
        title: "tf_keras",
        packages: &["tf-keras"],
        large_libraries: &[],
        published: include_str!("../data/tf_keras/published.tsv"),
        has_extensions: false,
        rows: keras::rows_of_tf_keras,
        axes: keras::axes,
        party: keras::party_of_tf_keras,
        history: keras::history_of_tf_keras,
        known_operator: "LSTM",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::Tfjs,
        name: "tfjs",
        prefix: "",
        title: "TensorFlow.js",
        packages: &["tfjs", "tensorflowjs", "tensorflow-js"],
        large_libraries: &[],
        published: include_str!("../data/tfjs/published.tsv"),
        has_extensions: false,
        rows: tfjs::rows,
        axes: tfjs::axes,
        party: tfjs::party,
        history: tfjs::history,
        known_operator: "Einsum",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::LlamaCpp,
        name: "llama.cpp",
        prefix: "b",
        title: "llama.cpp",
        packages: &["llama-cpp", "llamacpp"],
        large_libraries: &[],
        published: include_str!("../data/llama.cpp/published.tsv"),
        has_extensions: false,
        rows: || llama::rows(LlamaFamily::LlamaCpp),
        axes: |row| llama::axes(LlamaFamily::LlamaCpp, row),
        party: |row| llama::party(LlamaFamily::LlamaCpp, row),
        history: || llama::history(LlamaFamily::LlamaCpp),
        known_operator: "Q4_0",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::LlamaCppPython,
        name: "llama-cpp-python",
        prefix: "",
        title: "llama-cpp-python",
        packages: &["llama-cpp-python"],
        large_libraries: &["llama_cpp/"],
        published: include_str!("../data/llama-cpp-python/published.tsv"),
        has_extensions: false,
        rows: || llama::rows(LlamaFamily::LlamaCppPython),
        axes: |row| llama::axes(LlamaFamily::LlamaCppPython, row),
        party: |row| llama::party(LlamaFamily::LlamaCppPython, row),
        history: || llama::history(LlamaFamily::LlamaCppPython),
        known_operator: "Q4_0",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::Transformers,
        name: "transformers",
        prefix: "",
        title: "transformers",
        packages: &["transformers"],
        large_libraries: &[],
        published: include_str!("../data/transformers/published.tsv"),
        has_extensions: false,
        rows: transformers::rows,
        axes: transformers::axes,
        party: transformers::party,
        history: transformers::history,
        known_operator: "qwen3",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::Vllm,
        name: "vllm",
        prefix: "",
        title: "vLLM",
        packages: &["vllm"],
        large_libraries: &["vllm/"],
        published: include_str!("../data/vllm/published.tsv"),
        has_extensions: false,
        rows: || servers::rows(ServerKind::Vllm),
        axes: |row| servers::axes(ServerKind::Vllm, row),
        party: |row| servers::party(ServerKind::Vllm, row),
        history: || servers::history(ServerKind::Vllm),
        known_operator: "LlamaForCausalLM",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::Sglang,
        name: "sglang",
        prefix: "",
        title: "SGLang",
        packages: &["sglang"],
        large_libraries: &["sglang/"],
        published: include_str!("../data/sglang/published.tsv"),
        has_extensions: false,
        rows: || servers::rows(ServerKind::Sglang),
        axes: |row| servers::axes(ServerKind::Sglang, row),
        party: |row| servers::party(ServerKind::Sglang, row),
        history: || servers::history(ServerKind::Sglang),
        known_operator: "LlamaForCausalLM",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::ScikitLearn,
        name: "scikit-learn",
        prefix: "",
        title: "scikit-learn",
        packages: &["scikit-learn", "sklearn"],
        large_libraries: &[],
        published: include_str!("../data/scikit-learn/published.tsv"),
        has_extensions: false,
        rows: scikit_learn::rows,
        axes: scikit_learn::axes,
        party: scikit_learn::party,
        history: scikit_learn::history,
        known_operator: "LogisticRegression",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::Tokenizers,
        name: "tokenizers",
        prefix: "",
        title: "tokenizers",
        packages: &["tokenizers"],
        large_libraries: &[],
        published: include_str!("../data/tokenizers/published.tsv"),
        has_extensions: false,
        rows: tokenizers::rows,
        axes: tokenizers::axes,
        party: tokenizers::party,
        history: tokenizers::history,
        known_operator: "Fuse",
        dotted_names: false,
    },
    ReleaseFamily {
        family: Family::Peft,
        name: "peft",
        prefix: "",
        title: "PEFT",
        packages: &["peft"],
        large_libraries: &[],
        published: include_str!("../data/peft/published.tsv"),
        has_extensions: false,
        rows: peft::rows,
        axes: peft::axes,
        party: peft::party,
        history: peft::history,
        known_operator: "LORA",
        dotted_names: false,
    },
];

/// What native extensions are bound to.
fn symbols(framework: Framework, row: &ReleaseRow) -> Arc<ExportedSymbols> {
    Arc::new(ExportedSymbols::of_release(framework, row.version))
}

impl Family {
    pub(crate) fn known(self) -> &'static ReleaseFamily {
        &FAMILIES[self as usize]
    }

    /// The family whose releases come in a package of this name, if any: `jaxlib` and
    /// `tensorflow-cpu` are what they look like.
    pub fn of_package(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace(['_', '.'], "-");
        let is = |family: &&ReleaseFamily| family.packages.contains(&&*name);
        FAMILIES.iter().find(is).map(|family| family.family)
    }

    /// Its releases in the database, oldest first.
    pub fn rows(self) -> &'static [ReleaseRow] {
        (self.known().rows)()
    }

    /// The versions of a release on the axes of the family, in words: `file format`, `1 to 6`.
    pub fn axes(self, row: &ReleaseRow) -> Vec<Fact> {
        (self.known().axes)(row)
    }

    /// Whether a path in `site-packages` is where its packages have libraries that are too large to be read in an environment.
    pub fn has_large_library(self, path: &str) -> bool {
        self.known().large_libraries.iter().any(|begins| path.starts_with(begins))
    }

    pub(crate) fn party(self, row: &ReleaseRow) -> Party {
        (self.known().party)(row)
    }

    pub(crate) fn history(self) -> Option<&'static Rows> {
        (self.known().history)()
    }

    pub(crate) fn operators(self, row: &ReleaseRow, pattern: &str) -> Vec<Operator> {
        self.history().map_or_else(Vec::new, |rows| search(rows, row.version, pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_stands_in_the_place_of_its_key_under_names_of_its_own() {
        for (family, known) in Family::ALL.into_iter().zip(&FAMILIES) {
            assert_eq!(known.family, family);
            assert_eq!(Family::of_package(known.name), Some(family), "{family}");
            for package in known.packages {
                assert_eq!(Family::of_package(package), Some(family), "{package}");
            }
            let has_table = family.history().is_some();
            assert_eq!(has_table, !known.known_operator.is_empty(), "{family}");
            let newest = family.rows().last().unwrap();
            let found = family.operators(newest, known.known_operator);
            assert_eq!(has_table, !found.is_empty(), "{family}");
        }
    }
}
