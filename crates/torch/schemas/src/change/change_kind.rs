//! The kinds of changes, and what each does to programs: `data/changes.toml`.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::Rule;
use unskew_definitions::ChangeRule;
use unskew_tables::toml_as_json;

use crate::rules;

const TEXT: &str = toml_as_json!("data/changes.toml");

/// A kind of change of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaChangeKind {
    /// An argument with a default was added.
    ArgumentAdded,
    /// An argument with a list or dict as its default was added.
    ListDefaultAdded,
    /// An argument without a default was added.
    RequiredArgumentAdded,
    /// An argument with a default was removed.
    ArgumentRemoved,
    /// An argument without a default was removed.
    RequiredArgumentRemoved,
    /// An argument was renamed, or another one is in its place.
    ArgumentRenamed,
    /// An argument can only be given by keyword now.
    MadeKeywordOnly,
    /// An argument can be given by position now.
    MadePositional,
    /// An argument accepts more types.
    TypeWidened,
    /// An argument accepts fewer types.
    TypeNarrowed,
    /// An argument has another type.
    TypeChanged,
    /// The fixed length of a list changed.
    ListSizeChanged,
    /// An argument got a default.
    DefaultGiven,
    /// The default of an argument changed.
    DefaultChanged,
    /// An argument lost its default.
    DefaultDropped,
    /// What an argument shares memory with changed.
    AliasChanged,
    /// An argument was added among or behind the out arguments.
    OutAdded,
    /// An out argument was removed.
    OutRemoved,
    /// Another number of values is returned.
    ReturnCountChanged,
    /// A returned value has a wider type.
    ReturnWidened,
    /// A returned value has a narrower type.
    ReturnNarrowed,
    /// A returned value has another type, name or alias.
    ReturnChanged,
    /// Whether any number of arguments or results is taken changed.
    VariadicChanged,
}

/// Every rule, in the order of the file.
pub fn change_rules() -> &'static [ChangeRule<SchemaChangeKind>] {
    #[expect(clippy::expect_used, reason = "part of the program")]
    static RULES: LazyLock<Vec<ChangeRule<SchemaChangeKind>>> =
        LazyLock::new(|| ChangeRule::all(TEXT).expect("data/changes.toml"));
    &RULES
}

impl SchemaChangeKind {
    /// What is known of it; none only if the data lacked it, which a test excludes.
    pub fn known(self) -> Option<&'static ChangeRule<Self>> {
        change_rules().iter().find(|rule| rule.kind == self)
    }

    /// The rule that explains it: what happened, why it matters, what to do instead.
    pub fn rule(self) -> Option<&'static Rule> {
        self.known()?.among(rules::RULES)
    }

    /// Whether programs of the old schema still run.
    pub fn is_backward_compatible(self) -> bool {
        self.known().is_some_and(|known| known.backward)
    }

    /// Whether programs of the new schema still run on old runtimes.
    pub fn is_forward_compatible(self) -> bool {
        self.known().is_some_and(|known| known.forward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_exactly_one_rule() {
        let rules = ChangeRule::<SchemaChangeKind>::all(TEXT).unwrap();
        let mut kinds: Vec<SchemaChangeKind> = rules.iter().map(|rule| rule.kind).collect();
        let count = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), count);
        assert!(rules.iter().all(|rule| rule.kind.rule().is_some()));
        // The last one declared.
        assert_eq!(count, SchemaChangeKind::VariadicChanged as usize + 1);
    }
}
