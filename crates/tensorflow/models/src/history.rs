//! The op registries of all releases as one sorted text.
//!
//! Thirty-nine registries hold 54,000 ops, of which 3,600 are distinct. Each stands on one line with
//! the runs of releases that have it; only the names that are asked for are parsed.

use std::sync::Arc;

use unskew_core::Version;
use unskew_definitions::{
    DefinitionCache, DefinitionRow, DefinitionRowsError, Rows, RowsText, TableChange,
};

use crate::OpDef;

/// One op as some releases define it.
pub type OpDefinition = DefinitionRow<OpDef>;

/// The op registries of all releases.
///
/// ```
/// use unskew_tensorflow::OpHistory;
/// let history = OpHistory::from_text(
///     "#releases\t1.4.1 1.15.0\n\
///      Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type}\t1.4.1\n\
///      Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type, Truncate: bool = false}\t1.15.0-\n",
/// ).unwrap();
/// assert_eq!(history.named("Cast").len(), 2);
/// assert!(history.named("Cas").is_empty());
/// ```
#[derive(Debug)]
pub struct OpHistory {
    rows: Rows,
    kept: DefinitionCache<OpDefinition>,
}

impl OpHistory {
    /// A history from its text: see [`Rows::from_text`]; a definition is an op.
    ///
    /// # Errors
    /// If the first line does not name the releases.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        Ok(Self { rows: Rows::from_text(text)?, kept: DefinitionCache::default() })
    }

    /// The rows, as they are written.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// All releases, oldest first.
    pub fn releases(&self) -> &[Version] {
        self.rows.releases()
    }

    /// Every definition that any release has under `name`, oldest first; each is parsed once, then kept.
    pub fn named(&self, name: &str) -> Arc<[OpDefinition]> {
        self.kept.get(name, || {
            let mut all: Vec<OpDefinition> =
                self.rows.named(name).filter_map(DefinitionRow::written).collect();
            all.sort_by_key(|definition| definition.runs.iter().next().map(|run| run.since));
            all
        })
    }

    /// The text of this history with the registry of `release` in it, in place of what it said about
    /// that release before, and what changed against the release before it.
    pub fn with_release(&self, release: Version, ops: &[OpDef]) -> (String, TableChange) {
        Rows::with_release(Some(&self.rows), release, ops.iter().map(OpDef::to_string).collect())
    }

    /// Reads every row, for the tests of whoever ships a history.
    ///
    /// # Errors
    /// The first row that is out of order or cannot be parsed.
    pub fn validate(&self) -> Result<(), DefinitionRowsError> {
        self.rows.validate(|text| text.parse::<OpDef>().map(drop).map_err(|e| e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    fn ops(lines: &[&str]) -> Vec<OpDef> {
        lines.iter().map(|line| line.parse().unwrap()).collect()
    }

    #[test]
    fn registries_merge_into_the_same_history_in_any_order() {
        let registries = [
            ("1.0", ops(&["A() -> ()", "B() -> ()"])),
            ("2.0", ops(&["AB() -> ()", "B() -> ()"])),
            ("3.0", ops(&["A() -> ()", "B() -> () stateful"])),
        ];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut history: Option<OpHistory> = None;
            for i in order {
                let (release, ops) = &registries[i];
                let seed = OpHistory::from_text(format!("#releases\t{release}\n")).unwrap();
                let before = history.as_ref().unwrap_or(&seed);
                let (text, _) = before.with_release(version(release), ops);
                history = OpHistory::from_text(text).ok();
            }
            let history = history.unwrap();
            history.validate().unwrap();
            assert_eq!(history.releases().len(), 3);
            assert_eq!(history.named("A").len(), 1);
            assert_eq!(history.named("A")[0].runs.to_string(), "1.0,3.0-");
            assert_eq!(history.named("B").len(), 2);
            assert_eq!(history.named("AB")[0].runs.to_string(), "2.0");
        }
    }
}
