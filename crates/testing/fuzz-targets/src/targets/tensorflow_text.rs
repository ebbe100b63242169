//! The text format of protobuf, for each message that is read.

use crate::{judge, source};
use unskew_tensorflow::read::{TensorFlowFileKind, transcode};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let source = source("f.pbtxt", bytes);
    for kind in
        [TensorFlowFileKind::Graph, TensorFlowFileKind::MetaGraph, TensorFlowFileKind::SavedModel]
    {
        let _ = transcode(&*source, kind);
    }
    if let Ok(Some(party)) = unskew_tensorflow::party(&source) {
        judge(&party);
    }
}
