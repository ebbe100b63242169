//! Graphs made so that a release takes them.
//!
//! What stands between a graph and an older release is mostly an attribute that has its default, or a newer
//! name of an op that the release has. Such things are changed in the bytes of the file: a node that needs
//! nothing is copied as it lies, values of tensors are never read, and unknown fields stay. So a conversion
//! costs what copying the file costs.
//!
//! | adaptation | what it does | exact |
//! | --- | --- | --- |
//! | `drop-default-attribute` | drops attributes that the release does not know, at the default that they came with | yes |
//! | `drop-idle-attribute` | drops attributes that no result depends on (`data/idle-attributes.toml`) | yes |
//! | `replace-op` | puts an op in place of one that means the same (`data/replacements.toml`) | yes: a condition is proved from the graph or the row is not used |
//! | `drop-noted-shapes` | drops shapes that an exporter noted and that TensorFlow 2.4 computes otherwise | yes |
//! | `write-zeros` | writes one zero, which counts for all, into constants of zeros without values that decide about shapes: TensorFlow up to 1.7 cannot read them | yes |
//! | `drop-attribute` | drops any attribute that the release does not know | no: only if [`GraphConvertOptions::lossy`] says so |
//! | `text-to-bytes` | makes bytes of a text in which something changes, with everything that it says | yes |
//! | `update-fingerprint` | computes the hashes in `fingerprint.pb` of a SavedModel anew | yes |
//! | `drop-fingerprint` | leaves `fingerprint.pb` out if its hashes were not those of the folder before | yes |
//! | `set-versions` | sets or clears the versions of the graph or the checkpoint | only on request |
//!
//! [`crate::findings`] asks the same code, so a finding carries the adaptation that removes it.

mod adapt;
mod checkpoint;
mod edit;
mod farm;
mod fingerprint;
mod in_order;
mod op_bytes;
mod plan;
mod saved_model;
mod table;
mod versions;
mod wiring;

use std::sync::Arc;

use unskew_core::{Conversion, Rewrite};
use unskew_source::wire::WireMessage;
use unskew_source::{Assembly, ConvertedArtifact, ReadError, Source};

pub(crate) use adapt::{AdaptedUse, Adapter, DROP_SHAPES, WRITE_ZEROS};
pub use saved_model::convert_saved_model;
pub(crate) use table::is_idle;
pub use table::{Proof, Replacement, replacements};
pub use versions::VersionOptions;
pub use wiring::ProvedReplacements;
pub(crate) use wiring::{Wiring, asks_the_wiring};

use crate::TensorFlowRuntime;
use crate::read::{self, Encoding, MetaGraph, TensorFlowFileKind};

/// What a conversion may change and lose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphConvertOptions {
    /// Whether attributes may be dropped that have an effect: the adaptation `drop-attribute`.
    pub lossy: bool,
    /// What becomes of the versions of the graphs.
    pub versions: VersionOptions,
}

impl GraphConvertOptions {
    /// The names of the adaptations that lose something.
    pub const LOSSY: [&'static str; 1] = [adapt::DROP_ANY];
}

/// The adaptation that makes bytes of a text that has to change.
pub const TEXT_TO_BYTES: &str = "text-to-bytes";

/// Plans the file in `source` anew for `to`, and makes the result; none if it is no file of TensorFlow's.
///
/// Nothing is written. The result is to be judged like any other file before it is: what no exact
/// adaptation exists for is still in it. A text that has to change becomes bytes.
///
/// # Errors
/// If the file is broken, with the byte and the field; or if it is a text that has to change and says something that
/// would be lost.
pub fn convert(
    source: &Arc<dyn Source>,
    to: &TensorFlowRuntime,
    options: &GraphConvertOptions,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    let converted = convert_file(source, to, options)?;
    Ok(converted.map(|(plan, assembly)| (plan, ConvertedArtifact::File(Arc::new(assembly)))))
}

fn convert_file(
    source: &Arc<dyn Source>,
    to: &TensorFlowRuntime,
    options: &GraphConvertOptions,
) -> Result<Option<(Conversion, Assembly)>, ReadError> {
    let Some((kind, encoding)) = read::recognize(&**source)? else { return Ok(None) };
    if matches!(kind, TensorFlowFileKind::Table | TensorFlowFileKind::OpList) {
        let found =
            if kind == TensorFlowFileKind::Table { read::checkpoint(&**source)? } else { None };
        return found
            .map(|found| checkpoint::convert(source, &found, &options.versions))
            .transpose();
    }
    let structure: Arc<dyn Source> = match encoding {
        Encoding::Text => Arc::new(read::transcode(&**source, kind)?),
        Encoding::Binary => source.clone(),
    };
    let mut plan = Conversion::default();
    let mut edits = Vec::new();
    for graph in graphs(kind, &*structure)? {
        let (edit, more) = plan::plan(&graph, to, options);
        plan.extend(more);
        edits.push(edit);
    }
    if edits.iter().all(edit::GraphEdit::is_empty) {
        // A text that needs nothing stays a text.
        return Ok(Some((plan, Assembly::from_source(source))));
    }
    let whole: Arc<dyn Source> = match encoding {
        Encoding::Text => {
            plan.add(Rewrite::new(
                TEXT_TO_BYTES,
                "protobuf text becomes bytes of the same message",
            ));
            Arc::new(read::transcode_whole(&**source, kind)?)
        }
        Encoding::Binary => source.clone(),
    };
    let rope = edit::file(&mut WireMessage::whole(&*whole), kind, &edits)?;
    Ok(Some((plan, rope.assemble(&whole, source.name())?)))
}

fn graphs(kind: TensorFlowFileKind, bytes: &dyn Source) -> Result<Vec<MetaGraph>, ReadError> {
    Ok(match kind {
        TensorFlowFileKind::SavedModel => read::saved_model(bytes)?.meta_graphs,
        TensorFlowFileKind::MetaGraph => vec![read::meta_graph(bytes)?],
        TensorFlowFileKind::Graph | TensorFlowFileKind::Table | TensorFlowFileKind::OpList => {
            vec![MetaGraph { graph: read::graph(bytes)?, ..MetaGraph::default() }]
        }
    })
}
