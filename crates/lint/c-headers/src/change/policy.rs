//! Which change raises which number: policies as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Rule, Severity};

use crate::contract::Contract;

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

/// Why a policy file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderPolicyError {
    /// It is no policy.
    #[error("not a policy: {0}")]
    Malformed(String),
    /// It speaks of a rule that does not exist.
    #[error("no such rule: {0}")]
    UnknownRule(String),
}

/// What the makers of an interface promise about their headers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
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
    /// Which number each rule's change raises; a rule that is not here finds faults.
    class: BTreeMap<String, Class>,
    #[serde(default)]
    severity: BTreeMap<String, Weight>,
}

static BUILT_IN: LazyLock<Vec<Policy>> = LazyLock::new(|| {
    let texts = [
        include_str!("../../data/policies/pjrt.toml"),
        include_str!("../../data/policies/stream-executor.toml"),
    ];
    texts.into_iter().filter_map(|text| Policy::from_toml(text).ok()).collect()
});

impl Policy {
    /// Reads a policy file.
    ///
    /// # Errors
    /// If the text is not one, or names a rule that does not exist; the message names the line or the rule.
    pub fn from_toml(text: &str) -> Result<Self, HeaderPolicyError> {
        if let Some(at) = unskew_core::nested_too_deep(text) {
            let what = format!("byte {at}: nests deeper than 256 brackets");
            return Err(HeaderPolicyError::Malformed(what));
        }
        let policy: Self =
            toml::from_str(text).map_err(|e| HeaderPolicyError::Malformed(e.to_string()))?;
        let known = |code: &str| crate::rules::RULES.iter().any(|rule| rule.code == code);
        match policy.class.keys().chain(policy.severity.keys()).find(|code| !known(code)) {
            Some(code) => Err(HeaderPolicyError::UnknownRule(code.clone())),
            None => Ok(policy),
        }
    }

    /// The policies that are compiled in.
    pub fn built_in() -> &'static [Self] {
        &BUILT_IN
    }

    /// The built-in policy of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|policy| policy.name == name)
    }

    /// The policy that a contract follows: by the names of its versions; if no policy names these, semantic
    /// versioning if there is a patch number, and else that of PJRT.
    pub fn of(contract: &Contract) -> Option<&'static Self> {
        let follows =
            |policy: &&Self| contract.lines.iter().any(|line| policy.lines.contains(&line.name));
        BUILT_IN.iter().find(follows).or_else(|| {
            let patch = contract.lines.iter().any(|line| line.patch.is_some());
            Self::named(if patch { "stream-executor" } else { "pjrt" })
        })
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

    /// Whether the policy wants to hear of a rule.
    pub(super) fn wants(&self, rule: &Rule) -> bool {
        self.severity.get(rule.code) != Some(&Weight::Off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_policies_are_read_and_say_something_of_the_same_rules() {
        assert_eq!(Policy::built_in().len(), 2);
        let codes = |name| Policy::named(name).map(|p| p.class.keys().collect::<Vec<_>>());
        assert_eq!(codes("pjrt"), codes("stream-executor"));
    }

    #[test]
    fn a_policy_about_a_rule_that_does_not_exist_is_refused() {
        let text = "name='x'\ntitle='x'\nreference='x'\nlines=[]\n[class]\nHD999='minor'";
        assert_eq!(
            Policy::from_toml(text),
            Err(HeaderPolicyError::UnknownRule("HD999".to_owned()))
        );
    }
}
