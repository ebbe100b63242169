//! From the statements of a source to the steps of a module.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::Visitor as _;
use ruff_python_ast::{
    ExceptHandler, Expr, Parameters, PythonVersion, Stmt, StmtClassDef, StmtFunctionDef,
    StmtImport, StmtImportFrom, StmtTry, StmtWith,
};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::TextSize;

use crate::attribute_hook::attribute_hook;
use crate::condition::{condition, version_of};
use crate::expression::{Reads, is_call_of, is_globals, path};
use crate::module::{
    Bound, Condition, Exports, Handler, Openness, PythonFunction, PythonModule, Step, Tables,
};
use crate::reads_of_modules::{ReadFunction, keep_reads_of_modules};
use crate::tables::string;
use crate::{LARGEST, SourceError, keywords, lazy, nesting};

/// The most steps that are kept of one module.
const STEPS: usize = 200_000;

/// How deep statements nest.
const DEPTH: u32 = 100;

impl PythonModule {
    /// Reads the text of a `.py` file.
    ///
    /// # Errors
    /// If it is too long, nests too deep, or is no Python.
    pub fn read(source: &str) -> Result<Self, SourceError> {
        if source.len() > LARGEST {
            return Err(SourceError::TooLarge(source.len()));
        }
        if nesting::is_too_deep(source) {
            return Err(SourceError::TooDeep);
        }
        let options = ParseOptions::from(Mode::Module).with_target_version(PythonVersion::PY314);
        let parsed = parse_unchecked(source, options);
        let lines = Lines::new(source);
        if let Some(error) = parsed.errors().first() {
            let line = lines.line(error.location.start());
            return Err(SourceError::Syntax { line, cause: error.error.to_string() });
        }
        let Some(parsed) = parsed.try_into_module() else { return Ok(Self::default()) };
        let mut reader = ModuleReader { lines, ..ModuleReader::default() };
        let body = parsed.suite();
        reader.tables(body, 0);
        reader.has_annotations = !body.iter().any(postpones_annotations);
        reader.module.steps = reader.steps(body, Scope::Module, 0);
        reader.finish();
        // A package that changes where its modules are searched: TensorFlow's.
        reader.module.registers_modules |= source.contains("__path__");
        Ok(reader.module)
    }
}

/// `from __future__ import annotations`.
fn postpones_annotations(statement: &Stmt) -> bool {
    let Stmt::ImportFrom(import) = statement else { return false };
    let is_future = import.module.as_ref().is_some_and(|module| module.as_str() == "__future__");
    is_future && import.names.iter().any(|name| name.name.as_str() == "annotations")
}

/// Where a statement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Module,
    Class,
    Function,
}

#[derive(Default)]
struct ModuleReader {
    lines: Lines,
    tables: Tables,
    module: PythonModule,
    functions: Vec<ReadFunction>,
    /// Whether annotations are evaluated.
    has_annotations: bool,
    /// How many steps there are.
    steps: usize,
    /// Below how many conditions the statement stands.
    conditions: u32,
}

impl ModuleReader {
    /// Takes the tables first: a lazy loader may stand before what is added to its table under a condition.
    fn tables(&mut self, body: &[Stmt], depth: u32) {
        if depth > DEPTH {
            return;
        }
        let mut assigned = BTreeSet::new();
        for statement in body {
            if let Stmt::Assign(assign) = statement
                && let [Expr::Name(name)] = assign.targets.as_slice()
                && !assigned.insert(&name.id)
            {
                // A second list under the same name, in the same block: what comes next means this one.
                self.tables.firsts.remove(name.id.as_str());
            }
            self.tables.add(statement);
            for body in bodies(statement) {
                self.tables(body, depth + 1);
            }
        }
    }

    /// What is known once all is read.
    fn finish(&mut self) {
        let all = "__all__";
        self.module.exports = match self.tables.keys.remove(all) {
            _ if self.tables.is_computed.contains(all) => Exports::Computed,
            Some(names) => Exports::Names(names),
            None => Exports::Absent,
        };
        keywords::keep_final(&mut self.module.keywords, &self.module.steps);
        let tables = std::mem::take(&mut self.tables.keys).into_iter();
        self.module.tables = tables.filter(|(name, _)| name.starts_with('_')).collect();
        let functions = std::mem::take(&mut self.functions);
        self.module.functions = keep_reads_of_modules(&mut self.module.steps, functions);
        if self.module.attribute_hook.as_ref().is_some_and(|hook| hook.answers_others) {
            self.open(Openness::AttributeHook);
        }
    }

    fn open(&mut self, why: Openness) {
        self.module.is_open.get_or_insert(why);
    }

    fn steps(&mut self, body: &[Stmt], scope: Scope, depth: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        if depth > DEPTH {
            self.open(Openness::NoSource);
            return steps;
        }
        for statement in body {
            if self.steps > STEPS {
                self.open(Openness::NoSource);
                break;
            }
            let before = steps.len();
            self.statement(statement, scope, depth, &mut steps);
            self.steps += steps.len() - before;
        }
        steps
    }

    fn statement(&mut self, statement: &Stmt, scope: Scope, depth: u32, steps: &mut Vec<Step>) {
        match statement {
            Stmt::Import(import) => self.import(import, steps),
            Stmt::ImportFrom(import) => self.import_from(import, steps),
            Stmt::FunctionDef(function) => self.function(function, scope, depth, steps),
            Stmt::ClassDef(class) => self.class(class, scope, depth, steps),
            Stmt::Assign(assign) => {
                self.evaluated(&assign.value, steps);
                if scope == Scope::Module {
                    self.module_assignment(&assign.targets, &assign.value);
                }
                for target in &assign.targets {
                    self.bound(target, bound_to(&assign.value), steps);
                }
            }
            Stmt::AnnAssign(assign) => {
                if self.has_annotations && scope != Scope::Function {
                    self.evaluated(&assign.annotation, steps);
                }
                if let Some(value) = &assign.value {
                    self.evaluated(value, steps);
                    self.bound(&assign.target, bound_to(value), steps);
                }
            }
            Stmt::AugAssign(assign) => {
                self.evaluated(&assign.value, steps);
                self.bound(&assign.target, Bound::Object, steps);
            }
            // A function that binds them may be called by then, as `mimetypes` calls one of its own.
            Stmt::Global(global) => {
                self.module.lazy_names.extend(global.names.iter().map(ToString::to_string));
            }
            Stmt::TypeAlias(alias) => self.bound(&alias.name, Bound::Object, steps),
            Stmt::Delete(delete) => {
                let names = delete.targets.iter().filter_map(Expr::as_name_expr);
                steps.extend(names.map(|name| Step::Delete(name.id.to_string())));
            }
            Stmt::Expr(statement) => {
                self.writes_namespace(&statement.value, scope);
                self.evaluated(&statement.value, steps);
            }
            Stmt::Assert(assert) => self.evaluated(&assert.test, steps),
            Stmt::Return(value) => {
                if let Some(value) = &value.value {
                    self.evaluated(value, steps);
                }
                steps.push(Step::Leave);
            }
            Stmt::Break(_) | Stmt::Continue(_) => steps.push(Step::Leave),
            Stmt::Raise(raise) => {
                let line = self.lines.line(raise.range.start());
                let (mut exception, mut message) = (None, None);
                if let Some(raised) = &raise.exc {
                    self.evaluated(raised, steps);
                    let class = match &**raised {
                        Expr::Call(call) => {
                            message = call.arguments.args.first().and_then(string);
                            &*call.func
                        }
                        class => class,
                    };
                    exception = path(class).and_then(|mut path| path.pop());
                }
                steps.push(Step::Raise { exception, message, line });
            }
            Stmt::If(choice) => {
                self.evaluated(&choice.test, steps);
                let body = self.conditional(&choice.body, scope, depth);
                let mut clauses = choice.elif_else_clauses.iter().rev();
                let otherwise = clauses.by_ref().fold(Vec::new(), |otherwise, clause| {
                    let body = self.conditional(&clause.body, scope, depth);
                    match &clause.test {
                        // The test is evaluated where the ones before it are false.
                        Some(test) => {
                            vec![Step::If { condition: condition(test), body, otherwise }]
                        }
                        None => body,
                    }
                });
                steps.push(Step::If { condition: condition(&choice.test), body, otherwise });
            }
            Stmt::For(cycle) => {
                self.evaluated(&cycle.iter, steps);
                let mut body = Vec::new();
                self.bound(&cycle.target, Bound::Object, &mut body);
                body.extend(self.conditional(&cycle.body, scope, depth));
                steps.push(if self.is_filled(&cycle.iter) {
                    Step::Loop(body)
                } else {
                    unknown(body)
                });
                steps.push(unknown(self.conditional(&cycle.orelse, scope, depth)));
            }
            Stmt::While(cycle) => {
                self.evaluated(&cycle.test, steps);
                steps.push(unknown(self.conditional(&cycle.body, scope, depth)));
                steps.push(unknown(self.conditional(&cycle.orelse, scope, depth)));
            }
            Stmt::Match(choice) => {
                self.evaluated(&choice.subject, steps);
                for case in &choice.cases {
                    steps.push(unknown(self.conditional(&case.body, scope, depth)));
                }
            }
            Stmt::With(with) => self.with(with, scope, depth, steps),
            Stmt::Try(attempt) => self.attempt(attempt, scope, depth, steps),
            Stmt::Nonlocal(_) | Stmt::Pass(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    /// Statements that may be reached or not.
    fn conditional(&mut self, body: &[Stmt], scope: Scope, depth: u32) -> Vec<Step> {
        self.conditions += 1;
        let steps = self.steps(body, scope, depth + 1);
        self.conditions -= 1;
        steps
    }

    /// Whether a loop over this runs: a literal that is not empty, or the table of the module that has one.
    fn is_filled(&self, iterated: &Expr) -> bool {
        let table = match iterated {
            // `TABLE.items()`
            Expr::Call(call) if call.arguments.args.is_empty() => match &*call.func {
                Expr::Attribute(method) => &*method.value,
                _ => return false,
            },
            other => other,
        };
        match table {
            Expr::Name(name) => self.tables.is_filled.contains(name.id.as_str()),
            literal => crate::tables::is_filled(literal),
        }
    }

    fn import(&mut self, import: &StmtImport, steps: &mut Vec<Step>) {
        let line = self.lines.line(import.range.start());
        steps.extend(import.names.iter().map(|name| Step::Import {
            module: name.name.to_string(),
            alias: name.asname.as_ref().map(ToString::to_string),
            line,
        }));
    }

    fn import_from(&mut self, import: &StmtImportFrom, steps: &mut Vec<Step>) {
        let bound = |name: &ruff_python_ast::Alias| {
            let alias = name.asname.as_ref().unwrap_or(&name.name);
            (name.name.to_string(), alias.to_string())
        };
        steps.push(Step::ImportFrom {
            level: import.level,
            module: import.module.as_ref().map(ToString::to_string).unwrap_or_default(),
            names: import.names.iter().map(bound).collect(),
            line: self.lines.line(import.range.start()),
        });
    }

    fn function(
        &mut self,
        function: &StmtFunctionDef,
        scope: Scope,
        depth: u32,
        steps: &mut Vec<Step>,
    ) {
        let mut reads = Reads::default();
        for decorator in &function.decorator_list {
            reads.visit_expr(&decorator.expression);
        }
        reads.parameters(&function.parameters, self.has_annotations);
        if let Some(returns) = function.returns.as_ref().filter(|_| self.has_annotations) {
            reads.visit_expr(returns);
        }
        self.reads(reads, steps);
        let name = function.name.to_string();
        if scope == Scope::Module && name == "__getattr__" {
            self.module.attribute_hook = Some(attribute_hook(function, &self.tables));
        }
        self.changes_exports(&function.body);
        let mut body = self.steps(&function.body, Scope::Function, depth + 1);
        if scope == Scope::Function {
            // An inner function runs if somebody calls it.
            steps.push(unknown(body));
        } else {
            let mut locals: BTreeSet<String> = parameters(&function.parameters).collect();
            bound_names(&body, &mut locals);
            remove_locals(&mut body, &locals);
            let is_plain = scope == Scope::Module
                && !function.is_async
                && function.decorator_list.is_empty()
                && function.parameters.iter_non_variadic_params().all(|one| one.default.is_some())
                && !has_yield(&function.body);
            let is_conditional = self.conditions > 0;
            if scope == Scope::Module {
                self.module.definitions.insert(name.clone());
                let keywords = keywords::keywords_of_function(function).filter(|_| !is_conditional);
                self.module.keywords.extend(keywords.map(|one| (name.clone(), one)));
            }
            let name = name.clone();
            let function =
                PythonFunction { name, is_conditional, is_plain, ..PythonFunction::default() };
            self.functions.push(ReadFunction { function, steps: body });
        }
        steps.push(Step::Bind { name, to: Bound::Definition });
    }

    /// Takes note of a function that adds to `__all__`.
    fn changes_exports(&mut self, body: &[Stmt]) {
        for statement in body {
            let changed = match statement {
                Stmt::Expr(statement) => {
                    statement.value.as_call_expr().and_then(|call| path(&call.func))
                }
                Stmt::AugAssign(assign) => path(&assign.target),
                _ => None,
            };
            if changed.is_some_and(|path| path.first().is_some_and(|first| first == "__all__")) {
                self.tables.is_computed.insert("__all__".to_owned());
            }
            for body in bodies(statement) {
                self.changes_exports(body);
            }
        }
    }

    fn class(&mut self, class: &StmtClassDef, scope: Scope, depth: u32, steps: &mut Vec<Step>) {
        if scope == Scope::Module {
            self.module.definitions.insert(class.name.to_string());
            let keywords = keywords::keywords_of_class(class).filter(|_| self.conditions == 0);
            self.module.keywords.extend(keywords.map(|one| (class.name.to_string(), one)));
        }
        for decorator in &class.decorator_list {
            self.evaluated(&decorator.expression, steps);
            // Decorators that bind names of the module: of enumerations, and of Matplotlib's backends.
            let last = path(&decorator.expression).and_then(|mut path| path.pop());
            if last.is_some_and(|name| name == "global_enum" || name == "export") {
                self.open(Openness::WritesNamespace);
            }
        }
        if let Some(arguments) = &class.arguments {
            let mut reads = Reads::default();
            reads.visit_arguments(arguments);
            self.reads(reads, steps);
        }
        let mut body = self.steps(&class.body, Scope::Class, depth + 1);
        let mut locals = BTreeSet::new();
        bound_names(&body, &mut locals);
        remove_locals(&mut body, &locals);
        if !body.is_empty() {
            steps.push(Step::Class(body));
        }
        steps.push(Step::Bind { name: class.name.to_string(), to: Bound::Definition });
    }

    fn with(&mut self, with: &StmtWith, scope: Scope, depth: u32, steps: &mut Vec<Step>) {
        let mut suppressed = Vec::new();
        for item in &with.items {
            self.evaluated(&item.context_expr, steps);
            if let Some(target) = &item.optional_vars {
                self.bound(target, Bound::Object, steps);
            }
            suppressed.extend(suppressed_exceptions(&item.context_expr));
        }
        let body = self.steps(&with.body, scope, depth + 1);
        if suppressed.is_empty() {
            steps.extend(body);
        } else {
            let handlers = vec![Handler { catches: suppressed, body: Vec::new() }];
            let (otherwise, finally) = (Vec::new(), Vec::new());
            steps.push(Step::Try { body, handlers, otherwise, finally });
        }
    }

    fn attempt(&mut self, attempt: &StmtTry, scope: Scope, depth: u32, steps: &mut Vec<Step>) {
        let handler = |handler: &ExceptHandler, reader: &mut Self| {
            let ExceptHandler::ExceptHandler(handler) = handler;
            let catches = handler.type_.as_deref().map(exceptions).unwrap_or_default();
            Handler { catches, body: reader.conditional(&handler.body, scope, depth) }
        };
        let body = self.conditional(&attempt.body, scope, depth);
        let handlers = attempt.handlers.iter().map(|one| handler(one, self)).collect();
        let otherwise = self.conditional(&attempt.orelse, scope, depth);
        let finally = self.conditional(&attempt.finalbody, scope, depth);
        steps.push(Step::Try { body, handlers, otherwise, finally });
    }

    /// What the evaluation of an expression reads.
    fn evaluated(&mut self, expression: &Expr, steps: &mut Vec<Step>) {
        self.reads(Reads::of_expression(expression), steps);
    }

    fn reads(&mut self, reads: Reads, steps: &mut Vec<Step>) {
        if reads.passes_globals {
            self.open(Openness::WritesNamespace);
        }
        let line = |at: TextSize| self.lines.line(at);
        let attributes = reads.attributes.into_iter();
        steps.extend(attributes.map(|(path, at)| Step::Attribute { path, line: line(at) }));
        let calls = reads.calls.into_iter();
        steps.extend(calls.map(|(name, at)| Step::Call { name, line: line(at) }));
        let keyword_calls = reads.keyword_calls.into_iter();
        steps.extend(keyword_calls.map(|(path, keywords, at)| {
            let line = line(at);
            Step::KeywordCall { path, keywords, line }
        }));
        steps.extend(reads.bound.into_iter().map(|name| Step::Bind { name, to: Bound::Object }));
    }

    /// A target of an assignment.
    fn bound(&mut self, target: &Expr, to: Bound, steps: &mut Vec<Step>) {
        match target {
            Expr::Name(name) => steps.push(Step::Bind { name: name.id.to_string(), to }),
            Expr::List(_) | Expr::Tuple(_) => {
                for target in crate::tables::elements(target) {
                    self.bound(target, Bound::Object, steps);
                }
            }
            Expr::Starred(starred) => self.bound(&starred.value, Bound::Object, steps),
            Expr::Subscript(subscript) => self.subscript(&subscript.value, &subscript.slice),
            _ => {}
        }
    }

    /// `globals()[x] = y`, `locals()[x] = y`, which is the same in the body of a module, and `sys.modules[x] = y`.
    fn subscript(&mut self, object: &Expr, key: &Expr) {
        if is_globals(object) || is_call_of(object, "locals") {
            match string(key) {
                Some(name) => {
                    self.module.lazy_names.insert(name);
                }
                None => self.open(Openness::WritesNamespace),
            }
        }
        if path(object).is_some_and(|path| path.last().is_some_and(|last| last == "modules")) {
            let is_own = path(key).is_some_and(|path| path == ["__name__"]);
            match is_own {
                // A lazy loader that was understood stands in its place.
                true if self.module.attribute_hook.is_some() => {}
                true => self.open(Openness::ReplacesItself),
                false => self.module.registers_modules = true,
            }
        }
    }

    /// Assignments of the module that say which names it has.
    fn module_assignment(&mut self, targets: &[Expr], value: &Expr) {
        let replaces_itself = targets.iter().any(|target| {
            matches!(target, Expr::Subscript(subscript)
                if path(&subscript.value).is_some_and(|path| path.last().is_some_and(|last| last == "modules"))
                    && path(&subscript.slice).is_some_and(|path| path == ["__name__"]))
        });
        // `__getattr__, __dir__, __all__ = lazy_loader.attach(…)`
        let bound = targets.iter().flat_map(|target| match target {
            Expr::Tuple(tuple) => &*tuple.elts,
            target => std::slice::from_ref(target),
        });
        let is_hook = bound
            .into_iter()
            .any(|target| path(target).is_some_and(|path| path == ["__getattr__"]));
        if let Expr::Call(call) = value
            && (replaces_itself || is_hook)
            && let Some(names) = lazy::loader(call, &self.tables)
        {
            self.module.lazy_names.extend(names.names);
            self.module.lazy_sources.extend(names.sources);
            if names.has_others {
                self.open(Openness::AttributeHook);
            }
            self.module.attribute_hook.get_or_insert_default();
        } else if is_hook {
            self.module.attribute_hook = Some(lazy::assigned_hook(value, &self.tables));
        } else if replaces_itself {
            self.open(Openness::ReplacesItself);
        }
    }

    /// Statements that write names which no source lists, or change where modules are found.
    fn writes_namespace(&mut self, expression: &Expr, scope: Scope) {
        let Expr::Call(call) = expression else { return };
        let function = path(&call.func).unwrap_or_default();
        match function.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["exec" | "setattr"] if scope == Scope::Module => self.open(Openness::WritesNamespace),
            // `setattr(sys.modules[__name__], name, value)`, wherever it stands.
            ["setattr"]
                if call
                    .arguments
                    .args
                    .first()
                    .is_some_and(|one| !matches!(one, Expr::Name(_) | Expr::Attribute(_))) =>
            {
                self.open(Openness::WritesNamespace);
            }
            // Members of an enumeration become names of its module.
            [.., "_convert" | "_convert_"] => self.open(Openness::WritesNamespace),
            [.., "path", "append" | "extend" | "insert"] => self.module.changes_path = true,
            [.., "meta_path", _] => {
                self.module.changes_path = true;
                self.module.installs_finder |= scope == Scope::Module;
            }
            [.., "modules", _] => self.module.registers_modules = true,
            _ => {}
        }
    }
}

/// What the value of an assignment is.
fn bound_to(value: &Expr) -> Bound {
    match path(value) {
        Some(path) => Bound::Path(path),
        None if value.is_boolean_literal_expr() => {
            Bound::Known(value.as_boolean_literal_expr().is_some_and(|one| one.value))
        }
        None => version_of(value).map_or(Bound::Object, Bound::VersionOf),
    }
}

/// A body that may run or not.
fn unknown(body: Vec<Step>) -> Step {
    Step::If { condition: Condition::Unknown, body, otherwise: Vec::new() }
}

/// The statements below one.
fn bodies(statement: &Stmt) -> Vec<&[Stmt]> {
    match statement {
        Stmt::If(choice) => {
            let clauses = choice.elif_else_clauses.iter().map(|clause| &*clause.body);
            std::iter::once(&*choice.body).chain(clauses).collect()
        }
        Stmt::Try(attempt) => {
            let handlers = attempt.handlers.iter().map(|handler| {
                let ExceptHandler::ExceptHandler(handler) = handler;
                &*handler.body
            });
            let others = [&*attempt.body, &*attempt.orelse, &*attempt.finalbody];
            others.into_iter().chain(handlers).collect()
        }
        Stmt::With(with) => vec![&*with.body],
        Stmt::For(cycle) => vec![&*cycle.body, &*cycle.orelse],
        _ => Vec::new(),
    }
}

/// The classes of exceptions that a handler catches, by their last name.
fn exceptions(caught: &Expr) -> Vec<String> {
    let all = match caught {
        Expr::Tuple(tuple) => &*tuple.elts,
        one => std::slice::from_ref(one),
    };
    // One of which nothing is known may catch anything.
    all.iter()
        .map(|one| path(one).and_then(|mut path| path.pop()).unwrap_or("Exception".to_owned()))
        .collect()
}

/// The exceptions of `contextlib.suppress(…)`; those of other context managers are not known.
fn suppressed_exceptions(manager: &Expr) -> Vec<String> {
    let Expr::Call(call) = manager else { return Vec::new() };
    let name = path(&call.func).and_then(|mut path| path.pop()).unwrap_or_default();
    match &*name {
        "suppress" => call.arguments.args.iter().flat_map(exceptions).collect(),
        // `with optional_dependency(): import x`, `with raises_import_error():`
        _ if name.contains("import") || name.contains("optional") || name.contains("dependenc") => {
            vec!["Exception".to_owned()]
        }
        _ => Vec::new(),
    }
}

fn parameters(parameters: &Parameters) -> impl Iterator<Item = String> + '_ {
    parameters.iter().map(|parameter| parameter.name().to_string())
}

/// The names that steps bind to something else than modules.
fn bound_names(steps: &[Step], names: &mut BTreeSet<String>) {
    for step in steps {
        if let Step::Bind { name, .. } = step {
            names.insert(name.clone());
        }
        step.blocks().into_iter().for_each(|block| bound_names(block, names));
    }
}

/// Takes from steps what reads attributes of names that the function or class binds itself.
fn remove_locals(steps: &mut Vec<Step>, locals: &BTreeSet<String>) {
    steps.retain_mut(|step| match step {
        Step::Attribute { path, .. } | Step::KeywordCall { path, .. } => {
            path.first().is_none_or(|first| !locals.contains(first))
        }
        Step::Call { name, .. } => !locals.contains(name),
        Step::Bind { .. } | Step::Delete(_) => false,
        Step::If { condition, body, otherwise } => {
            remove_locals(body, locals);
            remove_locals(otherwise, locals);
            !(body.is_empty() && otherwise.is_empty()) && *condition != Condition::Known(false)
        }
        Step::Try { body, handlers, otherwise, finally } => {
            for steps in [body, otherwise, finally] {
                remove_locals(steps, locals);
            }
            handlers.iter_mut().for_each(|handler| remove_locals(&mut handler.body, locals));
            true
        }
        Step::Class(body) | Step::Loop(body) => {
            remove_locals(body, locals);
            !body.is_empty()
        }
        _ => true,
    });
}

/// Whether a function is a generator, so that calling it runs nothing.
fn has_yield(body: &[Stmt]) -> bool {
    #[derive(Default)]
    struct Search(bool);
    impl<'a> ruff_python_ast::visitor::Visitor<'a> for Search {
        fn visit_expr(&mut self, expression: &'a Expr) {
            match expression {
                Expr::Yield(_) | Expr::YieldFrom(_) => self.0 = true,
                _ => ruff_python_ast::visitor::walk_expr(self, expression),
            }
        }
    }
    let mut search = Search::default();
    search.visit_body(body);
    search.0
}

/// The offsets behind each end of a line.
#[derive(Default)]
struct Lines(Vec<u32>);

impl Lines {
    fn new(source: &str) -> Self {
        let ends = source.bytes().zip(1_u32..).filter(|(byte, _)| *byte == b'\n');
        Self(ends.map(|(_, at)| at).collect())
    }

    /// The line of an offset, counted from 1.
    fn line(&self, at: TextSize) -> u32 {
        let before = self.0.partition_point(|start| *start <= at.to_u32());
        u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
    }
}
