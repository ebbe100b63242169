//! The library of a graph against a release.

use unskew_core::{Finding, Phase, Places};

use super::report::Report;
use crate::{GraphUse, TensorFlowRuntime, rules};

/// What the loader of objects says when functions cannot be put in an order in which each has what it calls.
fn no_order(runtime: &TensorFlowRuntime) -> &'static str {
    match runtime.hyphenates_cyclic() {
        true => "There is a cyclic-dependency between functions.",
        false => "There is a cyclic dependency between functions.",
    }
}

/// What is to be said about the functions of `graph`.
pub(super) fn judge(
    graph: &GraphUse,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
    report: &mut Report,
) {
    let mut say = |finding: Finding, places: &Places| {
        if !places.is_empty() {
            report.add(finding.at(places.clone()));
        }
    };
    let functions = &graph.functions;
    let is_op = |name: &str| runtime.ops.look_up(name).op().is_some();
    if !runtime.imports_functions() {
        // A function of the name of an op is never asked for.
        let mut calls = graph.calls.iter().filter(|(name, _)| !is_op(name)).peekable();
        let finding = rules::FunctionsNotImported { consumer: &runtime.version }.finding();
        let finding = match calls.peek() {
            Some((name, _)) if runtime.names_missing_ops() => {
                finding.with_symptom(format!("No op named {name} in defined operations."))
            }
            Some((name, _)) => finding.with_symptom(format!("'{name}'")),
            None => finding,
        };
        let mut nodes = Places::default();
        calls.for_each(|(_, more)| nodes.extend(more));
        say(finding, &nodes);
    }
    let mut calls = functions.calls.clone();
    if as_objects {
        calls.missing.extend(&functions.other_calls.missing);
        calls.miscounted.extend(&functions.other_calls.miscounted);
    }
    let missing = rules::FunctionNotInLibrary { count: &calls.missing.count() }.finding();
    let missing = match as_objects {
        true => missing.in_phase(Phase::Load).with_symptom(no_order(runtime)),
        false => missing.in_phase(Phase::FirstUse),
    };
    say(missing, &calls.missing);
    let miscounted = rules::FunctionInputCount { count: &calls.miscounted.count() }.finding();
    say(miscounted.with_symptom("NodeDef expected inputs"), &calls.miscounted);
    // What nobody imports is not looked at.
    if !runtime.imports_functions() {
        return;
    }
    recursion(graph, as_objects, runtime, &mut say);
    if as_objects {
        return;
    }
    say(
        rules::GradientOfNoFunction {}.finding().with_symptom("FunctionDefLibrary missing"),
        &functions.gradients,
    );
    if !runtime.imports_in_python() {
        let twice = rules::FunctionTwice { count: &functions.twice.count() }.finding();
        let symptom = "because a different function with the same name already exists.";
        say(twice.with_symptom(symptom), &functions.twice);
    }
    for name in functions.names.iter().filter(|name| is_op(name)) {
        let rule = rules::FunctionNamedAsOp { function: name, consumer: &runtime.version };
        let symptom = format!(
            "Cannot add function '{name}' because an op with the same name already exists."
        );
        let phase = if runtime.imports_in_python() { Phase::FirstUse } else { Phase::Load };
        let finding = rule.finding().with_symptom(symptom).in_phase(phase);
        say(finding, &Places::from_iter([format_args!("library/{name}")]));
    }
}

/// Functions that call themselves. The importer of TensorFlow 1.8 and later goes through plain calls to
/// compute shapes; through conditions and loops it goes when they run.
fn recursion(
    graph: &GraphUse,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
    say: &mut impl FnMut(Finding, &Places),
) {
    let functions = &graph.functions;
    let mut endless = functions.endless.clone();
    let mut recursive = functions.recursive.clone();
    let symptom = if as_objects { no_order(runtime) } else { "Segmentation fault" };
    if as_objects {
        endless.extend(&recursive);
        endless.extend(&functions.other_recursive);
        recursive = Places::default();
    }
    let phase = if runtime.imports_in_python() { Phase::FirstUse } else { Phase::Load };
    for (places, phase) in [(&endless, phase), (&recursive, Phase::FirstUse)] {
        let rule = rules::FunctionCallsItself { count: &places.count() };
        say(rule.finding().in_phase(phase).with_symptom(symptom), places);
    }
}
