//! The operator tables of all releases of one runtime.
//!
//! Twenty-seven tables of PyTorch are 9 MB; each of their distinct schemas written once with its runs
//! of releases is less than 1 MB, of which only what is asked for is parsed.

use std::sync::{Arc, OnceLock};

use unskew_core::Version;
use unskew_definitions::{DefinitionCache, DefinitionRowsError, Rows, RowsText, Runs};

use crate::matching::{CallBinding, GivenValue, SchemaOutline, TypedSchema};
use crate::{FunctionSchema, OperatorTable};

/// One schema and the releases that have it. It is parsed when it is first asked for: a call means one of many.
#[derive(Debug)]
pub struct SchemaDefinition {
    /// The schema as its release writes it.
    pub text: String,
    /// The releases that have it.
    pub runs: Runs,
    outline: SchemaOutline,
    schema: OnceLock<Option<Arc<FunctionSchema>>>,
    signature: OnceLock<Option<Arc<TypedSchema>>>,
}

impl SchemaDefinition {
    /// A row as it is written; none if its runs are none.
    fn written((text, runs): (&str, &str)) -> Option<Self> {
        Some(Self {
            text: text.to_owned(),
            runs: runs.parse().ok()?,
            outline: SchemaOutline::from_schema(text),
            schema: OnceLock::new(),
            signature: OnceLock::new(),
        })
    }

    /// The name of the overload, empty for one without a name.
    pub fn overload(&self) -> &str {
        let name = self.text.split(['(']).next().unwrap_or_default();
        name.split_once(['.']).map_or("", |(_, overload)| overload)
    }

    /// The schema, parsed once; none if the row is no schema, which [`OperatorHistory::validate`] finds.
    pub fn schema(&self) -> Option<&Arc<FunctionSchema>> {
        self.schema.get_or_init(|| self.text.parse().ok().map(Arc::new)).as_ref()
    }

    /// The schema, ready to be held against many calls; made once.
    pub fn signature(&self) -> Option<&Arc<TypedSchema>> {
        let made = || Some(Arc::new(TypedSchema::new(self.schema()?.clone())));
        self.signature.get_or_init(made).as_ref()
    }

    /// The signature, if it was made already.
    pub(crate) fn known_signature(&self) -> Option<&Arc<TypedSchema>> {
        self.signature.get()?.as_ref()
    }

    /// The signature with what the values of a call stand for, if they fit; with `conversions` as for
    /// [`TypedSchema::matches`].
    pub fn fit(
        &self,
        given: &[GivenValue],
        conversions: bool,
    ) -> Option<(&Arc<TypedSchema>, CallBinding)> {
        if self.outline.refuses(given, conversions) {
            return None;
        }
        let signature = self.signature()?;
        Some((signature, signature.matches(given, conversions).ok()?))
    }
}

/// The operator tables of all releases of one runtime.
#[derive(Debug)]
pub struct OperatorHistory {
    rows: Rows,
    kept: DefinitionCache<SchemaDefinition>,
}

impl OperatorHistory {
    /// A history from its text: see [`Rows::from_text`]; a definition is a schema.
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

    /// The table of one release, if it is known.
    pub fn table(self: &Arc<Self>, release: Version) -> Option<OperatorTable> {
        let known = self.releases().contains(&release);
        known.then(|| OperatorTable::new(self.clone(), release))
    }

    /// Every definition that any release has under `name`; found once, then kept.
    pub fn named(&self, name: &str) -> Arc<[SchemaDefinition]> {
        self.kept
            .get(name, || self.rows.named(name).filter_map(SchemaDefinition::written).collect())
    }

    /// Whether any release has an operator in `namespace`.
    pub fn has_namespace(&self, namespace: &str) -> bool {
        self.rows.begins_with(&format!("{namespace}::"))
    }

    /// Reads every row, for the tests of whoever ships a history.
    ///
    /// # Errors
    /// The first row that is out of order or cannot be parsed.
    pub fn validate(&self) -> Result<(), DefinitionRowsError> {
        self.rows
            .validate(|text| text.parse::<FunctionSchema>().map(drop).map_err(|e| e.to_string()))
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
        let overloads: Vec<String> =
            history.named("a::add").iter().map(|one| one.overload().to_owned()).collect();
        assert_eq!(overloads, ["", "out"]);
    }

    #[test]
    fn a_text_that_is_no_history_is_refused() {
        assert_eq!(OperatorHistory::from_text("").err(), Some(DefinitionRowsError::NoReleases));
        let unsorted = "#releases\t1.0\nb() -> ()\t1.0-\na() -> ()\t1.0-\n";
        let history = OperatorHistory::from_text(unsorted).unwrap();
        assert_eq!(history.validate(), Err(DefinitionRowsError::Unsorted(3)));
    }
}
