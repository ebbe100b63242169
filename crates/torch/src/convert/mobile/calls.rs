//! The operators of bytecode, for a release that takes some of them differently.

use unskew_core::{Conversion, Places, Rewrite, Version};
use unskew_ops::typing::{Choice, Given, Literal, ScriptType, choose};
use unskew_ops::{
    Blocked, Decision, GivenArgument, OperatorCall, Registry, Schema, Target, Type, Writer,
};
use unskew_script::{Expression, Function as Script, Span, Statement};

use super::bytecode::{Bytecode, COUNTED, Function, Instruction, Operator};
use crate::code::Callable;
use crate::convert::Task;
use crate::convert::script::{self, calls::is_upgraded};
use crate::pickle::{Id, Pickle, Value};
use crate::{history, rules};
use unskew_ops::typing::Operators as _;

const DEFAULTS: &str = "materialize-defaults";
const UPGRADE: &str = "upgrade-operator";

/// The first release whose mobile interpreter has upgraders.
const UPGRADERS: Version = Version::pair(1, 11);

/// The operators of a file's bytecode.
pub(super) struct Calls<'t> {
    task: &'t Task<'t>,
    writer: Writer,
    registry: Option<&'static Registry>,
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
        Self { task, writer, registry: history::registry() }
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

    /// What a call of an operator gives: names, and no values.
    fn given(schema: &Schema, operator: &Operator) -> Vec<GivenArgument> {
        let count = operator.given.map_or(schema.arguments.len(), |n| n as usize);
        let each = |argument: &unskew_ops::Argument| GivenArgument {
            name: argument.name.clone(),
            by_name: argument.keyword_only,
            ..GivenArgument::default()
        };
        schema.arguments.iter().take(count).map(each).collect()
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
        let Some(registry) = self.registry else { return 0 };
        let operators = code.functions.iter().flat_map(|function| &function.operators);
        let needs = operators.filter_map(|operator| {
            let schema = self.meant(operator)?;
            let given = Self::given(&schema, operator);
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
            let mut at = 0;
            while at < function.instructions.len() {
                let Instruction { x, .. } = &function.instructions[at];
                let number = usize::try_from(*x).unwrap_or(usize::MAX);
                let is_call = function.instructions[at].is_call();
                let operator = function.operators.get(number).filter(|_| is_call).cloned();
                let added = operator.map_or(0, |operator| {
                    self.call(function, at, &operator, version, uncount, pickle, plan)
                });
                at += added + 1;
            }
        }
    }

    /// Fits the call at one place; says how many instructions were added in front of it.
    #[allow(clippy::too_many_arguments, reason = "they are one call")]
    fn call(
        &self,
        function: &mut Function,
        at: usize,
        operator: &Operator,
        version: i64,
        uncount: bool,
        pickle: &mut Pickle,
        plan: &mut Conversion,
    ) -> usize {
        let (Some(schema), Some(registry)) = (self.meant(operator), self.registry) else {
            // What makes and takes apart lists, dictionaries and objects was an operator once.
            if operator.name.starts_with("prim::") && !self.task.to.operators.knows(&operator.name)
            {
                self.block(function, plan, &operator.to_string(), "the release does not have it");
            }
            return 0;
        };
        let full = schema.full_name();
        // Before it had upgraders, the mobile interpreter did by an old name what the release does.
        let lazy = self.task.to.minor() >= UPGRADERS;
        let newest = self.task.to.release.file_format.max.map_or(version, Version::major);
        let version = if lazy { version } else { newest };
        if lazy && is_upgraded(self.task, registry, &full, self.writer, version) {
            // The release puts a call of its upgrader here, which wants every argument.
            let historic = registry.historic(&full, u32::try_from(version).unwrap_or(0));
            let bridge = historic.and_then(|change| change.upgrader.as_ref());
            let wants = bridge.map_or(&schema, |bridge| &bridge.schema);
            return self.materialize(function, at, operator, wants, uncount, pickle, plan);
        }
        let table = &self.task.to.operators;
        if let Some(less) = script::calls::surplus(table, &schema, operator.given, false) {
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
            return added;
        }
        let given = Self::given(&schema, operator);
        let call = OperatorCall { schema: &schema, given: &given };
        let target = Target { table, operator_version: u32::try_from(version).unwrap_or(0) };
        match registry.decide(call, &self.writer, target) {
            Decision::Upgrade(step) | Decision::Downgrade(step) => {
                let inline = inline(step.function, &schema, operator, &Callable(table));
                let Some(inline) = inline else {
                    let why = "what takes its place is more than one call";
                    self.block(function, plan, &full, why);
                    return 0;
                };
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
                added
            }
            Decision::Blocked(Blocked::WriterUnknown { .. }) | Decision::Fitted(_) => 0,
            Decision::Blocked(why) => {
                self.block(function, plan, &full, &why.to_string());
                0
            }
            Decision::Keep if uncount => {
                let taken = table.overload(&operator.name, &operator.overload);
                let Some(taken) = taken.filter(|taken| !taken.variadic) else { return 0 };
                self.materialize(function, at, operator, &taken, uncount, pickle, plan)
            }
            Decision::Keep => 0,
        }
    }

    /// Gives the defaults of the arguments that a call leaves to them.
    #[allow(clippy::too_many_arguments, reason = "they are one call")]
    fn materialize(
        &self,
        function: &mut Function,
        at: usize,
        operator: &Operator,
        wants: &Schema,
        uncount: bool,
        pickle: &mut Pickle,
        plan: &mut Conversion,
    ) -> usize {
        let all = wants.arguments.len();
        let given = operator.given.map_or(all, |given| given as usize);
        if given >= all {
            return 0;
        }
        let full = wants.full_name();
        if wants.arguments.iter().any(unskew_ops::Argument::is_out) {
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
        let count = if uncount { None } else { Some(all as i64) };
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

/// The default of an argument as a constant.
fn default(argument: &unskew_ops::Argument, pickle: &mut Pickle) -> Option<Id> {
    let literal = Literal::of_default(argument.default.as_ref()?)?;
    let Type::List(item, size) = &argument.ty else { return Some(pickle.push(value(&literal)?)) };
    let items = match &literal {
        Literal::List(items) => items.to_vec(),
        // One number stands for a list of a fixed length.
        one => vec![one.clone(); usize::try_from((*size)?).ok().filter(|size| *size < 64)?],
    };
    let kind = match &**item {
        Type::Named(name) if name == "int" || name == "SymInt" => "build_intlist",
        Type::Named(name) if name == "bool" => "build_boollist",
        Type::Named(name) if name == "float" => "build_doublelist",
        _ => return None,
    };
    let items: Option<Vec<Id>> = items.iter().map(|one| Some(pickle.push(value(one)?))).collect();
    let list = pickle.push(Value::List(items?));
    Some(pickle.call("torch.jit._pickle", kind, [list]))
}

fn value(literal: &Literal) -> Option<Value> {
    Some(match literal {
        Literal::None => Value::None,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(number) => Value::Int(*number),
        Literal::Float(bits) => Value::Float(bits.value()),
        Literal::Text(text) => Value::Text(text.to_string()),
        Literal::List(_) | Literal::Tuple(_) => return None,
    })
}

fn type_of(literal: &Literal) -> Option<ScriptType> {
    Some(match literal {
        Literal::None => ScriptType::None,
        Literal::Bool(_) => ScriptType::Bool,
        Literal::Int(_) => ScriptType::Int,
        Literal::Float(_) => ScriptType::Float,
        Literal::Text(_) => ScriptType::Str,
        Literal::List(_) | Literal::Tuple(_) => return None,
    })
}

/// A function of the registry that is one call: of its own parameters in their order, then of literals.
fn inline(
    function: &Script,
    schema: &Schema,
    operator: &Operator,
    callable: &Callable<&unskew_ops::OperatorTable>,
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
        let literal = Literal::of(&argument.value);
        let ty = match (&literal, schema.arguments.get(n)) {
            (Some(literal), _) => type_of(literal)?,
            (None, Some(own)) if n < count && argument.value.path().as_ref() == Some(&own.name) => {
                let annotation = function.parameters.get(n)?.annotation.as_ref()?;
                ScriptType::from_annotation(&annotation.to_string())?
            }
            _ => return None,
        };
        let keyword = argument.keyword.as_ref().map(|name| name.text.clone());
        let span = Span { start: 0, end: 0 };
        given.push(Given { keyword, receiver: false, ty, literal, span });
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
            None => Literal::of_default(argument.default.as_ref()?)?,
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
