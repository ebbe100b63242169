//! Attribute boxes, by which nodes that changed are told from those that did not.

use std::collections::BTreeSet;

use unskew_changes::{ChangeEffect, Trajectory};

use super::GivenAttributes;
use super::group::NodeGroup;

/// The attributes that a row asks for, each with the values that it may have.
pub(super) type AttributeConditions = Vec<(String, BTreeSet<String>)>;

fn holds(when: &AttributeConditions, given: &GivenAttributes) -> bool {
    when.iter().all(|(name, values)| {
        given.iter().any(|(known, value)| known == name && values.contains(value))
    })
}

/// Conditions of which each holds of some groups and of none of the others, until all groups are covered; with how many
/// runs they are, and their error.
pub(super) fn boxes(
    groups: &[&NodeGroup],
    others: &[&NodeGroup],
    trajectory: &Trajectory,
) -> Vec<(AttributeConditions, usize, String)> {
    let mut left: Vec<&NodeGroup> = groups.to_vec();
    let mut found = Vec::new();
    let free = |when: &AttributeConditions| !others.iter().any(|other| holds(when, &other.given));
    while let Some(first) = left.first() {
        let mut when: AttributeConditions = first
            .given
            .iter()
            .map(|(name, value)| (name.clone(), BTreeSet::from([value.clone()])))
            .collect();
        // Types tell more than other attributes, so they go last.
        let mut names: Vec<String> = first.given.iter().map(|(name, _)| name.clone()).collect();
        names.sort_by_key(|name| (name.starts_with('T') || name.contains("type"), name.clone()));
        for name in names {
            // What holds of one type of data says nothing of types that were not tried.
            if is_of_data(&name, groups) {
                continue;
            }
            let less: AttributeConditions =
                when.iter().filter(|(known, _)| *known != name).cloned().collect();
            if free(&less) {
                when = less;
            }
        }
        for at in 0..when.len() {
            let values: BTreeSet<String> = groups
                .iter()
                .flat_map(|group| {
                    group
                        .given
                        .iter()
                        .filter(|(name, _)| *name == when[at].0)
                        .map(|(_, value)| value.clone())
                })
                .collect();
            for value in values {
                let mut more = when.clone();
                more[at].1.insert(value);
                if free(&more) {
                    when = more;
                }
            }
        }
        let of: Vec<&NodeGroup> =
            left.iter().filter(|group| holds(&when, &group.given)).copied().collect();
        left.retain(|group| !holds(&when, &group.given));
        let so = || of.iter().flat_map(|group| group.so(trajectory));
        let raised = trajectory.steps.iter().any(|(_, step)| *step <= ChangeEffect::Works);
        let remark = if raised {
            so().map(|(_, life)| life.remark.clone()).next().unwrap_or_default()
        } else {
            String::new()
        };
        found.push((when, so().count(), remark));
    }
    found
}

/// Whether an attribute is the type of what is calculated with.
fn is_of_data(name: &str, groups: &[&NodeGroup]) -> bool {
    let is_float = |given: &GivenAttributes| {
        given.iter().any(|(known, value)| known == name && value == "float")
    };
    name == "T" || groups.iter().any(|group| is_float(&group.given))
}
