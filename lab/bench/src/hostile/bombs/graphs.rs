//! Graphs as protobuf messages: ONNX models, GraphDefs, SavedModels.

use super::{Bomb, DOUBLINGS};

const ONNX: &[&str] = &[
    "inspect FILE",
    "check FILE --with onnxruntime@1.17",
    "convert FILE --to onnxruntime@1.10 -o OUT",
    "scan FILE --with onnxruntime@1.17 -o TABLE",
];
const GRAPH: &[&str] = &[
    "inspect FILE",
    "check FILE --with tensorflow@2.4",
    "convert FILE --to tensorflow@1.15 -o OUT",
    "scan FILE --with tensorflow@2.4 -o TABLE",
];

pub(super) fn all() -> Vec<Bomb> {
    [onnx(), graph_defs()].concat()
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 127 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    let value = value.as_ref();
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

/// The results of one after the other.
fn each(range: impl Iterator<Item = usize>, make: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    range.flat_map(make).collect()
}

fn node(op: &str, inputs: &[&str], output: &str, rest: &[u8]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| bytes(1, name)).collect();
    [inputs, bytes(2, output), bytes(4, op), rest.to_vec()].concat()
}

fn value(name: &str) -> Vec<u8> {
    let shape = bytes(2, bytes(1, number(1, 2)));
    [bytes(1, name), bytes(2, bytes(1, [number(1, 1), shape].concat()))].concat()
}

/// A model whose graph has these fields.
fn model(nodes: &[u8], rest: &[u8]) -> Vec<u8> {
    let graph = [nodes.to_vec(), bytes(2, "g"), bytes(11, value("x")), bytes(12, value("y"))];
    let opset = |domain: &str, version| bytes(8, [bytes(1, domain), number(2, version)].concat());
    [number(1, 8), bytes(7, graph.concat()), opset("", 17), opset("my", 1), rest.to_vec()].concat()
}

fn opset_of(domain: &str) -> Vec<u8> {
    bytes(8, [bytes(1, domain), number(2, 1)].concat())
}

fn onnx() -> Vec<Bomb> {
    let deep = || {
        let first = bytes(1, node("Optional", &["x"], "t0", &[]));
        let next = each(1..=3_000, |n| {
            bytes(1, node("Optional", &[&format!("t{}", n - 1)], &format!("t{n}"), &[]))
        });
        model(&[first, next].concat(), &[])
    };
    let chain = |op: &str, attribute: &[u8]| {
        let first = bytes(1, node(op, &["x", "x"], "t0", attribute));
        let next = each(1..=DOUBLINGS, |n| {
            let before = format!("t{}", n - 1);
            bytes(1, node(op, &[&before, &before], &format!("t{n}"), attribute))
        });
        model(&[first, next].concat(), &[])
    };
    let axis = bytes(5, [bytes(1, "axis"), number(20, 2), number(3, 0)].concat());
    let my = bytes(7, "my");
    let call = |n: usize, input: &str, output: &str| node(&format!("F{n}"), &[input], output, &my);
    let opsets = [bytes(9, number(2, 17)), bytes(9, [bytes(1, "my"), number(2, 1)].concat())];
    let function = |n: usize, body: Vec<u8>| {
        let signature = [bytes(1, format!("F{n}")), bytes(4, "a"), bytes(5, "b")].concat();
        bytes(25, [signature, body, bytes(10, "my"), opsets.concat()].concat())
    };
    let first = function(0, bytes(7, node("Relu", &["a"], "b", &[])));
    let twice = each(1..=DOUBLINGS, |n| {
        function(n, [bytes(7, call(n - 1, "a", "t")), bytes(7, call(n - 1, "t", "b"))].concat())
    });
    let branches = each(1..=DOUBLINGS, |n| {
        let graph =
            [bytes(1, call(n - 1, "a", "y")), bytes(2, "g"), bytes(12, value("y"))].concat();
        let branch =
            |name: &str| bytes(5, [bytes(1, name), number(20, 5), bytes(6, &graph)].concat());
        let both = [branch("then_branch"), branch("else_branch")].concat();
        function(n, bytes(7, node("If", &["a"], "b", &both)))
    });
    // Each call has types of its own.
    let types = each(1..=DOUBLINGS, |n| {
        let body = [
            node("Optional", &["a"], "o", &[]),
            node("SequenceConstruct", &["a"], "s", &[]),
            call(n - 1, "o", "t"),
            call(n - 1, "s", "b"),
        ];
        function(n, body.into_iter().flat_map(|node| bytes(7, node)).collect())
    });
    let top = bytes(1, call(DOUBLINGS, "x", "y"));
    vec![
        Bomb::new("optionals.onnx", deep(), ONNX),
        Bomb::new("types.onnx", model(&top, &[first.clone(), types].concat()), ONNX),
        Bomb::new("adds.onnx", chain("Add", &[]), ONNX),
        Bomb::new("concats.onnx", chain("Concat", &axis), ONNX),
        Bomb::new("sequences.onnx", chain("SequenceConstruct", &[]), ONNX),
        Bomb::new("functions.onnx", model(&top, &[first.clone(), twice].concat()), ONNX),
        Bomb::new("long-domain.onnx", model(&top, &opset_of(&"d".repeat(65_530))), ONNX),
        Bomb::new(
            "controls.onnx",
            model(&top, &opset_of("\x1b[31m\u{9b}\u{202e}\n::error::x")),
            ONNX,
        ),
        Bomb::new("branches.onnx", model(&top, &[first, branches].concat()), ONNX),
    ]
}

/// A node of a GraphDef or, with another field, of a function.
fn graph_node(field: u64, name: &str, op: &str, inputs: &[&str], rest: &[u8]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| bytes(3, name)).collect();
    bytes(field, [bytes(1, name), bytes(2, op), inputs, rest.to_vec()].concat())
}

fn attribute(name: &str, value: &[u8]) -> Vec<u8> {
    bytes(5, [bytes(1, name), bytes(2, value)].concat())
}

fn graph_defs() -> Vec<Bomb> {
    let versions = bytes(4, number(1, 1087));
    let int = number(6, 3);
    let two = attribute("value", &bytes(8, [number(1, 3), number(7, 2)].concat()));
    let constant = graph_node(1, "n0", "Const", &[], &[attribute("dtype", &int), two].concat());
    let chain = |op: &str, rest: &[u8]| {
        let rest = [attribute("T", &int), rest.to_vec()].concat();
        let next = each(1..=DOUBLINGS, |n| {
            let before = format!("n{}", n - 1);
            graph_node(1, &format!("n{n}"), op, &[&before, &before], &rest)
        });
        [constant.clone(), next, versions.clone()].concat()
    };
    let library = |call: &dyn Fn(&str, usize) -> Vec<u8>| {
        let all = each(0..DOUBLINGS + 1, |n| {
            let body = match n {
                0 => graph_node(3, "c", "NoOp", &[], &[]),
                n => [call("c", n - 1), call("d", n - 1)].concat(),
            };
            bytes(1, [bytes(1, bytes(1, format!("f{n}"))), body].concat())
        });
        let of = |n: usize| attribute("f", &bytes(10, bytes(1, format!("f{n}"))));
        let top = graph_node(1, "a", "PartitionedCall", &[], &of(DOUBLINGS));
        [top, bytes(2, all), versions.clone()].concat()
    };
    let partitioned = |name: &str, n: usize| {
        let function = attribute("f", &bytes(10, bytes(1, format!("f{n}"))));
        graph_node(3, name, "StatefulPartitionedCall", &[], &function)
    };
    let named = |name: &str, n: usize| graph_node(3, name, &format!("f{n}"), &[], &[]);
    let count = attribute("N", &number(3, 2));
    vec![
        Bomb::new("adds.pb", chain("Add", &[]), GRAPH),
        Bomb::new("packs.pb", chain("Pack", &count), GRAPH),
        Bomb::new("partitioned.pb", library(&partitioned), GRAPH),
        Bomb::new("called.pb", library(&named), GRAPH),
    ]
}
