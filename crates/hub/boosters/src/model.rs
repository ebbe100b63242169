//! A model as a set of properties.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_source::{ReadError, Source};

use crate::{catboost, lightgbm, xgboost};

/// How many properties a model may have.
const PROPERTIES: usize = 4_096;

/// Longer names are none that a release gives.
const LONGEST: usize = 120;

/// The format of a model that an object of Python holds.
pub(crate) const PICKLE: &str = "pickle";

/// The library that wrote a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoosterLibrary {
    /// `xgboost`.
    Xgboost,
    /// `lightgbm`.
    Lightgbm,
    /// `catboost`.
    Catboost,
}

impl BoosterLibrary {
    /// The name of the package.
    pub const fn package(self) -> &'static str {
        match self {
            Self::Xgboost => "xgboost",
            Self::Lightgbm => "lightgbm",
            Self::Catboost => "catboost",
        }
    }

    /// The library in which a module of Python lies.
    pub fn from_module(module: &str) -> Option<Self> {
        let top = module.split('.').next();
        let mut all = [Self::Xgboost, Self::Lightgbm, Self::Catboost].into_iter();
        all.find(|library| top == Some(library.package()))
    }

    /// The name that people write.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Xgboost => "XGBoost",
            Self::Lightgbm => "LightGBM",
            Self::Catboost => "CatBoost",
        }
    }
}

/// What a file says of its model. A capability of its party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoosterModel {
    /// Who wrote it.
    pub library: BoosterLibrary,
    /// The release that wrote it, where the file says so.
    pub written_by: Option<String>,
    /// What decides whether a release reads it: `objective=binary:logistic`, `key=learner.objective.name`.
    pub properties: BTreeSet<String>,
}

impl BoosterModel {
    /// The model in `source`; none if it is something else.
    ///
    /// # Errors
    /// If it is one, but broken.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        if let Some(model) = xgboost::read(source)? {
            return Ok(Some(model));
        }
        if let Some(model) = lightgbm::read(source)? {
            return Ok(Some(model));
        }
        catboost::read(source)
    }

    /// A model of which only the format is known.
    pub(crate) fn new(library: BoosterLibrary, format: &str) -> Self {
        let mut model = Self { library, written_by: None, properties: BTreeSet::new() };
        model.add("format", format);
        model
    }

    /// Says that the model lies in a pickle: its own format is what is pickled.
    pub(crate) fn pickle(&mut self) {
        if let Some(format) = self.property("format").map(str::to_owned) {
            self.properties.remove(&format!("format={format}"));
            self.add("pickled", &format);
        }
        self.add("format", PICKLE);
    }

    /// Adds the property `name=value`. What is too long, or too much, is left out.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        if value.len() <= LONGEST && self.properties.len() < PROPERTIES {
            self.properties.insert(format!("{name}={value}"));
        }
    }

    /// Whether it has a property of the table: one of its own, a span of versions such as `version>=1.3`, or an attribute that its
    /// class has not, such as `lacks=lightgbm.basic.Booster._handle`.
    pub fn has(&self, property: &str) -> bool {
        if let Some(attribute) = property.strip_prefix("lacks=") {
            let class = attribute.rsplit_once('.').map_or("", |(class, _)| class);
            return self.properties.contains(&format!("class={class}"))
                && !self.properties.contains(&format!("attribute={attribute}"));
        }
        let version = || self.property("version").map(version_numbers);
        let span = |sign: &str| property.strip_prefix("version")?.strip_prefix(sign);
        if let Some(first) = span(">=").map(version_numbers) {
            return version().is_some_and(|own| own >= first);
        }
        if let Some(last) = span("<=").map(version_numbers) {
            return version().is_some_and(|own| own <= last);
        }
        self.properties.contains(property)
    }

    /// The value of a property that a model has once.
    pub fn property(&self, name: &str) -> Option<&str> {
        let mut pairs = self.properties.iter().filter_map(|one| one.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

/// The numbers with which a version begins, to compare: of `1.3.0.post0` three, of `v4` one.
pub fn version_numbers(version: &str) -> Vec<u32> {
    version.trim_start_matches('v').split('.').map_while(|part| part.parse().ok()).collect()
}
