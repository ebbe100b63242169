//! The graphs of the battery. Some depend on the version of the TensorFlow that reads them.

use super::proto::{GraphBuilder, MessageBuilder, boolean, dtype, float, int, node, tensor};

const FLOAT: i64 = 1;
const INT32: i64 = 3;
const STRING: i64 = 7;

fn constant(name: &str) -> MessageBuilder {
    constant_of(name, FLOAT, &[])
}

fn constant_of(name: &str, of: i64, dims: &[i64]) -> MessageBuilder {
    node(name, "Const", &[], &[("dtype", dtype(of)), ("value", tensor(of, dims))])
}

fn base(producer: i64) -> GraphBuilder {
    GraphBuilder::new(producer).with(constant("c"))
}

fn identity(name: &str, inputs: &[&str], more: &[(&str, MessageBuilder)]) -> MessageBuilder {
    let mut attrs = vec![("T", dtype(FLOAT))];
    attrs.extend(more.iter().cloned());
    node(name, "Identity", inputs, &attrs)
}

fn unknown_op(producer: i64) -> GraphBuilder {
    base(producer).with(node("x", "NoSuchOpXyz", &[], &[]))
}

fn batch_norm(producer: i64) -> GraphBuilder {
    let mut graph = base(producer).with(constant_of("t", FLOAT, &[1, 1, 1, 1]));
    for name in ["m", "v", "b", "g"] {
        graph = graph.with(constant_of(name, FLOAT, &[1]));
    }
    graph.with(node(
        "bn",
        "BatchNormWithGlobalNormalization",
        &["t", "m", "v", "b", "g"],
        &[
            ("T", dtype(FLOAT)),
            ("variance_epsilon", float(0.1)),
            ("scale_after_normalization", boolean(true)),
        ],
    ))
}

fn function_graph(producer: i64) -> GraphBuilder {
    let argument = |name: &str| MessageBuilder::default().text(1, name).int(3, FLOAT);
    let signature = MessageBuilder::default()
        .text(1, "Foo")
        .message(2, argument("x"))
        .message(3, argument("y"));
    let body = node("z", "NoSuchOpXyz", &["x"], &[("T", dtype(FLOAT))]);
    let result = MessageBuilder::default().text(1, "y").text(2, "z:y:0");
    let mut graph = base(producer);
    graph
        .functions
        .push(MessageBuilder::default().message(1, signature).message(3, body).message(4, result));
    graph
}

fn inverse(producer: i64) -> GraphBuilder {
    let graph = base(producer).with(identity("i", &["c"], &[]));
    graph.with(node("inv", "Inv", &["c"], &[("T", dtype(FLOAT))]))
}

fn sum(producer: i64) -> GraphBuilder {
    base(producer).with(constant_of("ix", INT32, &[1, 1])).with(constant_of("v", FLOAT, &[3])).with(
        node(
            "s",
            "Sum",
            &["v", "ix"],
            &[("T", dtype(FLOAT)), ("Tidx", dtype(INT32)), ("keep_dims", boolean(false))],
        ),
    )
}

/// A graph that calls a function with this body, whose result `y` is of a type and comes from there.
fn calls(body: &[MessageBuilder], result: i64, from: &str) -> GraphBuilder {
    let argument = |name: &str, of: i64| MessageBuilder::default().text(1, name).int(3, of);
    let signature = MessageBuilder::default()
        .text(1, "Foo")
        .message(2, argument("x", FLOAT))
        .message(3, argument("y", result));
    let head = MessageBuilder::default().message(1, signature);
    let function = body.iter().fold(head, |function, node| function.message(3, node.clone()));
    // Old importers want a producer that may have functions.
    let mut graph = base(21).with(node("f", "Foo", &["c"], &[]));
    graph.functions.push(function.message(4, MessageBuilder::default().text(1, "y").text(2, from)));
    graph
}

fn of_type(name: &str, input: &str, of: i64) -> MessageBuilder {
    node(name, "Identity", &[input], &[("T", dtype(of))])
}

/// Edges between outputs and inputs that do not fit.
fn joint(case: &str) -> Option<GraphBuilder> {
    let copy = of_type("a", "x", FLOAT);
    Some(match case {
        "output_not_there" => base(21).with(identity("i", &["c:1"], &[])),
        "output_of_none" => {
            base(21).with(node("n", "NoOp", &[], &[])).with(identity("i", &["n"], &[]))
        }
        "type_clash" => base(21).with(of_type("i", "c", INT32)),
        "value_for_reference" => {
            base(21).with(node("a", "Assign", &["c", "c"], &[("T", dtype(FLOAT))]))
        }
        "call_output_not_there" => {
            calls(&[copy], FLOAT, "a:output:0").with(identity("i", &["f:1"], &[]))
        }
        "call_type_clash" => calls(&[copy], FLOAT, "a:output:0").with(of_type("i", "f", INT32)),
        "body_output_not_there" => {
            calls(&[copy, of_type("b", "a:output:1", FLOAT)], FLOAT, "b:output:0")
        }
        "body_output_of_no_name" => calls(&[copy, of_type("b", "a", FLOAT)], FLOAT, "b:output:0"),
        "body_argument_by_number" => calls(&[of_type("a", "x:0", FLOAT)], FLOAT, "a:output:0"),
        "body_argument_not_there" => calls(&[of_type("a", "x:1", FLOAT)], FLOAT, "a:output:0"),
        "body_type_clash" => calls(&[copy, of_type("b", "a:output:0", INT32)], INT32, "b:output:0"),
        "body_argument_of_another_type" => calls(&[of_type("a", "x", INT32)], INT32, "a:output:0"),
        "result_not_there" => calls(&[copy], FLOAT, "a:nothing:0"),
        "result_of_another_type" => calls(&[copy], INT32, "a:output:0"),
        _ => return None,
    })
}

/// The names of all cases.
pub const CASES: [&str; 40] = [
    "ok_producer0",
    "ok_self",
    "ok_future_producer+1000",
    "min_consumer_too_new",
    "bad_consumer_self",
    "producer_negative",
    "unknown_op",
    "unknown_op_producer+22",
    "unknown_op_producer+21",
    "unknown_attr",
    "unknown_attr_underscore",
    "missing_attr_no_default",
    "attr_wrong_kind",
    "too_many_inputs",
    "disallowed_dtype",
    "deprecated_op_producer8",
    "deprecated_op_producer9",
    "deprecated_op_self",
    "cycle",
    "cast_truncate_default",
    "unknown_op_in_unused_function",
    "unknown_op_in_called_function",
    "Inv_producer5",
    "Inv_producer17",
    "sum_rank2_indices_producer20",
    "sum_rank2_indices_producer21",
    "output_not_there",
    "output_of_none",
    "type_clash",
    "value_for_reference",
    "call_output_not_there",
    "call_type_clash",
    "body_output_not_there",
    "body_output_of_no_name",
    "body_argument_by_number",
    "body_argument_not_there",
    "body_type_clash",
    "body_argument_of_another_type",
    "result_not_there",
    "result_of_another_type",
];

/// The graph of this case for a TensorFlow of this GraphDef version.
pub fn graph(case: &str, version: i64) -> Option<GraphBuilder> {
    Some(match case {
        "ok_producer0" => base(0),
        "ok_self" => base(version),
        "ok_future_producer+1000" => base(version + 1000),
        "min_consumer_too_new" => GraphBuilder { min_consumer: version + 1, ..base(version) },
        "bad_consumer_self" => GraphBuilder { bad_consumers: vec![version], ..base(version) },
        "producer_negative" => base(-5),
        "unknown_op" => unknown_op(version),
        "unknown_op_producer+22" => unknown_op(version + 22),
        "unknown_op_producer+21" => unknown_op(version + 21),
        "unknown_attr" => {
            base(version).with(identity("i", &["c"], &[("zzz_new_attr", boolean(true))]))
        }
        "unknown_attr_underscore" => {
            base(version).with(identity("i", &["c"], &[("_zzz", boolean(true))]))
        }
        "missing_attr_no_default" => base(version).with(node("i", "Identity", &["c"], &[])),
        "attr_wrong_kind" => base(version).with(node("i", "Identity", &["c"], &[("T", int(3))])),
        "too_many_inputs" => base(version).with(identity("i", &["c", "c"], &[])),
        "disallowed_dtype" => base(version).with(constant("d")).with(node(
            "m",
            "Mod",
            &["c", "d"],
            &[("T", dtype(STRING))],
        )),
        "deprecated_op_producer8" => batch_norm(8),
        "deprecated_op_producer9" => batch_norm(9),
        "deprecated_op_self" => batch_norm(version),
        "cycle" => base(version).with(identity("a", &["b"], &[])).with(identity("b", &["a"], &[])),
        "cast_truncate_default" => base(version).with(node(
            "k",
            "Cast",
            &["c"],
            &[("SrcT", dtype(FLOAT)), ("DstT", dtype(INT32)), ("Truncate", boolean(false))],
        )),
        "unknown_op_in_unused_function" => function_graph(version),
        "unknown_op_in_called_function" => {
            function_graph(version).with(node("q", "Foo", &["c"], &[]))
        }
        "Inv_producer5" => inverse(5),
        "Inv_producer17" => inverse(17),
        "sum_rank2_indices_producer20" => sum(20),
        "sum_rank2_indices_producer21" => sum(21),
        other => return joint(other),
    })
}
