//! The readers: bytes to graphs, versions and ops, by range and within limits.

mod checkpoint;
mod constants;
mod crc32c;
mod embedded_programs;
mod file_kind;
mod graph_def;
mod interner;
mod kernels;
mod node_texts;
mod op_def;
mod saved_model;
mod schema;
mod table;
mod text;
mod values;
mod verify;

pub use checkpoint::{Checkpoint, StoredRange, StoredSlice, StoredTensor, checkpoint};
pub(crate) use constants::{ConstantPlace, ConstantTexts, constant_texts};
pub use embedded_programs::embedded_programs;
pub use file_kind::{Encoding, TensorFlowFileKind, recognize};
pub use graph_def::graph;
pub use kernels::kernel_list;
pub use op_def::op_list;
pub use saved_model::{MetaGraph, SavedModel, SavedObject, SignatureDef, meta_graph, saved_model};
pub(crate) use schema::{FieldContent, Fields, SAVED_MODEL};
pub(crate) use table::with_first_value;
pub use text::{transcode, transcode_whole};
pub use verify::{Verification, verify};

/// The value under the first key of a table: the header of a checkpoint.
pub(crate) fn first_value(
    source: &dyn unskew_source::Source,
) -> Result<Vec<u8>, unskew_source::ReadError> {
    table::Table::open(source)?.first_value()
}
