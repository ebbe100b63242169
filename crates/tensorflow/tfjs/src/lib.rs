//! Models of TensorFlow.js, judged against the ops, classes and types of its releases.
//!
//! A model is a file `model.json` and the files of its weights, the shards. The JSON has the graph of a converted
//! SavedModel (`graph-model`) or the configuration of a model of Keras (`layers-model`), and a manifest: which weights
//! of which type and shape lie in which shards. No version in it is compared by anyone. What decides is:
//!
//! * whether the release has each op of the graph. Up to 1.1 a graph with another one is not loaded, since then it
//!   fails when that node runs;
//! * whether it has each class of the configuration: layers, initializers, activations and the rest under one name each,
//!   and takes their values;
//! * whether it reads the types of the weights, and in what they were packed;
//! * whether the shards are there and long enough.
//!
//! | step | by |
//! | --- | --- |
//! | `model.json` to a [`TfjsModel`] | [`TfjsModel::read`] |
//! | a model as a party | [`party()`] |
//! | the sizes of its shards, where what lies beside it can be opened | [`with_shards`] |
//! | the ops and classes of all releases as one text | [`TfjsNames`] |
//! | a release | [`TfjsRelease`] |
//! | what a release makes of a model | [`judge()`] |
//!
//! What is refused: JSON that is broken or above 64 MiB. What is not judged and says so: kernels of backends (WebGL,
//! WebGPU, WASM), values of attributes that an op refuses, and whether layers compute what Keras computes.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_core::{Date, Phase};
//! use unskew_source::{BytesSource, Source};
//! use unskew_tfjs::{TfjsModel, TfjsNames, TfjsRelease, judge};
//!
//! let text = r#"{"format": "graph-model", "modelTopology": {"node": [{"name": "y", "op": "Erfinv"}]}}"#;
//! let file: Arc<dyn Source> = Arc::new(BytesSource::new("model.json", text.as_bytes().to_vec()));
//! let model = TfjsModel::read(&file).unwrap().unwrap();
//!
//! let names = TfjsNames::from_text("#releases\t1.0.4 4.22.0\nAdd(op)\t1.0.4-\n").unwrap();
//! let tfjs = TfjsRelease {
//!     version: "4.22.0".parse().unwrap(),
//!     released: Date::constant(2024, 10, 21),
//!     unknown: Phase::FirstUse,
//!     weights: vec!["float32".into()],
//!     quantized: vec!["uint8".into()],
//!     names: Arc::new(names),
//! };
//! let judged = judge(&model, &tfjs);
//! assert_eq!(judged.findings[0].rule.code, "TJ001");
//! ```
#![forbid(unsafe_code)]

mod judge;
mod model;
mod party;
pub mod rules;
mod runtime;

pub use judge::judge;
pub use model::{TfjsFormat, TfjsModel, TfjsNode, TfjsWeight, WeightGroup};
pub use party::{TFJS_AXIS, party, with_shards};
pub use runtime::{TfjsNames, TfjsRelease};
