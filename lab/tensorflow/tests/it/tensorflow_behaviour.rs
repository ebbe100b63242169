//! What kernels and importers do beyond the definitions of ops: rules, and what is said not to be judged.

use std::sync::Arc;

use unskew_core::{Context, Date, Outcome, Phase, Severity, Verdict, aspect, check};
use unskew_lab_tensorflow::battery::proto::{
    GraphBuilder, MessageBuilder, boolean, dtype, int, node, shape, tensor,
};
use unskew_releases::find;
use unskew_source::{BytesSource, ConvertedArtifact, Source};
use unskew_tensorflow::{GraphConvertOptions, convert, party};

const FLOAT: i64 = 1;
const INT32: i64 = 3;

fn source(graph: &GraphBuilder) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("graph.pb", graph.bytes()))
}

fn judged(file: &Arc<dyn Source>, release: &str) -> Verdict {
    let release = find(&format!("tensorflow@{release}")).unwrap();
    let today = Context::on(Date::constant(2026, 11, 21));
    check(&party(file).unwrap().unwrap(), &release.party(), &today)
}

fn verdict(graph: &GraphBuilder, release: &str) -> Verdict {
    judged(&source(graph), release)
}

fn errors(verdict: &Verdict) -> Vec<(&'static str, Option<Phase>)> {
    let errors = verdict.findings.iter().filter(|it| it.severity == Severity::Error);
    errors.map(|it| (it.rule.code, it.phase)).collect()
}

fn says(verdict: &Verdict, wanted: &str) -> Vec<String> {
    let all = verdict.unjudged.iter().filter(|it| it.aspect == wanted);
    all.map(|it| it.reason.clone()).collect()
}

fn placeholder(name: &str, dims: Option<&[i64]>) -> MessageBuilder {
    let shape = match dims {
        Some(dims) => MessageBuilder::default().message(7, shape(dims)),
        None => MessageBuilder::default().message(7, MessageBuilder::default().int(3, 1)),
    };
    node(name, "Placeholder", &[], &[("dtype", dtype(FLOAT)), ("shape", shape)])
}

fn softmax(op: &str, dims: Option<&[i64]>) -> GraphBuilder {
    let of = [("T", dtype(FLOAT))];
    GraphBuilder::new(2474).with(placeholder("x", dims)).with(node("y", op, &["x"], &of))
}

/// Measured: `logits must be 2-dimensional` up to 1.10.1, computed from 1.11.0 on.
#[test]
fn a_softmax_of_other_than_two_dimensions_fails_at_first_use_up_to_1_10() {
    for op in ["Softmax", "LogSoftmax"] {
        let deep = softmax(op, Some(&[2, 3, 4]));
        for release in ["1.0.1", "1.4.1", "1.10.1"] {
            assert_eq!(errors(&verdict(&deep, release)), [("TF309", Some(Phase::FirstUse))]);
        }
        assert!(verdict(&deep, "1.11.0").works());
        assert!(verdict(&softmax(op, Some(&[2, 3])), "1.4.1").works());
        let unknown = verdict(&softmax(op, None), "1.4.1");
        assert_eq!(unknown.outcome, Outcome::Unjudged);
        assert_eq!(says(&unknown, aspect::BEHAVIOUR).len(), 1, "{:?}", unknown.unjudged);
        assert!(says(&verdict(&softmax(op, None), "2.4.4"), aspect::BEHAVIOUR).is_empty());
    }
}

/// Measured on 28 numbers each: an op of one input, a type, a release that answers otherwise than 2.21.0, one that does not.
#[test]
fn what_a_kernel_makes_of_the_border_of_its_domain_is_not_judged_where_it_changed() {
    let says = |op: &str, of: i64, release: &str| {
        let input = node("x", "Placeholder", &[], &[("dtype", dtype(of))]);
        let graph =
            GraphBuilder::new(2474).with(input).with(node("y", op, &["x"], &[("T", dtype(of))]));
        says(&verdict(&graph, release), aspect::BEHAVIOUR).len()
    };
    const BFLOAT16: i64 = 14;
    for (op, of, other, same) in [
        ("Acosh", BFLOAT16, "1.15.0", "2.4.4"),
        ("Rsqrt", FLOAT, "1.15.0", "2.4.4"),
        ("Sqrt", FLOAT, "2.4.4", "2.15.1"),
        ("Erfinv", FLOAT, "2.4.4", "2.15.1"),
        ("Cosh", 19, "1.15.0", "2.4.4"),
        ("Erf", 2, "2.15.1", "2.21.0"),
    ] {
        assert_eq!((says(op, of, other), says(op, of, same)), (1, 0), "{op}");
    }
    assert_eq!(says("Acosh", FLOAT, "1.15.0"), 0);
}

fn suppression(sigma: f32) -> GraphBuilder {
    let number = |name: &str, value: MessageBuilder| {
        let tensor = MessageBuilder::default().int(1, FLOAT).message(2, shape(&[]));
        let value =
            MessageBuilder::default().message(8, MessageBuilder([tensor.0, value.0].concat()));
        node(name, "Const", &[], &[("dtype", dtype(FLOAT)), ("value", value)])
    };
    let sigma = number("sigma", MessageBuilder::default().float(5, sigma));
    let count = node("n", "Const", &[], &[("dtype", dtype(INT32)), ("value", tensor(INT32, &[]))]);
    GraphBuilder::new(2474)
        .with(placeholder("boxes", Some(&[3, 4])))
        .with(placeholder("scores", Some(&[3])))
        .with(number("iou", MessageBuilder::default().float(5, 0.5)))
        .with(sigma)
        .with(count)
        .with(node(
            "y",
            "NonMaxSuppressionV5",
            &["boxes", "scores", "n", "iou", "iou", "sigma"],
            &[("T", dtype(FLOAT)), ("pad_to_max_output_size", boolean(false))],
        ))
}

/// Measured: sigma 0.5 gave two boxes on 1.15.0 and 2.4.4, three on 2.5.3, 2.9.3, 2.15.1 and 2.21.0.
#[test]
fn a_soft_suppression_is_another_answer_up_to_2_4() {
    assert_eq!(errors(&verdict(&suppression(0.5), "2.4.4")), [("TF310", Some(Phase::Silent))]);
    assert!(verdict(&suppression(0.0), "2.4.4").works());
    assert!(verdict(&suppression(0.5), "2.5.3").works());
    // 2.4.4 itself wrote it, and got the same boxes.
    let own = GraphBuilder { producer: 561, ..suppression(0.5) };
    assert!(verdict(&own, "2.4.4").works());
}

fn quantized(op: &str, axis: i64, given: bool) -> GraphBuilder {
    let attrs = [("T", dtype(FLOAT)), ("axis", int(axis)), ("range_given", boolean(given))];
    GraphBuilder::new(2474)
        .with(placeholder("x", Some(&[3, 4])))
        .with(placeholder("r", Some(&[4])))
        .with(node("y", op, &["x", "r", "r"], &attrs))
}

/// Measured: `input_min must be a scalar` on 2.16.2 to 2.21.0, computed on 2.4.4 to 2.15.1.
#[test]
fn a_range_for_each_slice_fails_at_first_use_from_2_16_on() {
    for op in ["QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"] {
        let found = verdict(&quantized(op, 1, true), "2.21.0");
        assert_eq!(errors(&found), [("TF309", Some(Phase::FirstUse))]);
        assert!(verdict(&quantized(op, 1, true), "2.15.1").works());
        assert!(verdict(&quantized(op, -1, true), "2.21.0").works());
        assert!(verdict(&quantized(op, 1, false), "2.21.0").works());
    }
}

fn maximum(op: &str, of: i64, producer: i64) -> GraphBuilder {
    let input = node("x", "Placeholder", &[], &[("dtype", dtype(of))]);
    GraphBuilder::new(producer).with(input).with(node("y", op, &["x", "x"], &[("T", dtype(of))]))
}

/// Measured on 18 releases: what a maximum with NaN is changed with 1.2 and with 2.4.
#[test]
fn what_nan_becomes_is_not_judged_between_releases_that_answer_otherwise() {
    let not_judged =
        |graph: &GraphBuilder, release| says(&verdict(graph, release), aspect::BEHAVIOUR);
    for op in ["Maximum", "Minimum"] {
        assert_eq!(not_judged(&maximum(op, FLOAT, 2474), "1.15.0").len(), 1);
        assert!(not_judged(&maximum(op, FLOAT, 2474), "2.15.1").is_empty());
        assert!(not_judged(&maximum(op, FLOAT, 134), "1.15.0").is_empty());
        // Whole numbers have no NaN.
        assert!(not_judged(&maximum(op, INT32, 2474), "1.15.0").is_empty());
    }
    // A quotient that is whole is the same everywhere.
    assert_eq!(not_judged(&maximum("TruncateDiv", FLOAT, 2474), "1.15.0").len(), 1);
    assert!(verdict(&maximum("TruncateDiv", INT32, 2474), "1.15.0").works());
}

/// A sum over an axis whose constant has no values, as newer releases write zeros.
fn over_no_axis(filled: bool) -> GraphBuilder {
    let empty = MessageBuilder::default().int(1, INT32).message(2, shape(&[1]));
    let whole = if filled { empty.clone().int(7, 0) } else { empty };
    let value = MessageBuilder::default().message(8, whole);
    GraphBuilder::new(20)
        .with(placeholder("x", Some(&[2, 3])))
        .with(node("axis", "Const", &[], &[("dtype", dtype(INT32)), ("value", value)]))
        .with(node(
            "y",
            "Sum",
            &["x", "axis"],
            &[("T", dtype(FLOAT)), ("Tidx", dtype(INT32)), ("keep_dims", boolean(false))],
        ))
}

/// Measured: `cannot reshape array of size 0` up to 1.6.0, imported from 1.8.0 on.
#[test]
fn a_constant_without_values_that_is_an_axis_gets_one_for_importers_in_python() {
    for release in ["0.12.1", "1.4.1", "1.7.1"] {
        let file = source(&over_no_axis(false));
        let found = judged(&file, release);
        assert_eq!(errors(&found), [("TF311", Some(Phase::Load))], "{release}");
        assert_eq!(found.outcome, Outcome::Adaptable(vec!["write-zeros".to_owned()]));
        let to = find(&format!("tensorflow@{release}")).unwrap();
        let to = unskew_releases::tensorflow::runtime_of(to).unwrap();
        let (plan, output) = convert(&file, &to, &GraphConvertOptions::default()).unwrap().unwrap();
        assert_eq!(plan.rewrites.len(), 1);
        let ConvertedArtifact::File(after) = output else { unreachable!("a file becomes a file") };
        let after: Arc<dyn Source> = after;
        assert!(errors(&judged(&after, release)).is_empty());
    }
    assert!(verdict(&over_no_axis(false), "1.8.0").works());
    assert!(verdict(&over_no_axis(true), "1.4.1").works());
}

#[test]
fn an_op_without_a_kernel_for_its_type_fails_when_it_first_runs() {
    let input = |of: i64| node("x", "Placeholder", &[], &[("dtype", dtype(of))]);
    let pool = |of: i64| {
        let list = [1, 2, 2, 1].iter().fold(MessageBuilder::default(), |list, n| list.int(3, *n));
        let window = || MessageBuilder::default().message(1, list.clone());
        let padding = MessageBuilder::default().bytes(2, b"SAME");
        let attrs =
            [("T", dtype(of)), ("ksize", window()), ("strides", window()), ("padding", padding)];
        GraphBuilder::new(561).with(input(of)).with(node("y", "AvgPool", &["x"], &attrs))
    };
    let found = verdict(&pool(14), "2.4.4");
    assert_eq!(errors(&found), [("TF313", Some(Phase::FirstUse))]);
    assert!(says(&found, aspect::KERNELS).is_empty());
    for (of, release) in [(14, "2.5.3"), (1, "2.4.4"), (2, "1.8.0")] {
        assert!(errors(&verdict(&pool(of), release)).is_empty(), "{of} {release}");
    }
    // A device of XLA stands in for the CPU there.
    assert_eq!(says(&verdict(&pool(14), "2.3.4"), aspect::KERNELS).len(), 1);
    // AssignAdd decides: this op becomes others before kernels are looked for.
    let sum = |of: i64| {
        let shape = MessageBuilder::default().message(7, MessageBuilder::default());
        let attrs = [("T", dtype(of)), ("N", int(1)), ("shape", shape)];
        GraphBuilder::new(1645).with(input(of)).with(node("y", "AccumulateNV2", &["x"], &attrs))
    };
    assert!(errors(&verdict(&sum(1), "2.15.1")).is_empty());
    assert_eq!(errors(&verdict(&sum(11), "2.15.1")), [("TF313", Some(Phase::FirstUse))]);
}

/// Graphs of `cargo lab tensorflow-differential --keep`: the ops, the release, and how far it came. One that runs
/// computes something else than the newest release.
#[test]
fn graphs_on_which_a_release_once_disagreed_are_judged_right_or_said_not_to_be() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("tests/data/tensorflow/differential");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let (rest, phase) = name.rsplit_once('.').unwrap();
        let release = rest.split_once('.').unwrap().1;
        let file: Arc<dyn Source> =
            Arc::new(BytesSource::new("graph.pb", std::fs::read(&path).unwrap()));
        let found = judged(&file, release);
        let failure = found.first_failure();
        let right = match phase {
            "import" => failure == Some(Phase::Load),
            "run" => failure == Some(Phase::FirstUse) || !says(&found, aspect::KERNELS).is_empty(),
            _ => failure == Some(Phase::Silent) || !says(&found, aspect::BEHAVIOUR).is_empty(),
        };
        assert!(right, "{name}: {:?} {:?}", errors(&found), found.unjudged);
        count += 1;
    }
    assert!(count >= 3);
}

/// Measured by `cargo lab tf-behaviour`: a matrix with NaN in it raised an error in some releases and gives NaN in others.
#[test]
fn what_only_values_tell_is_not_judged_by_what_a_machine_measured() {
    let of = [("T", dtype(FLOAT)), ("adjoint", boolean(true))];
    let inverse = |producer: i64| {
        GraphBuilder::new(producer).with(placeholder("x", Some(&[3, 3]))).with(node(
            "y",
            "MatrixInverse",
            &["x"],
            &of,
        ))
    };
    // 2.4 wrote it.
    let found = verdict(&inverse(561), "2.15.1");
    assert!(errors(&found).is_empty());
    let said = says(&found, aspect::BEHAVIOUR);
    assert!(said.iter().any(|it| it.contains("MatrixInverse (raises an error")), "{said:?}");
    assert!(says(&verdict(&inverse(561), "2.4.4"), aspect::BEHAVIOUR).is_empty());
    // What people wrote down of an op is not said twice.
    let of = [("T", dtype(FLOAT))];
    let least = GraphBuilder::new(561).with(placeholder("x", Some(&[3]))).with(node(
        "y",
        "Maximum",
        &["x", "x"],
        &of,
    ));
    assert_eq!(says(&verdict(&least, "1.15.0"), aspect::BEHAVIOUR).len(), 1);
}
