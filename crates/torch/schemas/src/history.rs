//! The operator tables of all releases of one runtime.
//!
//! Twenty-seven tables of PyTorch are 9 MB; each of their distinct schemas written once with its runs
//! of releases is less than 1 MB, of which only the names that are asked for are parsed.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use unskew_core::Version;
use unskew_definitions::{HistoryError, Kept, Rows, Runs};

use crate::matching::Signature;
use crate::{OperatorTable, Schema};

/// One schema and the releases that have it.
#[derive(Debug)]
pub struct Definition {
    /// The schema as its release writes it.
    pub text: String,
    /// The schema of the row, parsed.
    pub schema: Arc<Schema>,
    /// The releases that have it.
    pub runs: Runs,
    signature: OnceLock<Arc<Signature>>,
}

impl Definition {
    /// The schema, ready to be held against many calls; made once.
    pub fn signature(&self) -> &Arc<Signature> {
        self.signature.get_or_init(|| Arc::new(Signature::new(self.schema.clone())))
    }
}

/// The operator tables of all releases of one runtime.
#[derive(Debug)]
pub struct OperatorHistory {
    rows: Rows,
    kept: Kept<Definition>,
}

impl OperatorHistory {
    /// A history from its text: see [`Rows::from_text`]; a definition is a schema.
    ///
    /// # Errors
    /// If the first line does not name the releases.
    pub fn from_text(text: impl Into<Cow<'static, str>>) -> Result<Self, HistoryError> {
        Ok(Self { rows: Rows::from_text(text)?, kept: Kept::default() })
    }

    /// The rows, as they are written.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// All releases, oldest first.
    pub fn releases(&self) -> &[Version] {
        self.rows.releases()
    }

    /// The table of one release, if it is known.
    pub fn table(self: &Arc<Self>, release: Version) -> Option<OperatorTable> {
        let known = self.releases().contains(&release);
        known.then(|| OperatorTable::new(self.clone(), release))
    }

    /// Every definition that any release has under `name`; parsed once, then kept. Rows that cannot
    /// be parsed are left out; [`Self::validate`] finds them.
    pub fn named(&self, name: &str) -> Arc<[Definition]> {
        let definition = |(text, runs): (&str, &str)| {
            let schema = Arc::new(text.parse().ok()?);
            let (text, runs) = (text.to_owned(), runs.parse().ok()?);
            Some(Definition { text, schema, runs, signature: OnceLock::new() })
        };
        self.kept.get(name, || self.rows.named(name).filter_map(definition).collect())
    }

    /// Whether any release has an operator in `namespace`.
    pub fn has_namespace(&self, namespace: &str) -> bool {
        self.rows.begins_with(&format!("{namespace}::"))
    }

    /// Reads every row, for the tests of whoever ships a history.
    ///
    /// # Errors
    /// The first row that is out of order or cannot be parsed.
    pub fn validate(&self) -> Result<(), HistoryError> {
        self.rows.validate(|text| text.parse::<Schema>().map(drop).map_err(|e| e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#releases\t1.0 2.0\n\
        a::add(int a) -> int\t1.0\n\
        a::add.out(int a) -> int\t1.0-\n\
        a::add_(int a) -> int\t1.0-\n\
        a::addmm(int a) -> int\t2.0-\n\
        b::z(int a) -> int\t2.0-\n";

    #[test]
    fn a_name_is_found_with_all_its_overloads_and_no_other_name() {
        let history = OperatorHistory::from_text(TEXT).unwrap();
        history.validate().unwrap();
        for (name, count) in
            [("a::add", 2), ("a::add_", 1), ("a::ad", 0), ("b::z", 1), ("", 0), ("z", 0)]
        {
            assert_eq!(history.named(name).len(), count, "{name}");
            assert_eq!(history.named(name).len(), count, "{name}, kept");
        }
        assert!(history.has_namespace("a") && history.has_namespace("b"));
        assert!(!history.has_namespace("aa") && !history.has_namespace(""));
    }

    #[test]
    fn a_text_that_is_no_history_is_refused() {
        assert_eq!(OperatorHistory::from_text("").err(), Some(HistoryError::NoReleases));
        let unsorted = "#releases\t1.0\nb() -> ()\t1.0-\na() -> ()\t1.0-\n";
        let history = OperatorHistory::from_text(unsorted).unwrap();
        assert_eq!(history.validate(), Err(HistoryError::Unsorted(3)));
    }
}
