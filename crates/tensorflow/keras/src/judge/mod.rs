//! Walk through the configuration of a model: what `load_model` of a release makes of it.
//!
//! There are two ways to name a class. Old files have the class alone, and each kind of object is looked up in a table of
//! its own; files since Keras 2.12 have a module too, and the class is looked up by its public name, or by where it is
//! defined. HDF5 files are read in the old way by all releases, with objects of the new way inside.

mod call_order;
pub(crate) mod calls;
mod compiled;
pub(crate) mod inner_models;
pub(crate) mod layers;
mod objects;
mod operations;
mod packages;
mod quantization;
pub(crate) mod special;
mod weight_paths;

use serde_json::Value;
use unskew_core::Version;

use crate::{KerasFormat, KerasModel, KerasRelease};

/// The most problems that are named; what is beyond them says nothing new.
const PROBLEMS: usize = 64;

/// How deep configurations may nest.
const DEPTH: usize = 64;

/// The first Keras that looks at modules of classes.
const MODULES: Version = Version::pair(2, 12);

/// The modules whose functions are looked up where the module of a function is `builtins`.
const BUILTIN: [&str; 7] = [
    "keras.activations",
    "keras.constraints",
    "keras.initializers",
    "keras.losses",
    "keras.metrics",
    "keras.optimizers",
    "keras.regularizers",
];

/// The first Keras 3 that imports no module but its own: `builtins` is Python's own before.
const OWN_MODULES: Version = Version::pair(3, 9);

/// Functions of Python itself that have the name of one of `keras.ops`.
const PYTHON: [&str; 7] = ["abs", "all", "any", "max", "min", "round", "sum"];

/// Why a model is not loaded, or not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A class or a function that the release does not have.
    Unknown { place: String, kind: String, name: String, custom: bool },
    /// A class of a package that is not installed with this Keras.
    Package { place: String, kind: String, name: String, package: &'static str },
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
    let writer = model.version();
    let two = writer.is_none_or(|writer| writer < Version::pair(3, 0));
    let has_weights = model.weights.0 > 0;
    let (form, found) = (model.form, Vec::new());
    let mut walk = ConfigWalk { keras, form, found, depth: 0, two, writer, has_weights };
    if let Some(config) = &model.config {
        walk.layer(config, "", ObjectContext::Model);
    }
    walk.weight_paths(model);
    if let Some(training) = &model.training {
        match model.form {
            KerasFormat::Archive => {
                walk.compile_config(training);
                walk.optimizer_variables(model, training);
            }
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
    writer: Option<Version>,
    has_weights: bool,
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
        if let Some(package) = packages::package_of(name, self.keras.package) {
            let (place, kind, name) = (place.to_owned(), kind.to_owned(), name.to_owned());
            return self.problem(Problem::Package { place, kind, name, package });
        }
        let custom = self.keras.classes.first(name, kind, None).is_none();
        let (place, kind, name) = (place.to_owned(), kind.to_owned(), name.to_owned());
        self.problem(Problem::Unknown { place, kind, name, custom });
    }

    /// Whether a name is that of a function of Keras, as its module `builtins` stands for several.
    fn is_builtin_function(&self, name: &str) -> bool {
        let public = |export: &str| {
            export
                .rsplit_once('.')
                .is_some_and(|(module, last)| last == name && BUILTIN.contains(&module))
        };
        self.keras.named(name).iter().any(|class| class.exports.iter().any(|one| public(one)))
    }

    /// A function as archives write it: by its name, or by the name under which the user registered it.
    fn function(&mut self, value: &Value, place: &str) {
        let Some(name) = text(value, "config") else { return };
        let module = text(value, "module").unwrap_or("builtins");
        let known = match module {
            "builtins" => {
                let of_python = self.three() && self.keras.version < OWN_MODULES;
                self.is_builtin_function(name) || of_python && PYTHON.contains(&name)
            }
            // Functions of `keras.ops` are not in the table.
            module => module == "keras" || module.starts_with("keras."),
        };
        if known {
            return;
        }
        let name = match text(value, "registered_name") {
            Some(registered) if registered.contains('>') => registered,
            _ => name,
        };
        let (place, kind, name) = (place.to_owned(), "function".to_owned(), name.to_owned());
        self.problem(Problem::Unknown { place, kind, name, custom: true });
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
