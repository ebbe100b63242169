//! The classes of all Keras releases, and one release of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::Version;
use unskew_definitions::{DefinitionCache, DefinitionRowsError, Rows, RowsText, Runs};

/// The classes of all releases: one line for each class with the same arguments.
///
/// `Dense(layer) keras.layers.Dense @keras.src.layers.core.dense activation=null units use_bias=true`: kind, public
/// names, the module, arguments with their defaults; `**` if it takes any.
#[derive(Debug)]
pub struct ClassTable {
    rows: Rows,
    kept: DefinitionCache<(Arc<KerasClass>, Runs)>,
}

/// A class of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KerasClass {
    /// Its name: `Dense`.
    pub name: Box<str>,
    /// What it is: `layer`, `optimizer`, `function` …
    pub kind: Box<str>,
    /// Its public names: `keras.layers.Dense`.
    pub exports: Vec<Box<str>>,
    /// The module that defines it.
    pub module: Box<str>,
    /// Its arguments: the default as JSON, `?` for one that is no short literal, none for one that has to be there.
    pub arguments: BTreeMap<Box<str>, Option<Box<str>>>,
    /// Whether it takes any argument.
    pub anything: bool,
}

impl KerasClass {
    /// The class of a line.
    ///
    /// # Errors
    /// A sentence that says what is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut cells = text.split(' ');
        let head = cells.next().unwrap_or_default();
        let (name, kind) = head
            .strip_suffix(')')
            .and_then(|head| head.split_once('('))
            .ok_or_else(|| format!("no NAME(KIND): {head}"))?;
        let exports = cells.next().ok_or("no public names")?;
        let exports = exports.split(',').filter(|name| *name != "-").map(Box::from).collect();
        let module = cells.next().and_then(|cell| cell.strip_prefix('@')).ok_or("no module")?;
        let mut class = Self {
            name: name.into(),
            kind: kind.into(),
            exports,
            module: module.into(),
            arguments: BTreeMap::new(),
            anything: false,
        };
        for cell in cells {
            match cell.split_once('=') {
                None if cell == "**" => class.anything = true,
                None => drop(class.arguments.insert(cell.into(), None)),
                Some((name, value)) => {
                    drop(class.arguments.insert(name.into(), Some(value.into())));
                }
            }
        }
        Ok(class)
    }

    /// Whether it may be written in a configuration with this argument.
    pub fn takes(&self, argument: &str) -> bool {
        // Optimizers of Keras 2 look through what else they are given, and refuse all but this.
        let anything = self.anything
            && (&*self.kind != "optimizer" || matches!(argument, "is_legacy_optimizer" | "lr"));
        anything || self.arguments.contains_key(argument)
    }

    /// Whether it is public under `name` of a module that is not only for old files.
    pub fn is_public(&self) -> bool {
        self.exports.iter().any(|name| !name.starts_with("keras._legacy"))
    }
}

impl ClassTable {
    /// The classes of a text.
    ///
    /// # Errors
    /// If its first line does not name the releases.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        Ok(Self { rows: Rows::from_text(text)?, kept: DefinitionCache::default() })
    }

    /// Every row, as it is stored.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Reads every line.
    ///
    /// # Errors
    /// The first that is out of order or no class.
    pub fn validate(&self) -> Result<(), DefinitionRowsError> {
        self.rows.validate(|text| KerasClass::parse(text).map(drop))
    }

    /// All classes of this name, with the releases that have them.
    fn all(&self, name: &str) -> Arc<[(Arc<KerasClass>, Runs)]> {
        self.kept.get(name, || {
            let parse = |(text, runs): (&str, &str)| {
                Some((Arc::new(KerasClass::parse(text).ok()?), runs.parse().ok()?))
            };
            self.rows.named(name).filter_map(parse).collect()
        })
    }

    /// The classes of this name that `release` has.
    pub fn classes_of(&self, release: Version, name: &str) -> Vec<Arc<KerasClass>> {
        let all = self.all(name);
        let has = all.iter().filter(|(_, runs)| runs.contains(release));
        has.map(|(class, _)| class.clone()).collect()
    }

    /// The first release that has a class of this name and kind, which takes `argument` if one is named.
    pub fn first(&self, name: &str, kind: &str, argument: Option<&str>) -> Option<Version> {
        let fits = |class: &KerasClass| {
            *class.kind == *kind && argument.is_none_or(|argument| class.takes(argument))
        };
        let all = self.all(name);
        let runs = all.iter().filter(|(class, _)| fits(class));
        runs.filter_map(|(_, runs)| runs.iter().next().map(|run| run.since)).min()
    }
}
