//! Models under other opsets: what changes, what stays byte by byte, and what is refused.

use std::sync::Arc;

use unskew_core::Conversion;
use unskew_onnx::{OnnxAttribute, OnnxModel, OnnxTarget, OpSchemas};
use unskew_source::{BytesSource, ConvertedArtifact, Source, SourceExt as _};

use crate::proto;

/// Schemas as onnx lists them, of the operators of these tests.
const SCHEMAS: &str = "#releases\t1.23.2
Add.6(A: T, B: T) -> (C: T) {T: float int64} [axis: int, broadcast: int]\t1.23.2-
Add.7(A: T, B: T) -> (C: T) {T: float int64}\t1.23.2-
Constant.1() -> (output: T) {T: double float float16 int64} [value: tensor!]\t1.23.2-
Constant.9() -> (output: T) {T: double float float16 int64} [value: tensor!]\t1.23.2-
Dropout.10(data: T) -> (output: T, mask: T1?) {T: float; T1: bool} [ratio: float]\t1.23.2-
Dropout.7(data: T) -> (output: T, mask: T?) {T: float} [ratio: float]\t1.23.2-
Flatten.11(input: T) -> (output: T) {T: float} [axis: int]\t1.23.2-
If.11(cond: B) -> (outputs: V*1) {B: bool; V: float} [else_branch: graph!, then_branch: graph!]\t1.23.2-
If.13(cond: B) -> (outputs: V*1) {B: bool; V: float} [else_branch: graph!, then_branch: graph!]\t1.23.2-
Mod.10(A: T, B: T) -> (C: T) {T: float int64} [fmod: int]\t1.23.2-
NonZero.9(X: T) -> (Y: int64) {T: float int64}\t1.23.2-
PRelu.6(X: T, slope: T) -> (Y: T) {T: float}\t1.23.2-
PRelu.7(X: T, slope: T) -> (Y: T) {T: float}\t1.23.2-
Pow.12(X: T, Y: T1) -> (Z: T) {T: double float; T1: double float int64}\t1.23.2-
Pow.7(X: T, Y: T) -> (Z: T) {T: double float}\t1.23.2-
Range.11(start: T, limit: T, delta: T) -> (output: T) {T: float int64}\t1.23.2-
Reshape.5(data: T, shape: int64) -> (reshaped: T) {T: float int64}\t1.23.2-
Shape.1(data: T) -> (shape: int64) {T: float}\t1.23.2-
Softmax.1(input: T) -> (output: T) {T: float} [axis: int]\t1.23.2-
Softmax.11(input: T) -> (output: T) {T: float} [axis: int]\t1.23.2-
Softmax.13(input: T) -> (output: T) {T: float} [axis: int]\t1.23.2-
Transpose.1(data: T) -> (transposed: T) {T: float} [perm: ints]\t1.23.2-
";

pub fn goal(opset: i64) -> OnnxTarget {
    OnnxTarget {
        name: format!("onnx-opset@{opset}"),
        opsets: vec![(Box::default(), opset)],
        at_most: false,
        own_opset: None,
        ir: None,
        runtime: None,
        schemas: Arc::new(OpSchemas::from_text(SCHEMAS).unwrap()),
    }
}

fn converted(bytes: Vec<u8>, goal: &OnnxTarget) -> (Conversion, Vec<u8>) {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("net.onnx", bytes));
    let (plan, output) = unskew_onnx::convert(&source, goal).unwrap().unwrap();
    let ConvertedArtifact::File(file) = output else { panic!("a folder") };
    (plan, file.all().unwrap())
}

fn read(bytes: Vec<u8>) -> OnnxModel {
    unskew_onnx::read_model(&BytesSource::new("net.onnx", bytes)).unwrap().unwrap()
}

fn ops(model: &OnnxModel) -> Vec<&str> {
    model.graph.nodes.iter().map(|node| &*node.op).collect()
}

/// A value of type float and three dimensions.
fn cube(name: &str) -> Vec<u8> {
    let dims: Vec<u8> =
        [2, 3, 4].iter().flat_map(|size| proto::bytes(1, proto::number(1, *size))).collect();
    let tensor = [proto::number(1, 1), proto::bytes(2, dims)].concat();
    [proto::bytes(1, name), proto::bytes(2, proto::bytes(1, tensor))].concat()
}

fn softmax(axis: i64, opset: i64) -> Vec<u8> {
    let node = proto::node("Softmax", &["x"], &["y"], &[proto::int("axis", axis)]);
    proto::model(opset, &proto::body(&[node], &[cube("x")], &[cube("y")]), &[])
}

#[test]
fn one_axis_is_turned_to_the_end_where_all_behind_it_would_count() {
    let (plan, bytes) = converted(softmax(0, 13), &goal(11));
    assert!(plan.is_possible(), "{plan:?}");
    let model = read(bytes);
    assert_eq!(ops(&model), ["Transpose", "Softmax", "Transpose"]);
    assert_eq!(model.opsets, [("".into(), 11)]);
    let softmax = &model.graph.nodes[1];
    assert_eq!(softmax.attributes, [("axis".into(), OnnxAttribute::Int(2))]);
    assert_eq!(model.graph.nodes[0].attributes[0].1, OnnxAttribute::Ints(vec![2, 1, 0]));
    assert_eq!(&*model.graph.nodes[2].outputs[0], "y");
}

#[test]
fn rows_of_several_axes_are_flattened_where_one_axis_would_count() {
    let (plan, bytes) = converted(softmax(1, 11), &goal(13));
    assert!(plan.is_possible(), "{plan:?}");
    assert_eq!(ops(&read(bytes)), ["Flatten", "Shape", "Softmax", "Reshape"]);
}

#[test]
fn the_last_axis_is_the_same_in_both_and_stays() {
    let (plan, bytes) = converted(softmax(2, 13), &goal(11));
    assert!(plan.is_possible());
    // One byte differs: the version.
    let before = softmax(2, 13);
    let changed = before.iter().zip(&bytes).filter(|(one, other)| one != other).count();
    assert_eq!((before.len(), changed), (bytes.len(), 1));
}

#[test]
fn what_changes_nothing_is_the_file() {
    let (plan, bytes) = converted(softmax(0, 13), &goal(13));
    assert!(plan.changes_nothing());
    assert_eq!(bytes, softmax(0, 13));
}

#[test]
fn graphs_inside_of_nodes_are_converted_and_see_what_is_around_them() {
    let inner = proto::node("Softmax", &["x"], &["z"], &[proto::int("axis", 0)]);
    let branch = proto::body(&[inner], &[], &[proto::value("z", 1)]);
    let node = proto::node(
        "If",
        &["c"],
        &["y"],
        &[proto::graph("then_branch", &branch), proto::graph("else_branch", &branch)],
    );
    let graph = proto::body(&[node], &[cube("x"), proto::value("c", 9)], &[cube("y")]);
    let (plan, bytes) = converted(proto::model(13, &graph, &[]), &goal(11));
    assert!(plan.is_possible(), "{plan:?}");
    let model = read(bytes);
    for (_, attribute) in &model.graph.nodes[0].attributes {
        let OnnxAttribute::Graph(graph) = attribute else { panic!("{attribute:?}") };
        assert_eq!(graph.nodes.len(), 3);
    }
}

#[test]
fn a_node_without_an_exact_form_stands_in_the_way() {
    let node = proto::node("Mod", &["x", "x"], &["y"], &[]);
    let graph = proto::body(&[node], &[cube("x")], &[cube("y")]);
    let (plan, _) = converted(proto::model(13, &graph, &[]), &goal(9));
    assert_eq!(plan.blockers.len(), 1);
    assert!(plan.blockers[0].message.contains("new in opset 10"), "{}", plan.blockers[0].message);
    let unknown = proto::node("Softmax", &["w"], &["y"], &[proto::int("axis", 0)]);
    let graph = proto::body(&[unknown], &[proto::value("w", 1)], &[proto::value("y", 1)]);
    let (plan, _) = converted(proto::model(13, &graph, &[]), &goal(11));
    assert!(plan.blockers[0].message.contains("dimensions"), "{}", plan.blockers[0].message);
}

/// A model of one call: its graph, and behind that its function and the opset of it.
fn one_call() -> (Vec<u8>, Vec<u8>) {
    let call = [proto::node("F", &["x"], &["y"], &[]), proto::bytes(7, "mine")].concat();
    let inner = proto::node("Softmax", &["a"], &["b"], &[proto::int("axis", -1)]);
    let function = [
        proto::bytes(1, "F"),
        proto::bytes(4, "a"),
        proto::bytes(5, "b"),
        proto::bytes(7, inner),
        proto::bytes(9, proto::number(2, 13)),
        proto::bytes(10, "mine"),
    ];
    let mine = proto::bytes(8, [proto::bytes(1, "mine"), proto::number(2, 1)].concat());
    let more = [proto::bytes(25, function.concat()), mine].concat();
    (proto::body(&[call], &[cube("x")], &[cube("y")]), more)
}

/// The same as a model.
pub fn call() -> Vec<u8> {
    let (graph, more) = one_call();
    proto::model(13, &graph, &more)
}

#[test]
fn functions_of_the_model_get_the_opset_too() {
    let (graph, more) = one_call();
    let (plan, bytes) = converted(proto::model(13, &graph, &more), &goal(11));
    assert!(plan.is_possible(), "{plan:?}");
    let model = read(bytes);
    assert_eq!(model.functions[0].opsets, [("".into(), 11)]);
    let ir = OnnxTarget { opsets: Vec::new(), ir: Some(7), ..goal(13) };
    let (plan, bytes) = converted(proto::model(13, &graph, &more), &ir);
    assert!(plan.is_possible(), "{plan:?}");
    let model = read(bytes);
    assert_eq!((ops(&model), model.functions.len(), model.ir_version), (vec!["Softmax"], 0, 7));
    assert_eq!(model.opsets, [("".into(), 13)]);
}

#[test]
fn an_attribute_that_calls_decide_stands_in_the_way() {
    let axis = [proto::bytes(1, "axis"), proto::bytes(21, "side"), proto::number(20, 2)].concat();
    let inner = proto::node("Softmax", &["a"], &["b"], &[axis]);
    let function = [
        proto::bytes(1, "F"),
        proto::bytes(4, "a"),
        proto::bytes(5, "b"),
        proto::bytes(6, "side"),
        proto::bytes(7, inner),
        proto::bytes(9, proto::number(2, 13)),
        proto::bytes(10, "mine"),
    ];
    let graph = proto::body(&[], &[cube("x")], &[cube("x")]);
    let (plan, _) =
        converted(proto::model(13, &graph, &proto::bytes(25, function.concat())), &goal(11));
    assert!(plan.blockers[0].message.contains("function around"), "{}", plan.blockers[0].message);
}

#[test]
fn below_the_lowest_opset_nothing_is_converted() {
    let (plan, _) = converted(softmax(2, 13), &goal(6));
    assert!(!plan.is_possible());
}

/// A tensor that always is this whole number.
fn whole(name: &str, number: i64) -> Vec<u8> {
    let tensor = [proto::number(2, 7), proto::bytes(9, number.to_le_bytes())].concat();
    let value = [proto::bytes(1, "value"), proto::bytes(5, tensor), proto::number(20, 4)].concat();
    proto::node("Constant", &[], &[name], &[value])
}

#[test]
fn an_exponent_gets_the_type_of_the_values_where_it_is_written_down() {
    let model = |first: &[Vec<u8>], inputs: &[Vec<u8>]| {
        let pow = proto::node("Pow", &["x", "e"], &["y"], &[]);
        let nodes: Vec<Vec<u8>> = first.iter().cloned().chain([pow]).collect();
        proto::model(12, &proto::body(&nodes, inputs, &[cube("y")]), &[])
    };
    let (plan, bytes) = converted(model(&[whole("e", 2)], &[cube("x")]), &goal(11));
    assert!(plan.is_possible(), "{plan:?}");
    let made = read(bytes);
    assert_eq!(ops(&made), ["Constant", "Constant", "Pow"]);
    let OnnxAttribute::Tensor(tensor) = &made.graph.nodes[1].attributes[0].1 else { panic!() };
    assert_eq!(
        (tensor.element.0, &*made.graph.nodes[2].inputs[1]),
        (1, &*made.graph.nodes[1].outputs[0])
    );
    // A number that no float is, and one that is computed.
    let (plan, _) = converted(model(&[whole("e", (1 << 24) + 1)], &[cube("x")]), &goal(11));
    assert!(!plan.is_possible());
    let (plan, _) = converted(model(&[], &[cube("x"), proto::value("e", 7)]), &goal(11));
    assert!(!plan.is_possible());
}

#[test]
fn a_range_of_step_one_is_written_as_the_places_of_ones() {
    let model = |step| {
        let range = proto::node("Range", &["s", "l", "d"], &["y"], &[]);
        let inputs = [proto::value("s", 7), proto::value("l", 7)];
        let nodes = [whole("d", step), range];
        proto::model(11, &proto::body(&nodes, &inputs, &[proto::value("y", 7)]), &[])
    };
    let (plan, bytes) = converted(model(1), &goal(9));
    assert!(plan.is_possible(), "{plan:?}");
    assert!(ops(&read(bytes)).contains(&"NonZero"));
    let (plan, _) = converted(model(2), &goal(9));
    assert!(!plan.is_possible());
}

/// A value of type float and one dimension.
fn line(name: &str, size: i64) -> Vec<u8> {
    let dims = proto::bytes(1, proto::number(1, size));
    let tensor = [proto::number(1, 1), proto::bytes(2, dims)].concat();
    [proto::bytes(1, name), proto::bytes(2, proto::bytes(1, tensor))].concat()
}

/// The operators after a conversion from opset 6 to 9 of a node that takes `x` and so many of `w`.
fn repeated(op: &str, count: i64, attributes: &[Vec<u8>]) -> Option<Vec<String>> {
    let node = proto::node(op, &["x", "w"], &["y"], attributes);
    let body = proto::body(&[node], &[cube("x"), line("w", count)], &[cube("y")]);
    let (plan, bytes) = converted(proto::model(6, &body, &[]), &goal(9));
    let ops = |model: OnnxModel| ops(&model).iter().map(|op| (*op).to_owned()).collect();
    plan.is_possible().then(|| ops(read(bytes)))
}

#[test]
fn what_was_repeated_from_an_axis_on_is_laid_out_for_the_last_dimensions() {
    let at = |axis| [proto::int("axis", axis), proto::int("broadcast", 1)];
    let laid_out = ["Constant", "Reshape", "Add"].map(str::to_owned);
    assert_eq!(repeated("Add", 3, &at(1)).unwrap(), laid_out);
    assert_eq!(repeated("Add", 4, &at(2)).unwrap(), ["Add"], "the last dimension as it is");
    assert_eq!(repeated("Add", 4, &[proto::int("broadcast", 1)]).unwrap(), ["Add"]);
    assert_eq!(repeated("Add", 3, &at(3)), None, "no dimension of x");
    assert_eq!(repeated("Add", 3, &at(-2)), None);
    assert_eq!(repeated("PRelu", 3, &[]).unwrap(), ["Constant", "Reshape", "PRelu"]);
    assert_eq!(repeated("PRelu", 1, &[]).unwrap(), ["PRelu"]);
}

#[test]
fn an_output_that_means_something_else_is_left_out_where_nothing_takes_it() {
    let drop = proto::node("Dropout", &["x"], &["y", "mask"], &[]);
    let model = |nodes: &[Vec<u8>], last: &str| {
        let body = proto::body(nodes, &[cube("x")], &[cube(last)]);
        converted(proto::model(7, &body, &[]), &goal(10))
    };
    let (plan, bytes) = model(std::slice::from_ref(&drop), "y");
    assert!(plan.is_possible(), "{plan:?}");
    assert_eq!(&*read(bytes).graph.nodes[0].outputs, ["y".into()]);
    assert!(!model(std::slice::from_ref(&drop), "mask").0.is_possible());
    let taken = proto::node("Add", &["mask", "mask"], &["z"], &[]);
    assert!(!model(&[drop, taken], "z").0.is_possible());
}

/// A tensor that stands in the model: its element type, its sizes and its bytes.
fn stored(name: &str, element: i64, dims: &[i64], bytes: &[u8]) -> Vec<u8> {
    let sizes = dims.iter().flat_map(|size| proto::number(1, *size));
    let rest = [proto::number(2, element), proto::bytes(8, name), proto::bytes(9, bytes)].concat();
    proto::bytes(5, sizes.chain(rest).collect::<Vec<u8>>())
}

/// `y = Add(x, DequantizeLinear(w, s, z))` with two rows of two weights of 4 bits: 1 -1, 7 -8.
pub fn four_bits(scales: &[f32], more: &[Vec<u8>]) -> Vec<u8> {
    let axis = proto::int("axis", 0);
    let nodes = [
        proto::node("DequantizeLinear", &["w", "s", "z"], &["f"], &[axis]),
        proto::node("Add", &["x", "f"], &["y"], &[]),
    ];
    let nodes: Vec<Vec<u8>> = nodes.into_iter().chain(more.iter().cloned()).collect();
    let size = scales.len() as i64;
    let scales: Vec<u8> = scales.iter().flat_map(|scale| scale.to_le_bytes()).collect();
    let tensors = [
        stored("w", 22, &[2, 2], &[0xf1, 0x87]),
        stored("s", 1, &[size], &scales),
        stored("z", 22, &[size], &[0x10]),
    ];
    let body = proto::body(&nodes, &[proto::value("x", 1)], &[proto::value("y", 1)]);
    proto::model(21, &[body, tensors.concat()].concat(), &[])
}

#[test]
fn weights_of_four_bits_become_floats_where_there_are_no_such_types() {
    let (plan, bytes) = converted(four_bits(&[0.5, 2.0], &[]), &goal(13));
    assert!(plan.is_possible(), "{plan:?}");
    let model = read(bytes);
    assert_eq!(ops(&model), ["Add"]);
    let [made] = &*model.graph.initializers else { panic!("{:?}", model.graph.initializers) };
    assert_eq!((&*made.name, made.element.0, &*made.dims), ("f", 1, &[2, 2][..]));
    assert_eq!(made.floats, [0.5, -0.5, 12.0, -18.0], "the zero of the second row is 1");
    assert!(plan.rewrites.iter().any(|one| one.adaptation == "onnx-four-bits"));
}

#[test]
fn weights_of_four_bits_become_halves_where_scales_are_such() {
    let tensors = [stored("w", 22, &[2], &[0x87]), stored("s", 10, &[], &0x3800_u16.to_le_bytes())];
    let nodes = [
        proto::node("DequantizeLinear", &["w", "s"], &["f"], &[]),
        proto::node("Add", &["x", "f"], &["y"], &[]),
    ];
    let body = proto::body(&nodes, &[proto::value("x", 10)], &[proto::value("y", 10)]);
    let model = proto::model(21, &[body, tensors.concat()].concat(), &[]);
    let (plan, bytes) = converted(model, &goal(13));
    assert!(plan.is_possible(), "{plan:?}");
    let model = read(bytes.clone());
    let [made] = &*model.graph.initializers else { panic!("{:?}", model.graph.initializers) };
    assert_eq!((&*made.name, made.element.0, &*made.dims), ("f", 10, &[2][..]));
    let halves = [0x4300_u16, 0xc400].map(u16::to_le_bytes).concat();
    assert!(bytes.windows(4).any(|four| four == halves), "3.5 and -4");
}

#[test]
fn weights_of_four_bits_become_floats_in_the_graphs_of_nodes() {
    let dequantized =
        |weights: &str, made: &str| proto::node("DequantizeLinear", &[weights, "s"], &[made], &[]);
    let branch = |nodes: &[Vec<u8>], tensors: &[u8]| {
        [proto::body(nodes, &[], &[proto::value("o", 1)]), tensors.to_vec()].concat()
    };
    let own = stored("v", 22, &[2], &[0x21]);
    let relu = |name: &str| proto::node("Relu", &[name], &["o"], &[]);
    let choice = proto::node(
        "If",
        &["c"],
        &["y"],
        &[
            proto::graph("then_branch", &branch(&[dequantized("w", "f"), relu("f")], &[])),
            proto::graph("else_branch", &branch(&[dequantized("v", "g"), relu("g")], &own)),
        ],
    );
    let tensors = [stored("w", 22, &[2], &[0xf1]), stored("s", 1, &[], &0.5_f32.to_le_bytes())];
    let body = proto::body(&[choice], &[proto::value("c", 9)], &[proto::value("y", 1)]);
    let model = proto::model(21, &[body, tensors.concat()].concat(), &[]);
    let (plan, bytes) = converted(model, &goal(13));
    assert!(plan.is_possible(), "{plan:?}");
    let model = read(bytes);
    assert!(model.graph.initializers.is_empty(), "{:?}", model.graph.initializers);
    let made: Vec<_> = model.graph.all()[1..]
        .iter()
        .flat_map(|graph| &graph.initializers)
        .map(|one| (&*one.name, &*one.floats))
        .collect();
    assert_eq!(made, [("f", &[0.5, -0.5][..]), ("g", &[0.5, 1.0][..])]);
}

#[test]
fn weights_of_four_bits_that_are_listed_become_floats_too() {
    let listed = |name: &str, element: i64, dims: i64, values: Vec<u8>| {
        let head = [proto::number(1, dims), proto::number(2, element), proto::bytes(8, name)];
        proto::bytes(5, [head.concat(), values].concat())
    };
    // Two packed numbers of two weights each, a list of one scale.
    let weights = [proto::number(5, 0xf1), proto::number(5, 0x87)].concat();
    let tensors = [
        listed("w", 22, 4, weights),
        proto::bytes(
            5,
            [proto::number(2, 1), proto::bytes(8, "s"), proto::bytes(4, 0.5_f32.to_le_bytes())]
                .concat(),
        ),
    ];
    let nodes = [
        proto::node("DequantizeLinear", &["w", "s"], &["f"], &[]),
        proto::node("Add", &["x", "f"], &["y"], &[]),
    ];
    let body = proto::body(&nodes, &[proto::value("x", 1)], &[proto::value("y", 1)]);
    let model = proto::model(21, &[body, tensors.concat()].concat(), &[]);
    let (plan, bytes) = converted(model, &goal(13));
    assert!(plan.is_possible(), "{plan:?}");
    assert_eq!(read(bytes).graph.initializers[0].floats, [0.5, -0.5, 3.5, -4.0]);
}

#[test]
fn weights_of_four_bits_stay_where_the_goal_has_them_or_scales_do_not_fit() {
    let mut goal_with_types = goal(21);
    goal_with_types.ir = Some(10);
    let before = four_bits(&[0.5, 2.0], &[]);
    let bytes = before.iter().copied().skip(2);
    let newer: Vec<u8> = proto::number(1, 10).into_iter().chain(bytes).collect();
    assert_eq!(ops(&read(converted(newer, &goal_with_types).1)), ["DequantizeLinear", "Add"]);
    let (_, bytes) = converted(four_bits(&[0.5, 2.0, 1.0], &[]), &goal(13));
    assert_eq!(ops(&read(bytes)), ["DequantizeLinear", "Add"]);
}

#[test]
fn weights_of_four_bits_that_others_take_stay_beside_the_floats() {
    let other = proto::node("Cast", &["w"], &["c"], &[proto::int("to", 1)]);
    let (_, bytes) = converted(four_bits(&[0.5, 2.0], &[other]), &goal(13));
    let model = read(bytes);
    let names: Vec<&str> = model.graph.initializers.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["w", "f"]);
}
