//! Findings on the changes between two tables.

use unskew_core::{Finding, Phase, Places, Rule};

use super::{OperatorChange, OperatorTableDiff, SchemaChange};
use crate::rules;

/// A finding for every change, one for all operators that were added, and a summary if there is anything; by operator.
///
/// A change is an error where old programs no longer run, a warning where new ones do not run on old runtimes,
/// a note where it harms nobody.
pub fn diff_findings(diff: &OperatorTableDiff) -> Vec<Finding> {
    let mut found = Vec::new();
    if !diff.added.is_empty() {
        let names: Places = diff.added.iter().map(|schema| schema.full_name()).collect();
        let rule = rules::ChangeOperatorAdded { count: &diff.added.len() };
        found.push(rule.finding().at(names));
    }
    for schema in &diff.removed {
        let rule = rules::ChangeOperatorRemoved { operator: &schema.full_name() };
        found.push(rule.finding().in_phase(Phase::Load));
    }
    for OperatorChange { old, changes, .. } in &diff.changed {
        let finding = |change: &SchemaChange| {
            let rule: &'static Rule = change.kind.rule()?;
            let message = format!("operator `{}`: {change}", old.full_name());
            let finding = Finding::new(rule, message);
            Some(if rule.fix.is_empty() { finding } else { finding.with_fix(rule.fix) })
        };
        found.extend(changes.iter().filter_map(finding));
    }
    if diff.added.is_empty() && diff.removed.is_empty() && diff.changed.is_empty() {
        return found;
    }
    let count = |breaks: fn(&OperatorChange) -> bool| {
        diff.changed.iter().filter(|change| breaks(change)).count()
    };
    let summary = rules::ChangeTableSummary {
        added: &diff.added.len(),
        removed: &diff.removed.len(),
        changed: &diff.changed.len(),
        backward: &count(|change| !change.is_backward_compatible()),
        forward: &count(|change| !change.is_forward_compatible()),
    };
    found.push(summary.finding());
    found
}
