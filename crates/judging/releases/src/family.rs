//! The families of releases.

use std::fmt;

/// A runtime that is released again and again under one name. What the database knows of it is its row in `families.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// PyTorch, whose releases are written `torch@2.1`.
    Torch,
    /// TensorFlow, whose releases are written `tensorflow@2.15`.
    TensorFlow,
    /// JAX with its jaxlib.
    Jax,
    /// ONNX Runtime, whose releases are written `onnxruntime@1.16`.
    OnnxRuntime,
    /// The package onnx with its checker.
    Onnx,
    /// Keras, alone: its releases are written `keras@3.5`.
    Keras,
    /// PyTorch/XLA, a host of PJRT plug-ins: its releases are written `torch_xla@2.9`.
    TorchXla,
    /// tf_keras, Keras 2 for TensorFlow 2.16 and later: its releases are written `tf_keras@2.18`.
    TfKeras,
    /// TensorFlow.js, by its package on npm: its releases are written `tfjs@4.22`.
    Tfjs,
    /// llama.cpp, by its builds, which are written `llama.cpp@b4000`.
    LlamaCpp,
    /// llama-cpp-python, which has a llama.cpp inside: its releases are written `llama-cpp-python@0.3.9`.
    LlamaCppPython,
    /// transformers of Hugging Face: its releases are written `transformers@4.57`.
    Transformers,
    /// vLLM: its releases are written `vllm@0.8`.
    Vllm,
    /// SGLang: its releases are written `sglang@0.4`.
    Sglang,
    /// scikit-learn: its releases are written `scikit-learn@1.5`, or `sklearn@1.5`.
    ScikitLearn,
    /// tokenizers of Hugging Face: its releases are written `tokenizers@0.19`.
    Tokenizers,
    /// PEFT of Hugging Face: its releases are written `peft@0.12`.
    Peft,
}

impl Family {
    /// Every framework with a database of releases.
    pub const ALL: [Self; 17] = [
        Self::Torch,
        Self::TensorFlow,
        Self::Jax,
        Self::OnnxRuntime,
        Self::Onnx,
        Self::Keras,
        Self::TorchXla,
        Self::TfKeras,
        Self::Tfjs,
        Self::LlamaCpp,
        Self::LlamaCppPython,
        Self::Transformers,
        Self::Vllm,
        Self::Sglang,
        Self::ScikitLearn,
        Self::Tokenizers,
        Self::Peft,
    ];

    /// The name of its package: `torch`.
    pub fn as_str(self) -> &'static str {
        self.known().name
    }

    /// What people call it: `PyTorch`.
    pub fn title(self) -> &'static str {
        self.known().title
    }

    /// An operator of its table that people know, as an example of what to search for; empty for a family without a table of
    /// operators.
    pub fn known_operator(self) -> &'static str {
        self.known().known_operator
    }

    /// Whether native extensions are built against it, so that its own package is no extension.
    pub fn has_extensions(self) -> bool {
        self.known().has_extensions
    }

    /// What stands before the number of a release: `b` of `b4000`. Empty where a release is a version.
    pub(crate) fn prefix(self) -> &'static str {
        self.known().prefix
    }

    /// A version as its makers write it: `2.1.0`, `b4000`.
    pub fn version(self, version: impl fmt::Display) -> String {
        format!("{}{version}", self.prefix())
    }

    /// The names that people write, for telling a misspelt one.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().flat_map(|family| {
            let known = family.known();
            std::iter::once(known.name).chain(known.packages.iter().copied())
        })
    }

    /// Whether a package of this name has builds of a night, and no releases.
    pub(crate) fn is_nightly(name: &str) -> bool {
        name.to_ascii_lowercase().contains("nightly")
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
