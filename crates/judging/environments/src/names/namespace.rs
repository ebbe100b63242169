//! Names of modules: what each is bound to, and what a path of attributes leads to.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use foldhash::HashMap;
use unskew_python_source::{Exports, Openness, PythonModule, Step};

use super::importer::Importer;
use super::missing::ImportFailure;
use super::steps::{Certainty, Frame};

/// What a name of a module is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A module, by its whole name.
    Module(String),
    /// The version of a module.
    VersionOf(String),
    /// True or False.
    Known(bool),
    /// A function or class of which it is known which keywords it takes, by its place in `Importer::callables`.
    Callable(usize),
    /// An object of which no more is known.
    Object,
}

impl Value {
    /// The same for a name that may stand for another module, too.
    fn of_any_module(self) -> Self {
        match self {
            Self::Module(_) => Self::Object,
            other => other,
        }
    }
}

/// What a path of attributes leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolved {
    Bound(Value),
    /// It may be there or not.
    Unknown,
    /// A module does not have it.
    Missing {
        module: String,
        name: String,
    },
}

impl Resolved {
    /// What a name is bound to that is another name of it.
    pub(super) fn value(self) -> Value {
        match self {
            Self::Bound(value) => value,
            Self::Unknown | Self::Missing { .. } => Value::Object,
        }
    }
}

/// A module that was imported, or is imported now.
#[derive(Debug)]
pub(super) struct LoadedModule {
    /// None if it cannot be read.
    pub(super) source: Option<Arc<PythonModule>>,
    pub(super) names: HashMap<String, Value>,
    /// Why it may have other names, too.
    pub(super) is_open: Option<Openness>,
    /// The file, of an extension module.
    pub(super) extension: Option<PathBuf>,
    /// The extension modules of which it takes all names by `import *`.
    pub(super) star_extensions: Vec<PathBuf>,
    /// Whether modules below it may exist without files.
    pub(super) registers_modules: bool,
    /// None while it is imported.
    pub(super) result: Option<Result<(), Box<ImportFailure>>>,
}

impl Importer<'_> {
    /// What a path of attributes leads to, from a name of a module or function on.
    pub(super) fn resolve(&self, path: &[String], frame: Frame<'_>) -> Resolved {
        let Some((first, rest)) = path.split_first() else { return Resolved::Unknown };
        let local = self.locals.last().filter(|_| frame.is_function).and_then(|all| all.get(first));
        let global = || self.modules.get(frame.module).and_then(|loaded| loaded.names.get(first));
        let Some(value) = local.or_else(global) else { return Resolved::Unknown };
        let mut found = Resolved::Bound(value.clone());
        for name in rest {
            found = match &found {
                Resolved::Bound(Value::Module(module)) => self.attribute(module, name),
                // An attribute of something else.
                Resolved::Bound(_) => return Resolved::Bound(Value::Object),
                _ => return found,
            };
        }
        found
    }

    /// What a name of a module is.
    pub(super) fn attribute(&self, module: &str, name: &str) -> Resolved {
        let Some(loaded) = self.modules.get(module) else { return Resolved::Unknown };
        let hook = loaded.source.as_ref().and_then(|source| source.attribute_hook.as_ref());
        // A star import may bring more names than it does; a hook that refuses one says that it is not there.
        let is_refused = hook.is_some_and(|hook| {
            let listed =
                |table: &String| self.table(module, table).is_some_and(|all| all.contains(name));
            hook.refused.contains(name) || hook.refused_tables.iter().any(listed)
        });
        if is_refused && loaded.result == Some(Ok(())) {
            return Resolved::Missing { module: module.to_owned(), name: name.to_owned() };
        }
        if let Some(value) = loaded.names.get(name) {
            return Resolved::Bound(value.clone());
        }
        if hook.is_some_and(|hook| hook.names.contains(name)) {
            return Resolved::Bound(Value::Object);
        }
        let inner = format!("{module}.{name}");
        if self.modules.contains_key(&inner) {
            return Resolved::Bound(Value::Module(inner));
        }
        let is_special = name.starts_with("__") && name.ends_with("__");
        // While it is imported, it may get the name later.
        if loaded.is_open.is_some()
            || loaded.registers_modules
            || loaded.result != Some(Ok(()))
            || is_special
            || self.has_own_loader(module)
        {
            return Resolved::Unknown;
        }
        if loaded.star_extensions.iter().any(|path| self.extensions.may_have(path, name)) {
            return Resolved::Unknown;
        }
        Resolved::Missing { module: module.to_owned(), name: name.to_owned() }
    }

    /// What a table lists that a module imports from another.
    fn table(&self, module: &str, table: &str) -> Option<&BTreeSet<String>> {
        let source = self.modules.get(module)?.source.as_ref()?;
        let from = source.steps.iter().find_map(|step| match step {
            Step::ImportFrom { level, module: from, names, .. } => {
                let original = names.iter().find(|(_, bound)| bound == table)?;
                Some((*level, from, &original.0))
            }
            _ => None,
        });
        let (level, from, original) = from?;
        let from = match level {
            0 => from.clone(),
            _ if from.is_empty() => module.to_owned(),
            // Only a package has such a table in a module beside it.
            _ => format!("{module}.{from}"),
        };
        self.modules.get(&from)?.source.as_ref()?.tables.get(original)
    }

    pub(super) fn bind(&mut self, name: &str, value: Value, frame: Frame<'_>) {
        let names = match self.locals.last_mut().filter(|_| frame.is_function) {
            Some(names) => names,
            None => match self.modules.get_mut(frame.module) {
                Some(loaded) => &mut loaded.names,
                None => return,
            },
        };
        match frame.certainty {
            Certainty::Certain => {
                names.insert(name.to_owned(), value);
            }
            Certainty::NamesOnly => {
                names.entry(name.to_owned()).or_insert(value);
            }
            Certainty::Possible => {
                // What else it may be is not known.
                let known = names.entry(name.to_owned()).or_insert(Value::Object);
                if *known != value {
                    *known = Value::Object;
                }
            }
        }
    }

    pub(super) fn delete(&mut self, name: &str, module: &str) {
        if let Some(loaded) = self.modules.get_mut(module) {
            let is_lazy = loaded.source.as_ref().is_some_and(|one| one.lazy_names.contains(name));
            if !is_lazy {
                loaded.names.remove(name);
            }
        }
    }

    /// `from module import *`.
    pub(super) fn star(&mut self, module: &str, frame: Frame<'_>) {
        let Some(loaded) = self.modules.get(module) else { return self.mark_open(frame.module) };
        let absent = Exports::Absent;
        let exports = loaded.source.as_ref().map_or(&absent, |source| &source.exports);
        let is_open = loaded.is_open.is_some() || loaded.result.is_none();
        let is_listed = matches!(exports, Exports::Names(_));
        let all = loaded.names.iter().map(|(name, value)| (name.clone(), value.clone()));
        let taken: Vec<(String, Value)> = match exports {
            Exports::Names(names) => {
                let value =
                    |name: &String| loaded.names.get(name).cloned().unwrap_or(Value::Object);
                names.iter().map(|name| (name.clone(), value(name))).collect()
            }
            // It lists names of functions and classes; a module that lies in this one, or that it imported, most often not,
            // and what it imports from `builtins` as little: everybody has that.
            Exports::Computed => {
                let built_in =
                    loaded.source.as_deref().map(taken_from_builtins).unwrap_or_default();
                all.filter(|(name, _)| !built_in.contains(name.as_str()))
                    .map(|(name, value)| (name, value.of_any_module()))
                    .collect()
            }
            Exports::Absent => all.filter(|(name, _)| !name.starts_with('_')).collect(),
        };
        let extensions: Vec<PathBuf> = match is_listed {
            true => Vec::new(),
            false => loaded.star_extensions.iter().chain(&loaded.extension).cloned().collect(),
        };
        let is_extension = loaded.extension.is_some();
        for (name, value) in taken {
            self.bind(&name, value, frame);
        }
        if is_open && !is_listed && !is_extension {
            self.mark_open(frame.module);
        }
        if let Some(loaded) = self.modules.get_mut(frame.module) {
            loaded.star_extensions.extend(extensions);
        }
    }

    pub(super) fn mark_open(&mut self, module: &str) {
        if let Some(loaded) = self.modules.get_mut(module) {
            loaded.is_open.get_or_insert(Openness::WritesNamespace);
        }
    }
}

/// The names that a module imports from `builtins`.
fn taken_from_builtins(source: &PythonModule) -> BTreeSet<&str> {
    let names = source.steps.iter().filter_map(|step| match step {
        Step::ImportFrom { level: 0, module, names, .. } if module == "builtins" => Some(names),
        _ => None,
    });
    names.flatten().map(|(_, bound)| bound.as_str()).collect()
}
