//! Large models, the same on every machine: what benchmarks measure the command and its crates on.
//!
//! ```
//! use unskew_large_files::Weights;
//!
//! let path = std::env::temp_dir().join(format!("unskew-large-{}.pb", std::process::id()));
//! unskew_large_files::graph::write(&path, 4, Weights::Hole).unwrap();
//! assert!(path.metadata().unwrap().len() > 9 * 4 * 224 * 16);
//! std::fs::remove_file(path).unwrap();
//! ```
#![forbid(unsafe_code)]

pub mod graph;
pub mod onnx;
mod sparse;
pub mod torchscript;
mod zip_file;

pub use sparse::Weights;
