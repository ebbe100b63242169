//! The changes of an op as rows: with which attributes which releases do something else.

use std::collections::{BTreeMap, BTreeSet};

use unskew_changes::{FormOutcome, RunLifetime, RunOutcome, Trajectory};
use unskew_core::Version;

use super::attribute_boxes::boxes;
use super::behaviour_row::{BehaviourRow, SOME};
use super::group::NodeGroup;
use super::{GivenAttributes, NodeForm};

/// How many ops gave a result in at least two releases.
pub fn covered(forms: &[NodeForm], told: &[(Version, Vec<FormOutcome>)]) -> usize {
    let gave = |all: &[FormOutcome], at: usize| match all.get(at) {
        Some(FormOutcome::Runs(runs)) => {
            runs.iter().any(|one| matches!(one, RunOutcome::Value(_) | RunOutcome::Unsteady))
        }
        _ => false,
    };
    let is_covered = |at: usize| told.iter().filter(|(_, all)| gave(all, at)).count() > 1;
    let names =
        forms.iter().enumerate().filter(|(at, _)| is_covered(*at)).map(|(_, form)| &form.op);
    names.collect::<BTreeSet<_>>().len()
}

/// Ops whose results have a sign or an order that nobody promises, that draw numbers, that write into what they are given,
/// that have outputs which nothing reads, or that take a range or a number of bits, which was made as other numbers are and
/// is none: how their names begin.
const FREE: [&str; 12] = [
    "Eig",
    "SelfAdjointEig",
    "BatchSelfAdjointEig",
    "Svd",
    "BatchSvd",
    "Inplace",
    "ExtractGlimpse",
    "RandomIndexShuffle",
    "FusedBatchNorm",
    "FakeQuant",
    "Quantize",
    "Dequantize",
];

/// The rows of all ops, those that are alike in one.
pub fn rows(forms: &[NodeForm], told: &[(Version, Vec<FormOutcome>)]) -> Vec<BehaviourRow> {
    let mut by_op: BTreeMap<&str, Vec<NodeGroup>> = BTreeMap::new();
    for (at, form) in forms.iter().enumerate() {
        let of_form: Vec<(Version, &FormOutcome)> =
            told.iter().filter_map(|(release, all)| Some((*release, all.get(at)?))).collect();
        if let Some(group) = NodeGroup::from_form(form, &of_form) {
            by_op.entry(&form.op).or_default().push(group);
        }
    }
    let mut merged: BTreeMap<(String, BTreeSet<String>, Trajectory, Vec<Version>), BehaviourRow> =
        BTreeMap::new();
    for (op, groups) in &by_op {
        if FREE.iter().any(|begin| op.starts_with(begin)) {
            continue;
        }
        for row in of_op(op, groups) {
            let key = (
                format!("{:?}", row.when),
                row.values.clone(),
                row.trajectory.clone(),
                row.before.clone(),
            );
            match merged.get_mut(&key) {
                Some(known) => {
                    known.ops.extend(row.ops);
                    known.runs += row.runs;
                }
                None => {
                    merged.insert(key, row);
                }
            }
        }
    }
    let mut rows: Vec<BehaviourRow> = merged.into_values().collect();
    rows.sort_by(|a, b| {
        a.ops.cmp(&b.ops).then(a.when.cmp(&b.when)).then(a.trajectory.cmp(&b.trajectory))
    });
    rows
}

fn of_op(op: &str, groups: &[NodeGroup]) -> Vec<BehaviourRow> {
    let changed = |life: &&RunLifetime| life.worked && !life.trajectory.steps.is_empty();
    let trajectories: BTreeSet<&Trajectory> = groups
        .iter()
        .flat_map(|group| group.runs.iter().map(|(_, life)| life))
        .filter(changed)
        .map(|life| &life.trajectory)
        .collect();
    let mut rows = Vec::new();
    for trajectory in trajectories {
        let mut by_values: BTreeMap<BTreeSet<String>, Vec<&NodeGroup>> = BTreeMap::new();
        for group in groups {
            if let Some(values) = group.values(trajectory) {
                by_values.entry(values).or_default().push(group);
            }
        }
        let all: BTreeSet<&GivenAttributes> =
            by_values.values().flatten().map(|group| &group.given).collect();
        // Those with other values are no counter-examples: they are rows of their own.
        let others: Vec<&NodeGroup> = groups
            .iter()
            .filter(|group| {
                !all.contains(&group.given) && group.runs.iter().any(|(_, life)| life.worked)
            })
            .collect();
        // Groups that differ in values only stand in one row, if neither is for all values.
        let (whole, some): (Vec<_>, Vec<_>) =
            by_values.into_iter().partition(|(values, _)| values.is_empty());
        let mut union: BTreeSet<String> =
            some.iter().flat_map(|(values, _)| values.iter().cloned()).collect();
        if union.len() > 1 {
            union.remove(SOME);
        }
        let some: Vec<&NodeGroup> = some.into_iter().flat_map(|(_, groups)| groups).collect();
        let whole: Vec<&NodeGroup> = whole.into_iter().flat_map(|(_, groups)| groups).collect();
        for (values, of) in [(BTreeSet::new(), &whole), (union, &some)] {
            let apart: Vec<&NodeGroup> = if values.is_empty() {
                others.iter().chain(&some).copied().collect()
            } else {
                others.clone()
            };
            // Those that other releases ran are rows of their own.
            let mut by_before: BTreeMap<Vec<Version>, Vec<&NodeGroup>> = BTreeMap::new();
            for group in of {
                by_before.entry(group.before(trajectory)).or_default().push(group);
            }
            for (before, of) in &by_before {
                let apart: Vec<&NodeGroup> = by_before
                    .iter()
                    .filter(|(other, _)| *other != before)
                    .flat_map(|(_, groups)| groups)
                    .chain(&apart)
                    .copied()
                    .collect();
                for (when, runs, remark) in boxes(of, &apart, trajectory) {
                    rows.push(BehaviourRow {
                        ops: vec![op.to_owned()],
                        when,
                        values: values.clone(),
                        trajectory: trajectory.clone(),
                        before: before.clone(),
                        remark,
                        runs,
                    });
                }
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(given: &[(&str, &str)], runs: &[&[&str]]) -> NodeForm {
        NodeForm {
            op: "Maximum".to_owned(),
            attrs: Vec::new(),
            args: Vec::new(),
            given: given
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            is_first: false,
            runs: runs
                .iter()
                .map(|run| run.iter().map(|one| (*one).to_owned()).collect())
                .collect(),
        }
    }

    #[test]
    fn a_row_says_of_which_types_and_values_a_change_is() {
        let runs: &[&[&str]] = &[&["2:plain"], &["2:nan"]];
        let forms = [
            form(&[("T", "float")], runs),
            form(&[("T", "half")], runs),
            form(&[("T", "int32")], runs),
        ];
        let told = |nan: &str| {
            let float = FormOutcome::read(&format!("(float[2]1 2)\t(float[2]1 {nan})"));
            vec![float.clone(), float, FormOutcome::read("(int32[2]1 2)\t(int32[2]1 2)")]
        };
        let releases =
            [(Version::triple(2, 3, 0), told("1")), (Version::triple(2, 4, 4), told("nan"))];
        let rows = rows(&forms, &releases);
        let lines: Vec<String> = rows.iter().map(BehaviourRow::to_string).collect();
        assert_eq!(lines, ["Maximum\tT float half\tnan\t2.3-2.4 values\t"]);
        assert!(rows[0].is_told());
        assert_eq!(covered(&forms, &releases), 1);
    }

    #[test]
    fn a_release_that_ran_no_such_node_lies_between() {
        let forms = [form(&[("T", "half")], &[&["2:plain"], &["2:nan"]])];
        let told = |nan: &str| vec![FormOutcome::read(&format!("(half[2]1 2)\t(half[2]1 {nan})"))];
        let releases = [
            (Version::triple(1, 15, 0), told("0")),
            (Version::triple(2, 4, 4), vec![FormOutcome::Unknown]),
            (Version::triple(2, 9, 3), told("nan")),
        ];
        let lines: Vec<String> =
            rows(&forms, &releases).iter().map(BehaviourRow::to_string).collect();
        assert_eq!(lines, ["Maximum\tT half\tnan\t1.15-2.9 values\t"]);
    }

    #[test]
    fn an_error_for_all_values_of_an_attribute_is_a_row_without_values() {
        let runs: &[&[&str]] = &[&["2:plain"], &["2:neg"], &["2:zeros"]];
        let forms = [form(&[("axis", "-1")], runs), form(&[("axis", "0")], runs)];
        let works = || FormOutcome::read("(float[2]1 2)\t(float[2]1 2)\t(float[2]1 2)");
        let raises = FormOutcome::read(
            "!input_min must be a scalar\t!input_min must be a scalar\t!input_min must be a scalar",
        );
        let releases = [
            (Version::triple(2, 15, 1), vec![works(), works()]),
            (Version::triple(2, 16, 2), vec![works(), raises]),
        ];
        let lines: Vec<String> =
            rows(&forms, &releases).iter().map(BehaviourRow::to_string).collect();
        assert_eq!(lines, ["Maximum\taxis 0\t\t2.15-2.16 raises\tinput_min must be a scalar"]);
    }
}
