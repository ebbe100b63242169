//! Faults of old ONNX Runtimes that conversions keep clear of, and attributes that say nothing.
//!
//! Measured: ONNX Runtime 1.8.1 to 1.10.0 refuse a size of -1 beside `allowzero`, 1.11.1 takes it. From 1.3.0 to 1.12.1 the
//! optimizer joins a Gemm of two inputs with an activation to an invalid node; 1.13.1 does not.

use std::sync::Arc;

use unskew_core::{Context, Date, check};
use unskew_onnx::{KernelTypeTable, ModelReader, OnnxRelease, OnnxTarget, OpSchemas};
use unskew_source::{BytesSource, ConvertedArtifact, Source, SourceExt as _};

const SCHEMAS: &str = "#releases\t1.8.1 1.11.1 1.13.1
Constant.13() -> (output: T) {T: float int64} [value: tensor, value_floats: floats, value_ints: ints]\t1.8.1-
Gemm.13(A: T, B: T, C: T?) -> (Y: T) {T: float} [alpha: float, beta: float, transA: int, transB: int]\t1.8.1-
Neg.13(X: T) -> (Y: T) {T: float}\t1.8.1-
Reshape.13(data: T, shape: int64) -> (reshaped: T) {T: float int64}\t1.8.1-
Reshape.14(data: T, shape: int64) -> (reshaped: T) {T: float int64} [allowzero: int]\t1.8.1-
Reshape.19(data: T, shape: int64) -> (reshaped: T) {T: float int64} [allowzero: int]\t1.8.1-
ScatterND.13(data: T, indices: int64, updates: T) -> (output: T) {T: float}\t1.8.1-
ScatterND.16(data: T, indices: int64, updates: T) -> (output: T) {T: float} [reduction: string]\t1.8.1-
Sigmoid.13(X: T) -> (Y: T) {T: float}\t1.8.1-
";

const KERNELS: &str = "#releases\t1.8.1 1.11.1 1.13.1
Constant.13(T: float int64)\t1.8.1-
Gemm.13(T: float)\t1.8.1-
Neg.13(T: float)\t1.8.1-
Reshape.14(T: float int64)\t1.8.1-
Sigmoid.13(T: float)\t1.8.1-
";

fn runtime(version: &str) -> OnnxRelease {
    OnnxRelease {
        reader: ModelReader::OnnxRuntime,
        version: version.parse().unwrap(),
        released: Date::constant(2021, 6, 1),
        ir: 7,
        opsets: vec![("".into(), 14)],
        ort_format: None,
        schemas: Arc::new(OpSchemas::from_text(SCHEMAS).unwrap()),
        own: Arc::new(OpSchemas::from_text("#releases\t1.8.1 1.11.1 1.13.1\n").unwrap()),
        cuda: None,
        kernels: Some(Arc::new(KernelTypeTable::from_text(KERNELS).unwrap())),
    }
}

fn model(opset: i64, body: &str) -> Arc<dyn Source> {
    let text = format!("<ir_version: 7, opset_import: [\"\" : {opset}]> g {body}");
    Arc::new(BytesSource::new("net.onnx", text.into_bytes()))
}

fn reshape(opset: i64, sizes: &str) -> Arc<dyn Source> {
    let body = format!(
        "(float[2,12] x) => (float[N,M] y) <int64[2] s = {{{sizes}}}> {{ y = Reshape<allowzero = 1>(x, s) }}"
    );
    model(opset, &body)
}

/// The codes of what a release refuses.
fn codes(model: &Arc<dyn Source>, version: &str) -> Vec<&'static str> {
    let party = unskew_onnx::party(model).unwrap().unwrap();
    let verdict = check(&party, &runtime(version).party(), &Context::for_tests());
    // That runtimes read no text is not the subject here.
    verdict.findings.iter().map(|one| one.rule.code).filter(|code| *code != "ON009").collect()
}

/// What the attributes of the first node are called when it was converted; why it was not.
fn attributes(model: &Arc<dyn Source>, version: &str) -> Result<Vec<String>, String> {
    let goal = OnnxTarget::for_release(&runtime(version));
    let (plan, output) = unskew_onnx::convert(model, &goal).unwrap().unwrap();
    if let Some(blocker) = plan.blockers.first() {
        return Err(blocker.message.clone());
    }
    let ConvertedArtifact::File(file) = output else { panic!("a folder") };
    let source = BytesSource::new("net.onnx", file.all().unwrap());
    let model = unskew_onnx::read_model(&source).unwrap().unwrap();
    Ok(model.graph.nodes[0].attributes.iter().map(|(name, _)| name.to_string()).collect())
}

#[test]
fn releases_that_refuse_a_size_of_minus_one_beside_allowzero_are_named() {
    assert_eq!(codes(&reshape(14, "-1, 3"), "1.8.1"), ["ON209"]);
    assert!(codes(&reshape(14, "-1, 3"), "1.11.1").is_empty());
    assert!(codes(&reshape(14, "8, 3"), "1.8.1").is_empty());
}

#[test]
fn allowzero_is_left_out_for_these_where_no_size_is_zero() {
    for opset in [14, 19] {
        assert_eq!(attributes(&reshape(opset, "-1, 3"), "1.8.1").unwrap(), [""; 0]);
        assert_eq!(attributes(&reshape(opset, "-1, 3"), "1.11.1").unwrap(), ["allowzero"]);
    }
    // A size of 0 would be that of the input without it.
    assert_eq!(attributes(&reshape(19, "0, 3"), "1.8.1").unwrap(), ["allowzero"]);
    let computed =
        "(float[2,12] x, int64[2] s) => (float[N,M] y) { y = Reshape<allowzero = 1>(x, s) }";
    assert_eq!(attributes(&model(19, computed), "1.8.1").unwrap(), ["allowzero"]);
}

#[test]
fn a_reduction_by_the_name_for_none_is_what_the_older_form_does() {
    let scatter = |reduction: &str| {
        let body = format!(
            "(float[4] x, int64[1,1] i, float[1] u) => (float[4] y) {{ y = ScatterND<reduction = \"{reduction}\">(x, i, u) }}"
        );
        model(16, &body)
    };
    assert_eq!(attributes(&scatter("none"), "1.8.1").unwrap(), [""; 0]);
    let why = attributes(&scatter("add"), "1.8.1").unwrap_err();
    assert!(why.contains("no attribute `reduction`"), "{why}");
}

#[test]
fn a_gemm_that_is_joined_with_an_activation_gets_the_input_that_it_lacks() {
    let gemm = |behind: &str, output: &str| {
        let body = format!(
            "(float[2,3] x, float[3,4] w) => (float[2,4] {output}) {{ g = Gemm(x, w) y = {behind}(g) }}"
        );
        model(14, &body)
    };
    assert_eq!(codes(&gemm("Sigmoid", "y"), "1.11.1"), ["ON209"]);
    for (model, release) in [
        (gemm("Sigmoid", "y"), "1.13.1"),
        (gemm("Neg", "y"), "1.11.1"),
        (gemm("Sigmoid", "g"), "1.11.1"),
    ] {
        assert!(codes(&model, release).is_empty());
    }
    let ops = |model: &Arc<dyn Source>| {
        let (plan, output) =
            unskew_onnx::convert(model, &OnnxTarget::for_release(&runtime("1.11.1")))
                .unwrap()
                .unwrap();
        assert!(plan.is_possible(), "{plan:?}");
        let ConvertedArtifact::File(file) = output else { panic!("a folder") };
        let source = BytesSource::new("net.onnx", file.all().unwrap());
        let model = unskew_onnx::read_model(&source).unwrap().unwrap();
        model
            .graph
            .nodes
            .iter()
            .map(|node| (node.op.to_string(), node.inputs.len()))
            .collect::<Vec<_>>()
    };
    let three = [("Constant", 0), ("Gemm", 3), ("Sigmoid", 1)].map(|(op, n)| (op.to_owned(), n));
    assert_eq!(ops(&gemm("Sigmoid", "y")), three);
    assert_eq!(ops(&gemm("Neg", "y"))[0], ("Gemm".to_owned(), 2));
}

#[test]
fn a_constant_with_a_list_is_a_tensor_for_releases_that_take_it_for_one_number() {
    let list = |numbers: &str| {
        let body = format!(
            "(float[2,12] x) => (float[N,M] y) {{ s = Constant<value_ints = [{numbers}]>() y = Reshape(x, s) }}"
        );
        model(14, &body)
    };
    assert_eq!(codes(&list("8, 3"), "1.8.1"), ["ON209"]);
    assert!(codes(&list("8, 3"), "1.13.1").is_empty());
    // One number may do where its dimension does not count.
    assert!(!codes(&list("-1"), "1.8.1").contains(&"ON209"));
    assert_eq!(attributes(&list("8, 3"), "1.8.1").unwrap(), ["value"]);
    assert_eq!(attributes(&list("8, 3"), "1.13.1").unwrap(), ["value_ints"]);
}
