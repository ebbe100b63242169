//! Effects of a kind of change on programs.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use unskew_core::Rule;

/// What is known of a kind of change; each registry has kinds `K` of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRule<K> {
    /// What kind of change this describes.
    pub kind: K,
    /// The code of the rule that explains it.
    pub rule: String,
    /// Whether programs of the old schema still run.
    pub backward: bool,
    /// Whether programs of the new schema that do not use what is new still run on old runtimes.
    pub forward: bool,
}

/// A file of such rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File<K> {
    change: Vec<ChangeRule<K>>,
}

impl<K: DeserializeOwned> ChangeRule<K> {
    /// Reads a file of rules, as JSON.
    ///
    /// # Errors
    /// If it is not one, with the place.
    pub fn all(text: &str) -> Result<Vec<Self>, serde_json::Error> {
        serde_json::from_str::<File<K>>(text).map(|file| file.change)
    }
}

impl<K> ChangeRule<K> {
    /// The rule that explains it, among those of a crate.
    pub fn among(&self, rules: &[&'static Rule]) -> Option<&'static Rule> {
        rules.iter().find(|rule| rule.code == self.rule).copied()
    }
}

/// The summary of a rule as a part of a sentence.
pub fn in_a_sentence(summary: &str) -> String {
    let mut letters = summary.trim_end_matches('.').chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
