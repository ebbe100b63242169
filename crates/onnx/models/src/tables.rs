//! The tables of all releases: schemas of operators, and the types that kernels take.
//!
//! ```text
//! Clip.13(input: T, min: T?, max: T?) -> (output: T) {T: double float}      1.8.1-
//! Clip.13(T: double float)                                                  1.8.1-
//! ```
//!
//! The first line is of [`OpSchemas`], the second of [`KernelTypeTable`]: under which types of its variables the operator
//! really ran. `?` in their place says that not all was measured, `?` before them that they run under some opsets only,
//! none that it did not run with any.

use std::sync::Arc;

use unskew_core::Version;
use unskew_definitions::{DefinitionCache, DefinitionRowsError, Rows, RowsText, Runs};

use crate::{OpSchema, ValueType};

/// Schemas of operators, as releases have them.
#[derive(Debug)]
pub struct OpSchemas {
    rows: Rows,
    kept: DefinitionCache<(OpSchema, Runs)>,
}

impl OpSchemas {
    /// The schemas of a text as [`Rows`] has it.
    ///
    /// # Errors
    /// If the text is none.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        Ok(Self { rows: Rows::from_text(text)?, kept: DefinitionCache::default() })
    }

    /// The text and its releases.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Every form of the operator of this name that any release has, with the releases.
    pub fn named(&self, name: &str) -> Arc<[(OpSchema, Runs)]> {
        self.kept.get(name, || {
            let read =
                |(text, runs): (&str, &str)| Some((OpSchema::parse(text)?, runs.parse().ok()?));
            self.rows
                .named(name)
                .filter_map(read)
                .filter(|(schema, _)| *schema.name == *name)
                .collect()
        })
    }

    /// Whether a domain has operators here; that of ONNX is empty.
    pub fn has_domain(&self, domain: &str) -> bool {
        domain.is_empty() || self.rows.begins_with(&format!("{domain}:"))
    }

    /// Reads every row, for the tests of whoever ships a table.
    ///
    /// # Errors
    /// The first row that is out of order or is no schema.
    pub fn validate(&self) -> Result<(), DefinitionRowsError> {
        let parse =
            |text: &str| OpSchema::parse(text).map(drop).ok_or_else(|| "not a schema".to_owned());
        self.rows.validate(parse)
    }
}

/// What kernels take, as releases were measured.
#[derive(Debug)]
pub struct KernelTypeTable {
    rows: Rows,
    kept: DefinitionCache<(KernelTypes, Runs)>,
}

/// Under which types an operator runs, since one version of it.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelTypes {
    /// The operator with its domain.
    pub name: Box<str>,
    /// The version of the form that it is of.
    pub since: i64,
    /// For which types real sessions could be made.
    pub measured: KernelSupport,
}

/// What was measured of an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelSupport {
    /// No session was tried.
    Unknown,
    /// It runs with no types.
    Nothing,
    /// It runs where each of these variables is one of these types.
    Types(Vec<(Box<str>, Vec<ValueType>)>),
    /// With these types it runs under some opsets, or with some of its inputs, and not with others.
    Sometimes(Vec<(Box<str>, Vec<ValueType>)>),
}

impl KernelTypes {
    /// The row on a line; none if it is none.
    ///
    /// ```
    /// use unskew_onnx::{KernelSupport, KernelTypes};
    /// let kernel = KernelTypes::parse("OneHot.11(T1: int64; T2: int32 int64)").unwrap();
    /// assert!(matches!(kernel.measured, KernelSupport::Types(types) if types.len() == 2));
    /// ```
    pub fn parse(line: &str) -> Option<Self> {
        let (head, rest) = line.split_once('(')?;
        let (name, since) = head.rsplit_once('.')?;
        let types = |text: &str| {
            let variable = |text: &str| {
                let (name, types) = text.split_once(": ")?;
                let types = types.split(' ').map(ValueType::parse).collect::<Option<_>>()?;
                Some((name.into(), types))
            };
            text.split("; ").map(variable).collect::<Option<_>>()
        };
        let measured = match rest.strip_suffix(')')? {
            "?" => KernelSupport::Unknown,
            "" => KernelSupport::Nothing,
            "*" => KernelSupport::Types(Vec::new()),
            "? *" => KernelSupport::Sometimes(Vec::new()),
            text => match text.strip_prefix("? ") {
                Some(text) => KernelSupport::Sometimes(types(text)?),
                None => KernelSupport::Types(types(text)?),
            },
        };
        Some(Self { name: name.into(), since: since.parse().ok()?, measured })
    }
}

impl KernelTypeTable {
    /// The kernels of a text as [`Rows`] has it.
    ///
    /// # Errors
    /// If the text is none.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        Ok(Self { rows: Rows::from_text(text)?, kept: DefinitionCache::default() })
    }

    /// The text and its releases.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// What was measured of this form of an operator in a release; none if the release does not know the form.
    pub fn supports_of(
        &self,
        release: Version,
        name: &str,
        since: i64,
    ) -> Option<Vec<KernelSupport>> {
        let all = self.kept.get(name, || {
            let read =
                |(text, runs): (&str, &str)| Some((KernelTypes::parse(text)?, runs.parse().ok()?));
            self.rows
                .named(name)
                .filter_map(read)
                .filter(|(kernel, _)| *kernel.name == *name)
                .collect()
        });
        let found: Vec<KernelSupport> = all
            .iter()
            .filter(|(kernel, runs)| kernel.since == since && runs.contains(release))
            .map(|(kernel, _)| kernel.measured.clone())
            .collect();
        (!found.is_empty()).then_some(found)
    }

    /// Reads every row, for the tests of whoever ships a table.
    ///
    /// # Errors
    /// The first row that is out of order or is no kernel.
    pub fn validate(&self) -> Result<(), DefinitionRowsError> {
        let parse = |text: &str| {
            KernelTypes::parse(text).map(drop).ok_or_else(|| "not a kernel".to_owned())
        };
        self.rows.validate(parse)
    }
}
