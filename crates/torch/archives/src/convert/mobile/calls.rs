//! The operators of bytecode, for a release that takes some of them differently.

use unskew_core::{Conversion, Places, Version};
use unskew_script::FunctionDefinition as Script;
use unskew_torch_operators::{
    BlockReason, CallDecision, CallFit, CallTarget, FileWriter, OperatorCall, OperatorRegistry,
};
use unskew_torch_schemas::matching::GivenArgument;
use unskew_torch_schemas::matching::Literal;
use unskew_torch_schemas::{FunctionSchema, SchemaArgument};

use super::assemble::{CallForm, assemble};
use super::call_site::{CallSite, DEFAULTS};
use super::constants::{default, value};
use super::flow::Flow;
use super::inline::inline;
use crate::bytecode::{
    BytecodeFunction, BytecodeOperator, COUNTED, Instruction, MobileBytecode, RECORD,
};
use crate::code::Callable;
use crate::convert::script::calls::{is_upgraded, surplus};
use crate::convert::task::{ConversionTask, add_blocker};
use crate::pickle::Id;
use crate::{history, rules};

const UPGRADE: &str = "upgrade-operator";
const DOWNGRADE: &str = "downgrade-operator";

/// The operators of a file's bytecode.
pub(super) struct MobileCalls<'t> {
    task: &'t ConversionTask<'t>,
    writer: FileWriter,
    registry: &'static OperatorRegistry,
}

impl<'t> MobileCalls<'t> {
    pub(super) fn new(task: &'t ConversionTask<'t>, _: &MobileBytecode) -> Self {
        let producer = task.model.producer_by(task.to.operators.history());
        let version = task.model.operator_version().unwrap_or(0);
        let writer = FileWriter {
            operator_version: u32::try_from(version).unwrap_or(0),
            since: producer.since,
            until: producer.until,
        };
        Self { task, writer, registry: unskew_torch_operators::registry() }
    }

    /// The schema that the writer meant: that of the first release that can have written the file.
    fn meant(&self, operator: &BytecodeOperator) -> Option<FunctionSchema> {
        let history = self.task.to.operators.history();
        let definitions = history.named(&operator.name);
        let minor = |release: &Version| Version::pair(release.major(), release.minor());
        let wrote = history.releases().iter().find(|one| Some(minor(one)) == self.writer.since);
        let takes = |schema: &FunctionSchema| {
            let most = schema.arguments.len() as i64;
            !schema.variadic && operator.given.is_none_or(|given| given <= most)
        };
        let same = || definitions.iter().filter(|one| one.overload() == operator.overload);
        let by_release =
            |release: &Version| same().find(|definition| definition.runs.contains(*release));
        // Up to 1.4 overloads had no names, and one name stood for many.
        let many = |release: &Version| {
            same().filter(|definition| definition.runs.contains(*release)).count() > 1
        };
        if wrote.is_some_and(many) {
            return None;
        }
        let taking = || same().find(|one| one.schema().is_some_and(|schema| takes(schema)));
        let found = wrote.and_then(by_release).or_else(taking).or_else(|| same().next());
        found?.schema().map(|schema| FunctionSchema::clone(schema))
    }

    fn candidates(&self, operator: &BytecodeOperator) -> Vec<FunctionSchema> {
        let history = self.task.to.operators.history();
        let minor = |release: &Version| Version::pair(release.major(), release.minor());
        let wrote = history.releases().iter().find(|one| Some(minor(one)) == self.writer.since);
        let Some(wrote) = wrote else { return Vec::new() };
        let named = history.named(&operator.name);
        let same =
            named.iter().filter(|d| d.overload() == operator.overload && d.runs.contains(*wrote));
        same.filter_map(|definition| Some(FunctionSchema::clone(definition.schema()?))).collect()
    }

    /// What a call of an operator gives: names, and the values that are known.
    fn given(
        schema: &FunctionSchema,
        operator: &BytecodeOperator,
        known: &[Option<Literal>],
    ) -> Vec<GivenArgument> {
        let each = |(argument, value): (&SchemaArgument, &Option<Literal>)| GivenArgument {
            name: argument.name.clone(),
            by_name: argument.keyword_only,
            value: value.as_ref().map(ToString::to_string),
            ty: None,
        };
        given_arguments(schema, operator).into_iter().zip(known).map(each).collect()
    }

    /// Whether some operator takes more in the release than its writer gave.
    pub(super) fn any_grew(&self, code: &MobileBytecode) -> bool {
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
    pub(super) fn count(&self, code: &mut MobileBytecode) {
        for function in &mut code.functions {
            for operator in &mut function.operators {
                let meant = self.meant(operator).filter(|schema| !schema.variadic);
                operator.given = meant.map(|schema| schema.arguments.len() as i64);
            }
        }
    }

    /// The lowest operator version in which every call keeps its meaning.
    pub(super) fn needs(&self, code: &MobileBytecode) -> u32 {
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
        code: &mut MobileBytecode,
        version: i64,
        target: i64,
        plan: &mut Conversion,
    ) {
        let MobileBytecode { pickle, functions, version: from } = code;
        let uncount = *from >= COUNTED && target < COUNTED;
        for function in functions {
            let way = FitMode {
                version,
                uncount,
                counted: target >= COUNTED,
                free: function.registers.saturating_add(1),
            };
            let flow = Flow::new(function, pickle, entered(function), &|one| self.meant(one));
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
                let added = operator.map_or(0, |operator| {
                    let mut site = CallSite { function, at, operator: &operator, pickle, plan };
                    if is_dead && self.is_refused(&operator, way) {
                        site.prune();
                        return 0;
                    }
                    self.call(&mut site, way, &known)
                });
                at += added + 1;
                was += 1;
            }
        }
    }

    /// Whether the release does not run a call as it is.
    fn is_refused(&self, operator: &BytecodeOperator, way: FitMode) -> bool {
        let registry = self.registry;
        let Some(schema) = self.meant(operator) else {
            return false;
        };
        let full = schema.full_name();
        let given = Self::given(&schema, operator, &vec![None; schema.arguments.len()]);
        let call = OperatorCall { schema: &schema, given: &given };
        let target = self.target(registry, &full, way.version);
        !matches!(registry.decide(call, &self.writer, target), CallDecision::Keep)
    }

    /// Fits the call at one place; says how many instructions were added in front of it.
    fn call(
        &self,
        site: &mut CallSite<'_>,
        way: FitMode,
        known: &dyn Fn(usize) -> Vec<Option<Literal>>,
    ) -> usize {
        let (registry, operator) = (self.registry, site.operator);
        let Some(schema) = self.meant(operator) else {
            self.unclear(site, way);
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
            return self.materialize(site, wants, way);
        }
        let table = &self.task.to.operators;
        if let Some(less) = surplus(table, &schema, operator.given, false) {
            return site.drop_last(operator, less, &full);
        }
        let count = given_arguments(&schema, operator).len();
        let known = known(count);
        let given = Self::given(&schema, operator, &known);
        let call = OperatorCall { schema: &schema, given: &given };
        let decision =
            registry.decide(call, &self.writer, self.target(registry, &full, way.version));
        let is_down = matches!(decision, CallDecision::Downgrade(_));
        match decision {
            CallDecision::Upgrade(step) | CallDecision::Downgrade(step) => {
                let literals = given
                    .iter()
                    .zip(known)
                    .filter_map(|(one, value)| Some((one.name.clone(), value?)));
                let form = CallForm {
                    adaptation: if is_down { DOWNGRADE } else { UPGRADE },
                    schema: &schema,
                    given: count,
                    known: literals.collect(),
                    free: way.free,
                    counted: way.counted,
                };
                self.replace(site, step.function, &form)
            }
            CallDecision::Blocked(BlockReason::WriterUnknown { .. }) => 0,
            CallDecision::Fitted(fit) => self.fitted(site, &given, &fit),
            CallDecision::Blocked(why) => {
                self.block(site, &full, &why.to_string());
                0
            }
            CallDecision::Keep if way.uncount => {
                let taken = table.overload(&operator.name, &operator.overload);
                let Some(taken) = taken.filter(|taken| !taken.variadic) else { return 0 };
                self.materialize(site, &taken, way)
            }
            CallDecision::Keep => 0,
        }
    }

    /// The release, with the operator version by which it runs an operator: where its mobile interpreter has no
    /// upgrader it does by an old name what it does today, whatever the version of the file.
    fn target(&self, registry: &OperatorRegistry, operator: &str, version: i64) -> CallTarget<'_> {
        let version = u32::try_from(version).unwrap_or(0);
        let historic = registry.historic(operator, version);
        let lazy = self.task.to.minor() >= history::mobile_upgraders_since()
            && historic.is_none_or(|change| change.mobile);
        let newest = self.task.to.release.file_format.max.map(Version::major);
        let newest = newest.and_then(|newest| u32::try_from(newest).ok());
        let operator_version = if lazy { version } else { newest.unwrap_or(version) };
        CallTarget { table: &self.task.to.operators, operator_version }
    }

    /// A call of which several schemas may be meant: it stays if that is right for one and no other wants a change.
    fn unclear(&self, site: &mut CallSite<'_>, way: FitMode) {
        let (registry, operator) = (self.registry, site.operator);
        let schemas = self.candidates(operator);
        if schemas.is_empty() {
            // What makes and takes apart lists, dictionaries and objects was an operator once.
            if operator.name.starts_with("prim::") && !self.task.to.operators.knows(&operator.name)
            {
                self.block(site, &operator.to_string(), "the release does not have it");
            }
            return;
        }
        let (mut stays, mut changes) = (false, false);
        for schema in &schemas {
            let given = Self::given(schema, operator, &vec![None; schema.arguments.len()]);
            let call = OperatorCall { schema, given: &given };
            let target = self.target(registry, &schema.full_name(), way.version);
            match registry.decide(call, &self.writer, target) {
                CallDecision::Keep | CallDecision::Fitted(_) => stays = true,
                CallDecision::Upgrade(_) | CallDecision::Downgrade(_) => changes = true,
                CallDecision::Blocked(_) => {}
            }
        }
        let variadic = schemas.iter().any(|schema| schema.variadic);
        if changes || !(stays || variadic) {
            let why = "several operators of its release have this name, and which is meant cannot be told";
            self.block(site, &operator.to_string(), why);
        }
    }

    /// What the release takes in another form: under another overload, or without values that are its defaults.
    fn fitted(&self, site: &mut CallSite<'_>, given: &[GivenArgument], fit: &CallFit) -> usize {
        let full = site.operator.to_string();
        let mut operator = site.operator.clone();
        if let Some(overload) = &fit.overload {
            overload.clone_into(&mut operator.overload);
            let what = format!("{full} has the name {operator}");
            let is_down = self.writer.since.is_some_and(|since| self.task.to.minor() < since);
            let adaptation = if is_down { DOWNGRADE } else { UPGRADE };
            site.rewrite(adaptation, what);
        }
        let last = given.iter().rev().take(fit.without.len());
        if !last.clone().all(|one| fit.without.contains(&one.name)) {
            let why = "values that it does not take do not stand last";
            self.block(site, &full, why);
            return 0;
        }
        if fit.without.is_empty() {
            site.call(0, operator);
            return 0;
        }
        site.drop_last(&operator, fit.without.len() as i64, &full)
    }

    /// Has a function of the registry in the place of a call.
    fn replace(&self, site: &mut CallSite<'_>, by: &Script, form: &CallForm<'_>) -> usize {
        let table = &self.task.to.operators;
        let full = form.schema.full_name();
        if let Some(inline) = inline(by, form.schema, site.operator, &Callable(table)) {
            let new = &inline.operator;
            let what = format!("{full} is computed by {}.{}", new.name, new.overload);
            site.rewrite(UPGRADE, what);
            let values = inline.literals.iter().filter_map(value);
            let values: Vec<Id> = values.map(|value| site.pickle.push(value)).collect();
            let added = site.give(&values);
            site.call(added, inline.operator);
            return added;
        }
        let assembled = assemble(by, form, table, site.function, site.pickle);
        let Some((last, code)) = assembled.as_deref().and_then(<[Instruction]>::split_last) else {
            let why = format!("what takes its place, {}, has no form in bytecode", by.name.text);
            self.block(site, &full, &why);
            return 0;
        };
        let what = format!("{full} is computed by the instructions of {}", by.name.text);
        site.rewrite(form.adaptation, what);
        site.function.insert(site.at, code.to_vec());
        if let Some(instruction) = site.function.instructions.get_mut(site.at + code.len()) {
            instruction.clone_from(last);
        }
        code.len()
    }

    /// Gives the defaults of the arguments that a call leaves to them.
    fn materialize(&self, site: &mut CallSite<'_>, wants: &FunctionSchema, way: FitMode) -> usize {
        let all = wants.arguments.len();
        let given = site.operator.given.map_or(all, |given| given as usize);
        if given >= all {
            return 0;
        }
        let full = wants.full_name();
        if wants.arguments.iter().any(unskew_torch_schemas::SchemaArgument::is_out) {
            self.block(site, &full, "defaults in front of an output cannot be given");
            return 0;
        }
        let values = wants.arguments[given..].iter().map(|argument| default(argument, site.pickle));
        let Some(values) = values.collect::<Option<Vec<Id>>>() else {
            self.block(site, &full, "a default is no value that bytecode has");
            return 0;
        };
        let what = format!("{full}: {} defaults are given", all - given);
        site.rewrite(DEFAULTS, what);
        let added = site.give(&values);
        let given = if way.uncount { None } else { Some(all as i64) };
        site.call(added, BytecodeOperator { given, ..site.operator.clone() });
        added
    }

    fn block(&self, site: &mut CallSite<'_>, operator: &str, why: &str) {
        let (file, runtime) = (&self.task.file, &self.task.to.name());
        let finding = rules::CallHasNoForm { file, runtime, operator: &operator, why: &why };
        let place = format!("{RECORD}, {}", site.function.name);
        add_blocker(site.plan, finding.finding(), Places::from_iter([place]));
    }
}

#[derive(Clone, Copy)]
struct FitMode {
    /// The operator version of the file.
    version: i64,
    /// Whether operators say no longer how many arguments they are given.
    uncount: bool,
    counted: bool,
    /// The first register that the function does not have.
    free: i64,
}

/// The arguments that a call of an operator gives, in the order of the stack: the first ones, and the outputs.
fn given_arguments<'s>(
    schema: &'s FunctionSchema,
    operator: &BytecodeOperator,
) -> Vec<&'s SchemaArgument> {
    let all = &schema.arguments;
    let count = operator.given.and_then(|given| usize::try_from(given).ok()).unwrap_or(all.len());
    let inputs = all.iter().filter(|one| !one.is_out()).count();
    let leading = count.saturating_sub(all.len() - inputs).min(inputs);
    all.iter().take(leading).chain(all.iter().filter(|one| one.is_out())).collect()
}

/// How many values a function takes when it is called: those that its first instruction stores.
fn entered(function: &BytecodeFunction) -> usize {
    match function.instructions.first() {
        Some(Instruction { name, n, .. }) if name == "STOREN" => usize::try_from(*n).unwrap_or(0),
        Some(Instruction { name, .. }) if name == "STORE" => 1,
        _ => 0,
    }
}
