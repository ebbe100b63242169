//! Nodes of an op with the same attributes, and what became of their runs from release to release.

use std::collections::BTreeSet;

use unskew_changes::{ChangeEffect, FormOutcome, RunLifetime, RunOutcome, Trajectory, life};
use unskew_core::Version;

use super::behaviour_row::SOME;
use super::{GivenAttributes, NodeForm};

/// Types of thresholds. Kernels of old releases read them as `T`, beyond the end of what they were given.
const OF_THRESHOLDS: [&str; 2] = ["Treal", "T_threshold"];

/// Whether a threshold has another type than the numbers.
pub(super) fn is_read_beyond(given: &GivenAttributes) -> bool {
    let get = |wanted: &str| given.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
    let of_data = get("T");
    OF_THRESHOLDS.iter().any(|name| get(name).is_some_and(|of| of_data != Some(of)))
}

/// Words of errors about the types or the attributes of a node, and not about the numbers and shapes that it was given.
const OF_NODES: [&str; 6] = ["type", "support", "mplemented", "kernel", "must be a scalar", "attr"];

/// Nodes with the same attributes, and what became of their runs.
pub(super) struct NodeGroup {
    pub(super) given: GivenAttributes,
    /// What is special of the inputs; nothing of the usual ones.
    pub(super) runs: Vec<(Option<String>, RunLifetime)>,
    /// The releases that ran each, or raised an error.
    known: Vec<BTreeSet<Version>>,
}

impl NodeGroup {
    /// The runs of a form in all releases; none if what it gave says nothing of the op.
    pub(super) fn from_form(form: &NodeForm, of_form: &[(Version, &FormOutcome)]) -> Option<Self> {
        if is_read_beyond(&form.given) {
            return None;
        }
        let told = |run: usize| {
            let life = life(of_form, run)?;
            let remark = last_error(of_form, run).unwrap_or_default();
            Some(RunLifetime { remark, ..life })
        };
        let known = |(run, inputs): (usize, &Vec<String>)| {
            Some(((tag(inputs), told(run)?), releases_of(of_form, run)))
        };
        let (runs, known) = form.runs.iter().enumerate().filter_map(known).unzip();
        Some(Self { given: form.given.clone(), runs, known })
    }

    fn plain(&self) -> impl Iterator<Item = &RunLifetime> {
        self.runs.iter().filter(|(tag, _)| tag.is_none()).map(|(_, life)| life)
    }

    pub(super) fn so<'g>(
        &'g self,
        trajectory: &'g Trajectory,
    ) -> impl Iterator<Item = &'g (Option<String>, RunLifetime)> {
        self.runs.iter().filter(move |(_, life)| life.worked && life.trajectory == *trajectory)
    }

    /// For each step the newest release before it that ran all that have this trajectory.
    pub(super) fn before(&self, trajectory: &Trajectory) -> Vec<Version> {
        let all = self.runs.iter().zip(&self.known);
        let so = all.filter(|((_, life), _)| life.worked && life.trajectory == *trajectory);
        let newest = |known: &BTreeSet<Version>, since| known.range(..since).next_back().copied();
        let before = |since| so.clone().filter_map(|(_, known)| newest(known, since)).min();
        trajectory.steps.iter().filter_map(|(since, _)| before(*since)).collect()
    }

    /// What must hold of values for this trajectory; none if no run has it.
    pub(super) fn values(&self, trajectory: &Trajectory) -> Option<BTreeSet<String>> {
        let so = self.so(trajectory).count();
        if so == 0 {
            return None;
        }
        let plain = self.plain().filter(|life| life.worked).count();
        let all = plain > 0
            && self.plain().filter(|life| life.worked).all(|life| life.trajectory == *trajectory);
        if all {
            let raises = trajectory.steps.iter().any(|(_, step)| *step <= ChangeEffect::Works);
            let words = self.so(trajectory).map(|(_, life)| &life.remark);
            let mut of_nodes = words.map(|words| OF_NODES.iter().any(|one| words.contains(one)));
            let sure = (plain > 1 || so > 2) && (!raises || of_nodes.all(|one| one));
            return Some(if sure { BTreeSet::new() } else { BTreeSet::from([SOME.to_owned()]) });
        }
        Some(
            self.so(trajectory)
                .map(|(tag, _)| tag.clone().unwrap_or_else(|| SOME.to_owned()))
                .collect(),
        )
    }
}

/// The minor releases in which a run gave a result or raised an error.
fn releases_of(of_form: &[(Version, &FormOutcome)], run: usize) -> BTreeSet<Version> {
    let told = of_form.iter().filter(|(_, told)| match told {
        FormOutcome::Runs(runs) => {
            matches!(runs.get(run), Some(RunOutcome::Value(_) | RunOutcome::Raises(_)))
        }
        FormOutcome::Unknown => false,
    });
    told.map(|(release, _)| Version::pair(release.major(), release.minor())).collect()
}

/// What the newest release said that raised an error.
fn last_error(of_form: &[(Version, &FormOutcome)], run: usize) -> Option<String> {
    of_form.iter().rev().find_map(|(_, told)| match told {
        FormOutcome::Runs(runs) => match runs.get(run)? {
            RunOutcome::Raises(words) => Some(words.clone()),
            _ => None,
        },
        FormOutcome::Unknown => None,
    })
}

fn tag(inputs: &[String]) -> Option<String> {
    let kinds =
        inputs.iter().filter(|text| !text.starts_with('=')).filter_map(|text| text.split_once(':'));
    for (shape, kind) in kinds {
        let tag = match kind {
            "neg" => "negative",
            "zeros" => "zero",
            "ties" => "tied",
            "halves" => "halves",
            "nan" => "nan",
            "inf" => "infinite",
            "large" => "large",
            _ if shape.split(',').any(|one| one == "0") => "empty",
            _ => continue,
        };
        return Some(tag.to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_of_another_type_is_not_compared() {
        let of = |given: &[(&str, &str)]| -> GivenAttributes {
            given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        assert!(is_read_beyond(&of(&[("T", "float"), ("Treal", "half")])));
        assert!(!is_read_beyond(&of(&[("T", "float"), ("Treal", "float")])));
        assert!(!is_read_beyond(&of(&[("T", "half")])));
    }
}
