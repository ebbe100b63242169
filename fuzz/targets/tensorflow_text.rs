//! The text format of protobuf, for each message that is read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};
use unskew_tensorflow::read::{TensorFlowFileKind, transcode};

fuzz_target!(|bytes: &[u8]| {
    let source = source("f.pbtxt", bytes);
    for kind in
        [TensorFlowFileKind::Graph, TensorFlowFileKind::MetaGraph, TensorFlowFileKind::SavedModel]
    {
        let _ = transcode(&*source, kind);
    }
    if let Ok(Some(party)) = unskew_tensorflow::party(&source) {
        judge(&party);
    }
});
