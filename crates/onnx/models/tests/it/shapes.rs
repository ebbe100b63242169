//! Shapes that contradict each other, and such that do not.

use unskew_core::{Context, check};
use unskew_onnx::ModelReader;
use unskew_source::{BytesSource, Source};

use crate::models::runtime;

/// What is said of each: `load` and `run` are errors, `said` is a warning.
const MODELS: &str = include_str!("../data/shapes.tsv");

fn codes(opset: &str, graph: &str) -> Vec<&'static str> {
    let text = format!("<ir_version: 7, opset_import: [\"\" : {opset}]> g {graph}");
    let source: std::sync::Arc<dyn Source> =
        std::sync::Arc::new(BytesSource::new("net.onnx", text.into_bytes()));
    let party = unskew_onnx::party(&source).unwrap().unwrap();
    let today = Context::for_tests();
    let verdict = check(&party, &runtime(ModelReader::OnnxRuntime), &today);
    let codes = verdict.findings.iter().map(|one| one.rule.code);
    codes.filter(|code| ["ON214", "ON215", "ON216"].contains(code)).collect()
}

#[test]
fn every_small_model_gets_what_runtimes_do_with_it() {
    let mut seen = 0;
    for line in MODELS.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.splitn(3, '\t');
        let (Some(said), Some(opset), Some(graph)) = (cells.next(), cells.next(), cells.next())
        else {
            panic!("{line}")
        };
        let opset = if opset.parse::<i64>().unwrap() > 17 { "17" } else { opset };
        let wanted: &[&str] = match said {
            "load" => &["ON214"],
            "run" => &["ON215"],
            "said" => &["ON216"],
            _ => &[],
        };
        // What is told of a value that the model says wrong is told besides.
        let mut found = codes(opset, graph);
        found.retain(|code| *code != "ON216" || said == "said");
        assert_eq!(found, wanted, "{line}");
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn sizes_are_followed_through_shapes_and_graphs_inside() {
    // A shape that is calculated: [N, 4] flattened by Shape, Gather and Concat, and multiplied with what does not fit.
    let calculated = |last: i64| {
        format!(
            "(float[N,2,4] x, float[8,{last}] w, float[7,3] v) => (float[] y) <int64[1] zero = {{0}}, int64[1] rest = {{-1}}> \
             {{ s = Shape(x) n = Gather(s, zero) t = Concat<axis=0>(n, rest) a = Reshape(x, t) b = MatMul(a, w) y = MatMul(b, v) }}"
        )
    };
    assert!(codes("13", &calculated(7)).is_empty());
    assert_eq!(
        codes(
            "13",
            "(float[2,3] x, float[8,3] w) => (float[] y) { s = Shape<start=0, end=1>(x) t = ConstantOfShape(s) y = MatMul(t, w) }"
        ),
        ["ON214"]
    );
    assert_eq!(
        codes("13", "(float[N,3] x, float[M,4] w) => (float[] y) { y = Concat<axis=0>(x, w) }"),
        ["ON214"]
    );
    let branches = |width: i64| {
        format!(
            "(bool c, float[2,3] x, float[{width},5] w) => (float[] y) {{ a = If(c) <then_branch = t () => (float[] p) {{ p = Relu(x) }}, \
             else_branch = e () => (float[] q) {{ q = Neg(x) }}> y = MatMul(a, w) }}"
        )
    };
    assert!(codes("13", &branches(3)).is_empty());
    assert_eq!(codes("13", &branches(4)), ["ON214"]);
}

#[test]
fn wild_sizes_are_no_panic() {
    for graph in [
        "(float[9223372036854775807,9223372036854775807] x) => (float[] y) { y = Flatten(x) }",
        "(float[-3,0] x, float[0] w) => (float[] y) { y = Add(x, w) }",
        "(float[4] x) => (float[] y) <int64[1] s = {-9223372036854775808}> { y = Slice(x, s, s, s) }",
        "(float[4] x) => (float[] y) <int64[1] a = {9223372036854775807}, int64[1] b = {-9223372036854775808}, int64[1] c = {0}> { y = Slice(x, a, b, c, b) }",
        "(float[1,1,4] x, float[1,1,2] w) => (float[] y) { y = Conv<strides=[0], dilations=[9223372036854775807], pads=[9223372036854775807,1]>(x, w) }",
        "(float[1,4,4,4] x) => (float[] y) { y = DepthToSpace<blocksize=9223372036854775807>(x) }",
        "(float[2,3] x) => (float[] y) <int64[2] s = {9223372036854775807, 9223372036854775807}> { y = Tile(x, s) }",
        "(float[2,3] x) => (float[] y, float[] z) { y, z = Split<axis=-9223372036854775808>(x) }",
        "(float[0,3] x) => (float[] y) <int64[2] s = {0, -1}> { y = Reshape(x, s) }",
        "(int64[2] x) => (int64[] y) <int64[2] s = {-9223372036854775808, 0}, int64[2] t = {-1, 0}> { y = Div(s, t) }",
    ] {
        codes("13", graph);
    }
}

#[test]
fn a_shape_by_which_exporters_stretch_a_value_is_followed() {
    // What PyTorch writes for `expand(2, -1, 8)`: -1 is taken for a size of 1, by Equal and Where.
    let stretched = |rows: i64| {
        format!(
            "(float[2,3,1] x, float[{rows},5] w) => (float[] y) <int64[1] three = {{3}}, int64 minus = {{-1}}, int64[3] to = {{2, -1, 8}}> \
             {{ one = ConstantOfShape<value = int64[1] {{1}}>(three) mark = Mul(one, minus) is = Equal(to, mark) \
             all = Where(is, one, to) a = Expand(x, all) y = MatMul(a, w) }}"
        )
    };
    assert!(codes("13", &stretched(8)).is_empty());
    assert_eq!(codes("13", &stretched(7)), ["ON214"]);
    // Parts of a row of sizes.
    let parts = |rows: i64| {
        format!(
            "(float[1,1] x, float[{rows},5] w) => (float[] y) <int64[4] all = {{9, 9, 2, 8}}, int64[2] sizes = {{2, 2}}> \
             {{ head, tail = Split<axis = 0>(all, sizes) a = Expand(x, tail) y = MatMul(a, w) }}"
        )
    };
    assert!(codes("13", &parts(8)).is_empty());
    assert_eq!(codes("13", &parts(7)), ["ON214"]);
}
