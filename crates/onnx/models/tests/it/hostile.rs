//! Any bytes are a model, something else, or an error; and what is read can be judged.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::{Context, check};
use unskew_onnx::{ModelReader, NeighbourFile, OnnxRelease, OnnxTarget};
use unskew_source::{BytesSource, Source};

use crate::models::runtime;
use crate::proto::{body, bytes, graph, int, model, node, value};

fn judge(bytes: Vec<u8>) {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("any.onnx", bytes));
    if let Ok(Some(party)) = unskew_onnx::party(&source) {
        let today = Context::for_tests();
        let party = unskew_onnx::with_external_data(
            party,
            Some(&|_| Some(NeighbourFile { size: 7, link: true, outside: true })),
        );
        check(&party, &runtime(ModelReader::OnnxRuntime), &today);
        check(&party, &runtime(ModelReader::Onnx), &today);
    }
    for opset in [7, 11, 13] {
        let _ = unskew_onnx::convert(&source, &crate::convert::goal(opset));
    }
    let release = runtime(ModelReader::OnnxRuntime).capability::<OnnxRelease>().cloned().unwrap();
    let goal = OnnxTarget { ir: Some(7), ..OnnxTarget::for_release(&release) };
    let _ = unskew_onnx::convert(&source, &goal);
}

fn whole() -> Vec<u8> {
    let inner = body(&[node("Relu", &["x"], &["z"], &[])], &[], &[bytes(1, "z")]);
    let nodes = [
        node("Softmax", &["x"], &["w"], &[int("axis", 0)]),
        node("Cast", &["x"], &["c"], &[int("to", 9)]),
        node("If", &["c"], &["y"], &[graph("then_branch", &inner), graph("else_branch", &inner)]),
    ];
    model(13, &body(&nodes, &[value("x", 1)], &[value("y", 1)]), &[])
}

#[test]
fn a_model_cut_anywhere_is_an_error_or_a_model() {
    let model = whole();
    (0..model.len()).for_each(|end| judge(model[..end].to_vec()));
}

#[test]
fn graphs_in_graphs_without_end_are_refused() {
    let mut inner = body(&[], &[], &[]);
    for _ in 0..200 {
        inner = body(&[node("If", &[], &[], &[graph("then_branch", &inner)])], &[], &[]);
    }
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("deep.onnx", model(13, &inner, &[])));
    let error = unskew_onnx::party(&source).unwrap_err().to_string();
    assert!(error.contains("deeper"), "{error}");
}

proptest! {
    #[test]
    fn bytes_changed_at_random(
        which in 0..3,
        edits in prop::collection::vec((any::<usize>(), any::<u8>()), 1..8),
    ) {
        let mut model = match which {
            0 => whole(),
            1 => crate::convert::call(),
            _ => crate::convert::four_bits(&[0.5, 2.0], &[]),
        };
        for (at, byte) in edits {
            let len = model.len();
            model[at % len] = byte;
        }
        judge(model);
    }

    #[test]
    fn any_bytes(tail in prop::collection::vec(any::<u8>(), 0..200)) {
        judge([&b"\x08\x08\x3a"[..], &tail].concat());
        judge(tail);
    }
}
