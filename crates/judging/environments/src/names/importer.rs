//! The order in which Python runs modules: the steps of one, with the imports that they start.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::str::FromStr as _;
use std::sync::Arc;

use pep440_rs::Version as Pep440;
use unskew_python_source::{
    Bound, Condition, Exports, Handler, Openness, PythonFunction, PythonModule, Step,
};
use unskew_source::read_text;

use super::finder::{Location, ModuleFinder};
use super::missing::{Asked, ImportFailure};

/// How deep imports nest that are followed; Python itself ends at 1,000 frames.
const DEPTH: usize = 250;

/// The most modules that are read.
const MODULES: usize = 50_000;

/// How deep functions of one module call each other that are followed.
const CALLS: usize = 8;

/// What a name of a module is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    /// A module.
    Module(String),
    /// The version of a module.
    VersionOf(String),
    /// True or False.
    Known(bool),
    /// Something else.
    Object,
}

/// What is known of a module.
#[derive(Debug)]
struct Loaded {
    source: Option<Arc<PythonModule>>,
    names: HashMap<String, Value>,
    /// Why it may have other names, too.
    is_open: Option<Openness>,
    /// Whether modules below it may exist without files.
    registers_modules: bool,
    /// None while it is imported.
    result: Option<Result<(), Box<ImportFailure>>>,
}

/// How certain it is that a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Certainty {
    /// It is taken.
    Certain,
    /// It may be taken.
    Possible,
    /// It is not taken as far as is known: only its names count, since what is not known may lead there.
    NamesOnly,
}

/// How a list of steps ends.
#[derive(Clone, Debug)]
enum Flow {
    /// What comes next is reached.
    GoesOn,
    /// A function returned, or a loop was left.
    Left,
    /// An exception.
    Fails(Box<ImportFailure>),
}

/// The steps that are taken now.
#[derive(Clone, Copy)]
struct Frame<'a> {
    module: &'a str,
    certainty: Certainty,
    /// Whether names are those of a function.
    is_function: bool,
    calls: usize,
}

/// What a path of attributes leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Resolved {
    Module(String),
    VersionOf(String),
    Known(bool),
    Object,
    /// It may be there or not.
    Unknown,
    /// A module does not have it.
    Missing {
        module: String,
        name: String,
    },
}

/// Imports modules without running them.
pub(super) struct Importer<'a> {
    finder: ModuleFinder,
    python: Option<(u32, u32)>,
    /// `sys.platform` and `os.name`.
    platform: Option<[&'static str; 2]>,
    /// The versions of packages by the modules at their top.
    versions: &'a BTreeMap<String, String>,
    /// Whether what one module asks of another is not judged.
    is_trusted: &'a dyn Fn(&str, &str) -> bool,
    modules: HashMap<String, Loaded>,
    /// The modules that are imported now.
    chain: Vec<String>,
    /// The package whose version a condition asked for that led here.
    compared: Vec<String>,
    /// The modules at the top of packages that change `sys.path`.
    path_changers: HashSet<String>,
    /// Names of functions while one is followed.
    locals: Vec<HashMap<String, Value>>,
    /// Whether more modules were asked for than are read.
    pub(super) is_cut: bool,
}

impl<'a> Importer<'a> {
    pub(super) fn new(
        finder: ModuleFinder,
        python: Option<(u32, u32)>,
        platform: Option<[&'static str; 2]>,
        versions: &'a BTreeMap<String, String>,
        is_trusted: &'a dyn Fn(&str, &str) -> bool,
    ) -> Self {
        Self {
            finder,
            python,
            platform,
            versions,
            is_trusted,
            modules: HashMap::new(),
            chain: Vec::new(),
            compared: Vec::new(),
            path_changers: HashSet::new(),
            locals: Vec::new(),
            is_cut: false,
        }
    }

    /// How many modules were read.
    pub(super) fn count(&self) -> usize {
        self.modules.len()
    }

    /// Whether a module is missing in folders that several packages share, each of which may be installed or not.
    pub(super) fn is_in_namespace(&mut self, module: &str) -> bool {
        module.rsplit_once('.').is_some_and(|(parent, _)| {
            matches!(self.finder.find(parent), Location::Namespace(_) | Location::Nowhere)
        })
    }

    /// The functions of a module that was read.
    pub(super) fn functions(&self, module: &str) -> Vec<PythonFunction> {
        let source = self.modules.get(module).and_then(|loaded| loaded.source.as_ref());
        source.map(|source| source.functions.clone()).unwrap_or_default()
    }

    /// The modules that were imported.
    pub(super) fn imported(&self) -> Vec<String> {
        let mut all: Vec<String> = self.modules.keys().cloned().collect();
        all.sort_unstable();
        all
    }

    /// Imports a module by its whole name, after those that it lies in.
    pub(super) fn import(
        &mut self,
        module: &str,
        by: (&str, u32),
    ) -> Result<(), Box<ImportFailure>> {
        let ends = module.match_indices('.').map(|(at, _)| at).chain([module.len()]);
        for end in ends.collect::<Vec<_>>() {
            self.import_one(&module[..end], by)?;
        }
        Ok(())
    }

    fn import_one(&mut self, module: &str, by: (&str, u32)) -> Result<(), Box<ImportFailure>> {
        if let Some(loaded) = self.modules.get(module) {
            return loaded.result.clone().unwrap_or(Ok(()));
        }
        let location = self.finder.find(module);
        if location == Location::Nowhere {
            let may_exist = self.may_be_registered(module) || self.has_other_path(by.0);
            return match may_exist || (self.is_trusted)(by.0, module) {
                true => Ok(()),
                false => {
                    Err(self.failure(Asked::Module(module.to_owned()), "ModuleNotFoundError", by))
                }
            };
        }
        if self.chain.len() >= DEPTH || self.modules.len() >= MODULES {
            self.is_cut = true;
            return Ok(());
        }
        let source = match &location {
            Location::Source(path, _) => read_text(path, unskew_python_source::LARGEST as u64)
                .ok()
                .and_then(|text| PythonModule::read(&text).ok())
                .map(Arc::new),
            Location::Namespace(_) => Some(Arc::new(PythonModule::default())),
            _ => None,
        };
        let mut names = HashMap::new();
        let lazy = source.iter().flat_map(|source| &source.lazy_names);
        names.extend(lazy.map(|name| (name.clone(), Value::Object)));
        let is_open = match &source {
            Some(source) => source.is_open,
            None => Some(Openness::NoSource),
        };
        if source.as_ref().is_some_and(|source| source.changes_path) {
            let top = module.split('.').next().unwrap_or_default();
            self.path_changers.insert(top.to_owned());
        }
        let registers_modules = source.as_ref().is_none_or(|source| source.registers_modules);
        let result = None;
        let loaded = Loaded { source: source.clone(), names, is_open, registers_modules, result };
        self.modules.insert(module.to_owned(), loaded);
        self.chain.push(module.to_owned());
        let compared = std::mem::take(&mut self.compared);
        let flow = match &source {
            Some(source) => {
                let certainty = Certainty::Certain;
                self.run(&source.steps, Frame { module, certainty, is_function: false, calls: 0 })
            }
            None => Flow::GoesOn,
        };
        self.chain.pop();
        self.compared = compared;
        let result = match flow {
            Flow::Fails(failure) if failure.is_explained() => Err(failure),
            _ => Ok(()),
        };
        if let Some(loaded) = self.modules.get_mut(module) {
            loaded.result = Some(result.clone());
        }
        if let Some((parent, name)) = module.rsplit_once('.')
            && let Some(parent) = self.modules.get_mut(parent)
        {
            parent.names.entry(name.to_owned()).or_insert_with(|| Value::Module(module.to_owned()));
        }
        result
    }

    /// Whether a module without a file may exist, because one above it registers modules or is not read.
    fn may_be_registered(&self, module: &str) -> bool {
        let mut above = module;
        while let Some((parent, _)) = above.rsplit_once('.') {
            if self.modules.get(parent).is_some_and(|loaded| {
                loaded.registers_modules || loaded.is_open == Some(Openness::NoSource)
            }) {
                return true;
            }
            above = parent;
        }
        false
    }

    /// Whether the package of a module adds folders to `sys.path`.
    fn has_other_path(&self, module: &str) -> bool {
        let top = module.split('.').next().unwrap_or_default();
        self.path_changers.contains(top)
    }

    fn failure(&self, asked: Asked, exception: &str, by: (&str, u32)) -> Box<ImportFailure> {
        let exception = exception.to_owned();
        let (by, line) = (by.0.to_owned(), by.1);
        Box::new(ImportFailure { asked, exception, by, line, chain: self.chain.clone() })
    }

    fn run(&mut self, steps: &[Step], frame: Frame<'_>) -> Flow {
        for step in steps {
            match self.step(step, frame) {
                Flow::GoesOn => {}
                // What may not have been taken may go on.
                flow if frame.certainty == Certainty::Certain => return flow,
                Flow::Fails(_) if frame.certainty == Certainty::Possible => return Flow::GoesOn,
                _ => {}
            }
        }
        Flow::GoesOn
    }

    fn step(&mut self, step: &Step, frame: Frame<'_>) -> Flow {
        let with = |certainty| Frame { certainty, ..frame };
        match step {
            Step::Import { module, alias, line } => {
                self.take_import(module, alias.as_deref(), *line, frame)
            }
            Step::ImportFrom { level, module, names, line } => {
                self.take_import_from((*level, module), names, *line, frame)
            }
            Step::Attribute { path, line } => self.take_attribute(path, *line, frame),
            Step::Bind { name, to } => {
                let value = match to {
                    Bound::Path(path) => match self.resolve(path, frame) {
                        Resolved::Module(module) => Value::Module(module),
                        Resolved::VersionOf(module) => Value::VersionOf(module),
                        Resolved::Known(value) => Value::Known(value),
                        _ => Value::Object,
                    },
                    Bound::Known(value) => Value::Known(*value),
                    Bound::VersionOf(path) => match self.resolve(path, frame) {
                        Resolved::Module(module) => Value::VersionOf(module),
                        _ => Value::Object,
                    },
                    Bound::Object => Value::Object,
                };
                self.bind(name, value, frame);
                Flow::GoesOn
            }
            Step::Delete(name) => {
                if frame.certainty == Certainty::Certain && !frame.is_function {
                    self.delete(name, frame.module);
                }
                Flow::GoesOn
            }
            Step::If { condition, body, otherwise } => match self.holds(condition, frame) {
                Some(true) => self.under(condition, body, frame),
                Some(false) => self.under(condition, otherwise, frame),
                None => {
                    let certainty = match frame.certainty {
                        Certainty::NamesOnly => Certainty::NamesOnly,
                        _ => Certainty::Possible,
                    };
                    self.run(body, with(certainty));
                    self.run(otherwise, with(certainty));
                    Flow::GoesOn
                }
            },
            Step::Try { body, handlers, otherwise, finally } => {
                let flow = self.attempt(body, handlers, otherwise, frame);
                match self.run(finally, frame) {
                    Flow::GoesOn => flow,
                    other => other,
                }
            }
            Step::Class(body) => self.run(body, frame),
            Step::Loop(body) => match self.run(body, frame) {
                // Leaving the loop is not leaving the module.
                Flow::Left => Flow::GoesOn,
                flow => flow,
            },
            Step::Call { name, line: _ } => self.call(name, frame),
            Step::Raise { exception, message, line } => {
                let Some(exception) =
                    exception.as_deref().filter(|_| frame.certainty == Certainty::Certain)
                else {
                    return Flow::Left;
                };
                // Where no version was compared, what decided it is not known: see `is_explained`.
                let module = self.compared.last().cloned().unwrap_or_default();
                let message = message.clone().unwrap_or_default();
                let asked = Asked::Check { module, message };
                Flow::Fails(self.failure(asked, exception, (frame.module, *line)))
            }
            Step::Leave => Flow::Left,
        }
    }

    /// A branch whose condition is decided.
    fn under(&mut self, condition: &Condition, steps: &[Step], frame: Frame<'_>) -> Flow {
        let compared = self.compared_module(condition, frame);
        let depth = self.compared.len();
        self.compared.extend(compared);
        let flow = self.run(steps, frame);
        self.compared.truncate(depth);
        flow
    }

    fn compared_module(&self, condition: &Condition, frame: Frame<'_>) -> Option<String> {
        match condition {
            Condition::PackageVersion { module, .. } => match self.resolve(module, frame) {
                Resolved::Module(module) | Resolved::VersionOf(module) => Some(module),
                _ => None,
            },
            Condition::Python(..) => Some("sys".to_owned()),
            Condition::Not(inner) => self.compared_module(inner, frame),
            Condition::All(all) | Condition::Any(all) => {
                all.iter().find_map(|one| self.compared_module(one, frame))
            }
            _ => None,
        }
    }

    fn attempt(
        &mut self,
        body: &[Step],
        handlers: &[Handler],
        otherwise: &[Step],
        frame: Frame<'_>,
    ) -> Flow {
        let with = |certainty| Frame { certainty, ..frame };
        let certain = match frame.certainty {
            // To know which handler is taken, the body is run as if it were certain.
            Certainty::Possible => Certainty::Certain,
            other => other,
        };
        match self.run(body, with(certain)) {
            Flow::Fails(failure) => {
                for handler in handlers {
                    if catches(&handler.catches, &failure.exception) {
                        return self.run(&handler.body, frame);
                    }
                }
                Flow::Fails(failure)
            }
            flow => {
                // What is not known of the body may lead to a handler.
                for handler in handlers {
                    self.run(&handler.body, with(Certainty::NamesOnly));
                }
                match flow {
                    Flow::GoesOn => self.run(otherwise, frame),
                    flow => flow,
                }
            }
        }
    }

    fn take_import(
        &mut self,
        module: &str,
        alias: Option<&str>,
        line: u32,
        frame: Frame<'_>,
    ) -> Flow {
        if frame.certainty == Certainty::NamesOnly {
            let name = alias.unwrap_or_else(|| module.split('.').next().unwrap_or(module));
            self.bind(name, Value::Object, frame);
            return Flow::GoesOn;
        }
        let top = module.split('.').next().unwrap_or(module);
        let result = self.import(module, (frame.module, line));
        if let Err(failure) = result {
            return Flow::Fails(failure);
        }
        let (name, module) = match alias {
            Some(alias) => (alias, module),
            None => (top, top),
        };
        let value = match self.modules.contains_key(module) {
            true => Value::Module(module.to_owned()),
            false => Value::Object,
        };
        self.bind(name, value, frame);
        Flow::GoesOn
    }

    fn take_import_from(
        &mut self,
        (level, module): (u32, &str),
        names: &[(String, String)],
        line: u32,
        frame: Frame<'_>,
    ) -> Flow {
        if frame.certainty == Certainty::NamesOnly {
            for (name, bound) in names {
                match &**name {
                    "*" => self.mark_open(frame.module),
                    _ => self.bind(bound, Value::Object, frame),
                }
            }
            return Flow::GoesOn;
        }
        let Some(module) = self.absolute(level, module, frame.module) else {
            return Flow::GoesOn;
        };
        if module == "__future__" {
            return Flow::GoesOn;
        }
        let by = (frame.module, line);
        if let Err(failure) = self.import(&module, by) {
            return Flow::Fails(failure);
        }
        for (name, bound) in names {
            if name == "*" {
                self.star(&module, frame);
                continue;
            }
            let value = match self.attribute(&module, name) {
                Resolved::Module(module) => Value::Module(module),
                Resolved::VersionOf(module) => Value::VersionOf(module),
                Resolved::Known(value) => Value::Known(value),
                Resolved::Object => Value::Object,
                found => {
                    let inner = format!("{module}.{name}");
                    match self.finder.find(&inner) {
                        Location::Nowhere if matches!(found, Resolved::Missing { .. }) => {
                            if (self.is_trusted)(frame.module, &module) {
                                Value::Object
                            } else {
                                let (module, name) = (module.clone(), name.clone());
                                let asked = Asked::Name { module, name, is_attribute: false };
                                return Flow::Fails(self.failure(asked, "ImportError", by));
                            }
                        }
                        Location::Nowhere => Value::Object,
                        _ => match self.import_one(&inner, by) {
                            Ok(()) => Value::Module(inner),
                            Err(failure) => return Flow::Fails(failure),
                        },
                    }
                }
            };
            self.bind(bound, value, frame);
        }
        Flow::GoesOn
    }

    /// The whole name of a module that is named from another; none if the dots lead out of it.
    fn absolute(&mut self, level: u32, module: &str, by: &str) -> Option<String> {
        if level == 0 {
            return Some(module.to_owned());
        }
        let is_package = match self.finder.find(by) {
            Location::Source(path, _) => path.ends_with("__init__.py"),
            _ => true,
        };
        let mut package = by;
        let ups = if is_package { level - 1 } else { level };
        for _ in 0..ups {
            package = package.rsplit_once('.')?.0;
        }
        Some(if module.is_empty() { package.to_owned() } else { format!("{package}.{module}") })
    }

    /// `from module import *`.
    fn star(&mut self, module: &str, frame: Frame<'_>) {
        let Some(loaded) = self.modules.get(module) else { return self.mark_open(frame.module) };
        let exports =
            loaded.source.as_ref().map(|source| source.exports.clone()).unwrap_or_default();
        let is_open = loaded.is_open.is_some() || loaded.result.is_none();
        let taken: Vec<(String, Value)> = match &exports {
            Exports::Names(names) => {
                let value =
                    |name: &String| loaded.names.get(name).cloned().unwrap_or(Value::Object);
                names.iter().map(|name| (name.clone(), value(name))).collect()
            }
            Exports::Computed => {
                loaded.names.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
            }
            Exports::Absent => loaded
                .names
                .iter()
                .filter(|(name, _)| !name.starts_with('_'))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        };
        for (name, value) in taken {
            self.bind(&name, value, frame);
        }
        if is_open && !matches!(exports, Exports::Names(_)) {
            self.mark_open(frame.module);
        }
    }

    fn mark_open(&mut self, module: &str) {
        if let Some(loaded) = self.modules.get_mut(module) {
            loaded.is_open.get_or_insert(Openness::WritesNamespace);
        }
    }

    fn take_attribute(&mut self, path: &[String], line: u32, frame: Frame<'_>) -> Flow {
        if frame.certainty == Certainty::NamesOnly {
            return Flow::GoesOn;
        }
        match self.resolve(path, frame) {
            Resolved::Missing { module, name } if !(self.is_trusted)(frame.module, &module) => {
                let asked = Asked::Name { module, name, is_attribute: true };
                Flow::Fails(self.failure(asked, "AttributeError", (frame.module, line)))
            }
            _ => Flow::GoesOn,
        }
    }

    /// What a path of attributes leads to, from a name of a module or function on.
    fn resolve(&self, path: &[String], frame: Frame<'_>) -> Resolved {
        let Some((first, rest)) = path.split_first() else { return Resolved::Unknown };
        let local = self.locals.last().filter(|_| frame.is_function).and_then(|all| all.get(first));
        let global = || self.modules.get(frame.module).and_then(|loaded| loaded.names.get(first));
        let mut found = match local.or_else(global) {
            Some(value) => value.resolved(),
            None => Resolved::Unknown,
        };
        for name in rest {
            found = match &found {
                Resolved::Module(module) => self.attribute(module, name),
                _ => return found,
            };
        }
        found
    }

    /// What a name of a module is.
    fn attribute(&self, module: &str, name: &str) -> Resolved {
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
            return value.resolved();
        }
        if hook.is_some_and(|hook| hook.names.contains(name)) {
            return Resolved::Object;
        }
        let inner = format!("{module}.{name}");
        if self.modules.contains_key(&inner) {
            return Resolved::Module(inner);
        }
        let is_special = name.starts_with("__") && name.ends_with("__");
        // While it is imported, it may get the name later.
        if loaded.is_open.is_some()
            || loaded.registers_modules
            || loaded.result != Some(Ok(()))
            || is_special
        {
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

    fn bind(&mut self, name: &str, value: Value, frame: Frame<'_>) {
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

    fn delete(&mut self, name: &str, module: &str) {
        if let Some(loaded) = self.modules.get_mut(module) {
            let is_lazy = loaded.source.as_ref().is_some_and(|one| one.lazy_names.contains(name));
            if !is_lazy {
                loaded.names.remove(name);
            }
        }
    }

    /// Follows the call of a function of the same module, which may import or raise.
    fn call(&mut self, name: &str, frame: Frame<'_>) -> Flow {
        if frame.certainty != Certainty::Certain || frame.calls >= CALLS {
            return Flow::GoesOn;
        }
        let Some(source) = self.modules.get(frame.module).and_then(|loaded| loaded.source.clone())
        else {
            return Flow::GoesOn;
        };
        // With several of one name, which one is meant depends on a condition.
        let mut named = source.functions.iter().filter(|function| function.name == name);
        let (Some(function), None) = (named.next(), named.next()) else { return Flow::GoesOn };
        if !function.is_plain {
            return Flow::GoesOn;
        }
        self.function(function, Frame { calls: frame.calls + 1, ..frame })
    }

    /// Follows the steps of a function.
    fn function(&mut self, function: &PythonFunction, frame: Frame<'_>) -> Flow {
        self.locals.push(HashMap::new());
        let flow = self.run(&function.steps, Frame { is_function: true, ..frame });
        self.locals.pop();
        match flow {
            Flow::Left => Flow::GoesOn,
            // Whether it is reached may depend on arguments and the machine.
            Flow::Fails(failure) if !failure.is_explained() => Flow::GoesOn,
            flow => flow,
        }
    }

    /// What a function of a module asks for in vain once it is called.
    pub(super) fn first_use(
        &mut self,
        module: &str,
        function: &PythonFunction,
    ) -> Option<Box<ImportFailure>> {
        self.chain.push(module.to_owned());
        let certainty = Certainty::Certain;
        let frame = Frame { module, certainty, is_function: true, calls: CALLS };
        let flow = self.function(function, frame);
        self.chain.pop();
        match flow {
            Flow::Fails(failure) => Some(failure).filter(|failure| failure.is_explained()),
            Flow::GoesOn | Flow::Left => None,
        }
    }

    /// Whether a condition holds; none if that is not known.
    fn holds(&self, condition: &Condition, frame: Frame<'_>) -> Option<bool> {
        match condition {
            Condition::Known(holds) => Some(*holds),
            Condition::Python(comparison, numbers) => {
                let (major, minor) = self.python?;
                // Of a patch release nothing is known.
                let two: Vec<u32> = numbers.iter().copied().take(2).collect();
                let order = [major, minor][..two.len()].cmp(&two);
                match order {
                    std::cmp::Ordering::Equal if numbers.len() > 2 => None,
                    // `(3, 9, 1) > (3, 9)`: the whole tuple is longer than the literal.
                    std::cmp::Ordering::Equal => {
                        Some(comparison.holds(std::cmp::Ordering::Greater))
                    }
                    order => Some(comparison.holds(order)),
                }
            }
            Condition::Platform(name) => {
                let known = self.platform?;
                Some(known.contains(&&**name))
            }
            Condition::PackageVersion { module, comparison, version } => {
                let (Resolved::Module(module) | Resolved::VersionOf(module)) =
                    self.resolve(module, frame)
                else {
                    return None;
                };
                let installed =
                    Pep440::from_str(self.versions.get(module.split('.').next()?)?).ok()?;
                let version = Pep440::from_str(version).ok()?;
                Some(comparison.holds(installed.cmp(&version)))
            }
            Condition::Flag(path) => match self.resolve(path, frame) {
                Resolved::Known(value) => Some(value),
                _ => None,
            },
            Condition::HasModule(_) => None,
            Condition::HasAttribute(path, name) => match self.resolve(path, frame) {
                Resolved::Module(module) => match self.attribute(&module, name) {
                    Resolved::Missing { .. } => Some(false),
                    Resolved::Unknown => None,
                    _ => Some(true),
                },
                _ => None,
            },
            Condition::Not(inner) => self.holds(inner, frame).map(|holds| !holds),
            Condition::All(all) => {
                let all: Vec<Option<bool>> = all.iter().map(|one| self.holds(one, frame)).collect();
                if all.contains(&Some(false)) {
                    Some(false)
                } else {
                    all.iter().all(|one| *one == Some(true)).then_some(true)
                }
            }
            Condition::Any(all) => {
                let all: Vec<Option<bool>> = all.iter().map(|one| self.holds(one, frame)).collect();
                if all.contains(&Some(true)) {
                    Some(true)
                } else {
                    all.iter().all(|one| *one == Some(false)).then_some(false)
                }
            }
            Condition::Unknown => None,
        }
    }
}

impl Value {
    fn resolved(&self) -> Resolved {
        match self {
            Self::Module(module) => Resolved::Module(module.clone()),
            Self::VersionOf(module) => Resolved::VersionOf(module.clone()),
            Self::Known(value) => Resolved::Known(*value),
            Self::Object => Resolved::Object,
        }
    }
}

/// Whether a handler for these classes catches an exception.
fn catches(classes: &[String], exception: &str) -> bool {
    if classes.is_empty() {
        return true;
    }
    classes.iter().any(|class| match &**class {
        "Exception" | "BaseException" => true,
        "ImportError" => ["ImportError", "ModuleNotFoundError"].contains(&exception),
        class => class == exception,
    })
}
