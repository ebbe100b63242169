//! The kinds of changes, and what each does to graphs: `data/changes.toml`.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::Rule;
use unskew_definitions::ChangeRule;
use unskew_tables::toml_as_json;

use crate::rules;

const TEXT: &str = toml_as_json!("data/changes.toml");

/// A kind of change of an op's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpChangeKind {
    /// An op was removed that was not deprecated before.
    OpRemoved,
    /// A deprecated op was removed.
    DeprecatedOpRemoved,
    /// An op was deprecated.
    OpDeprecated,
    /// The version of a deprecation changed, or it was taken back.
    DeprecationChanged,
    /// An attribute with a default was added.
    AttributeAdded,
    /// An attribute without a default was added.
    RequiredAttributeAdded,
    /// An attribute was removed.
    AttributeRemoved,
    /// The type of an attribute changed.
    AttributeRetyped,
    /// An attribute allows fewer values.
    AllowedNarrowed,
    /// An attribute allows more values.
    AllowedWidened,
    /// The minimum value of an attribute was raised.
    MinimumRaised,
    /// The minimum value of an attribute was lowered.
    MinimumLowered,
    /// An attribute got a default.
    DefaultAdded,
    /// The default of an attribute changed.
    DefaultChanged,
    /// An attribute lost its default.
    DefaultRemoved,
    /// Inputs came, went, or have another type.
    InputsChanged,
    /// Outputs came, went, or have another type.
    OutputsChanged,
    /// An input must be a reference now, or an output is none any more.
    ReferenceWanted,
    /// An input need not be a reference any more, or an output is one now.
    ReferenceRelaxed,
}

/// Every rule, in the order of the file.
pub(crate) fn op_change_rules() -> &'static [ChangeRule<OpChangeKind>] {
    #[expect(clippy::expect_used, reason = "part of the program")]
    static RULES: LazyLock<Vec<ChangeRule<OpChangeKind>>> =
        LazyLock::new(|| ChangeRule::all(TEXT).expect("data/changes.toml"));
    &RULES
}

impl OpChangeKind {
    /// What is known of it; none only if the data lacked it, which a test excludes.
    pub fn known(self) -> Option<&'static ChangeRule<Self>> {
        op_change_rules().iter().find(|rule| rule.kind == self)
    }

    /// The rule that explains it: what happened, why it matters, what should have been done.
    pub fn rule(self) -> Option<&'static Rule> {
        self.known()?.among(rules::RULES)
    }

    /// Whether graphs of the old definition still load and mean the same.
    pub fn is_backward_compatible(self) -> bool {
        self.known().is_some_and(|known| known.backward)
    }

    /// Whether graphs of the new definition that do not use what is new load in old releases.
    pub fn is_forward_compatible(self) -> bool {
        self.known().is_some_and(|known| known.forward)
    }

    /// Whether a default is another one, or gone.
    pub fn is_of_a_default(self) -> bool {
        matches!(self, Self::DefaultChanged | Self::DefaultRemoved)
    }

    /// Whether TensorFlow's own check of its registry refuses it. That check does not look at
    /// defaults, and not at ops that are gone.
    pub fn is_refused_by_the_registry(self) -> bool {
        let unseen = [
            Self::DefaultChanged,
            Self::DefaultRemoved,
            Self::OpRemoved,
            Self::DeprecatedOpRemoved,
        ];
        !self.is_backward_compatible() && !unseen.contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_exactly_one_rule() {
        let rules = ChangeRule::<OpChangeKind>::all(TEXT).unwrap();
        let mut kinds: Vec<OpChangeKind> = rules.iter().map(|rule| rule.kind).collect();
        let count = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), count);
        assert!(rules.iter().all(|rule| rule.kind.rule().is_some()));
        // The last one declared.
        assert_eq!(count, OpChangeKind::ReferenceRelaxed as usize + 1);
    }
}
