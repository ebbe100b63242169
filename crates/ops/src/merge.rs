//! Adding a release's table to a history.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use unskew_core::Version;

use crate::{OperatorHistory, Runs, Schema};

/// What a release's table changed, against the release before it in the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableChange {
    /// Schemas that the release has and its predecessor had not.
    pub added: Vec<String>,
    /// Schemas that its predecessor had and the release has not.
    pub removed: Vec<String>,
    /// Lines of the table that are no schemas, which are left out.
    pub refused: Vec<String>,
}

/// The text of `history` with the table of `release` in it, in place of what it said about that
/// release before, and what changed against the release before it. An empty history may be none.
///
/// Schemas are written in one form, so that `-> (Tensor)`, as releases up to 1.12 print it, and
/// `-> Tensor` are not a change.
///
/// ```
/// use unskew_ops::merge;
/// let (text, change) = merge(None, "1.0".parse().unwrap(), ["a::f(int x) -> (int)", "torn"]);
/// assert_eq!(text, "#releases\t1.0\na::f(int x) -> int\t1.0-\n");
/// assert_eq!(change.refused, ["torn"]);
/// ```
pub fn merge<'t>(
    history: Option<&OperatorHistory>,
    release: Version,
    table: impl IntoIterator<Item = &'t str>,
) -> (String, TableChange) {
    let mut change = TableChange::default();
    let mut releases: Vec<Version> = history.map_or(Vec::new(), |h| h.releases().to_vec());
    releases.push(release);
    releases.sort_unstable();
    releases.dedup();
    let mut rows: BTreeMap<String, BTreeSet<Version>> = BTreeMap::new();
    for (schema, runs) in history.iter().flat_map(|history| history.rows()) {
        let runs: Runs = runs.parse().unwrap_or_default();
        let old = history.map_or(&[][..], OperatorHistory::releases);
        let had = old.iter().copied().filter(|v| *v != release && runs.contains(*v)).collect();
        rows.insert(schema.to_owned(), had);
    }
    for line in table.into_iter().map(str::trim_end).filter(|line| !line.is_empty()) {
        match line.parse::<Schema>() {
            Ok(schema) if schema.name.contains("::") => {
                rows.entry(schema.to_string()).or_default().insert(release);
            }
            _ => change.refused.push(line.to_owned()),
        }
    }
    let before = releases.iter().rev().find(|v| **v < release).copied();
    let list: Vec<String> = releases.iter().map(Version::to_string).collect();
    let mut text = format!("#releases\t{}\n", list.join(" "));
    for (schema, has) in rows.iter().filter(|(_, has)| !has.is_empty()) {
        let _ = writeln!(text, "{schema}\t{}", Runs::of(&releases, |v| has.contains(&v)));
        match (before.is_some_and(|b| has.contains(&b)), has.contains(&release)) {
            (false, true) => change.added.push(schema.clone()),
            (true, false) => change.removed.push(schema.clone()),
            _ => {}
        }
    }
    (text, change)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn tables_merge_into_the_same_history_in_any_order() {
        let tables = [
            ("1.0", vec!["a::f() -> ()", "a::g() -> ()"]),
            ("2.0", vec!["a::g() -> ()"]),
            ("3.0", vec!["a::f() -> ()", "a::g() -> ()"]),
        ];
        let build = |order: [usize; 3]| {
            let mut history: Option<OperatorHistory> = None;
            for i in order {
                let (release, table) = &tables[i];
                let (text, _) = merge(history.as_ref(), version(release), table.iter().copied());
                history = OperatorHistory::from_text(text).ok();
            }
            history.unwrap().text().to_owned()
        };
        let want = "#releases\t1.0 2.0 3.0\na::f() -> ()\t1.0,3.0-\na::g() -> ()\t1.0-\n";
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            assert_eq!(build(order), want);
        }
    }

    #[test]
    fn a_release_that_is_merged_again_replaces_itself_and_says_what_changed() {
        let (text, _) = merge(None, version("1.0"), ["a::f() -> ()"]);
        let history = OperatorHistory::from_text(text).unwrap();
        let (text, change) = merge(Some(&history), version("2.0"), ["a::h() -> ()"]);
        assert_eq!(change.added, ["a::h() -> ()"]);
        assert_eq!(change.removed, ["a::f() -> ()"]);
        let history = OperatorHistory::from_text(text).unwrap();
        let (text, _) = merge(Some(&history), version("2.0"), ["a::f() -> ()"]);
        assert_eq!(text, "#releases\t1.0 2.0\na::f() -> ()\t1.0-\n");
    }
}
