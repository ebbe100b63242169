//! Models against a release that is made here: a few operators, a few kernels.

use std::sync::Arc;

use unskew_core::{Context, Date, Outcome, Party, Verdict, check};
use unskew_onnx::{CudaKernels, KernelTypeTable, ModelReader, OnnxRelease, OpSchemas};
use unskew_source::{BytesSource, Source};

use crate::proto::{body, bytes, graph, int, model, node, number, value};

const SCHEMAS: &str = "#releases\t1.20.0\n\
    Add.7(A: T, B: T) -> (C: T) {T: double float int32}\t1.20.0-\n\
    Cast.6(input: T1) -> (output: T2) {T1: double float; T2: double float int32} [to: int!]\t1.20.0-\n\
    Gelu.20(X: T) -> (Y: T) {T: float}\t1.20.0-\n\
    If.1(cond: B) -> (outputs: V*1) {B: bool; V: double float} [else_branch: graph!, then_branch: graph!]\t1.20.0-\n\
    Relu.6(X: T) -> (Y: T) {T: double float int32}\t1.20.0-\n\
    Upsample.10(X: T) -> (Y: T) {T: float} deprecated\t1.20.0-\n\
    Upsample.7(X: T) -> (Y: T) {T: float} [scales: floats!]\t1.20.0-\n";

const KERNELS: &str = "#releases\t1.20.0\n\
    Add.7(T: float)\t1.20.0-\n\
    Cast.6(T1: float; T2: double float)\t1.20.0-\n\
    If.1(V: double float)\t1.20.0-\n\
    Relu.6(? T: int32)\t1.20.0-\n\
    Relu.6(T: float)\t1.20.0-\n\
    Upsample.10(?)\t1.20.0-\n\
    Upsample.7(T: float)\t1.20.0-\n";

pub fn runtime(reader: ModelReader) -> Party {
    release(reader).party()
}

fn release(reader: ModelReader) -> OnnxRelease {
    let none = OpSchemas::from_text("#releases\t1.20.0\n").unwrap();
    OnnxRelease {
        reader,
        version: "1.20.0".parse().unwrap(),
        released: Date::constant(2026, 1, 1),
        ir: 8,
        opsets: vec![("".into(), 17)],
        ort_format: Some((4, 5)),
        schemas: Arc::new(OpSchemas::from_text(SCHEMAS).unwrap()),
        own: Arc::new(none),
        cuda: None,
        kernels: (reader == ModelReader::OnnxRuntime)
            .then(|| Arc::new(KernelTypeTable::from_text(KERNELS).unwrap())),
    }
}

fn verdict(bytes: Vec<u8>) -> Verdict {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("net.onnx", bytes));
    let party = unskew_onnx::party(&source).unwrap().unwrap();
    check(&party, &runtime(ModelReader::OnnxRuntime), &Context::for_tests())
}

/// The codes of all findings, or the outcome where there are none.
fn said(bytes: Vec<u8>) -> String {
    outcome(&verdict(bytes))
}

pub fn outcome(verdict: &Verdict) -> String {
    let codes: Vec<&str> = verdict.findings.iter().map(|one| one.rule.code).collect();
    match verdict.outcome {
        Outcome::Compatible => "compatible".to_owned(),
        Outcome::Unjudged => "unjudged".to_owned(),
        _ => codes.join(" "),
    }
}

fn one(opset: i64, nodes: &[Vec<u8>], input: i64, output: i64) -> Vec<u8> {
    model(opset, &body(nodes, &[value("x", input)], &[value("y", output)]), &[])
}

#[test]
fn what_cuda_has_no_kernel_for_the_cpu_runs() {
    let table = "#releases\t1.20.2\nAdd.7(?)\t1.20.2-\nRelu.6(T: double)\t1.20.2-\n";
    let cuda = CudaKernels {
        version: "1.20.2".parse().unwrap(),
        table: Arc::new(KernelTypeTable::from_text(table).unwrap()),
    };
    let release = OnnxRelease { cuda: Some(cuda), ..release(ModelReader::OnnxRuntime) }.party();
    let verdict = |node: Vec<u8>, element: i64| {
        let bytes = one(17, &[node], element, element);
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("net.onnx", bytes));
        let party = unskew_onnx::party(&source).unwrap().unwrap();
        check(&party, &release, &Context::for_tests())
    };
    let relu = || node("Relu", &["x"], &["y"], &[]);
    let on_cpu = verdict(relu(), 1);
    assert_eq!((outcome(&on_cpu), on_cpu.findings[0].rule.code), ("compatible".into(), "ON107"));
    assert!(on_cpu.findings[0].message.starts_with("CUDA provider of ONNX Runtime 1.20.0"));
    let on_cuda = verdict(relu(), 11);
    assert_eq!((outcome(&on_cuda), on_cuda.findings.len()), ("compatible".into(), 0));
    assert_eq!(outcome(&verdict(node("Add", &["x", "x"], &["y"], &[]), 1)), "unjudged");
}

#[test]
fn versions_decide_before_operators() {
    let relu = || [node("Relu", &["x"], &["y"], &[])];
    assert_eq!(said(one(17, &relu(), 1, 1)), "compatible");
    assert_eq!(said(one(18, &relu(), 1, 1)), "ON002");
    let newer = [number(1, 9), one(17, &relu(), 1, 1)[2..].to_vec()].concat();
    assert_eq!(said(newer), "ON001");
    let without =
        [number(1, 8), bytes(7, body(&relu(), &[value("x", 1)], &[value("y", 1)]))].concat();
    assert_eq!(said(without), "ON003");
}

#[test]
fn a_node_is_held_against_the_form_of_its_operator() {
    assert_eq!(said(one(13, &[node("Gelu", &["x"], &["y"], &[])], 1, 1)), "ON102");
    assert_eq!(said(one(13, &[node("Upsample", &["x"], &["y"], &[])], 1, 1)), "ON103");
    assert_eq!(said(one(13, &[node("Nothing", &["x"], &["y"], &[])], 1, 1)), "ON104");
    assert_eq!(said(one(13, &[node("Relu", &["x"], &["y"], &[int("a", 1)])], 1, 1)), "ON201");
    assert_eq!(said(one(9, &[node("Upsample", &["x"], &["y"], &[])], 1, 1)), "ON202");
    assert_eq!(
        said(one(9, &[node("Upsample", &["x"], &["y"], &[int("scales", 1)])], 1, 1)),
        "ON203"
    );
    assert_eq!(said(one(13, &[node("Add", &["x"], &["y"], &[])], 1, 1)), "ON204");
    assert_eq!(said(one(13, &[node("Relu", &["x"], &["y"], &[])], 9, 9)), "ON205");
    let mixed =
        [node("Cast", &["x"], &["z"], &[int("to", 11)]), node("Add", &["x", "z"], &["y"], &[])];
    assert_eq!(said(one(13, &mixed, 1, 1)), "ON206");
    assert_eq!(said(one(13, &[node("Add", &["x", ""], &["y"], &[])], 1, 1)), "ON207");
    assert_eq!(said(one(13, &[node("Relu", &["x"], &["y"], &[])], 1, 11)), "ON208");
}

#[test]
fn a_kernel_is_looked_for_with_the_types_that_are_inferred() {
    let cast = |to| {
        vec![node("Cast", &["x"], &["z"], &[int("to", to)]), node("Relu", &["z"], &["y"], &[])]
    };
    assert_eq!(said(one(13, &cast(1), 1, 1)), "compatible");
    assert_eq!(said(one(13, &cast(11), 1, 11)), "ON105", "Relu of double");
    assert_eq!(
        said(one(13, &[node("Relu", &["x"], &["y"], &[])], 6, 6)),
        "unjudged",
        "some opsets only"
    );
    let untyped = model(
        13,
        &body(&[node("Relu", &["x"], &["y"], &[])], &[bytes(1, "x")], &[bytes(1, "y")]),
        &[],
    );
    assert_eq!(said(untyped), "ON012");
}

#[test]
fn graphs_in_nodes_see_what_is_around_them() {
    let branch = |op: &str| body(&[node(op, &["x"], &["z"], &[])], &[], &[bytes(1, "z")]);
    let choose = |op: &str| {
        let branches = [graph("then_branch", &branch(op)), graph("else_branch", &branch("Relu"))];
        let nodes = [node("If", &["c"], &["z"], &branches), node("Add", &["z", "x"], &["y"], &[])];
        model(13, &body(&nodes, &[value("x", 1), value("c", 9)], &[value("y", 1)]), &[])
    };
    assert_eq!(said(choose("Relu")), "compatible");
    assert_eq!(said(choose("Gelu")), "ON102");
}

#[test]
fn functions_of_a_model_are_judged_by_their_bodies_and_never_without_end() {
    let function = |name: &str, calls: &str| {
        let mut call = node(calls, &["a"], &["b"], &[]);
        if calls != "Relu" && calls != "Gelu" {
            call.extend(bytes(7, "my"));
        }
        let parts = [
            bytes(1, name),
            bytes(4, "a"),
            bytes(5, "b"),
            bytes(7, &call),
            bytes(9, number(2, 13)),
            bytes(9, [bytes(1, "my"), number(2, 1)].concat()),
            bytes(10, "my"),
        ];
        bytes(25, parts.concat())
    };
    let call = [node("f", &["x"], &["y"], &[]), bytes(7, "my")].concat();
    let with = |functions: &[Vec<u8>]| {
        let import = bytes(8, [bytes(1, "my"), number(2, 1)].concat());
        let graph = body(std::slice::from_ref(&call), &[value("x", 1)], &[value("y", 1)]);
        model(13, &graph, &[import, functions.concat()].concat())
    };
    assert_eq!(said(with(&[function("f", "Relu")])), "compatible");
    assert_eq!(said(with(&[function("f", "g"), function("g", "Gelu")])), "ON102");
    assert_eq!(said(with(&[function("f", "f")])), "ON013");
    assert_eq!(said(with(&[])), "unjudged", "an operator of a library");
}

#[test]
fn attributes_and_inputs_of_a_call_stand_in_the_function() {
    // f(a, k) = Cast(a) to what the call says; k is not used.
    let to = [bytes(1, "to"), bytes(21, "ax"), number(20, 2)].concat();
    let cast = node("Cast", &["a"], &["b"], &[to]);
    let with = |body: &[u8], inputs: &[&str], attributes: &[Vec<u8>], output| {
        let parts = [
            bytes(1, "f"),
            bytes(4, "a"),
            bytes(4, "k"),
            bytes(5, "b"),
            bytes(7, body),
            bytes(9, number(2, 13)),
            bytes(10, "my"),
        ];
        let call = [node("f", inputs, &["y"], attributes), bytes(7, "my")].concat();
        let import = bytes(8, [bytes(1, "my"), number(2, 1)].concat());
        let graph = body_of(&[call], output);
        said(model(13, &graph, &[import, bytes(25, parts.concat())].concat()))
    };
    assert_eq!(with(&cast, &["x"], &[int("ax", 11)], 11), "compatible");
    assert_eq!(with(&cast, &["x"], &[int("ax", 6)], 6), "ON105", "no kernel for that");
    assert_eq!(with(&cast, &["x"], &[], 11), "ON202", "the call says no type");
    assert_eq!(with(&cast, &["x", "x", "x"], &[int("ax", 11)], 11), "ON213");
    let add = node("Add", &["a", "k"], &["b"], &[]);
    assert_eq!(with(&add, &["x", "x"], &[], 1), "compatible");
    assert_eq!(with(&add, &["x"], &[], 1), "ON207");
}

fn body_of(nodes: &[Vec<u8>], output: i64) -> Vec<u8> {
    body(nodes, &[value("x", 1)], &[value("y", output)])
}

#[test]
fn every_value_is_made_once_and_no_node_waits_for_itself() {
    let relu = |from: &str, to: &str| node("Relu", &[from], &[to], &[]);
    assert_eq!(said(one(13, &[relu("z", "y"), relu("x", "z")], 1, 1)), "unjudged", "any order");
    assert_eq!(said(one(13, &[relu("x", "z")], 1, 1)), "ON005", "an output");
    assert_eq!(said(one(13, &[relu("x", "y"), relu("x", "y")], 1, 1)), "ON006");
    assert!(said(one(13, &[relu("x", "x"), relu("x", "y")], 1, 1)).contains("ON006"));
    let circle = [node("Add", &["x", "y"], &["z"], &[]), relu("z", "y")];
    assert!(said(one(13, &circle, 1, 1)).contains("ON007"));
    assert_eq!(said(one(13, &[relu("x", "y"), relu("x", "")], 1, 1)), "ON211");
}

#[test]
fn what_a_graph_inside_takes_is_around_it_and_its_outputs_are_its_own() {
    let branch = |from: &str, to: &str, out: &str| {
        body(&[node("Relu", &[from], &[to], &[])], &[], &[bytes(1, out)])
    };
    let choose = |one: &[u8], two: &[u8]| {
        let branches = [graph("then_branch", one), graph("else_branch", two)];
        let nodes = [
            node("Relu", &["x"], &["q"], &[]),
            node("If", &["c"], &["y"], &branches),
            node("Relu", &["x"], &["later"], &[]),
        ];
        said(model(13, &body(&nodes, &[value("x", 1), value("c", 9)], &[value("y", 1)]), &[]))
    };
    let fine = branch("q", "a", "a");
    assert_eq!(choose(&fine, &fine), "compatible");
    assert_eq!(choose(&fine, &branch("x", "later", "later")), "compatible", "not made yet");
    assert_eq!(choose(&fine, &branch("x", "q", "q")), "ON006", "seen from inside");
    assert_eq!(choose(&fine, &branch("x", "a", "q")), "ON005", "handed on from outside");
    assert!(choose(&fine, &branch("y", "a", "a")).contains("ON007"), "its own result");
    assert_eq!(choose(&fine, &body(&[], &[], &[])), "ON212");
}

#[test]
fn the_elements_of_a_tensor_must_be_there() {
    let add = [node("Add", &["x", "w"], &["y"], &[])];
    let with = |tensor: &[Vec<u8>]| {
        let tensor = [bytes(8, "w"), tensor.concat()].concat();
        let graph = [body(&add, &[value("x", 1)], &[value("y", 1)]), bytes(5, tensor)].concat();
        said(model(13, &graph, &[]))
    };
    let float = number(2, 1);
    assert_eq!(with(&[float.clone(), number(1, 2), bytes(9, [0; 8])]), "compatible");
    assert_eq!(with(&[float.clone(), number(1, 2), bytes(4, [0; 8])]), "compatible");
    assert_eq!(with(&[float.clone(), number(1, 3), bytes(9, [0; 8])]), "ON405");
    assert_eq!(with(&[float.clone(), number(1, 2), bytes(5, [0; 2])]), "ON405", "of another type");
    assert_eq!(with(&[float.clone(), number(1, 2)]), "ON405");
    assert_eq!(with(&[float.clone(), number(1, 0)]), "compatible", "nothing asked for");
    assert!(with(&[number(1, 1), bytes(9, [0; 4])]).contains("ON405"), "no type");
    assert_eq!(with(&[float, number(1, -2)]), "ON405");
}

#[test]
fn an_attribute_has_a_type_and_one_value_of_it() {
    let with = |parts: &[Vec<u8>]| {
        said(one(13, &[node("Cast", &["x"], &["y"], &[parts.concat()])], 1, 11))
    };
    let (to, number_of, eleven) = (bytes(1, "to"), number(20, 2), number(3, 11));
    assert_eq!(with(&[to.clone(), eleven.clone(), number_of.clone()]), "compatible");
    assert_eq!(with(&[to.clone(), eleven.clone()]), "ON210");
    assert_eq!(with(&[to.clone(), eleven.clone(), number(20, 3)]), "ON210");
    assert_eq!(with(&[to, eleven, bytes(4, "11"), number_of]), "ON203 ON210");
}

#[test]
fn a_domain_must_be_imported() {
    let custom = [node("Op", &["x"], &["y"], &[]), bytes(7, "my")].concat();
    assert_eq!(said(one(13, &[custom], 1, 1)), "ON004");
}

#[test]
fn what_is_no_model_is_left_to_others_unless_it_is_called_one() {
    let read = |name: &str, bytes: &[u8]| {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(name, bytes.to_vec()));
        unskew_onnx::party(&source)
    };
    assert!(read("graph.pb", b"\x0a\x0d\x0a\x01i\x12\x08Identity").unwrap().is_none());
    assert!(read("net.onnx", b"\x0a\x0d\x0a\x01i\x12\x08Identity").is_err());
    // A SavedModel: schema version 1 and a meta graph.
    assert!(read("saved_model.pb", b"\x08\x01\x12\x00").unwrap().is_none());
    assert!(
        read("model.pb", &one(13, &[node("Relu", &["x"], &["y"], &[])], 1, 1)).unwrap().is_some()
    );
}
