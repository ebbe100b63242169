//! The operators of bytecode, for a release that takes some of them differently.

use unskew_core::{Conversion, Places, Rewrite, Version};
use unskew_script::typing::{literal_of, literal_of_default, type_of_annotation};
use unskew_script::{Expression, Function as Script, Statement};
use unskew_torch_operators::{Blocked, Decision, Fit, OperatorCall, Registry, Target, Writer};
use unskew_torch_schemas::matching::GivenArgument;
use unskew_torch_schemas::matching::{Choice, Given, Literal, choose};
use unskew_torch_schemas::{Argument, Schema};

use super::assemble::{Site, assemble};
use super::constants::{default, value};
use super::flow::Flow;
use crate::bytecode::{Bytecode, COUNTED, Function, Instruction, Operator};
use crate::code::Callable;
use crate::convert::Task;
use crate::convert::script::{self, calls::is_upgraded};
use crate::pickle::{Id, Pickle};
use crate::{history, rules};
use unskew_torch_schemas::matching::Operators as _;

const DEFAULTS: &str = "materialize-defaults";
const UPGRADE: &str = "upgrade-operator";
const DOWNGRADE: &str = "downgrade-operator";
const PRUNE: &str = "prune-dead-branch";

/// The operators of a file's bytecode.
pub(super) struct Calls<'t> {
    task: &'t Task<'t>,
    writer: Writer,
    registry: &'static Registry,
}

/// What a function of the registry does, if it is one call.
struct Inline {
    operator: Operator,
    /// What is given behind the arguments of the call that it takes the place of.
    literals: Vec<Literal>,
}

impl<'t> Calls<'t> {
    pub(super) fn of(task: &'t Task<'t>, _: &Bytecode) -> Self {
        let producer = task.model.producer_by(task.to.operators.history());
        let version = task.model.operator_version().unwrap_or(0);
        let writer = Writer {
            operator_version: u32::try_from(version).unwrap_or(0),
            since: producer.since,
            until: producer.until,
        };
        Self { task, writer, registry: unskew_torch_operators::registry() }
    }

    /// The schema that the writer meant: that of the first release that can have written the file.
    fn meant(&self, operator: &Operator) -> Option<Schema> {
        let history = self.task.to.operators.history();
        let definitions = history.named(&operator.name);
        let minor = |release: &Version| Version::pair(release.major(), release.minor());
        let wrote = history.releases().iter().find(|one| Some(minor(one)) == self.writer.since);
        let takes = |schema: &Schema| {
            let most = schema.arguments.len() as i64;
            !schema.variadic && operator.given.is_none_or(|given| given <= most)
        };
        let mut same = definitions.iter().filter(|d| d.schema.overload == operator.overload);
        let by_release = |release: &Version| {
            let mut same = definitions.iter().filter(|d| d.schema.overload == operator.overload);
            same.find(|definition| definition.runs.contains(*release))
        };
        // Up to 1.4 overloads had no names, and one name stood for many.
        let many = |release: &Version| {
            let same = definitions.iter().filter(|d| d.schema.overload == operator.overload);
            same.filter(|definition| definition.runs.contains(*release)).count() > 1
        };
        if wrote.is_some_and(many) {
            return None;
        }
        let found = wrote.and_then(by_release);
        let found =
            found.or_else(|| same.clone().find(|d| takes(&d.schema))).or_else(|| same.next());
        found.map(|definition| definition.schema.clone())
    }

    /// The schemas that the writer may have meant.
    fn candidates(&self, operator: &Operator) -> Vec<Schema> {
        let history = self.task.to.operators.history();
        let minor = |release: &Version| Version::pair(release.major(), release.minor());
        let wrote = history.releases().iter().find(|one| Some(minor(one)) == self.writer.since);
        let Some(wrote) = wrote else { return Vec::new() };
        let named = history.named(&operator.name);
        let same = named
            .iter()
            .filter(|d| d.schema.overload == operator.overload && d.runs.contains(*wrote));
        same.map(|definition| definition.schema.clone()).collect()
    }

    /// What a call of an operator gives: names, and the values that are known.
    fn given(
        schema: &Schema,
        operator: &Operator,
        known: &[Option<Literal>],
    ) -> Vec<GivenArgument> {
        let each = |(argument, value): (&Argument, &Option<Literal>)| GivenArgument {
            name: argument.name.clone(),
            by_name: argument.keyword_only,
            value: value.as_ref().map(ToString::to_string),
            ty: None,
        };
        given_arguments(schema, operator).into_iter().zip(known).map(each).collect()
    }

    /// Whether some operator takes more in the release than its writer gave.
    pub(super) fn any_grew(&self, code: &Bytecode) -> bool {
        let mut operators = code.functions.iter().flat_map(|function| &function.operators);
        operators.any(|operator| {
            let taken = self.task.to.operators.overload(&operator.name, &operator.overload);
            match (self.meant(operator), taken) {
                (Some(meant), Some(taken)) => meant.arguments.len() < taken.arguments.len(),
                _ => false,
            }
        })
    }

    /// Has every operator say how many arguments its calls give: all that it had.
    pub(super) fn count(&self, code: &mut Bytecode) {
        for function in &mut code.functions {
            for operator in &mut function.operators {
                let meant = self.meant(operator).filter(|schema| !schema.variadic);
                operator.given = meant.map(|schema| schema.arguments.len() as i64);
            }
        }
    }

    /// The lowest operator version in which every call keeps its meaning.
    pub(super) fn needs(&self, code: &Bytecode) -> u32 {
        let registry = self.registry;
        let operators = code.functions.iter().flat_map(|function| &function.operators);
        let needs = operators.filter_map(|operator| {
            let schema = self.meant(operator)?;
            let given = Self::given(&schema, operator, &vec![None; schema.arguments.len()]);
            let call = OperatorCall { schema: &schema, given: &given };
            Some(registry.needs(call, self.writer.operator_version))
        });
        needs.max().unwrap_or(0)
    }

    /// Fits every call to the release, for a file of this operator version and bytecode of `target`.
    pub(super) fn fit(
        &self,
        code: &mut Bytecode,
        version: i64,
        target: i64,
        plan: &mut Conversion,
    ) {
        let Bytecode { pickle, functions, version: from } = code;
        let uncount = *from >= COUNTED && target < COUNTED;
        for function in functions {
            let way = Way {
                version,
                uncount,
                counted: target >= COUNTED,
                free: function.registers.saturating_add(1),
            };
            let flow = Flow::of(function, pickle, entered(function), &|one| self.meant(one));
            // Where the instruction stands, and where it stood.
            let (mut at, mut was) = (0, 0);
            while at < function.instructions.len() {
                let Instruction { x, .. } = &function.instructions[at];
                let number = usize::try_from(*x).unwrap_or(usize::MAX);
                let is_call = function.instructions[at].is_call();
                let operator = function.operators.get(number).filter(|_| is_call).cloned();
                let known = |count| {
                    flow.as_ref().map_or_else(|| vec![None; count], |flow| flow.last(was, count))
                };
                let is_dead = flow.as_ref().is_some_and(|flow| flow.is_dead(was));
                let added = match operator {
                    Some(operator) if is_dead && self.is_refused(&operator, way) => {
                        prune(function, at, &operator, plan);
                        0
                    }
                    Some(operator) => self.call(function, at, &operator, way, &known, pickle, plan),
                    None => 0,
                };
                at += added + 1;
                was += 1;
            }
        }
    }

    /// Whether the release does not run a call as it is.
    fn is_refused(&self, operator: &Operator, way: Way) -> bool {
        let registry = self.registry;
        let Some(schema) = self.meant(operator) else {
            return false;
        };
        let full = schema.full_name();
        let given = Self::given(&schema, operator, &vec![None; schema.arguments.len()]);
        let call = OperatorCall { schema: &schema, given: &given };
        let target = self.target(registry, &full, way.version);
        !matches!(registry.decide(call, &self.writer, target), Decision::Keep)
    }

    /// Fits the call at one place; says how many instructions were added in front of it.
    #[allow(clippy::too_many_arguments, reason = "they are one call")]
    fn call(
        &self,
        function: &mut Function,
        at: usize,
        operator: &Operator,
        way: Way,
        known: &dyn Fn(usize) -> Vec<Option<Literal>>,
        pickle: &mut Pickle,
        plan: &mut Conversion,
    ) -> usize {
        let registry = self.registry;
        let Some(schema) = self.meant(operator) else {
            self.unclear(function, operator, way, registry, plan);
            return 0;
        };
        let full = schema.full_name();
        if is_upgraded(self.task, registry, &full, self.writer, way.version)
            && self.task.to.minor() >= history::mobile_upgraders_since()
        {
            // The release puts a call of its upgrader here, which wants every argument.
            let historic = registry.historic(&full, u32::try_from(way.version).unwrap_or(0));
            let bridge = historic.and_then(|change| change.upgrader.as_ref());
            let wants = bridge.map_or(&schema, |bridge| &bridge.schema);
            return self.materialize(function, at, operator, wants, way, pickle, plan);
        }
        let table = &self.task.to.operators;
        if let Some(less) = script::calls::surplus(table, &schema, operator.given, false) {
            return drop_last(function, at, operator, less, &full, plan);
        }
        let count = given_arguments(&schema, operator).len();
        let known = known(count);
        let given = Self::given(&schema, operator, &known);
        let call = OperatorCall { schema: &schema, given: &given };
        let decision =
            registry.decide(call, &self.writer, self.target(registry, &full, way.version));
        let is_down = matches!(decision, Decision::Downgrade(_));
        match decision {
            Decision::Upgrade(step) | Decision::Downgrade(step) => {
                let literals = given
                    .iter()
                    .zip(known)
                    .filter_map(|(one, value)| Some((one.name.clone(), value?)));
                let site = Site {
                    adaptation: if is_down { DOWNGRADE } else { UPGRADE },
                    schema: &schema,
                    given: count,
                    known: literals.collect(),
                    free: way.free,
                    counted: way.counted,
                };
                self.replace(function, at, operator, step.function, &site, pickle, plan)
            }
            Decision::Blocked(Blocked::WriterUnknown { .. }) => 0,
            Decision::Fitted(fit) => self.fitted(function, at, operator, &given, &fit, plan),
            Decision::Blocked(why) => {
                self.block(function, plan, &full, &why.to_string());
                0
            }
            Decision::Keep if way.uncount => {
                let taken = table.overload(&operator.name, &operator.overload);
                let Some(taken) = taken.filter(|taken| !taken.variadic) else { return 0 };
                self.materialize(function, at, operator, &taken, way, pickle, plan)
            }
            Decision::Keep => 0,
        }
    }

    /// The release, with the operator version by which it runs an operator: where its mobile interpreter has no
    /// upgrader it does by an old name what it does today, whatever the version of the file.
    fn target(&self, registry: &Registry, operator: &str, version: i64) -> Target<'_> {
        let version = u32::try_from(version).unwrap_or(0);
        let historic = registry.historic(operator, version);
        let lazy = self.task.to.minor() >= history::mobile_upgraders_since()
            && historic.is_none_or(|change| change.mobile);
        let newest = self.task.to.release.file_format.max.map(Version::major);
        let newest = newest.and_then(|newest| u32::try_from(newest).ok());
        let operator_version = if lazy { version } else { newest.unwrap_or(version) };
        Target { table: &self.task.to.operators, operator_version }
    }

    /// A call of which several schemas may be meant: it stays if that is right for one and no other wants a change.
    fn unclear(
        &self,
        function: &Function,
        operator: &Operator,
        way: Way,
        registry: &Registry,
        plan: &mut Conversion,
    ) {
        let schemas = self.candidates(operator);
        if schemas.is_empty() {
            // What makes and takes apart lists, dictionaries and objects was an operator once.
            if operator.name.starts_with("prim::") && !self.task.to.operators.knows(&operator.name)
            {
                self.block(function, plan, &operator.to_string(), "the release does not have it");
            }
            return;
        }
        let (mut stays, mut changes) = (false, false);
        for schema in &schemas {
            let given = Self::given(schema, operator, &vec![None; schema.arguments.len()]);
            let call = OperatorCall { schema, given: &given };
            let target = self.target(registry, &schema.full_name(), way.version);
            match registry.decide(call, &self.writer, target) {
                Decision::Keep | Decision::Fitted(_) => stays = true,
                Decision::Upgrade(_) | Decision::Downgrade(_) => changes = true,
                Decision::Blocked(_) => {}
            }
        }
        let variadic = schemas.iter().any(|schema| schema.variadic);
        if changes || !(stays || variadic) {
            let why = "several operators of its release have this name, and which is meant cannot be told";
            self.block(function, plan, &operator.to_string(), why);
        }
    }

    /// What the release takes in another form: under another overload, or without values that are its defaults.
    fn fitted(
        &self,
        function: &mut Function,
        at: usize,
        operator: &Operator,
        given: &[GivenArgument],
        fit: &Fit,
        plan: &mut Conversion,
    ) -> usize {
        let full = operator.to_string();
        let mut operator = operator.clone();
        if let Some(overload) = &fit.overload {
            overload.clone_into(&mut operator.overload);
            let what = format!("{full} has the name {operator}");
            let is_down = self.writer.since.is_some_and(|since| self.task.to.minor() < since);
            let adaptation = if is_down { DOWNGRADE } else { UPGRADE };
            plan.add(Rewrite::new(adaptation, what).at(&function.name));
        }
        let last = given.iter().rev().take(fit.without.len());
        if !last.clone().all(|one| fit.without.contains(&one.name)) {
            let why = "values that it does not take do not stand last";
            self.block(function, plan, &full, why);
            return 0;
        }
        if fit.without.is_empty() {
            let number = function.operator(operator);
            if let Some(instruction) = function.instructions.get_mut(at) {
                instruction.x = number;
            }
            return 0;
        }
        drop_last(function, at, &operator, fit.without.len() as i64, &full, plan)
    }

    /// Has a function of the registry in the place of a call.
    #[allow(clippy::too_many_arguments, reason = "they are one call")]
    fn replace(
        &self,
        function: &mut Function,
        at: usize,
        operator: &Operator,
        by: &Script,
        site: &Site<'_>,
        pickle: &mut Pickle,
        plan: &mut Conversion,
    ) -> usize {
        let table = &self.task.to.operators;
        let full = site.schema.full_name();
        if let Some(inline) = inline(by, site.schema, operator, &Callable(table)) {
            let new = &inline.operator;
            let what = format!("{full} is computed by {}.{}", new.name, new.overload);
            plan.add(Rewrite::new(UPGRADE, what).at(&function.name));
            let values = inline.literals.iter().filter_map(value);
            let values: Vec<Id> = values.map(|value| pickle.push(value)).collect();
            let added = give(function, at, &values, pickle);
            let number = function.operator(inline.operator);
            if let Some(instruction) = function.instructions.get_mut(at + added) {
                instruction.x = number;
            }
            return added;
        }
        let assembled = assemble(by, site, table, function, pickle);
        let Some((last, code)) = assembled.as_deref().and_then(<[Instruction]>::split_last) else {
            let why = format!("what takes its place, {}, has no form in bytecode", by.name.text);
            self.block(function, plan, &full, &why);
            return 0;
        };
        let what = format!("{full} is computed by the instructions of {}", by.name.text);
        plan.add(Rewrite::new(site.adaptation, what).at(&function.name));
        function.insert(at, code.to_vec());
        if let Some(instruction) = function.instructions.get_mut(at + code.len()) {
            instruction.clone_from(last);
        }
        code.len()
    }

    /// Gives the defaults of the arguments that a call leaves to them.
    #[allow(clippy::too_many_arguments, reason = "they are one call")]
    fn materialize(
        &self,
        function: &mut Function,
        at: usize,
        operator: &Operator,
        wants: &Schema,
        way: Way,
        pickle: &mut Pickle,
        plan: &mut Conversion,
    ) -> usize {
        let all = wants.arguments.len();
        let given = operator.given.map_or(all, |given| given as usize);
        if given >= all {
            return 0;
        }
        let full = wants.full_name();
        if wants.arguments.iter().any(unskew_torch_schemas::Argument::is_out) {
            self.block(function, plan, &full, "defaults in front of an output cannot be given");
            return 0;
        }
        let values = wants.arguments[given..].iter().map(|argument| default(argument, pickle));
        let Some(values) = values.collect::<Option<Vec<Id>>>() else {
            self.block(function, plan, &full, "a default is no value that bytecode has");
            return 0;
        };
        let what = format!("{full}: {} defaults are given", all - given);
        plan.add(Rewrite::new(DEFAULTS, what).at(&function.name));
        let added = give(function, at, &values, pickle);
        let count = if way.uncount { None } else { Some(all as i64) };
        let number = function.operator(Operator { given: count, ..operator.clone() });
        if let Some(instruction) = function.instructions.get_mut(at + added) {
            instruction.x = number;
        }
        added
    }

    fn block(&self, function: &Function, plan: &mut Conversion, operator: &str, why: &str) {
        let (file, runtime) = (&self.task.file, &self.task.to.name());
        let finding = rules::CallHasNoForm { file, runtime, operator: &operator, why: &why };
        let place = format!("{}, {}", super::RECORD, function.name);
        script::add_blocker(plan, finding.finding(), Places::from_iter([place]));
    }
}

/// How calls are fitted.
#[derive(Clone, Copy)]
struct Way {
    /// The operator version of the file.
    version: i64,
    /// Whether operators say no longer how many arguments they are given.
    uncount: bool,
    /// Whether they say it.
    counted: bool,
    /// The first register that the function does not have.
    free: i64,
}

/// The arguments that a call of an operator gives, in the order of the stack: the first ones, and the outputs.
fn given_arguments<'s>(schema: &'s Schema, operator: &Operator) -> Vec<&'s Argument> {
    let all = &schema.arguments;
    let count = operator.given.and_then(|given| usize::try_from(given).ok()).unwrap_or(all.len());
    let inputs = all.iter().filter(|one| !one.is_out()).count();
    let leading = count.saturating_sub(all.len() - inputs).min(inputs);
    all.iter().take(leading).chain(all.iter().filter(|one| one.is_out())).collect()
}

/// How many values a function takes when it is called: those that its first instruction stores.
fn entered(function: &Function) -> usize {
    match function.instructions.first() {
        Some(Instruction { name, n, .. }) if name == "STOREN" => usize::try_from(*n).unwrap_or(0),
        Some(Instruction { name, .. }) if name == "STORE" => 1,
        _ => 0,
    }
}

/// Has a call that never runs go on to the next instruction.
fn prune(function: &mut Function, at: usize, operator: &Operator, plan: &mut Conversion) {
    if let Some(instruction) = function.instructions.get_mut(at) {
        *instruction = Instruction { name: "JMP".to_owned(), x: 1, n: 0 };
    }
    let what = format!("a call of {operator} that never runs is left out");
    plan.add(Rewrite::new(PRUNE, what).at(&function.name));
}

/// Leaves the last values of a call out.
fn drop_last(
    function: &mut Function,
    at: usize,
    operator: &Operator,
    less: i64,
    full: &str,
    plan: &mut Conversion,
) -> usize {
    let what = format!("{full}: {less} of its arguments are left out");
    plan.add(Rewrite::new(DEFAULTS, what).at(&function.name));
    let drop = Instruction { name: "DROP".to_owned(), x: 0, n: 0 };
    let added = usize::try_from(less).unwrap_or(0);
    function.insert(at, vec![drop; added]);
    let given = operator.given.map(|given| given - less);
    let number = function.operator(Operator { given, ..operator.clone() });
    if let Some(instruction) = function.instructions.get_mut(at + added) {
        instruction.x = number;
    }
    added
}

/// Loads constants in front of the instruction at `at`; says how many instructions that takes.
fn give(function: &mut Function, at: usize, values: &[Id], pickle: &Pickle) -> usize {
    let mut new = Vec::with_capacity(values.len());
    for value in values {
        let x = function.constant(pickle, *value);
        new.push(Instruction { name: "LOADC".to_owned(), x, n: 0 });
    }
    let added = new.len();
    function.insert(at, new);
    added
}

/// A function of the registry that is one call: of its own parameters in their order, then of literals.
fn inline(
    function: &Script,
    schema: &Schema,
    operator: &Operator,
    callable: &Callable<&unskew_torch_schemas::OperatorTable>,
) -> Option<Inline> {
    let [Statement::Return { value: Some(Expression::Call(call)), .. }] = function.body.as_slice()
    else {
        return None;
    };
    let name = call.function.path()?;
    let name = format!("aten::{}", name.strip_prefix("torch.")?);
    let count = operator.given.map_or(schema.arguments.len(), |given| given as usize);
    let mut given = Vec::new();
    for (n, argument) in call.arguments.iter().enumerate() {
        let literal = literal_of(&argument.value);
        let ty = match (&literal, schema.arguments.get(n)) {
            (Some(Literal::List(_)), _) => return None,
            (Some(literal), _) => literal.ty()?,
            (None, Some(own)) if n < count && argument.value.path().as_ref() == Some(&own.name) => {
                let annotation = function.parameters.get(n)?.annotation.as_ref()?;
                type_of_annotation(&annotation.to_string())?
            }
            _ => return None,
        };
        let keyword = argument.keyword.as_ref().map(|name| name.text.clone());
        given.push(Given { keyword, receiver: false, ty, literal });
    }
    let Choice::One(signature, _) = choose(&callable.overloads(&name), &given) else { return None };
    let new = &signature.schema;
    let mut literals = Vec::new();
    let last = given.iter().filter_map(|one| {
        let name = one.keyword.as_ref()?;
        new.arguments.iter().position(|argument| argument.name == *name)
    });
    let last = last.max().map_or(given.len(), |last| last + 1);
    for argument in new.arguments.get(count..last)? {
        let named = given.iter().find(|one| one.keyword.as_ref() == Some(&argument.name));
        literals.push(match named {
            Some(one) => one.literal.clone()?,
            None => literal_of_default(argument.default.as_ref()?)?,
        });
    }
    let given = operator.given.map(|_| last as i64);
    let operator = Operator { name, overload: new.overload.clone(), given };
    // Up to version 5 every argument must be there.
    if operator.given.is_none() && last < new.arguments.len() {
        return None;
    }
    literals.iter().all(|literal| value(literal).is_some()).then_some(Inline { operator, literals })
}
