//! Policies as data: which change raises which number.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Rule, Severity};
use unskew_tables::toml_table;

use crate::contract::HeaderContract;

/// Which number a change raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// None, or the last one.
    Patch,
    /// The middle one: something was added.
    Minor,
    /// The first one: what was built before does not work any more.
    Major,
    /// Wrong, whatever number is raised.
    Fault,
}

impl Class {
    /// The word that users see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Fault => "fault",
        }
    }
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// How a finding weighs under a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Weight {
    Error,
    Warning,
    Note,
    Off,
}

/// What the makers of an interface promise about their headers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderPolicy {
    /// The name by which one asks for it.
    pub name: String,
    /// Whose promise it is.
    pub title: String,
    /// The public document in which it stands.
    pub reference: String,
    /// The names of versions that follow it.
    lines: Vec<String>,
    /// Types of headers that are not at hand.
    #[serde(default)]
    pub prelude: String,
    /// Whether a raised number allows what it is raised for.
    #[serde(default = "yes")]
    allows: bool,
    /// Which number each rule's change raises; a rule that is not here finds faults.
    class: BTreeMap<String, Class>,
    #[serde(default)]
    severity: BTreeMap<String, Weight>,
}

const fn yes() -> bool {
    true
}

static BUILT_IN: LazyLock<Vec<HeaderPolicy>> = LazyLock::new(|| {
    vec![
        toml_table!("data/policies/pjrt.toml"),
        toml_table!("data/policies/stream-executor.toml"),
        toml_table!("data/policies/semver.toml"),
        toml_table!("data/policies/soname.toml"),
        toml_table!("data/policies/none.toml"),
    ]
});

impl HeaderPolicy {
    /// The policies that are compiled in.
    pub fn built_in() -> &'static [Self] {
        &BUILT_IN
    }

    /// The built-in policy of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|policy| policy.name == name)
    }

    /// The policy that a contract follows: by the names of its versions; if no policy names these, semantic
    /// versioning if there is a version with a major number, and else none.
    pub fn policy_of(contract: &HeaderContract) -> Option<&'static Self> {
        let follows =
            |policy: &&Self| contract.lines.iter().any(|line| policy.lines.contains(&line.name));
        BUILT_IN.iter().find(follows).or_else(|| {
            let version = contract.lines.iter().any(|line| !line.is_single());
            Self::named(if version { "semver" } else { "none" })
        })
    }

    /// Whether a raised number allows what it is raised for. Where none does, none has to be raised either.
    pub fn allows(&self) -> bool {
        self.allows
    }

    /// Whether a version of this name follows a policy of a public document.
    pub(crate) fn is_named(line: &str) -> bool {
        BUILT_IN.iter().any(|policy| policy.lines.iter().any(|name| name == line))
    }

    /// Which number a rule's change raises.
    pub fn class(&self, rule: &Rule) -> Class {
        self.class.get(rule.code).copied().unwrap_or(Class::Fault)
    }

    /// How a finding weighs, if the policy says so.
    pub(super) fn severity(&self, rule: &Rule) -> Option<Severity> {
        match self.severity.get(rule.code)? {
            Weight::Error => Some(Severity::Error),
            Weight::Warning => Some(Severity::Warning),
            Weight::Note => Some(Severity::Note),
            Weight::Off => None,
        }
    }

    pub(super) fn wants(&self, rule: &Rule) -> bool {
        self.severity.get(rule.code) != Some(&Weight::Off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_policies_are_read_and_say_something_of_the_same_rules() {
        let codes = |name| HeaderPolicy::named(name).map(|p| p.class.keys().collect::<Vec<_>>());
        for policy in HeaderPolicy::built_in() {
            assert_eq!(codes("pjrt"), codes(&policy.name), "{}", policy.name);
        }
    }

    #[test]
    fn the_policies_name_rules_that_exist() {
        let codes =
            |policy: &'static HeaderPolicy| policy.class.keys().chain(policy.severity.keys());
        for code in HeaderPolicy::built_in().iter().flat_map(codes) {
            assert!(crate::rules::RULES.iter().any(|rule| rule.code == code), "{code}");
        }
    }
}
