//! ONNX models, judged against the operators and kernels of ONNX Runtime and onnx releases.
//!
//! A model (`ModelProto`, a bare protobuf message) carries three kinds of versions: the IR version of the format, the
//! opset of each domain of operators, and the producer, which nobody compares. A release has a highest IR version and a
//! highest opset of each domain, and refuses what is above. Below them an operator means the form that the newest
//! version not above the opset gave it: `Clip` under opset 12 is `Clip` since 12, under 10 since 6. Measured on 30
//! releases of ONNX Runtime, what then decides is whether that form has a kernel for the types at the node: there are
//! forms without any kernel, and kernels without some of the types that the form allows.
//!
//! | step | by |
//! | --- | --- |
//! | bytes to an [`OnnxModel`]: nodes, attributes, types; of tensors what they are and where they lie | `read` |
//! | a model as a party, with its numbers | [`party()`] |
//! | a model in the textual syntax of ONNX, turned into the bytes of the same model | `read::text` |
//! | a file of the format `.ort` to the same model, whose nodes name the form of their operator | `read::ort` |
//! | tensors in other files: inside the folder, there, long enough, no link out of it | [`with_external_data`] |
//! | the configuration of Triton beside a model, against its inputs and outputs | [`with_triton`] |
//! | sizes from inputs to outputs, and what contradicts itself in them | `shapes` |
//! | runtimes of which is known what is stated of operators, and reduced builds of ONNX Runtime | [`DocumentedSupport`] |
//! | a line of a table to the form of an operator, and to the types of its kernels | [`OpSchema`], [`KernelTypes`] |
//! | a release: its numbers and tables | [`OnnxRelease`] |
//! | IR version and opsets; values made once, tensors whole; then each node: operator, attributes, counts, types, kernel | [`judge()`] |
//! | a model under other opsets and another IR version | [`convert()`] |
//!
//! [`diff`] says what changed between two releases, [`forms`] between two opsets and two lists of operators. Types of values are inferred from graph inputs, tensors, attributes
//! and forms, through subgraphs and functions of the model; shapes through subgraphs.
//!
//! # Conversion
//!
//! [`OnnxTarget`] says which opsets and which IR version. The file is walked once, by its fields, beside the model that was
//! read; what does not change is a range of the input in the output. Each node goes from the form of its opset to that of
//! the goal, form by form: `data/adapters.txt` has a line for each pair of forms that differ in more than types, with steps
//! that are read up and down (an attribute that became an input, a new attribute with its default, axes counted from the
//! end), and `convert/special.rs` the few that are more. A node without such a form is written by other operators
//! (`data/bodies.txt`, attention, triangles), which go on in the same way. New tensors are `Constant` nodes, so initializers and
//! external data stay where they are. Graphs inside of nodes see the values around them; functions of the model change with
//! their own opsets.
//!
//! For a release of ONNX Runtime the result is judged, and where a node has no kernel the nearest opset is looked for under
//! which every node has one. Calls of functions are written out as nodes first where the release has no functions.
//!
//! An adapter may need what is known of a value: its number of dimensions, a size, a small constant that no caller can
//! replace. These come from declared shapes, tensors and a forward pass with sizes and symbols. Where it is not known, and
//! where values, attributes, types or outputs have no older form, the node is a blocker (ON301) and nothing is
//! written. Not converted: models below opset 7 downwards, operators of other domains whose form changes without a line,
//! and functions that take attributes (`ref_attr_name`) where the value decides and functions stay functions.
//! What is refused: a model without graph or IR version, fields of a wrong wire type, names of
//! more than 64 KiB, tensors of more than 1024 dimensions, messages deeper than 100, external data with a step up or
//! an absolute path. What is not judged and says so: nodes whose types are not known, operators that could not be
//! measured in a release, and operators of domains that come from a library.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_source::{BytesSource, Source};
//!
//! // IR version 8, opset 13, and a graph of one node: Relu of x.
//! let bytes = b"\x08\x08\x3a\x0e\x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu\x42\x02\x10\x0d".to_vec();
//! let file: Arc<dyn Source> = Arc::new(BytesSource::new("net.onnx", bytes));
//! let party = unskew_onnx::party(&file).unwrap().unwrap();
//! assert_eq!(party.kind, "ONNX model");
//! let model = party.capability::<unskew_onnx::OnnxModel>().unwrap();
//! assert_eq!((model.ir_version, &*model.graph.nodes[0].op), (8, "Relu"));
//! ```
#![forbid(unsafe_code)]

mod convert;
pub mod diff;
mod element;
pub mod forms;
mod infer;
mod judge;
mod limits;
mod model;
mod party;
mod read;
pub mod rules;
mod runtime;
mod schema;
mod shapes;
mod tables;
mod triton;
mod value_index;
mod value_type;
mod vendor_docs;

pub use convert::{OnnxTarget, convert, convert_beside};
pub use element::{OnnxElementType, UnknownElementType};
pub use forms::OperatorForms;
pub use judge::{NeighbourFile, NeighbourLookup, is_fixed_by_opset, judge, with_external_data};
pub use model::{
    Dim, ExternalData, OnnxAttribute, OnnxFunction, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor,
    TensorData, ValueInfo,
};
pub use party::{operator_names, party};
pub use read::model as read_model;
pub use runtime::{
    CudaKernels, IR_AXIS, ModelReader, OPSET_AXIS, ORT_AXIS, OnnxRelease, OperatorLookup, full_name,
};
pub use schema::{Arity, AttributeSchema, FormalParameter, OpSchema, ParameterKind};
pub use tables::{KernelSupport, KernelTypeTable, KernelTypes, OpSchemas};
pub use triton::{NeighbourOpener, with_triton};
pub use value_type::ValueType;
pub use vendor_docs::{
    DocumentedOperator, DocumentedSupport, DocumentedSupportTable, OperatorFallback, reduced_build,
};
