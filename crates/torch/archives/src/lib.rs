//! PyTorch files, judged against PyTorch releases.
//!
//! | file | read by | what it carries |
//! | --- | --- | --- |
//! | TorchScript `.pt` of 1.3 and later | `torch.jit.load` | `version` or `.data/version`; operators by name |
//! | TorchScript of 1.1 and 1.2 | only the old releases | the same, and `model.json` |
//! | mobile `.ptl`, with `bytecode.pkl` | the mobile interpreter | a bytecode version too; operators with overloads |
//! | mobile flatbuffer, `PTMF` at byte 4 | the mobile interpreter | both versions as fields |
//! | `.pt2`, a zip with JSON, or the archive of 2.8 | `torch.export.load` | `schema_version`; operators with overloads |
//! | `.pte`, `ET12` at byte 4 | ExecuTorch | `Program.version`; operators with overloads |
//! | `torch.package` | `PackageImporter` | `.data/version` |
//! | checkpoints, pickles, safetensors | `torch.load` and others | no operators, which is said |
//!
//! [`party`] reads one, by ranges: the directory, the code, the pickles of structure, the graph; never
//! a tensor. Pickles are read and never executed. [`TorchRuntime`] is a release: the versions that it
//! reads, and its operator table.
//!
//! The numbers decide little: the file format version stopped at 10 in February 2022. So each use of
//! an operator is looked up in the table of the release; the code of a TorchScript archive is scanned
//! for its calls, which are compared by shape with every overload. What no number and no table shows
//! (an operator that computes something else from a release on) is data too (`data/history.toml`),
//! and needs to know who wrote the file; a [`ProducerReleases`] is inferred from the layout
//! and narrowed by what the file calls ([`TorchModel::producer_by`]).
//!
//! ```
//! use std::sync::Arc;
//! use unskew_source::{BytesSource, Source};
//!
//! // The header of a safetensors file: its length in 8 bytes, then JSON.
//! let bytes = b"\x02\0\0\0\0\0\0\0{}".to_vec();
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("models/w.safetensors", bytes));
//! let party = unskew_torch::party(&source).unwrap().unwrap();
//! assert_eq!((party.name.as_str(), party.kind.as_str()), ("w.safetensors", "safetensors file"));
//!
//! let text: Arc<dyn Source> = Arc::new(BytesSource::new("notes.txt", b"hello".to_vec()));
//! assert!(unskew_torch::party(&text).unwrap().is_none());
//! ```
#![forbid(unsafe_code)]

mod behaviour;
pub mod bytecode;
mod code;
mod convert;
mod device;
mod exported;
mod format;
mod history;
mod json;
mod model;
mod needs;
mod party;
mod pickled;
pub mod prepacked_weights;
mod producer;
mod release;
pub mod rules;
mod runtime;
mod verdict;

pub use unskew_pickle as pickle;

pub use behaviour::{ChangedCall, ExecutedArgument, changed_call};
pub use code::Callable;
pub use convert::{
    PLAIN_CHECKPOINT, TorchConvertOptions, archive_of_flatbuffer, convert, convert_with_origin,
};
pub use device::{
    DeviceDescription, DeviceOperator, DeviceTable, DeviceTableError, OperatorClosure,
    PACKAGE_RECORD, SelectionError, add_to_package, closure, of_package, selection,
};
pub use format::read;
pub use model::{GivenArguments, OperatorUse, TorchFormat, TorchModel, UseLocations, VersionStamp};
pub use needs::{LowestVersions, VersionNeed, needs_facts};
pub use party::{ConversionOrigin, party, party_converted};
pub use producer::ProducerReleases;
pub use release::{ReleaseCalendar, TorchRelease};
pub use runtime::{TorchRuntime, axes};
