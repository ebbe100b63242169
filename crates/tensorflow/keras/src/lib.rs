//! Files of Keras, judged against the classes and arguments of Keras releases.
//!
//! A model is saved as its configuration and its weights. The configuration is JSON: each layer by the name of its class
//! with the arguments of its constructor. Loading calls these constructors. So what decides is whether the release has
//! the class under the name that was written, and whether it takes each argument: `LSTM` of Keras 2 writes
//! `time_major`, and Keras 3 refuses it.
//!
//! | step | by |
//! | --- | --- |
//! | bytes to attributes and groups, without any HDF5 library | [`hdf5`] |
//! | `.keras` archives and HDF5 files to a [`KerasModel`]: configuration, compilation, counts of weights | [`KerasModel::read`] |
//! | a model as a party | [`party()`] |
//! | a line of a table to a class with its arguments | [`KerasClass`] in [`ClassTable`] |
//! | a release, alone or as TensorFlow brings it | [`KerasRelease`] |
//! | the walk through a configuration, as `load_model` does it | [`judge()`] |
//! | a configuration that means the same and is taken | [`convert()`] |
//!
//! What is refused: HDF5 and JSON that are broken, with the byte or the member; more than 64 MiB of JSON, deeper
//! nesting than 64, texts outside of their heap. Weights are counted and not read. What is not judged and says so:
//! weights without a model, code of Lambda layers in Keras 2, what layers compute in another Keras, HDF5 with links in
//! fractal heaps. Classes of the user's own are named: the loader asks for them in `custom_objects`.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_keras::{ClassTable, KerasFormat, KerasPackage, KerasRelease, KerasModel, judge};
//! use unskew_core::Date;
//!
//! let classes = ClassTable::from_text(
//!     "#releases\t2.15.0 3.15.1\n\
//!      LSTM(layer) keras.layers.LSTM @keras.src.layers.rnn.lstm time_major=false units\t2.15.0\n\
//!      LSTM(layer) keras.layers.LSTM @keras.src.layers.rnn.lstm units\t3.15.1-\n",
//! ).unwrap();
//! let config = serde_json::json!({"class_name": "LSTM", "config": {"units": 4, "time_major": false}});
//! let model = KerasModel {
//!     form: KerasFormat::Hdf5,
//!     keras: Some("2.15.0".to_owned()),
//!     backend: None,
//!     config: Some(config),
//!     training: None,
//!     weights: (3, 448),
//!     optimizer_variables: 0,
//!     weight_paths: None,
//!     unread: Vec::new(),
//! };
//! let keras = KerasRelease {
//!     version: "3.15.1".parse().unwrap(),
//!     released: Date::constant(2026, 11, 1),
//!     of_tensorflow: None,
//!     package: KerasPackage::Keras,
//!     classes: Arc::new(classes),
//! };
//! let judged = judge(&model, &keras);
//! assert_eq!(judged.findings[0].rule.code, "KR002");
//! ```
#![forbid(unsafe_code)]

mod convert;
pub mod hdf5;
mod judge;
mod model;
mod party;
pub mod rules;
mod runtime;
mod table;
mod verdict;

pub use convert::{KerasConvertOptions, UNCOMPILED, convert};
pub use model::{KerasFormat, KerasModel, KerasWeightPaths};
pub use party::{KERAS_AXIS, party};
pub use runtime::{KerasPackage, KerasRelease};
pub use table::{ClassTable, KerasClass};
pub use verdict::judge;
