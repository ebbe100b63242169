//! Files of 2.15.0 with operators that older releases lack: run as they are and converted, they give what 2.15.0 gave.

use std::sync::Arc;

use crate::corpus::{difference, runtime, source};
use unskew_core::{Context, Phase, check};
use unskew_interpreter::{Interpreter, ReleaseSemantics, RunnableProgram, ScriptValue};
use unskew_source::{ConvertedArtifact, Source};
use unskew_torch::{TorchConvertOptions, TorchRuntime};
use unskew_torch_matrix::recorded::{SingleFile, TOLERANCE, newest, value};

fn run(file: &Arc<dyn Source>, on: &TorchRuntime, inputs: Vec<ScriptValue>) -> ScriptValue {
    let operators = Arc::new(on.operators.clone());
    let semantics = ReleaseSemantics::for_release(on.release.version).with_operators(operators);
    let program = match file.name().ends_with(".ptl") {
        true => RunnableProgram::open_bytecode(file),
        false => RunnableProgram::open(file),
    };
    let program = program.unwrap().unwrap();
    let found = Interpreter::new(semantics).method(&program, "forward", inputs);
    found.unwrap_or_else(|error| panic!("{} on {}: {error}", file.name(), on.name()))
}

/// Runs a file as it is, and converted for each of these releases; says what was rewritten.
fn hold(one: &SingleFile, releases: &[&str]) -> Vec<String> {
    let file = source(&one.name, &one.bytes);
    let inputs = || one.inputs.iter().map(|input| value(input).unwrap()).collect();
    let here = run(&file, &runtime("2.15.0"), inputs());
    assert_eq!(difference(&one.output, &here, TOLERANCE), None, "{}", one.name);
    let mut rewritten = Vec::new();
    for to in releases.iter().map(|name| runtime(name)) {
        let (plan, output) =
            unskew_torch::convert(&file, &to, &TorchConvertOptions::default()).unwrap().unwrap();
        assert!(plan.is_possible(), "{} for {}: {:?}", one.name, to.name(), plan.blockers);
        let ConvertedArtifact::File(result) = output else { panic!("{}: a folder", one.name) };
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
    let is_held = |name: &str| name.ends_with(".ptl") && !name.ends_with("Both.ptl");
    let mobile: Vec<&SingleFile> = all.iter().filter(|one| is_held(&one.name)).collect();
    assert_eq!(mobile.len(), 9);
    for one in mobile {
        // Named tuples are in no release before 1.11.
        let named = one.name.ends_with("Named.ptl");
        hold(one, if named { &["1.13.1"] } else { &["1.10.2", "1.8.1"] });
    }
}

#[test]
fn lists_of_numbers_and_keys_become_operators_where_there_are_no_instructions_for_them() {
    let all = newest().unwrap();
    for (name, what) in [("Lists", "TO_LIST"), ("Keys", "DICT_INDEX"), ("Numbered", "DICT_INDEX")] {
        let one = all.iter().find(|one| one.name.ends_with(&format!("{name}.ptl"))).unwrap();
        let rewritten = hold(one, &["1.10.2", "1.8.1", "1.7.1"]);
        let said = format!("the instruction {what} is an operator");
        assert!(rewritten.contains(&said), "{name}: {rewritten:?}");
    }
}

#[test]
fn a_key_whose_type_is_not_known_has_no_operator() {
    let all = newest().unwrap();
    let one = all.iter().find(|one| one.name.ends_with("Both.ptl")).unwrap();
    hold(one, &["1.13.1"]);
    let file = source(&one.name, &one.bytes);
    let old = runtime("1.10.2");
    let (plan, _) =
        unskew_torch::convert(&file, &old, &TorchConvertOptions::default()).unwrap().unwrap();
    assert!(
        plan.blockers.iter().any(|one| one.message.contains("DICT_INDEX")),
        "{:?}",
        plan.blockers
    );
    // As it is, 1.10 does not load it: its bytecode is newer.
    let party = unskew_torch::party(&file).unwrap().unwrap();
    let context = Context::for_tests();
    let found = check(&party, &old.party(), &context);
    let at_load = |one: &unskew_core::Finding| one.phase == Some(Phase::Load);
    assert!(found.findings.iter().any(at_load), "{found:?}");
}

#[test]
fn a_node_of_a_graph_becomes_several() {
    let all = newest().unwrap();
    let graph = all.iter().find(|one| one.name.ends_with("Rms.pt2")).unwrap();
    let rewritten = hold(graph, &["2.3.1", "2.2.2", "2.1.2"]);
    let parts = "aten::rms_norm is computed by aten::mul.Tensor, aten::mean.dim, aten::add.Scalar, aten::rsqrt";
    assert!(rewritten.iter().any(|what| what.starts_with(parts)), "{rewritten:?}");
}
