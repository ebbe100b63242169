//! Rules with stable codes, of which findings are instances.

use std::fmt;

use crate::RuleText;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know; nothing will go wrong because of it.
    Note,
    /// Works today outside of what its makers promise, or may fail on a path that may not run.
    Warning,
    /// Will fail, or gives a wrong answer silently.
    Error,
}

impl Severity {
    /// The word that users see: `error`, `warning`, `note`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// When a skew shows itself. Ordered by how late it does: what never shows is the gravest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// At load: import, registration, opening.
    Load,
    /// When the part concerned runs for the first time.
    FirstUse,
    /// Never: the answer is wrong and nothing says so.
    Silent,
}

impl Phase {
    /// The words that users see: `load`, `first use`, `silent`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::FirstUse => "first use",
            Self::Silent => "silent",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One rule: what `unskew explain CODE`, the rule reference and SARIF metadata are made from.
///
/// Rules are not written by hand: the build script of each crate makes them from the files in its
/// folder `rules/`.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Two letters for the family and three digits; never reused.
    pub code: &'static str,
    /// The rule's name in words, joined by hyphens.
    pub name: &'static str,
    /// The version of Unskew that had it first.
    pub since: &'static str,
    /// How much its findings weigh, unless a finding says otherwise.
    pub severity: Severity,
    /// When the skew shows, unless a finding says otherwise; none where nothing fails.
    pub phase: Option<Phase>,
    /// What is wrong when the rule fires, in one sentence.
    pub summary: &'static str,
    /// The public document or the measurement that the rule comes from.
    pub reference: RuleText,
    /// What the rule looks at.
    pub what: RuleText,
    /// What fails, and how, if nobody acts on it.
    pub why: RuleText,
    /// One command or edit that resolves the finding, without a finding's own names and numbers: those are
    /// words in capitals.
    pub fix: &'static str,
    /// What runtimes print when it fails so: patterns of `unskew-error-texts`, one a line. Empty where nothing is printed, or
    /// words that say nothing about the cause.
    pub error_texts: RuleText,
    /// Commands that make the rule fire, each behind `$ `, and what they print.
    pub fires: RuleText,
    /// The same, continued so that the rule does not fire: with the fix applied, where there is one.
    pub silent: RuleText,
}

impl Rule {
    /// The two letters in front of the code, which name the crate that the rule belongs to.
    pub fn family(&self) -> &'static str {
        &self.code[..self.code.len().min(2)]
    }
}
