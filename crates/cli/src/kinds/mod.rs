//! The kinds of files that `unskew lint` and `unskew diff` compare: one line each.

mod onnx_ops;
mod operators;
pub mod tables;
mod tf_ops;

use unskew_c_headers::Headers;
use unskew_kinds::InterfaceKind;
use unskew_lint::{Histories, Serdes};
use unskew_protobuf::Protobuf;

/// Every kind, in the order in which files are recognized.
pub const ALL: &[&dyn InterfaceKind] = &[
    &Headers,
    &Protobuf,
    &Serdes,
    &Histories,
    &operators::Operators,
    &tf_ops::TfOps,
    &onnx_ops::OnnxOps,
];
