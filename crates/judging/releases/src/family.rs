//! The families of releases.

use std::fmt;

/// A runtime that is released again and again under one name.
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
    /// TensorFlow.js, by its package on npm: its releases are written `tfjs@4.22`.
    Tfjs,
}

impl Family {
    /// Every framework with a database of releases.
    pub const ALL: [Self; 8] = [
        Self::Torch,
        Self::TensorFlow,
        Self::Jax,
        Self::OnnxRuntime,
        Self::Onnx,
        Self::Keras,
        Self::TorchXla,
        Self::Tfjs,
    ];

    /// The name of its package: `torch`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Torch => "torch",
            Self::TensorFlow => "tensorflow",
            Self::Jax => "jax",
            Self::OnnxRuntime => "onnxruntime",
            Self::Onnx => "onnx",
            Self::Keras => "keras",
            Self::TorchXla => "torch_xla",
            Self::Tfjs => "tfjs",
        }
    }

    /// The names that people write, for telling a misspelt one.
    pub(crate) const NAMES: [&str; 12] = [
        "torch",
        "pytorch",
        "tensorflow",
        "tf",
        "tf-nightly",
        "jax",
        "jaxlib",
        "onnxruntime",
        "onnx",
        "keras",
        "torch_xla",
        "tfjs",
    ];

    /// The family whose releases come in a package of this name, if any: `jaxlib` and
    /// `tensorflow-cpu` are what they look like.
    pub fn of_package(name: &str) -> Option<Self> {
        match &*name.to_ascii_lowercase().replace(['_', '.'], "-") {
            "torch" | "pytorch" | "libtorch" => Some(Self::Torch),
            "tensorflow" | "tf" | "tensorflow-cpu" | "tensorflow-gpu" | "tensorflow-intel"
            | "tensorflow-macos" | "tf-nightly" | "tf-nightly-cpu" | "tf-nightly-gpu" => {
                Some(Self::TensorFlow)
            }
            "jax" | "jaxlib" => Some(Self::Jax),
            "onnxruntime" | "onnxruntime-gpu" | "ort" => Some(Self::OnnxRuntime),
            "onnx" => Some(Self::Onnx),
            "keras" => Some(Self::Keras),
            "torch-xla" => Some(Self::TorchXla),
            "tfjs" | "tensorflowjs" | "tensorflow-js" => Some(Self::Tfjs),
            _ => None,
        }
    }

    /// Whether native extensions are built against it, so that its own package is no extension.
    pub const fn has_extensions(self) -> bool {
        matches!(self, Self::Torch | Self::TensorFlow | Self::Jax)
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
