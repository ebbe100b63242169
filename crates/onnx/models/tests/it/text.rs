//! Models in the textual syntax are the models that they stand for.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::{Context, check};
use unskew_onnx::{Dim, ModelReader, OnnxAttribute, OnnxModel, ValueType};
use unskew_source::{BytesSource, Source};

use crate::models::runtime;
use crate::proto::{body, bytes, int, model, node, value};

const HEAD: &str = "<ir_version: 8, opset_import: [\"\" : 13]>\n";

fn source(name: &str, text: &str) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(name, text.as_bytes().to_vec()))
}

fn read(text: &str) -> OnnxModel {
    unskew_onnx::read_model(&*source("net.onnxtxt", text)).unwrap().unwrap()
}

fn error(text: &str) -> String {
    unskew_onnx::read_model(&*source("net.onnxtxt", text)).unwrap_err().to_string()
}

#[test]
fn a_text_and_the_bytes_of_it_are_one_model() {
    let text = read(&format!(
        "{HEAD}net (float[] x) => (float[] y) {{ # a remark\n y = Softmax <axis: int = 0> (x) }}"
    ));
    let nodes = [node("Softmax", &["x"], &["y"], &[int("axis", 0)])];
    let built = model(13, &body(&nodes, &[value("x", 1)], &[value("y", 1)]), &[]);
    let built: Arc<dyn Source> = Arc::new(BytesSource::new("net.onnx", built));
    assert_eq!(text, unskew_onnx::read_model(&*built).unwrap().unwrap());
}

#[test]
fn every_part_of_the_syntax_is_read() {
    let model = read(
        "<ir_version: 10, opset_import: [\"\" : 21, \"local\" : 1], producer_name: \"me\", \
         producer_version: \"1\\\"2\", domain: \"d\", model_version: 3, doc_string: \"\", metadata_props: [\"k\" : \"vv\"]>\n\
         \"a net\" (float[N, 3, ?] x, seq(int64[]) s, map(string, float) m, optional(float) o, sparse_tensor(float[2]) p,\n\
         opaque(a.b, c) q, float[2] d = {1, -2.5e-1}) => (float[2] y, bool z)\n\
         <int64[2] w = {1, -2}, float[4] far = [\"location\": \"w.bin\", \"offset\": \"8\"], float16[1] h>\n\
         {\n [first] t, , u = local.Twice : f32 <a = 1, b: float = 2, c = [1, 2], d: floats = [1], e = \"x\", f: strings = [],\n\
         g = inf, h = int64[2] {3, 4}, i = float[2], j = [\"k\"]> (x, , \"a b\",)\n\
         y = If (c) <then_branch = t () => (float r) { r = Relu(x) }, else_branch = e () => (float r) { r = Relu(x) }>\n }\n\
         <domain: \"local\", opset_import: [\"\" : 21], overload: \"f32\">\n\
         Twice <scale, alpha: float = 1.5> (float[2] a, b) => (c) <float[2] k> { k = Add(a, b) c = Elu <alpha = @alpha> (k) }",
    );
    assert_eq!(&*model.producer[1], "1\"2");
    assert_eq!(model.metadata, [("k".into(), 2)]);
    let graph = &model.graph;
    assert_eq!(graph.inputs[0].dims.as_deref().unwrap()[1..], [Dim::Size(3), Dim::Unknown]);
    let kinds: Vec<String> = graph
        .inputs
        .iter()
        .map(|one| one.kind.as_ref().map_or("-".into(), ValueType::to_string))
        .collect();
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    assert_eq!(
        kinds[..5],
        ["float", "seq(int64)", "map(string,float)", "optional(float)", "sparse_tensor(float)"]
    );
    let names: Vec<&str> = graph.initializers.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["d", "w", "far"]);
    assert_eq!(graph.initializers[1].ints, [1, -2]);
    assert_eq!(graph.initializers[2].external.as_ref().unwrap().offset, Some(8));
    let call = &graph.nodes[0];
    assert_eq!(
        (&*call.name, &*call.op, &*call.domain, &*call.overload),
        ("first", "Twice", "local", "f32")
    );
    assert_eq!((call.inputs.len(), call.outputs.len(), &*call.inputs[2]), (3, 3, "a b"));
    assert_eq!(call.attributes[1].1, OnnxAttribute::Float(2.0));
    assert_eq!(call.attributes[2].1, OnnxAttribute::Ints(vec![1, 2]));
    assert!(matches!(graph.nodes[1].attributes[1].1, OnnxAttribute::Graph(_)));
    let function = &model.functions[0];
    assert_eq!(
        (&*function.name, &*function.overload, function.defaults.len()),
        ("Twice", "f32", 1)
    );
    assert_eq!(function.body.nodes[1].attributes[0].1, OnnxAttribute::Of("alpha".into()));
    assert!(graph.nodes.iter().all(|node| node.broken.is_none()));
}

#[test]
fn a_broken_text_is_an_error_with_its_line() {
    for (text, expected) in [
        ("<ir_version: 8", "line 1: expected `>`, found the end"),
        ("<ir_version: 8, colour: 3>", "line 1: expected a word of the head of a model"),
        ("<ir_version: \"8\">", "line 1: expected a whole number"),
        ("<ir_version: 8>\nnet (float x) =>\n(float y) { y Relu(x) }", "line 3: expected `=`"),
        ("<ir_version: 8>\nnet () => () <float[N] w = {1}> {}", "dimensions are numbers"),
        (
            "<ir_version: 8>\nnet () => () { y = Foo <a: int = 1.5> () }",
            "of the type that the attribute says",
        ),
        (
            "<ir_version: 8>\nnet () => () { y = Foo <a = [1, \"b\"]> () }",
            "of the type of the others",
        ),
        ("<ir_version: 8>\nnet () => () { y = Foo <a = []> () }", "a type before a list"),
        ("<doc_string: \"no version\">\nnet () => () {}", "without `ir_version`"),
        ("<doc_string: \"no end", "a text in quotes that ends"),
    ] {
        let error = error(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn graphs_and_types_that_are_nested_too_deep_are_refused() {
    let graphs = "y = If (c) <a = g () => () { ".repeat(200);
    assert!(error(&format!("{HEAD}net () => () {{ {graphs}")).contains("nested too deep"));
    let types = "seq(".repeat(50);
    assert!(error(&format!("{HEAD}net ({types}")).contains("nested too deep"));
}

#[test]
fn a_text_is_converted_to_a_model_in_bytes() {
    let text = source(
        "net.onnxtxt",
        &format!("{HEAD}net (float[2, 3] x) => (float[2, 3] y) {{ y = Softmax <axis = 1> (x) }}"),
    );
    let (plan, output) = unskew_onnx::convert(&text, &crate::convert::goal(11)).unwrap().unwrap();
    assert!(plan.is_possible());
    let file = tempfile::NamedTempFile::new().unwrap();
    output.write(file.path()).unwrap();
    let written = std::fs::read(file.path()).unwrap();
    let model = unskew_onnx::read_model(&BytesSource::new("net.onnx", written)).unwrap().unwrap();
    assert_eq!(model.opsets, [("".into(), 11)]);
}

#[test]
fn onnx_runtime_reads_no_text_and_onnx_does() {
    let text = format!("{HEAD}net (float[2] x) => (float[2] y) {{ y = Relu(x) }}");
    let party = unskew_onnx::party(&source("net.onnxtxt", &text)).unwrap().unwrap();
    let codes = |reader| {
        let verdict = check(&party, &runtime(reader), &Context::for_tests());
        verdict.findings.iter().map(|one| one.rule.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(ModelReader::OnnxRuntime), ["ON009"]);
    assert!(codes(ModelReader::Onnx).is_empty());
}

proptest! {
    #[test]
    fn any_text_is_a_model_or_an_error(tail in "[-a-z0-9<>(){}\\[\\]=:,.@\"# \\\\\n]{0,120}") {
        let _ = unskew_onnx::party(&source("net.onnxtxt", &format!("{HEAD}{tail}")));
        let _ = unskew_onnx::party(&source("net.onnxtxt", &tail));
    }

    #[test]
    fn any_bytes_are_a_model_or_an_error(tail in prop::collection::vec(any::<u8>(), 0..80)) {
        let all = [HEAD.as_bytes(), &tail].concat();
        let _ = unskew_onnx::party(&(Arc::new(BytesSource::new("n.onnxtxt", all)) as Arc<dyn Source>));
        let _ = unskew_onnx::party(&(Arc::new(BytesSource::new("n.onnxtxt", bytes(7, &tail))) as Arc<dyn Source>));
    }
}
