//! Planner for a change of an op: the cases of the document on versions of TensorFlow's data, with versions and dates.
//!
//! From 30 on GraphDef versions are days, so a day has a version and a window of three weeks ends at one.
//!
//! ```
//! use unskew_core::{Date, Version};
//! use unskew_tensorflow::evolve::{EvolutionQuestion, case};
//!
//! let question = EvolutionQuestion {
//!     op: "Softsign".to_owned(),
//!     new: None,
//!     consumer: None,
//!     day: Date::constant(2026, 11, 21),
//!     newest: Version::pair(2, 21),
//! };
//! let plan = case("remove-op").unwrap().plan(&question);
//! assert!(plan[1].what.contains("Deprecated(2783,"), "{}", plan[1].what);
//! assert_eq!(plan[3].when, "with 3.0");
//! ```

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Date, Finding, Version};
use unskew_tables::toml_table;

use crate::diff::ReleaseRegistry;
use crate::promise::{forward_days, version_of};
use crate::{OpChangeKind, registry_diff, rules};

/// One case of the document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionCase {
    /// The name of the change, as the command takes it: `remove-op`.
    pub name: String,
    /// What is done, in one sentence.
    pub summary: String,
    /// Whether the op must be there.
    pub wants: OpPresence,
    step: Vec<Step>,
}

/// Whether an op must be there for a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpPresence {
    /// It must be new.
    Absent,
    /// It must be there.
    Present,
    /// It does not matter.
    Anything,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    when: StepCondition,
    #[serde(default)]
    version: bool,
    what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StepCondition {
    Now,
    Window,
    Major,
    WindowAfterMajor,
}

/// What is to be changed, and on which day.
#[derive(Clone, Debug)]
pub struct EvolutionQuestion {
    /// The name of the op to change.
    pub op: String,
    /// The op that is to stand beside it; if none is given, its name with `V2`.
    pub new: Option<String>,
    /// The consumer that is banned.
    pub consumer: Option<i64>,
    /// The day on which it begins.
    pub day: Date,
    /// The newest release of TensorFlow in the database.
    pub newest: Version,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStep {
    /// When: a day with its GraphDef version, or a release.
    pub when: String,
    /// The day, where it is known.
    pub day: Option<Date>,
    /// The GraphDef version of that day.
    pub graph_def: Option<i64>,
    /// Whether the binary version is incremented with it.
    pub increments: bool,
    /// The step, in words.
    pub what: String,
}

/// Every case, in the order of the document.
pub fn cases() -> &'static [EvolutionCase] {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        case: Vec<EvolutionCase>,
    }
    static FILE: LazyLock<File> = LazyLock::new(|| toml_table!("data/evolution.toml"));
    &FILE.case
}

/// The case of this name.
pub fn case(name: &str) -> Option<&'static EvolutionCase> {
    cases().iter().find(|case| case.name == name)
}

impl EvolutionCase {
    /// The steps for an op, from a day on.
    pub fn plan(&self, question: &EvolutionQuestion) -> Vec<PlannedStep> {
        let window = jiff::Span::new().try_days(forward_days());
        let window = window.and_then(|window| question.day.checked_add(window));
        let window = window.unwrap_or(question.day);
        let major = question.newest.major();
        let mut deprecated = None;
        let planned = |step: &Step| {
            let day = match step.when {
                StepCondition::Now => Some(question.day),
                StepCondition::Window => Some(window),
                StepCondition::Major | StepCondition::WindowAfterMajor => None,
            };
            let graph_def = day.and_then(version_of);
            if step.version && step.when != StepCondition::Major {
                deprecated = graph_def.or(deprecated);
            }
            let when = match (step.when, day, graph_def) {
                (StepCondition::Major, ..) => format!("with {}.0", major.saturating_add(1)),
                (StepCondition::WindowAfterMajor, ..) => {
                    format!("{} days after {}.0", forward_days(), major.saturating_add(1))
                }
                (_, Some(day), Some(version)) => format!("{day}, GraphDef version {version}"),
                (_, Some(day), None) => day.to_string(),
                (_, None, _) => String::new(),
            };
            let number = |version: Option<i64>| version.map_or("?".to_owned(), |v| v.to_string());
            let new = question.new.clone().unwrap_or_else(|| successor(&question.op));
            let what = step
                .what
                .replace("{op}", &question.op)
                .replace("{new}", &new)
                .replace("{version}", &number(graph_def))
                .replace("{added}", &number(version_of(question.day)))
                .replace("{deprecated}", &number(deprecated))
                .replace("{consumer}", &number(question.consumer))
                .replace("{date}", &question.day.to_string())
                .replace("{major}", &question.newest.to_string());
            PlannedStep { when, day, graph_def, increments: step.version, what }
        };
        self.step.iter().map(planned).collect()
    }
}

/// The name of the op that stands beside one: `TopK` and `TopKV2`, `TopKV2` and `TopKV3`.
fn successor(op: &str) -> String {
    let digits = op.len() - op.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (name, number) = op.split_at(op.len() - digits);
    match (name.strip_suffix('V'), number.parse::<u32>()) {
        (Some(name), Ok(number)) => format!("{name}V{}", number.saturating_add(1)),
        _ => format!("{op}V2"),
    }
}

/// What a history of registries did against the document, oldest first: how many ops were deprecated before
/// they were removed, and how many changed in place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvolutionRecord {
    /// How many ops any registry has.
    pub ops: usize,
    /// Ops that the last registry does not have any more.
    pub removed: Vec<String>,
    /// Those of them that were deprecated before.
    pub removed_after_deprecation: Vec<String>,
    /// Ops that any registry deprecates.
    pub deprecated: Vec<String>,
    /// Ops that changed so that old graphs do not load.
    pub changed: Vec<String>,
    /// Ops with another default than before.
    pub redefaulted: Vec<String>,
}

impl EvolutionRecord {
    /// The record of `registries`.
    pub fn from_registries(registries: &[ReleaseRegistry]) -> Self {
        use std::collections::BTreeSet;
        let (mut names, mut deprecated) = (BTreeSet::new(), BTreeSet::new());
        for registry in registries {
            for text in registry.ops.texts() {
                let Some((name, _)) = text.split_once('(') else { continue };
                names.insert(name.to_owned());
                if text.contains(" deprecated(") {
                    deprecated.insert(name.to_owned());
                }
            }
        }
        let last = registries.last();
        let has = |name: &String| last.is_some_and(|last| last.ops.look_up(name).op().is_some());
        let removed: Vec<String> = names.iter().filter(|name| !has(name)).cloned().collect();
        let (mut changed, mut redefaulted) = (BTreeSet::new(), BTreeSet::new());
        for pair in registries.windows(2) {
            let [old, new] = pair else { continue };
            let diff = registry_diff(&old.ops, &new.ops);
            changed.extend(diff.with(OpChangeKind::is_refused_by_the_registry).map(str::to_owned));
            redefaulted.extend(diff.with(OpChangeKind::is_of_a_default).map(str::to_owned));
        }
        let before = removed.iter().filter(|name| deprecated.contains(*name));
        Self {
            ops: names.len(),
            removed_after_deprecation: before.cloned().collect(),
            removed,
            deprecated: deprecated.into_iter().collect(),
            changed: changed.into_iter().collect(),
            redefaulted: redefaulted.into_iter().collect(),
        }
    }

    /// The record as a finding.
    pub fn finding(&self) -> Finding {
        rules::EvolutionRecord {
            ops: &self.ops,
            deprecated: &self.deprecated.len(),
            removed: &self.removed.len(),
            before: &self.removed_after_deprecation.len(),
            changed: &self.changed.len(),
            redefaulted: &self.redefaulted.len(),
        }
        .finding()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_steps_and_leaves_no_brace_open() {
        let question = EvolutionQuestion {
            op: "TopKV2".to_owned(),
            new: None,
            consumer: Some(1645),
            day: Date::constant(2026, 11, 21),
            newest: Version::pair(2, 21),
        };
        assert_eq!(cases().len(), 6);
        for case in cases() {
            for step in case.plan(&question) {
                assert!(!step.what.contains(['{', '}', '?']), "{}: {}", case.name, step.what);
            }
        }
    }

    #[test]
    fn the_window_ends_three_weeks_and_twenty_one_versions_later() {
        let question = EvolutionQuestion {
            op: "TopKV2".to_owned(),
            new: None,
            consumer: None,
            day: Date::constant(2019, 5, 9),
            newest: Version::pair(1, 14),
        };
        let plan = case("change-op").unwrap().plan(&question);
        assert_eq!((plan[0].graph_def, plan[1].graph_def), (Some(30), Some(51)));
        assert_eq!(plan[1].day, Some(Date::constant(2019, 5, 30)));
        assert!(plan[1].what.contains("`TopKV3`"), "{}", plan[1].what);
        assert_eq!(plan[3].when, "with 2.0");
    }
}
