//! ONNX models converted for real releases: the nearest opset with a kernel for every node, functions written out, small
//! tensors that lie in other files. ONNX Runtime 1.8.1, 1.12.1, 1.15.1, 1.16.3 and 1.20.1 loaded what is made of such models,
//! and gave what 1.32.0 gives where that runs the models themselves.

use std::path::Path;
use std::sync::Arc;

use unskew_artifact::{ConvertOptions, PlannedConversion, convert};
use unskew_core::{Context, Outcome, check};
use unskew_onnx::OnnxModel;
use unskew_source::{ConvertedArtifact, Source};

fn converted(folder: &Path, text: &str, release: &str) -> PlannedConversion {
    let path = folder.join("net.onnxtxt");
    std::fs::write(&path, text).unwrap();
    convert(&path, unskew_releases::find(release).unwrap(), &ConvertOptions::default()).unwrap()
}

fn model(planned: &PlannedConversion) -> OnnxModel {
    assert!(planned.plan.is_possible(), "{:?}", planned.plan);
    let ConvertedArtifact::File(file) = &planned.output else { panic!("a folder") };
    unskew_onnx::read_model(&**file).unwrap().unwrap()
}

/// The opset of what is made of a model for a release, which the release must accept.
fn opset(text: &str, release: &str) -> i64 {
    let folder = tempfile::tempdir().unwrap();
    let planned = converted(folder.path(), text, release);
    let model = model(&planned);
    let ConvertedArtifact::File(file) = &planned.output else { panic!("a folder") };
    let source: Arc<dyn Source> = file.clone();
    let party = unskew_onnx::party(&source).unwrap().unwrap();
    let runtime = unskew_releases::find(release).unwrap().party();
    let verdict = check(&party, &runtime, &Context::for_tests());
    assert_eq!(verdict.outcome, Outcome::Compatible, "{verdict:?}");
    model.opsets[0].1
}

const RELU: &str =
    "<ir_version: 3, opset_import: [\"\" : 3]> g (float[2] x) => (float[2] y) { y = Relu(x) }";

const EINSUM: &str = "<ir_version: 6, opset_import: [\"\" : 11]>
    g (float[2,3] x, float[3,2] w) => (float[2,2] y) { y = Einsum<equation = \"ij,jk->ik\">(x, w) }";

const POOL: &str = "<ir_version: 8, opset_import: [\"\" : 19]>
    g (float[1,1,4,4] x) => (float[1,1,3,3] y) { y = AveragePool<kernel_shape = [2, 2]>(x) }";

const NORM: &str = "<ir_version: 8, opset_import: [\"\" : 18]>
    g (float16[2,8] x, float16[8] w) => (float16[2,8] y) { y = LayerNormalization(x, w) }";

#[test]
fn the_nearest_opset_with_a_kernel_for_every_node_is_looked_for_up_and_down() {
    assert_eq!(opset(RELU, "onnxruntime@1.20"), 6);
    assert_eq!(opset(EINSUM, "onnxruntime@1.8"), 12);
    assert_eq!(opset(POOL, "onnxruntime@1.15"), 18);
    assert_eq!(opset(POOL, "onnxruntime@1.16"), 19, "which has a kernel");
    assert_eq!(opset(NORM, "onnxruntime@1.16"), 17);
    assert_eq!(opset(NORM, "onnxruntime@1.17"), 18);
    assert_eq!(opset(NORM, "onnxruntime@1.8"), 14, "by other operators");
}

#[test]
fn what_no_opset_changes_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let text = RELU.replace("Relu", "Relus");
    let planned = converted(folder.path(), &text, "onnxruntime@1.20");
    assert_eq!(model(&planned).opsets[0].1, 3);
}

/// A function with an attribute, called twice, once inside of a graph in another function.
const CALLS: &str = "<ir_version: 8, opset_import: [\"\" : 17, \"f\" : 1]>
    g (float[2,3] x) => (float[2,3] y) {
        u = f.Scale<alpha = 0.1>(x)
        y = f.Outer(u)
    }
    <domain: \"f\", opset_import: [\"\" : 17]>
    Scale <alpha> (a) => (b) {
        c = Constant<value_float = 2.0>()
        t = Mul(a, c)
        b = LeakyRelu<alpha: float = @alpha>(t)
    }
    <domain: \"f\", opset_import: [\"\" : 17, \"f\" : 1]>
    Outer (a) => (b) {
        s = ReduceSum<keepdims = 0>(a)
        zero = Constant<value_float = 0.0>()
        cond = Greater(s, zero)
        b = If (cond) <
            then_branch = t () => (float z) { z = f.Scale<alpha = 0.5>(a) },
            else_branch = e () => (float z) { z = Neg(a) }
        >
    }";

#[test]
fn calls_are_written_out_where_a_release_has_no_functions() {
    let folder = tempfile::tempdir().unwrap();
    let made = model(&converted(folder.path(), CALLS, "onnxruntime@1.8"));
    assert!(made.functions.is_empty());
    assert_eq!(made.opsets, [("".into(), 14)]);
    let ops: Vec<&str> = made.graph.nodes.iter().map(|node| &*node.op).collect();
    assert_eq!(
        ops,
        ["Constant", "Mul", "LeakyRelu", "ReduceSum", "Constant", "Greater", "If"],
        "each call has its nodes in its place"
    );
    let kept = model(&converted(folder.path(), CALLS, "onnxruntime@1.16"));
    assert_eq!(kept.functions.len(), 2, "which has functions");
}

#[test]
fn values_of_a_function_have_other_names_in_each_call() {
    let folder = tempfile::tempdir().unwrap();
    let made = model(&converted(folder.path(), CALLS, "onnxruntime@1.8"));
    let mut names: Vec<&str> = made
        .graph
        .all()
        .iter()
        .flat_map(|graph| &graph.nodes)
        .flat_map(|node| &node.outputs)
        .map(|name| &**name)
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    // `z` is the output of both branches.
    assert_eq!(names.len(), count - 1);
    assert!(names.contains(&"u") && names.contains(&"y"), "{names:?}");
}

#[test]
fn a_function_that_calls_itself_is_not_written_out() {
    let folder = tempfile::tempdir().unwrap();
    let text = CALLS.replace("t = Mul(a, c)", "t = f.Outer(a)");
    let planned = converted(folder.path(), &text, "onnxruntime@1.8");
    assert!(!planned.plan.is_possible());
    assert!(planned.plan.blockers[0].message.contains("too deep"), "{:?}", planned.plan);
}

#[test]
fn calls_that_double_without_end_are_not_written_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "<ir_version: 8, opset_import: [\"\" : 17, \"f\" : 1]>
        g (float[2] x) => (float[2] y) { y = f.F0(x) }"
        .to_owned();
    for level in 0..50 {
        let next = level + 1;
        text.push_str(&format!(
            "\n<domain: \"f\", opset_import: [\"\" : 17, \"f\" : 1]>
            F{level} (a) => (c) {{ b = f.F{next}(a) c = f.F{next}(b) }}"
        ));
    }
    text.push_str("\n<domain: \"f\", opset_import: [\"\" : 17]> F50 (a) => (a) { }");
    let planned = converted(folder.path(), &text, "onnxruntime@1.8");
    assert!(planned.plan.blockers[0].message.contains("too many nodes"), "{:?}", planned.plan);
}

#[test]
fn sizes_in_another_file_decide_how_a_reshape_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let sizes: Vec<u8> = [3_i64, -1].iter().flat_map(|size| size.to_le_bytes()).collect();
    let text = "<ir_version: 7, opset_import: [\"\" : 14]>
        g (float[2,3] x) => (float[3,2] y) <int64[2] s = [\"location\": \"s.data\"]> { y = Reshape<allowzero = 1>(x, s) }";
    let allows = |planned: &PlannedConversion| !model(planned).graph.nodes[0].attributes.is_empty();
    assert!(allows(&converted(folder.path(), text, "onnxruntime@1.8")), "no such file");
    std::fs::write(folder.path().join("s.data"), sizes).unwrap();
    assert!(!allows(&converted(folder.path(), text, "onnxruntime@1.8")));
    let outside = text.replace("s.data", "../s.data");
    assert!(allows(&converted(folder.path(), &outside, "onnxruntime@1.8")));
}

#[test]
fn allowzero_is_left_out_beside_minus_one_where_other_sizes_are_computed() {
    let folder = tempfile::tempdir().unwrap();
    let of = |size: i64| {
        let text = format!(
            "<ir_version: 7, opset_import: [\"\" : 14]>
            g (float[2,N] x, int64[1] n) => (float[M,K] y) <int64[1] m = {{{size}}}> {{
                s = Concat<axis = 0>(n, m)
                y = Reshape<allowzero = 1>(x, s)
            }}"
        );
        let made = model(&converted(folder.path(), &text, "onnxruntime@1.8"));
        made.graph.nodes[1].attributes.len()
    };
    assert_eq!((of(-1), of(3)), (0, 1));
}
