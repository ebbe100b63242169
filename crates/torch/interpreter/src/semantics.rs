//! Semantics of operators in a release.
//!
//! Some operators changed what they calculate without a new name or a new schema. Each such fact is a row
//! of `data/semantics.toml` with the releases in which it held; a [`ReleaseSemantics`] is the facts of one
//! release.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use unskew_core::Version;
use unskew_tables::toml_table;
use unskew_torch_schemas::OperatorTable;

/// The operators of a release: what they mean, and optionally which there are.
#[derive(Clone)]
pub struct ReleaseSemantics {
    release: Option<Version>,
    facts: Vec<&'static str>,
    table: Option<Arc<OperatorTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    fact: Vec<SemanticsRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SemanticsRow {
    name: String,
    what: String,
    since: Option<String>,
    until: Option<String>,
}

/// A meaning that operators had in some releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemanticsFact {
    /// The name of the change: `division-truncates`.
    pub name: String,
    /// What held, in a sentence.
    pub what: String,
    /// The first minor release in which it held; none if it always did before `until`.
    pub since: Option<Version>,
    /// The last minor release in which it held.
    pub until: Option<Version>,
}

static FACTS: LazyLock<Vec<SemanticsFact>> = LazyLock::new(|| {
    let file: File = toml_table!("data/semantics.toml");
    let version = |text: Option<String>| text.and_then(|text| text.parse().ok());
    file.fact
        .into_iter()
        .map(|row| SemanticsFact {
            name: row.name,
            what: row.what,
            since: version(row.since),
            until: version(row.until),
        })
        .collect()
});

impl ReleaseSemantics {
    /// Every fact, in the order of the file.
    pub fn facts() -> &'static [SemanticsFact] {
        &FACTS
    }

    /// What operators mean today.
    pub fn newest() -> Self {
        Self { release: None, facts: Vec::new(), table: None }
    }

    /// What operators mean in a release.
    ///
    /// ```
    /// use unskew_interpreter::ReleaseSemantics;
    /// let old = ReleaseSemantics::for_release("1.12.1".parse().unwrap());
    /// assert!(old.has("floor-divide-truncates"));
    /// assert!(!ReleaseSemantics::for_release("1.13.0".parse().unwrap()).has("floor-divide-truncates"));
    /// ```
    pub fn for_release(release: Version) -> Self {
        let minor = Version::pair(release.major(), release.minor());
        let held = FACTS.iter().filter(|fact| {
            fact.since.is_none_or(|since| since <= minor)
                && fact.until.is_none_or(|until| minor <= until)
        });
        let facts = held.map(|fact| fact.name.as_str()).collect();
        Self { release: Some(release), facts, table: None }
    }

    /// The same with the operators that the release has: calls of others are refused.
    #[must_use]
    pub fn with_operators(mut self, table: Arc<OperatorTable>) -> Self {
        self.table = Some(table);
        self
    }

    /// The same with all operators that the interpreter has.
    pub(crate) fn without_operators(mut self) -> Self {
        self.table = None;
        self
    }

    /// The release, if it is one.
    pub fn release(&self) -> Option<Version> {
        self.release
    }

    /// Whether a fact of this name holds.
    pub fn has(&self, fact: &str) -> bool {
        self.facts.contains(&fact)
    }

    /// The operators that there are, if that is known.
    pub(crate) fn table(&self) -> Option<&OperatorTable> {
        self.table.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_a_bound_and_ends_after_it_begins() {
        assert!(FACTS.len() >= 8);
        for fact in ReleaseSemantics::facts() {
            assert!(!fact.what.is_empty());
            let (since, until) = (fact.since, fact.until);
            assert!(since.is_some() || until.is_some(), "{fact:?}");
            assert!(since.is_none() || until.is_none() || since <= until, "{fact:?}");
        }
    }
}
