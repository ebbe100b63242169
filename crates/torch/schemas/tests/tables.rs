//! The tables of real releases, compared: what PyTorch's own checker says of them is known.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unskew_torch_schemas::matching::{GivenValue, ScriptType};
use unskew_torch_schemas::{FunctionSchema, OperatorHistory, SchemaChangeKind, changes, diff};

fn history() -> Arc<OperatorHistory> {
    let path = concat!(env!("UNSKEW_ROOT"), "/crates/judging/releases/data/torch/operators.tsv");
    OperatorHistory::from_text(std::fs::read_to_string(path).unwrap()).unwrap().into()
}

fn is_public(schema: &FunctionSchema) -> bool {
    schema.name.starts_with("aten::") && !schema.name.starts_with("aten::_")
}

/// All of them by name, and public ones.
fn count<'s>(schemas: impl Iterator<Item = &'s FunctionSchema>) -> (usize, usize) {
    let all: BTreeMap<String, &FunctionSchema> = schemas.map(|s| (s.full_name(), s)).collect();
    (all.len(), all.values().filter(|schema| is_public(schema)).count())
}

#[test]
fn removals_and_breaks_between_releases_are_those_of_pytorchs_own_checker() {
    let history = history();
    let table = |release: &str| history.table(release.parse().unwrap()).unwrap();
    // Removed, backward-broken and forward-broken operators, in all and public ones. PyTorch's checker finds
    // six removals less in each pair: it cannot read schemas with classes of a library that is gone. Of
    // the first pair it says (167, 58) and (184, 76); an argument without a default that was removed
    // counts as forward compatible there, although old runtimes want it.
    for (old, new, removed, backward, forward) in [
        ("1.10.2", "2.15.0", (263, 186), (169, 60), (187, 78)),
        ("1.13.1", "2.15.0", (282, 152), (36, 8), (44, 17)),
        ("2.0.1", "2.15.0", (233, 124), (41, 6), (50, 17)),
        ("2.5.1", "2.15.0", (130, 118), (30, 3), (46, 4)),
        ("2.12.1", "2.13.0", (124, 114), (3, 0), (3, 0)),
    ] {
        let found = diff(&table(old), &table(new));
        let broken = found.changed.iter().filter(|change| !change.is_backward_compatible());
        let ahead = found.changed.iter().filter(|change| !change.is_forward_compatible());
        let counts = [
            count(found.removed.iter()),
            count(broken.map(|change| &change.old)),
            count(ahead.map(|change| &change.old)),
        ];
        assert_eq!(counts, [removed, backward, forward], "{old} {new}");
    }
}

/// The text of a row rules calls out before it is parsed.
#[test]
fn no_real_schema_takes_a_call_that_its_text_rules_out() {
    let history = history();
    let names: BTreeSet<&str> =
        history.rows().iter().filter_map(|(text, _)| text.split(['(', '.']).next()).collect();
    let types = [
        ScriptType::Unknown,
        ScriptType::None,
        ScriptType::Tensor,
        ScriptType::Int,
        ScriptType::Float,
        ScriptType::Bool,
        ScriptType::Str,
        ScriptType::list(ScriptType::Tensor),
        ScriptType::list(ScriptType::Int),
        ScriptType::dict(ScriptType::Str, ScriptType::Tensor),
        ScriptType::tuple([ScriptType::Int, ScriptType::Int]),
    ];
    let (mut calls, mut fitting) = (0, 0);
    for name in names {
        for definition in history.named(name).iter() {
            let signature = definition.signature().unwrap();
            for ty in &types {
                let first = GivenValue::from_type(ty.clone());
                let out = GivenValue {
                    keyword: Some("out".to_owned()),
                    ..GivenValue::from_type(ScriptType::Tensor)
                };
                let second = GivenValue::from_type(ScriptType::Tensor);
                for given in [
                    vec![first.clone()],
                    vec![first.clone(), second.clone()],
                    vec![first.clone(), out.clone()],
                    vec![first, second, out],
                ] {
                    for conversions in [false, true] {
                        let fits = signature.matches(&given, conversions).is_ok();
                        let found = definition.fit(&given, conversions).is_some();
                        assert_eq!(found, fits, "{} {given:?} {conversions}", definition.text);
                        calls += 1;
                        fitting += usize::from(fits);
                    }
                }
            }
        }
    }
    assert!(calls > 100_000 && fitting > 10_000, "{calls} {fitting}");
}

/// What PyTorch's checker says of single changes, measured: whether old programs and new programs work.
#[test]
fn single_changes_break_whom_they_break_in_pytorch() {
    for (old, new, backward, forward) in [
        ("Tensor x", "Tensor x, int a=1", true, true),
        ("Tensor x", "Tensor x, *, int a=1", true, true),
        ("Tensor x, *, Tensor(a!) out", "Tensor x, *, int a=1, Tensor(a!) out", true, true),
        ("Tensor x", "Tensor x, int[] a=[1]", true, false),
        ("Tensor x", "Tensor x, int a", false, false),
        ("Tensor x, *, int a=1", "Tensor x, int a=1", true, true),
        ("Tensor x, int a=1", "Tensor x, *, int a=1", false, false),
        ("Tensor x", "Tensor y", false, false),
        ("int a=1", "int a=2", false, false),
        ("int a=1", "int a", false, false),
        ("Tensor(a) x", "Tensor x", false, false),
        ("int[] a", "int[2] a", false, false),
        ("int a", "int a=1", true, false),
        ("int a", "Scalar a", true, false),
        ("int a", "int? a", true, false),
        ("Tensor x", "Tensor? x", true, false),
        ("Scalar a", "int a", false, true),
        ("Tensor x, int a=1", "Tensor x", false, true),
        ("int a", "SymInt a", true, true),
        ("Tensor x, *, Tensor(a!) o", "Tensor x, *, Tensor(a!) o, Tensor(b!) p", true, false),
    ] {
        let schema = |arguments| -> FunctionSchema {
            format!("a::b({arguments}) -> Tensor").parse().unwrap()
        };
        let found = changes(&schema(old), &schema(new));
        let backwards = found.iter().all(|change| change.kind.is_backward_compatible());
        let forwards = found.iter().all(|change| change.kind.is_forward_compatible());
        assert_eq!((backwards, forwards), (backward, forward), "{old} -> {new}: {found:?}");
    }
    for (old, new, backward, forward) in [
        ("Tensor", "(Tensor, Tensor)", false, false),
        ("Tensor", "Tensor?", false, true),
        ("Tensor?", "Tensor", true, true),
        ("(Tensor a)", "(Tensor b)", false, true),
    ] {
        let schema =
            |results| -> FunctionSchema { format!("a::b(Tensor x) -> {results}").parse().unwrap() };
        let found = changes(&schema(old), &schema(new));
        let backwards = found.iter().all(|change| change.kind.is_backward_compatible());
        let forwards = found.iter().all(|change| change.kind.is_forward_compatible());
        assert_eq!((backwards, forwards), (backward, forward), "{old} -> {new}: {found:?}");
    }
}

#[test]
fn the_fixed_length_of_a_list_spreads_its_default() {
    let old: FunctionSchema = "a::b(int[2] stride=1) -> ()".parse().unwrap();
    let new: FunctionSchema = "a::b(SymInt[2] stride=[1, 1]) -> ()".parse().unwrap();
    assert!(changes(&old, &new).is_empty());
    let other: FunctionSchema = "a::b(SymInt[2] stride=[1, 2]) -> ()".parse().unwrap();
    assert_eq!(changes(&old, &other)[0].kind, SchemaChangeKind::DefaultChanged);
}

#[test]
fn the_example_of_the_rfc_is_read_and_judged() {
    let before: FunctionSchema =
        "foo(Tensor self, Scalar alpha=1, Tensor b) -> Tensor".parse().unwrap();
    let after: FunctionSchema =
        "foo(Tensor self, Tensor c, Scalar alpha=1, Tensor b, *, Tensor(a!) out) -> Tensor(a!)"
            .parse()
            .unwrap();
    let found = changes(&before, &after);
    assert!(found.iter().any(|change| !change.kind.is_backward_compatible()));
    assert!(found.iter().any(|change| !change.kind.is_forward_compatible()));
}

#[test]
fn a_list_of_schemas_is_a_table_and_a_line_that_is_none_is_an_error() {
    use unskew_torch_schemas::{OperatorTable, diff_findings};
    let read = |text: &str| OperatorTable::read("list", text);
    let old = read("# two\naten::a(Tensor self) -> Tensor\naten::b(Tensor self) -> Tensor\n");
    let new = read("aten::a(Tensor self, int n) -> Tensor\n").unwrap().unwrap();
    let found = diff_findings(&diff(&old.unwrap().unwrap(), &new));
    let codes: Vec<&str> = found.iter().map(|finding| finding.rule.code).collect();
    assert_eq!(codes, ["OP201", "OP204", "OP230"]);
    assert!(read("words\n").unwrap().is_none());
    let error = read("aten::a(Tensor self) -> Tensor\nwords\n").unwrap_err();
    assert_eq!(error.to_string(), "list, line 2: not a schema of an operator");
}
