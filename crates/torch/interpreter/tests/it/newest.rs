//! Files of 2.15.0 with operators that older releases lack: run as they are and converted, they give what 2.15.0 gave.

use std::sync::Arc;

use crate::corpus::{difference, runtime, source};
use unskew_interpreter::{Interpreter, Program, Semantics, Value};
use unskew_source::{Output, Source};
use unskew_torch::{Options, Runtime};
use unskew_torch_matrix::recorded::{Single, TOLERANCE, newest, value};

fn run(file: &Arc<dyn Source>, on: &Runtime, inputs: Vec<Value>) -> Value {
    let operators = Arc::new(on.operators.clone());
    let semantics = Semantics::of(on.release.version).with_operators(operators);
    let program = match file.name().ends_with(".ptl") {
        true => Program::open_bytecode(file),
        false => Program::open(file),
    };
    let program = program.unwrap().unwrap();
    let found = Interpreter::new(semantics).method(&program, "forward", inputs);
    found.unwrap_or_else(|error| panic!("{} on {}: {error}", file.name(), on.name()))
}

/// Runs a file as it is, and converted for each of these releases; says what was rewritten.
fn hold(one: &Single, releases: &[&str]) -> Vec<String> {
    let file = source(&one.name, &one.bytes);
    let inputs = || one.inputs.iter().map(|input| value(input).unwrap()).collect();
    let here = run(&file, &runtime("2.15.0"), inputs());
    assert_eq!(difference(&one.output, &here, TOLERANCE), None, "{}", one.name);
    let mut rewritten = Vec::new();
    for to in releases.iter().map(|name| runtime(name)) {
        let (plan, output) =
            unskew_torch::convert(&file, &to, &Options::default()).unwrap().unwrap();
        assert!(plan.is_possible(), "{} for {}: {:?}", one.name, to.name(), plan.blockers);
        let Output::File(result) = output else { panic!("{}: a folder", one.name) };
        let result: Arc<dyn Source> = result;
        let found = run(&result, &to, inputs());
        let different = difference(&one.output, &found, TOLERANCE);
        assert_eq!(different, None, "{} for {}", one.name, to.name());
        rewritten.extend(plan.rewrites.iter().map(|rewrite| rewrite.what.clone()));
    }
    rewritten
}

#[test]
fn live_calls_of_newer_operators_become_loops_and_lists_of_instructions() {
    let all = newest().unwrap();
    let mobile: Vec<&Single> = all.iter().filter(|one| one.name.ends_with(".ptl")).collect();
    assert_eq!(mobile.len(), 5);
    for one in mobile {
        // Bytecode before version 8 has nothing for `tolist()` that its interpreters are known to run.
        let named = one.name.ends_with("Named.ptl");
        hold(one, if named { &["1.13.1"] } else { &["1.10.2", "1.8.1"] });
    }
}

#[test]
fn a_node_of_a_graph_becomes_several() {
    let all = newest().unwrap();
    let graph = all.iter().find(|one| one.name.ends_with("Rms.pt2")).unwrap();
    let rewritten = hold(graph, &["2.3.1", "2.2.2", "2.1.2"]);
    let parts = "aten::rms_norm is computed by aten::mul.Tensor, aten::mean.dim, aten::add.Scalar, aten::rsqrt";
    assert!(rewritten.iter().any(|what| what.starts_with(parts)), "{rewritten:?}");
}
