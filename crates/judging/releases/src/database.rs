//! What the database has of each family: its rows, and what they make.

use std::sync::Arc;

use unskew_core::{Fact, Party};
use unskew_extensions::{Exports, Framework};

use crate::{Family, Operator, Row, jax, keras, onnx, tensorflow, tfjs, torch, torch_xla};

impl Family {
    /// Its releases in the database, oldest first.
    pub fn rows(self) -> &'static [Row] {
        match self {
            Self::Torch => torch::rows(),
            Self::TensorFlow => tensorflow::rows(),
            Self::Jax => jax::rows(),
            Self::OnnxRuntime | Self::Onnx => onnx::rows(self),
            Self::Keras => keras::rows(),
            Self::TorchXla => torch_xla::rows(),
            Self::Tfjs => tfjs::rows(),
        }
    }

    /// The versions of a release on the axes of the family, in words: `file format`, `1 to 6`.
    pub fn axes(self, row: &Row) -> Vec<Fact> {
        match self {
            Self::Torch => torch::axes(row),
            Self::TensorFlow => tensorflow::axes(row),
            Self::Jax => jax::axes(row),
            Self::OnnxRuntime | Self::Onnx => onnx::axes(self, row),
            Self::Keras => keras::axes(row),
            Self::TorchXla => torch_xla::axes(row),
            Self::Tfjs => tfjs::axes(row),
        }
    }

    pub(crate) fn party(self, row: &Row) -> Party {
        match self {
            Self::Torch => torch::party(row).with_capability(symbols(Framework::Torch, row)),
            // What device plug-ins bind to is a matter of another boundary.
            Self::TensorFlow => {
                let exports = unskew_stream_executor::exports(&row.version);
                let symbols = symbols(Framework::TensorFlow, row);
                let party = keras::with_keras(tensorflow::party(row), row.version);
                let party = tensorflow::as_host(party);
                party.with_capability(exports).with_capability(symbols)
            }
            Self::Jax => jax::party(row),
            Self::OnnxRuntime | Self::Onnx => onnx::party(self, row),
            Self::Keras => keras::party(row),
            Self::TorchXla => torch_xla::party(row),
            Self::Tfjs => tfjs::party(row),
        }
    }

    pub(crate) fn operators(self, row: &Row, pattern: &str) -> Vec<Operator> {
        match self {
            Self::Torch => torch::operators(row, pattern),
            Self::TensorFlow => tensorflow::operators(row, pattern),
            Self::Jax => jax::operators(row, pattern),
            Self::OnnxRuntime | Self::Onnx => onnx::operators(self, row, pattern),
            Self::Keras => keras::operators(row, pattern),
            Self::TorchXla => Vec::new(),
            Self::Tfjs => tfjs::operators(row, pattern),
        }
    }
}

/// What native extensions are bound to.
fn symbols(framework: Framework, row: &Row) -> Arc<Exports> {
    Arc::new(Exports::of_release(framework, row.version))
}
