//! The registries of real releases, compared: what TensorFlow's own check says of them is known.

use std::sync::Arc;

use unskew_tensorflow::{OpChangeKind, OpDef, OpHistory, OpRegistry, op_changes, registry_diff};

fn history() -> Arc<OpHistory> {
    let path = concat!(env!("UNSKEW_ROOT"), "/crates/judging/releases/data/tensorflow/ops.tsv");
    Arc::new(OpHistory::from_text(std::fs::read_to_string(path).unwrap()).unwrap())
}

/// The release of this minor; up to 1.2 registries list public ops only.
fn registry(history: &Arc<OpHistory>, minor: &str) -> OpRegistry {
    let known = history.releases().iter();
    let release = *known.clone().find(|v| v.to_string().starts_with(&format!("{minor}."))).unwrap();
    let public_only = ["0.12", "1.0", "1.1", "1.2"].contains(&minor);
    OpRegistry::new(Arc::clone(history), release, public_only)
}

#[test]
fn changes_between_releases_are_those_that_tensorflows_own_check_finds() {
    let history = history();
    for (old, new, added, removed, incompatible) in [
        ("1.1", "1.2", 19, 0, 19),
        ("1.3", "1.4", 43, 3, 25),
        ("1.11", "1.12", 62, 0, 9),
        ("1.12", "1.13", 69, 24, 4),
        ("1.13", "1.14", 154, 0, 4),
        ("1.15", "2.0", 1, 8, 11),
        ("2.3", "2.4", 48, 0, 2),
        ("2.5", "2.6", 13, 1, 26),
        ("2.11", "2.12", 18, 0, 9),
        ("2.12", "2.21", 86, 16, 5),
        ("0.12", "2.21", 1203, 1, 26),
    ] {
        let found = registry_diff(&registry(&history, old), &registry(&history, new));
        let refused = found.with(OpChangeKind::is_refused_by_the_registry);
        let counts = [found.added.len(), found.removed().count(), refused.count()];
        assert_eq!(counts, [added, removed, incompatible], "{old} {new}");
    }
}

#[test]
fn defaults_of_three_ops_changed_or_went_with_1_2() {
    let history = history();
    let found = registry_diff(&registry(&history, "1.1"), &registry(&history, "1.2"));
    assert_eq!(found.with(OpChangeKind::is_of_a_default).count(), 3);
}

#[test]
fn no_op_was_ever_deprecated_before_it_was_removed() {
    let history = history();
    for (old, new) in [("1.12", "1.13"), ("1.15", "2.0"), ("2.12", "2.21")] {
        let found = registry_diff(&registry(&history, old), &registry(&history, new));
        assert_eq!(found.with(|kind| kind == OpChangeKind::DeprecatedOpRemoved).count(), 0);
        assert!(found.removed().count() > 0);
    }
}

#[test]
fn single_changes_are_told_by_their_kind() {
    use OpChangeKind::*;
    for (old, new, kinds) in [
        ("A(x: T) -> () {T: type}", "A(y: T) -> () {T: type}", &[][..]),
        ("A() -> (x: T) {T: type}", "A() -> (y: T) {T: type}", &[OutputsChanged]),
        ("A(x: float) -> ()", "A(x: T) -> () {T: type = float}", &[AttributeAdded]),
        ("A(x: float) -> ()", "A(x: T) -> () {T: type}", &[RequiredAttributeAdded, InputsChanged]),
        ("A(x: &float) -> ()", "A(x: float) -> ()", &[ReferenceRelaxed]),
        ("A() -> (x: &float)", "A() -> (x: float)", &[ReferenceWanted]),
        ("A() -> () {a: int = 1}", "A() -> () {a: int = 2}", &[DefaultChanged]),
        ("A() -> () {a: int}", "A() -> () {a: float}", &[AttributeRetyped]),
        ("A() -> () {a: int >= 1}", "A() -> () {a: int >= 2}", &[MinimumRaised]),
        ("A() -> () {T: type}", "A() -> () {T: type in [float]}", &[AllowedNarrowed]),
        (
            "A() -> () {T: type in [float, half]}",
            "A() -> () {T: type in [float, double]}",
            &[AllowedNarrowed, AllowedWidened],
        ),
        ("A() -> ()", "A() -> () deprecated(9, \"Use B.\")", &[OpDeprecated]),
    ] {
        let (old, new): (OpDef, OpDef) = (old.parse().unwrap(), new.parse().unwrap());
        let found: Vec<OpChangeKind> = op_changes(&old, &new).iter().map(|c| c.kind).collect();
        assert_eq!(found, kinds, "{old} -> {new}");
    }
}
