//! Models as people have them: graphs, layers, shards.

use std::sync::Arc;

use unskew_core::{Date, Judgement, Phase};
use unskew_source::{BytesSource, Source};
use unskew_tfjs::{TfjsFormat, TfjsModel, TfjsNames, TfjsRelease, judge, party, with_shards};

const NAMES: &str = "#releases\t1.0.4 4.22.0\n\
    Add(op)\t1.0.4-\nConst(op)\t1.0.4-\nDense(layer)\t1.0.4-\nEinsum(op)\t4.22.0-\nFunctional(layer)\t4.22.0-\n\
    InputLayer(layer)\t1.0.4-\nOnes(class)\t1.0.4-\nPlaceholder(op)\t1.0.4-\nSequential(layer)\t1.0.4-\n\
    hardSigmoid(class)\t1.0.4-\nrelu(class)\t1.0.4-\n";

pub(crate) fn tfjs(version: &str) -> TfjsRelease {
    let texts = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
    let old = version == "1.0.4";
    TfjsRelease {
        version: version.parse().unwrap(),
        released: Date::constant(2024, 10, 21),
        unknown: if old { Phase::Load } else { Phase::FirstUse },
        weights: texts(&["float32", "int32"]),
        quantized: texts(if old { &["uint8"] } else { &["uint8", "float16"] }),
        names: Arc::new(TfjsNames::from_text(NAMES).unwrap()),
    }
}

fn file(text: &str) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("net/model.json", text.as_bytes().to_vec()))
}

fn model(text: &str) -> TfjsModel {
    TfjsModel::read(&file(text)).unwrap().unwrap()
}

fn codes(judged: &Judgement) -> Vec<&str> {
    judged.findings.iter().map(|finding| finding.rule.code).collect()
}

const GRAPH: &str = r#"{"format": "graph-model", "modelTopology": {"node": [{"name": "x", "op": "Placeholder"},
    {"name": "y", "op": "Einsum"}, {"name": "z", "op": "Einsum"}], "library": {"function": [
    {"signature": {"name": "f"}, "nodeDef": [{"name": "a", "op": "Einsum"}]}]}},
    "modelInitializer": {"node": [{"name": "t", "op": "HashTableV2"}]}}"#;

#[test]
fn ops_are_looked_for_in_the_graph_its_functions_and_what_initializes_it() {
    let model = model(GRAPH);
    assert_eq!((model.format, model.nodes.len()), (TfjsFormat::Graph, 5));
    let judged = judge(&model, &tfjs("1.0.4"));
    assert_eq!(codes(&judged), ["TJ001", "TJ001"]);
    let einsum = &judged.findings[0];
    assert_eq!(einsum.phase, Some(Phase::Load));
    assert_eq!(einsum.places.named(), ["y", "z", "f/a"]);
    let judged = judge(&model, &tfjs("4.22.0"));
    assert_eq!(codes(&judged), ["TJ001"]);
    assert_eq!(judged.findings[0].phase, Some(Phase::FirstUse));
}

#[test]
fn classes_and_activations_are_looked_for_under_one_name_each() {
    let text = |inner: &str| {
        format!(
            r#"{{"format": "layers-model", "modelTopology": {{"model_config": {{"class_name": "Sequential", "config":
            {{"name": "net", "layers": [{{"class_name": "Dense", "config": {{"name": "d",
            "batch_input_shape": [null, 2], {inner}}}}}]}}}}}}}}"#
        )
    };
    let judged = |inner: &str| judge(&model(&text(inner)), &tfjs("4.22.0"));
    assert_eq!(codes(&judged(r#""activation": "hard_sigmoid""#)), [] as [&str; 0]);
    assert_eq!(codes(&judged(r#""activation": "mish""#)), ["TJ002"]);
    let ones = r#""kernel_initializer": {"class_name": "Ones", "config": {}}"#;
    assert_eq!(codes(&judged(ones)), [] as [&str; 0]);
    let other = judged(&ones.replace("Ones", "Twos"));
    assert_eq!(other.findings[0].places.named(), ["net/d/Twos"]);
}

#[test]
fn shards_are_there_and_long_enough_or_it_is_said() {
    let text = |dtype: &str, more: &str| {
        format!(
            r#"{{"modelTopology": {{"node": [{{"name": "w", "op": "Const"}}]}}, "weightsManifest": [
            {{"paths": ["a.bin", "b.bin"], "weights": [{{"name": "w", "shape": [2, 2], "dtype": "{dtype}"{more}}}]}}]}}"#
        )
    };
    let judged = |text: &str, sizes: [Option<usize>; 2]| {
        let found = party(&file(text)).unwrap().unwrap();
        let open = |name: &str| -> Option<Arc<dyn Source>> {
            let size = if name == "a.bin" { sizes[0] } else { sizes[1] }?;
            Some(Arc::new(BytesSource::new(name, vec![0; size])))
        };
        let found = with_shards(found, &open);
        judge(found.capability::<TfjsModel>().unwrap(), &tfjs("1.0.4"))
    };
    let float = text("float32", "");
    assert_eq!(codes(&judged(&float, [Some(8), Some(8)])), [] as [&str; 0]);
    assert_eq!(codes(&judged(&float, [Some(8), Some(7)])), ["TJ005"]);
    assert_eq!(codes(&judged(&float, [Some(16), None])), ["TJ004"]);
    let packed =
        |dtype: &str| text("float32", &format!(r#", "quantization": {{"dtype": "{dtype}"}}"#));
    assert_eq!(codes(&judged(&packed("uint8"), [Some(2), Some(2)])), [] as [&str; 0]);
    assert_eq!(codes(&judged(&packed("float16"), [Some(4), Some(4)])), ["TJ003"]);
    assert_eq!(codes(&judged(&text("int64", ""), [Some(99), Some(99)])), ["TJ003"]);
    // Nothing outside of the folder is looked at.
    let outside = float.replace("b.bin", "../b.bin");
    let judged = judged(&outside, [Some(8), None]);
    assert!(judged.findings.is_empty() && judged.unjudged.iter().any(|one| one.aspect == "data"));
}

#[test]
fn other_json_is_none() {
    for text in [r#"{"a": 1}"#, "[]", r#"{"format": "graph-model"}"#, r#"{"modelTopology": 1}"#] {
        assert!(TfjsModel::read(&file(text)).unwrap().is_none(), "{text}");
    }
    assert!(TfjsModel::read(&file(r#"{"modelTopology": {"#)).is_err());
    let named: Arc<dyn Source> = Arc::new(BytesSource::new("a.txt", GRAPH.as_bytes().to_vec()));
    assert!(TfjsModel::read(&named).unwrap().is_none());
}

#[test]
fn weights_are_found_by_the_name_of_a_layer_and_not_of_a_model() {
    let text = |name: &str| {
        format!(
            r#"{{"format": "layers-model", "modelTopology": {{"model_config": {{"class_name": "Sequential", "config": {{
            "name": "net", "layers": [{{"class_name": "Sequential", "config": {{"name": "inner", "layers": [
            {{"class_name": "InputLayer", "config": {{"name": "x", "batch_input_shape": [null, 2]}}}},
            {{"class_name": "Dense", "config": {{"name": "d"}}}}]}}}}]}}}}}}, "weightsManifest": [{{"paths": [],
            "weights": [{{"name": "{name}", "shape": [0, 2], "dtype": "float32"}}]}}]}}"#
        )
    };
    for name in ["net/d/kernel", "inner/d/kernel", "other/kernel"] {
        assert_eq!(codes(&judge(&model(&text(name)), &tfjs("4.22.0"))), ["TJ006"], "{name}");
    }
    for name in ["d/kernel", "kernel", "layers/d/vars/0"] {
        assert!(codes(&judge(&model(&text(name)), &tfjs("4.22.0"))).is_empty(), "{name}");
    }
}
