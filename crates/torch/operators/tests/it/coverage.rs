//! Everything that went or broke between 1.10 and 2.15 has an entry, and every call of it an answer.

use std::collections::BTreeSet;

use crate::pytorch::{data, history, registry};
use unskew_torch_operators::{BlockReason, CallDecision, CallTarget, FileWriter, OperatorCall};
use unskew_torch_schemas::matching::GivenArgument;
use unskew_torch_schemas::{FunctionSchema, diff};

/// The public operators of 1.10.2 that 2.15.0 does not have or that break old programs there.
fn gone() -> (Vec<FunctionSchema>, Vec<FunctionSchema>) {
    let history = history();
    let table = |release: &str| history.table(release.parse().unwrap()).unwrap();
    let found = diff(&table("1.10.2"), &table("2.15.0"));
    let public = |s: &FunctionSchema| {
        s.name.strip_prefix("aten::").is_some_and(|name| !name.starts_with('_'))
    };
    let broken = found.changed.into_iter().filter(|change| !change.is_backward_compatible());
    let broken = broken.map(|change| change.old).filter(public).collect();
    (found.removed.into_iter().filter(public).collect(), broken)
}

#[test]
fn every_operator_that_went_or_broke_has_an_entry_that_says_what_becomes_of_it() {
    let registry = registry();
    let (removed, broken) = gone();
    assert_eq!((removed.len(), broken.len()), (186, 60));
    for schema in removed.iter().chain(&broken) {
        let changes = registry.changes_of(&schema.full_name());
        let told = changes.iter().any(|change| {
            change.upgrader.is_some() || change.compatible.is_some() || change.note.is_some()
        });
        assert!(told, "{schema}");
    }
}

#[test]
fn every_call_of_them_has_an_answer_from_the_registry() {
    let (registry, history) = (registry(), history());
    let table = history.table("2.15.0".parse().unwrap()).unwrap();
    let target = CallTarget { table: &table, operator_version: 10 };
    let release = Some("1.10".parse().unwrap());
    let writer = FileWriter { operator_version: 6, since: release, until: release };
    let (removed, broken) = gone();
    let mut blocked = BTreeSet::new();
    for schema in removed.iter().chain(&broken) {
        // Once as PyTorch prints calls, and once with every argument by its name, as `torch.export` does.
        for all_by_name in [false, true] {
            let given: Vec<GivenArgument> = schema
                .arguments
                .iter()
                .map(|argument| GivenArgument {
                    name: argument.name.clone(),
                    by_name: all_by_name || argument.keyword_only,
                    value: argument.default.clone(),
                    ty: None,
                })
                .collect();
            let call = OperatorCall { schema, given: &given };
            match registry.decide(call, &writer, target) {
                CallDecision::Downgrade(step) => panic!("{schema}: {}", step.bridge.function),
                CallDecision::Blocked(BlockReason::NoForm { .. } | BlockReason::Value { .. }) => {
                    blocked.insert(schema.full_name());
                }
                // A word of Python cannot be given by name.
                CallDecision::Blocked(BlockReason::Misfit(_))
                    if schema.name == "aten::can_cast" => {}
                CallDecision::Blocked(other) => panic!("{schema}, by name {all_by_name}: {other}"),
                CallDecision::Keep | CallDecision::Fitted(_) | CallDecision::Upgrade(_) => {}
            }
        }
    }
    // Names of dimensions, buffers of a kernel that is gone, generators, factories with names.
    assert!(blocked.len() < 112, "{}: {blocked:?}", blocked.len());
}

#[test]
fn every_function_has_cases_or_says_that_no_release_can_run_it() {
    let registry = registry();
    let cases = data("crates/torch/operators/data/operator_cases.tsv");
    let unrecorded = cases.lines().find(|line| line.ends_with('\t'));
    assert_eq!(unrecorded, None, "record it: crates/torch/operators/tests/real.py says how");
    let cased: BTreeSet<&str> = cases.lines().filter_map(|line| line.split('\t').next()).collect();
    let bridges = registry.operators().flat_map(|(_, changes)| changes);
    let bridges = bridges.flat_map(|change| change.upgrader.iter().chain(&change.downgraders));
    let without: Vec<&str> = bridges
        .map(|bridge| bridge.function.as_str())
        .filter(|function| !cased.contains(function))
        .collect();
    // CUDA alone has the first one; the second one's release that filled with floats has it nowhere in reach; cases
    // have no gradients and no devices.
    let known = [
        "batch_norm_backward_elemt_before_2_1",
        "full_names_0_4",
        "is_grad_enabled_to_1_6",
        "type_to_1_4",
    ];
    assert_eq!(without, known);
    let functions: BTreeSet<&str> =
        cased.into_iter().filter(|name| !name.starts_with('#')).collect();
    for function in functions {
        assert!(registry.function(function).is_some(), "cases of {function}, which is not there");
    }
}
