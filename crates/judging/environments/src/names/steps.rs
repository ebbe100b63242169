//! Steps of a module, in the order in which Python takes them.

use foldhash::{HashMap, HashMapExt as _};
use unskew_python_source::{Bound, Condition, Handler, PythonFunction, Step};

use super::finder::Location;
use super::importer::Importer;
use super::missing::{Asked, ImportFailure};
use super::namespace::{Resolved, Value};

/// How deep functions of one module call each other that are followed.
const CALLS: usize = 8;

/// The most steps that are taken in all: functions that call others many times would never end.
const STEPS: usize = 20_000_000;

/// How deep statements nest, over all imports and calls on the way to them.
const NESTING: usize = 5_000;

/// What Python raises for a module that is not there.
pub(super) const MODULE_NOT_FOUND: &str = "ModuleNotFoundError";

/// How certain it is that a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// It is taken.
    Certain,
    /// It may be taken.
    Possible,
    /// It is not taken as far as is known: only its names count, since what is not known may lead there.
    NamesOnly,
}

/// How a list of steps ends.
#[derive(Clone, Debug)]
pub(super) enum Flow {
    /// What comes next is reached.
    GoesOn,
    /// A function returned, or a loop was left.
    Left,
    /// An exception.
    Fails(Box<ImportFailure>),
}

/// Where steps are taken.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) module: &'a str,
    pub(super) certainty: Certainty,
    /// Whether names are those of a function.
    pub(super) is_function: bool,
    /// How many calls of functions led here.
    pub(super) calls: usize,
}

impl<'a> Frame<'a> {
    /// The body of a module.
    pub(super) fn body(module: &'a str) -> Self {
        Self { module, certainty: Certainty::Certain, is_function: false, calls: 0 }
    }
}

impl Importer<'_> {
    /// Takes steps one after the other, until one leaves or fails.
    pub(super) fn run(&mut self, steps: &[Step], frame: Frame<'_>) -> Flow {
        if self.nesting >= NESTING {
            self.is_cut = true;
            return Flow::GoesOn;
        }
        self.nesting += 1;
        let flow = self.run_within(steps, frame);
        self.nesting -= 1;
        flow
    }

    fn run_within(&mut self, steps: &[Step], frame: Frame<'_>) -> Flow {
        for step in steps {
            if self.taken >= STEPS {
                self.is_cut = true;
                return Flow::GoesOn;
            }
            self.taken += 1;
            match self.step(step, frame) {
                Flow::GoesOn => {}
                // What may not have been taken may go on.
                flow if frame.certainty == Certainty::Certain => return flow,
                Flow::Fails(failure) if frame.certainty == Certainty::Possible => {
                    self.note_conditional(*failure);
                    return Flow::GoesOn;
                }
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
                    Bound::Path(path) => self.resolve(path, frame).value(),
                    Bound::Definition => self.definition(name, frame),
                    Bound::Known(value) => Value::Known(*value),
                    Bound::VersionOf(path) => match self.resolve(path, frame) {
                        Resolved::Bound(Value::Module(module)) => Value::VersionOf(module),
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
                    if let Some(cover) = self.cover() {
                        cover.conditions += 1;
                    }
                    self.run(body, with(certainty));
                    self.run(otherwise, with(certainty));
                    // What follows a branch that leaves may not be reached.
                    let may_leave = leaves(body) || leaves(otherwise);
                    if let Some(cover) = self.cover().filter(|_| !may_leave) {
                        cover.conditions -= 1;
                    }
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
            Step::KeywordCall { path, keywords, line } => {
                self.take_keywords(path, keywords, *line, frame)
            }
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

    /// Keeps that a module is not there which is imported if a condition holds that is not known.
    fn note_conditional(&mut self, failure: ImportFailure) {
        if self.open_handlers == 0 && matches!(failure.asked, Asked::Module(_)) {
            self.conditional_failures.push(failure);
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
        if let Some(cover) = self.cover() {
            cover.handlers.extend(handlers.iter().map(|one| one.catches.clone()));
        }
        let handles = |one: &Handler| catches(&one.catches, MODULE_NOT_FOUND);
        let opened = usize::from(handlers.iter().any(handles));
        self.open_handlers += opened;
        let flow = self.run(body, with(certain));
        self.open_handlers -= opened;
        if let Some(cover) = self.cover() {
            cover.handlers.truncate(cover.handlers.len().saturating_sub(handlers.len()));
        }
        match flow {
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
        self.record_import(module, frame.module);
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
        self.record_import(&module, frame.module);
        for (name, bound) in names {
            if name == "*" {
                self.star(&module, frame);
                continue;
            }
            match self.imported_name(&module, name, by) {
                Ok(value) => self.bind(bound, value, frame),
                Err(failure) => return Flow::Fails(failure),
            }
        }
        Flow::GoesOn
    }

    /// What `from module import name` binds.
    fn imported_name(
        &mut self,
        module: &str,
        name: &str,
        by: (&str, u32),
    ) -> Result<Value, Box<ImportFailure>> {
        self.record_name(module, name, false, by.0);
        let is_missing = match self.attribute(module, name) {
            Resolved::Bound(value) => {
                self.import_lazily(module, name, by)?;
                return Ok(value);
            }
            Resolved::Unknown => false,
            Resolved::Missing { .. } => true,
        };
        let inner = format!("{module}.{name}");
        if self.finder.find(&inner) != Location::Nowhere {
            self.import_one(&inner, by)?;
            return Ok(Value::Module(inner));
        }
        if !is_missing || (self.is_trusted)(by.0, module) {
            return Ok(Value::Object);
        }
        let (module, name) = (module.to_owned(), name.to_owned());
        let asked = Asked::Name { module, name, is_attribute: false };
        Err(self.failure(asked, "ImportError", by))
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

    fn take_attribute(&mut self, path: &[String], line: u32, frame: Frame<'_>) -> Flow {
        if frame.certainty == Certainty::NamesOnly {
            return Flow::GoesOn;
        }
        self.record_attribute(path, frame);
        if let [first, name, ..] = path
            && let Resolved::Bound(Value::Module(module)) =
                self.resolve(std::slice::from_ref(first), frame)
            && let Err(failure) = self.import_lazily(&module, name, (frame.module, line))
        {
            return Flow::Fails(failure);
        }
        match self.resolve(path, frame) {
            Resolved::Missing { module, name } if !(self.is_trusted)(frame.module, &module) => {
                // Until somebody calls the function, others may import a module below this one.
                let inner = format!("{module}.{name}");
                if frame.is_function && self.finder.find(&inner) != Location::Nowhere {
                    return Flow::GoesOn;
                }
                let asked = Asked::Name { module, name, is_attribute: true };
                Flow::Fails(self.failure(asked, "AttributeError", (frame.module, line)))
            }
            _ => Flow::GoesOn,
        }
    }

    /// Records the first name of a path that a module of another package has to have.
    fn record_attribute(&mut self, path: &[String], frame: Frame<'_>) {
        for end in 1..path.len() {
            let (above, name) = (path.get(..end).unwrap_or_default(), path.get(end));
            let (Resolved::Bound(Value::Module(module)), Some(name)) =
                (self.resolve(above, frame), name)
            else {
                return;
            };
            self.record_name(&module, name, true, frame.module);
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
        let conditions = self.cover().map_or(0, |cover| cover.conditions);
        let flow = self.run(&function.steps.unpack(), Frame { is_function: true, ..frame });
        if let Some(cover) = self.cover() {
            cover.conditions = conditions;
        }
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
}

/// Whether steps may return, leave a loop or raise.
fn leaves(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Leave | Step::Raise { .. } => true,
        other => other.blocks().into_iter().any(leaves),
    })
}

/// Whether a handler for these classes catches an exception.
pub(super) fn catches(classes: &[String], exception: &str) -> bool {
    if classes.is_empty() {
        return true;
    }
    classes.iter().any(|class| match &**class {
        "Exception" | "BaseException" => true,
        "ImportError" => ["ImportError", "ModuleNotFoundError"].contains(&exception),
        class => class == exception,
    })
}
