//! TensorFlow: graphs, SavedModels and checkpoints, judged against the op registries of releases.
//!
//! A graph carries numbers: the `producer` that made it, the `min_consumer` that may read it, the
//! `bad_consumers` that must not. The document *TensorFlow Data Versioning: GraphDefs and
//! Checkpoints* says how they are compared. Measured on the releases from 0.12 to 2.21 these numbers
//! never decide: `min_producer` and `min_consumer` have been 0 in all of them, frozen graphs carry no
//! numbers at all, and 1.15 has a higher number than 2.0. What decides is whether the ops of the graph
//! are in the registry of the release with these attributes, values and inputs. So:
//!
//! * [`party`] reads a GraphDef, a MetaGraphDef, a SavedModel (each as bytes or as text) or the header
//!   of a checkpoint. Tensors are passed over where they lie: what a graph costs is what its structure costs, be it 4 GB large;
//! * [`OpHistory`] is the registries of all releases as one text, [`OpRegistry`] one of them,
//!   [`OpDef`] one op on one line;
//! * [`TensorFlowRuntime`] is a release. [`unskew_core::check`] of both gives findings with the phase in which
//!   they show: import, run, or never. Which phase depends on the age of the importer: up to 1.7
//!   Python imports and much shows only when the graph runs; from 2.5 on unknown attributes are
//!   ignored, whatever their value, which is the one way to a silently wrong answer;
//! * [`infer`] tells which releases may have written a graph, from exact sets of attributes.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_core::{Context, DataConsumer, Date, Phase, check};
//! use unskew_source::{BytesSource, Source};
//! use unskew_tensorflow::{OpHistory, OpRegistry, RuntimeUsage, TensorFlowRuntime};
//!
//! // One node: Identity without input and without its attribute T.
//! let bytes = b"\x0a\x0d\x0a\x01i\x12\x08Identity".to_vec();
//! let file: Arc<dyn Source> = Arc::new(BytesSource::new("graph.pb", bytes));
//! let graph = unskew_tensorflow::party(&file).unwrap().unwrap();
//! assert_eq!(graph.kind, "GraphDef");
//!
//! let history = OpHistory::from_text(
//!     "#releases\t2.15.1\nIdentity(input: T) -> (output: T) {T: type}\t2.15.1-\n",
//! ).unwrap();
//! let version = "2.15.1".parse().unwrap();
//! let runtime = TensorFlowRuntime {
//!     version,
//!     released: Date::constant(2024, 3, 8),
//!     graph_def: DataConsumer { version: 1645, min_producer: 0 },
//!     checkpoint: DataConsumer { version: 1, min_producer: 0 },
//!     ops: OpRegistry::new(Arc::new(history), version, false),
//!     kernels: None,
//!     usage: RuntimeUsage::default(),
//!     known: Arc::new([]),
//! };
//! let verdict = check(&graph, &runtime.party(), &Context::on(Date::constant(2026, 11, 1)));
//! assert_eq!(verdict.findings[0].rule.code, "TF205");
//! assert_eq!(verdict.first_failure(), Some(Phase::Load));
//! ```
#![forbid(unsafe_code)]

mod attr;
mod attrs;
mod behaviour;
mod body;
mod change;
mod channels;
mod checkpoint_state;
pub mod convert;
pub mod diff;
mod dtype;
mod edge;
mod elementwise;
pub mod evolve;
mod file;
mod functions;
mod graph;
mod history;
pub mod infer;
mod inputs;
mod judge;
mod kernels;
mod measured_behaviour;
mod object;
pub mod op_def;
mod op_text;
mod party;
mod promise;
mod rank;
pub mod read;
mod registry;
mod restores;
pub mod rules;
mod runtime;
mod session;
mod shape_inputs;
mod shared_text;
mod structure;
mod usage;

pub use attr::{AttrKind, AttrScalarType, AttrValue, PartialTensorShape};
pub use attrs::Attrs;
pub use change::{OpChange, OpChangeKind, RegistryDiff, op_changes, registry_diff};
pub use convert::{GraphConvertOptions, convert, convert_saved_model};
pub use dtype::{DataType, DataTypeError};
pub use file::{GraphFile, TensorFlowFile, read_file};
pub use functions::FunctionReport;
pub use graph::{FunctionDef, GraphDef, NodeDef};
pub use history::{OpDefinition, OpHistory};
pub use infer::{ProducerRange, producer_facts};
pub use inputs::Inputs;
pub use judge::{CallModuleSupport, StandaloneKeras, findings, unjudged};
pub use kernels::{
    DeviceType, KernelAvailability, KernelChoice, KernelDef, KernelDefError, KernelHistory,
    KernelTable,
};
pub use op_def::OpDef;
pub use op_text::OpTextError;
pub use party::{party, with_data, with_what_lies_beside};
pub use promise::{policy, version_of};
pub use registry::{OpLookup, OpRegistry};
pub use restores::RestoredTensor;
pub use runtime::{
    CHECKPOINT_AXIS, GRAPH_AXIS, ReleaseNumber, RuntimeUsage, SavedModelLoader, TensorFlowRuntime,
};
pub use shared_text::SharedText;
pub use structure::GraphStructure;
pub use usage::{GraphUse, NodeScope, OpUse};
