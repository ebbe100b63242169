//! Tables of what is stated of the releases of a runtime.
//!
//! ```text
//! Abs()            10.0-      supported
//! Resize(~)        10.0-      under conditions
//! Compress(!)      10.0-      said not to be supported
//! Cast(6-8 13-)    2024.6.0   under these opsets
//! ```

use std::collections::BTreeMap;

use unskew_core::Version;
use unskew_definitions::{DefinitionRowsError, Rows, RowsText};

use super::DocumentedOperator;

/// What is stated of operators, by release.
#[derive(Debug)]
pub struct DocumentedSupportTable {
    rows: Rows,
}

impl DocumentedSupportTable {
    /// The table of a text as [`Rows`] has it.
    ///
    /// # Errors
    /// If the text is none.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        Ok(Self { rows: Rows::from_text(text)? })
    }

    /// The releases, oldest first.
    pub fn releases(&self) -> &[Version] {
        self.rows.releases()
    }

    /// What is stated of the operators of a release.
    pub fn operators_of(&self, release: Version) -> BTreeMap<String, DocumentedOperator> {
        self.rows.definitions_of(release).filter_map(support).collect()
    }

    /// Reads every row, for the tests of whoever ships a table.
    ///
    /// # Errors
    /// The first row that is out of order or says nothing.
    pub fn validate(&self) -> Result<(), DefinitionRowsError> {
        let parse = |text: &str| support(text).map(drop).ok_or_else(|| "not a support".to_owned());
        self.rows.validate(parse)
    }
}

fn support(text: &str) -> Option<(String, DocumentedOperator)> {
    let (name, said) = text.strip_suffix(')')?.split_once('(')?;
    let (restricted, said) = match said.strip_prefix('~') {
        Some(rest) => (true, rest),
        None => (false, said),
    };
    let opsets = match said {
        "" => None,
        "!" => Some(Vec::new()),
        ranges => Some(ranges.split(' ').map(range).collect::<Option<_>>()?),
    };
    Some((name.to_owned(), DocumentedOperator { opsets, restricted }))
}

/// `6`, `6-12` or `13-`.
pub(super) fn range(text: &str) -> Option<(i64, i64)> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return None;
    }
    match text.split_once('-') {
        None => text.parse().ok().map(|one| (one, one)),
        Some((low, "")) => Some((low.parse().ok()?, i64::MAX)),
        Some((low, high)) => Some((low.parse().ok()?, high.parse().ok().filter(|high| *high > 0)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_when_an_operator_is_supported() {
        let of = |text| support(text).map(|(_, support)| (support.opsets, support.restricted));
        assert_eq!(of("Abs()"), Some((None, false)));
        assert_eq!(of("Resize(~)"), Some((None, true)));
        assert_eq!(of("Compress(!)"), Some((Some(vec![]), false)));
        assert_eq!(
            of("Cast(6-8 10 13-)"),
            Some((Some(vec![(6, 8), (10, 10), (13, i64::MAX)]), false))
        );
        assert_eq!((of("Abs"), of("Abs(x)"), of("Abs(1--2)")), (None, None, None));
    }
}
