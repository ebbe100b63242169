//! Walk through the configuration of a model: what `load_model` of a release makes of it.
//!
//! There are two ways to name a class. Old files have the class alone, and each kind of object is looked up in a table of
//! its own; files since Keras 2.12 have a module too, and the class is looked up by its public name, or by where it is
//! defined. HDF5 files are read in the old way by all releases, with objects of the new way inside.

mod compiled;
mod layers;
mod objects;
mod special;

use serde_json::Value;
use unskew_core::Version;

use crate::{KerasFormat, KerasModel, KerasRelease};

/// The most problems that are named; what is beyond them says nothing new.
const PROBLEMS: usize = 64;

/// How deep configurations may nest.
const DEPTH: usize = 64;

/// The first Keras that looks at modules of classes.
const MODULES: Version = Version::pair(2, 12);

/// Why a model is not loaded, or not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A class or a function that the release does not have.
    Unknown { place: String, kind: String, name: String, custom: bool },
    /// An argument that its class does not take.
    Argument { place: String, class: String, argument: String },
    /// An argument that its class needs and the file does not have.
    Missing { place: String, class: String, argument: String },
    /// An input layer as Keras 3 writes it, in Keras 2.
    Input,
    /// Code of a Python lambda, which is not loaded in safe mode.
    Lambda { place: String },
    /// A value that is refused, and what the release prints.
    Refused { place: String, what: String, symptom: &'static str },
    /// The model loads, and its first call fails.
    FirstCall { what: String, symptom: &'static str },
    /// The model loads, and computes something else.
    Differs { place: String, what: &'static str },
    /// What depends on more than the two sides.
    Unjudged { place: String, why: &'static str },
}

/// What stands against loading `model`.
pub(crate) fn problems(model: &KerasModel, keras: &KerasRelease) -> Vec<Problem> {
    let two = model.version().is_none_or(|writer| writer < Version::pair(3, 0));
    let mut walk = ConfigWalk { keras, form: model.form, found: Vec::new(), depth: 0, two };
    if let Some(config) = &model.config {
        walk.layer(config, "", ObjectContext::Model);
    }
    if let Some(training) = &model.training {
        match model.form {
            KerasFormat::Archive => walk.compile_config(training),
            _ => walk.training_config(training),
        }
    }
    walk.found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectContext {
    /// The model, or a layer of one.
    Model,
    Layer,
}

/// The walk through one configuration.
pub(super) struct ConfigWalk<'m> {
    keras: &'m KerasRelease,
    form: KerasFormat,
    found: Vec<Problem>,
    depth: usize,
    /// Whether Keras 2 wrote it.
    two: bool,
}

impl ConfigWalk<'_> {
    fn three(&self) -> bool {
        self.keras.is_three()
    }

    /// Whether an object is looked up by its module.
    fn by_module(&self, object: &Value) -> bool {
        self.keras.version >= MODULES && object.get("module").is_some()
    }

    fn problem(&mut self, problem: Problem) {
        if self.found.len() < PROBLEMS && !self.found.contains(&problem) {
            self.found.push(problem);
        }
    }

    fn unknown(&mut self, place: &str, kind: &str, name: &str) {
        let custom = self.keras.classes.first(name, kind, None).is_none();
        let (place, kind, name) = (place.to_owned(), kind.to_owned(), name.to_owned());
        self.problem(Problem::Unknown { place, kind, name, custom });
    }

    fn refused(&mut self, place: &str, what: impl Into<String>, symptom: &'static str) {
        let (place, what) = (place.to_owned(), what.into());
        self.problem(Problem::Refused { place, what, symptom });
    }
}

pub(crate) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// The name of a class, if a value is an object of one.
pub(crate) fn class_of(value: &Value) -> Option<&str> {
    text(value, "class_name").filter(|_| value.get("config").is_some())
}
