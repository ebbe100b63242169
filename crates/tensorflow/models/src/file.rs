//! TensorFlow's files, read far enough for a verdict.

use std::sync::Arc;

use unskew_source::{ReadError, Source};

use crate::read::{self, Checkpoint, Encoding, TensorFlowFileKind};
use crate::restores::RestoreIndex;
use crate::{GraphUse, RestoredTensor};

/// A graph file: a GraphDef, a MetaGraphDef or a SavedModel. A capability of its party.
#[derive(Clone, Debug)]
pub struct GraphFile {
    /// What kind of file it is.
    pub kind: TensorFlowFileKind,
    /// Whether it is written as text.
    pub encoding: Encoding,
    /// The schema number of a SavedModel.
    pub schema_version: Option<i64>,
    /// The graphs: one, or one for each set of tags of a SavedModel.
    pub graphs: Vec<GraphUse>,
    /// What the graphs take from a checkpoint.
    pub restores: Vec<RestoredTensor>,
}

/// One of TensorFlow's files.
#[derive(Clone, Debug)]
pub enum TensorFlowFile {
    /// A file with graphs: GraphDef, MetaGraphDef or SavedModel.
    Graphs(GraphFile),
    /// A checkpoint, which has variables and no graph.
    Checkpoint(Checkpoint),
}

/// Reads `source`; none if it is not TensorFlow's.
///
/// # Errors
/// If it is, but broken.
pub fn read_file(source: &Arc<dyn Source>) -> Result<Option<TensorFlowFile>, ReadError> {
    let Some((kind, encoding)) = read::recognize(&**source)? else { return Ok(None) };
    match kind {
        TensorFlowFileKind::Table => {
            return Ok(read::checkpoint(&**source)?.map(TensorFlowFile::Checkpoint));
        }
        TensorFlowFileKind::OpList => return Ok(None),
        _ => {}
    }
    let bytes: Arc<dyn Source> = match encoding {
        Encoding::Text => Arc::new(read::transcode(&**source, kind)?),
        Encoding::Binary => source.clone(),
    };
    let placed = |mut error: ReadError| {
        // Bytes made from a text have no places in it.
        error.offset = error.offset.filter(|_| encoding == Encoding::Binary);
        error
    };
    let (schema_version, graphs) = parse(kind, &*bytes).map_err(placed)?;
    let restores = RestoreIndex::new(&graphs);
    let wanted = restores.constants();
    let texts = match encoding {
        _ if wanted.is_empty() => wanted,
        // The bytes that were made of a text are without the values of constants.
        Encoding::Text => {
            let whole = read::transcode_whole(&**source, kind)?;
            read::constant_texts(&whole, kind, wanted).map_err(placed)?
        }
        Encoding::Binary => read::constant_texts(&*bytes, kind, wanted)?,
    };
    let restores = restores.named(&texts);
    let file = GraphFile { kind, encoding, schema_version, graphs, restores };
    Ok(Some(TensorFlowFile::Graphs(file)))
}

/// The schema number and the graphs of a message.
fn parse(
    kind: TensorFlowFileKind,
    bytes: &dyn Source,
) -> Result<(Option<i64>, Vec<GraphUse>), ReadError> {
    Ok(match kind {
        TensorFlowFileKind::Graph | TensorFlowFileKind::Table | TensorFlowFileKind::OpList => {
            (None, vec![GraphUse::of_graph(&read::graph(bytes)?)])
        }
        TensorFlowFileKind::MetaGraph => {
            (None, vec![GraphUse::of_meta_graph(read::meta_graph(bytes)?)])
        }
        TensorFlowFileKind::SavedModel => {
            let model = read::saved_model(bytes)?;
            let graphs = model.meta_graphs.into_iter().map(GraphUse::of_meta_graph);
            (model.schema_version, graphs.collect())
        }
    })
}
