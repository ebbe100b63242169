//! A change of some ops as a line of the table.

use std::collections::BTreeSet;
use std::fmt;

use unskew_changes::Trajectory;
use unskew_core::Version;

/// A change of some ops under one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BehaviourRow {
    /// The names of the ops.
    pub ops: Vec<String>,
    /// What must hold of the attributes, all of it: a name, and the values of which it has one.
    pub when: Vec<(String, BTreeSet<String>)>,
    /// What must hold of the values, which no attribute tells: `nan`, `empty`; empty if nothing must.
    pub values: BTreeSet<String>,
    /// What each measured release did.
    pub trajectory: Trajectory,
    /// For each step the newest release that had not taken it: those in between did not run such a node.
    pub before: Vec<Version>,
    /// What the release raised, or how results differ.
    pub remark: String,
    /// How many runs came out so.
    pub runs: usize,
}

impl fmt::Display for BehaviourRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = |(name, values): &(String, BTreeSet<String>)| {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            format!("{name} {}", values.join(" "))
        };
        let when: Vec<String> = self.when.iter().map(when).collect();
        let values: Vec<&str> = self.values.iter().map(String::as_str).collect();
        let steps = self.before.iter().zip(&self.trajectory.steps);
        let steps: Vec<String> =
            steps.map(|(before, (since, step))| format!("{before}-{since} {step}")).collect();
        write!(
            f,
            "{}\t{}\t{}\t{}\t{}",
            self.ops.join(" "),
            when.join(", "),
            values.join(" "),
            steps.join(", "),
            self.remark
        )
    }
}

/// What is said of values where no attribute and no name of values tells what it is.
pub(super) const SOME: &str = "some";

impl BehaviourRow {
    /// Whether a verdict makes use of it: numbers near the largest and shapes that were tried once are seldom met, and so are
    /// inputs without numbers where nothing else tells.
    pub fn is_told(&self) -> bool {
        let only_empty = self.values.len() == 1 && self.values.contains("empty");
        !only_empty && !self.values.iter().any(|one| ["large", SOME].contains(&&**one))
    }
}
