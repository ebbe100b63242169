//! A pickle of scikit-learn: which classes it looks up, and who wrote it.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_core::Version;
use unskew_pickle::{Pickle, PickleCall, PickleFile, PickleValue, numpy_since};
use unskew_source::{ReadError, Source};

/// What stands in every pickle of scikit-learn: the beginning of a module.
const MARK: &[u8] = b"sklearn.";

/// Modules whose names come with Python, with NumPy, SciPy or joblib, and are not looked at here.
const COMMON: [&str; 9] = [
    // What is compiled in `sklearn._loss` says so since 1.5.
    "_loss",
    "builtins",
    "__builtin__",
    "copyreg",
    "copy_reg",
    "collections",
    "_codecs",
    "scipy",
    "joblib",
];

/// A class or a function that a file looks up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedClass {
    /// `sklearn.linear_model._logistic`.
    pub module: String,
    /// `LogisticRegression`.
    pub name: String,
}

/// What a file asks of scikit-learn.
#[derive(Clone, Debug, Default)]
pub struct SklearnFile {
    /// The classes and functions of scikit-learn, each once, in the order of their names.
    pub classes: BTreeSet<UsedClass>,
    /// The releases that the estimators in it say they were written by, as they are written.
    pub written_by: BTreeSet<String>,
    /// All that the file looks up, as `module.name`.
    pub looked_up: BTreeSet<String>,
    /// The packages of other classes, each once.
    pub others: BTreeSet<String>,
    /// What of other packages it needs, in words: `SciPy 1.8 or later (scipy.sparse._csr)`.
    pub needs: BTreeSet<&'static str>,
    /// The protocol of the pickle.
    pub protocol: u8,
    /// Whether joblib wrote it.
    pub is_joblib: bool,
    /// How it is compressed, in words; empty if it is not.
    pub compression: &'static str,
}

impl SklearnFile {
    /// The file in `source`; none if it is not a pickle, or none that looks up scikit-learn.
    ///
    /// # Errors
    /// If it is one, but broken or too large.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let Some(read) = PickleFile::read(source, |head| head.has(MARK))? else { return Ok(None) };
        let mut file = Self {
            protocol: read.pickle.protocol,
            is_joblib: read.is_joblib,
            compression: read.compression,
            looked_up: read.pickle.imports.iter().cloned().collect(),
            ..Self::default()
        };
        for one in read.pickle.all() {
            file.take(one);
        }
        Ok(Some(file).filter(|file| !file.classes.is_empty()))
    }

    fn take(&mut self, pickle: &Pickle) {
        for value in pickle.values() {
            match value {
                PickleValue::Global(module, name) => self.look_up(module, name),
                PickleValue::Call(call) => {
                    self.written_by.extend(version(pickle, call));
                    self.needs.extend(need_of_call(pickle, call));
                }
                _ => {}
            }
        }
    }

    fn look_up(&mut self, module: &str, name: &str) {
        let package = module.split('.').next().unwrap_or(module);
        match package {
            // What it brought of others before 0.21: joblib.
            "sklearn" if module.starts_with("sklearn.externals.joblib") => {}
            "sklearn" => {
                let class = UsedClass { module: module.to_owned(), name: name.to_owned() };
                self.classes.insert(class);
            }
            "numpy" => {
                let need = numpy_since(module).map(|since| match since {
                    "1.26.3" => "NumPy 1.26.3 or later (numpy._core)",
                    _ => "NumPy 2 (numpy._core)",
                });
                self.needs.extend(need);
            }
            "scipy" if module.starts_with("scipy.sparse._") => {
                self.needs.insert("SciPy 1.8 or later (scipy.sparse._csr)");
            }
            _ if COMMON.contains(&package) => {}
            _ => {
                self.others.insert(package.to_owned());
            }
        }
    }

    /// The release that wrote the file, if all its estimators say the same.
    pub fn writer(&self) -> Option<Version> {
        let mut written = self.written_by.iter();
        let one = written.next().filter(|_| written.next().is_none())?;
        release_version(one)
    }
}

/// A version as scikit-learn writes it: `0.22.2.post1` is 0.22.2.
pub fn release_version(text: &str) -> Option<Version> {
    text.split(".post").next()?.parse().ok()
}

/// What of another package a call needs.
fn need_of_call(pickle: &Pickle, call: &PickleCall) -> Option<&'static str> {
    let PickleValue::Global(module, name) = pickle.value(call.callee) else { return None };
    let count = |id| match pickle.value(id) {
        PickleValue::Tuple(members) => members.len(),
        _ => 0,
    };
    match (module.as_str(), name.as_str()) {
        ("numpy.random._pickle", "__randomstate_ctor" | "__generator_ctor")
            if call.arguments.is_some_and(|id| count(id) > 1) =>
        {
            Some("NumPy 1.24 or later (the form of random states)")
        }
        ("joblib.numpy_pickle", "NumpyArrayWrapper") => {
            let aligned = pickle.entry(pickle.value(call.state?), "numpy_array_alignment_bytes");
            aligned.map(|_| "joblib 1.2 or later (aligned arrays)")
        }
        _ => None,
    }
}

/// The release that an estimator says it was written by.
fn version(pickle: &Pickle, call: &PickleCall) -> Option<String> {
    let said = pickle.entry(pickle.value(call.state?), "_sklearn_version")?.text()?;
    (said.len() < 40).then(|| said.to_owned())
}
