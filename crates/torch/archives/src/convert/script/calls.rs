//! The calls of a program, for a release that takes some of them differently.

use std::collections::BTreeMap;

use unskew_core::{Conversion, Places, Rewrite, Version};
use unskew_script::typing::{ResolvedCall as Call, ScriptProgram, Spelling, Typing, infer};
use unskew_script::{Edits, TextSpan};
use unskew_torch_operators::{
    BlockReason, BridgeStep, CallDecision, CallTarget, FileWriter, OperatorCall, OperatorRegistry,
};
use unskew_torch_schemas::matching::GivenArgument;
use unskew_torch_schemas::matching::{BoundArgument, OverloadChoice, ScriptType};
use unskew_torch_schemas::{FunctionSchema, Misfit, OperatorTable, SchemaType};

use crate::behaviour::inexact_function::{self, InexactFunction};
use crate::behaviour::{BoundCall, Truth};
use crate::code::{self, Callable};
use crate::convert::task::{ConversionTask, add_blocker};
use crate::verdict::is_packed_by_loader;
use crate::{history, rules};

/// The adaptations, as findings name them.
const UPGRADE: &str = "upgrade-operator";
const DOWNGRADE: &str = "downgrade-operator";
const DEFAULT: &str = "drop-default-argument";
const PRUNE: &str = "prune-dead-branch";

/// The first release whose loader knows of which overload an upgrader is.
const BY_OVERLOAD: Version = Version::pair(1, 12);

/// The calls of the program of a file, resolved to overloads.
pub(super) struct ScriptCalls<'t> {
    task: &'t ConversionTask<'t>,
    program: &'t ScriptProgram,
    typing: Typing,
    writer: FileWriter,
    registry: &'static OperatorRegistry,
}

/// What the code becomes.
#[derive(Default)]
pub(super) struct RewrittenTexts {
    /// New texts by their records; those that do not change are left out.
    pub(super) changed: BTreeMap<String, String>,
    /// Functions that take the place of calls, by name.
    pub(super) functions: BTreeMap<String, String>,
}

/// What is done to one call.
enum CallChange {
    /// Another function is called.
    Callee(&'static str, String),
    /// Arguments are left out.
    Without(Vec<String>),
    /// The last arguments are left out.
    Fewer(i64),
}

impl<'t> ScriptCalls<'t> {
    pub(super) fn new(
        task: &'t ConversionTask<'t>,
        program: &'t ScriptProgram,
        writer: FileWriter,
    ) -> Self {
        let history = task.to.operators.history();
        // A call means what it meant to its writer; where that is not known, what it meant to anyone.
        let minor = |release: &Version| Version::pair(release.major(), release.minor());
        let mut releases = history.releases().iter();
        let wrote = releases.find(|release| Some(minor(release)) == writer.since);
        let typing = match wrote.and_then(|release| history.clone().table(*release)) {
            Some(table) => infer(program, &Callable(&table)),
            None => infer(program, &Callable(&**history)),
        };
        Self { task, program, typing, writer, registry: unskew_torch_operators::registry() }
    }

    /// The lowest operator version in which every call means what it means in the file.
    pub(super) fn needs(&self) -> u32 {
        let registry = self.registry;
        let calls = self.typing.calls.iter().filter(|call| call.loaded && !call.removable);
        let needs = calls.filter_map(|call| {
            let OverloadChoice::One(signature, _) = &call.choice else { return None };
            let given = given(call);
            let resolved = OperatorCall { schema: &signature.schema, given: &given };
            Some(registry.needs(resolved, self.writer.operator_version))
        });
        needs.max().unwrap_or(0)
    }

    /// The code for a file of this version.
    pub(super) fn fit(&self, version: i64, plan: &mut Conversion) -> RewrittenTexts {
        let mut texts = RewrittenTexts::default();
        let mut edits: BTreeMap<usize, Vec<(TextSpan, String)>> = BTreeMap::new();
        for call in self.typing.calls.iter().filter(|call| call.loaded) {
            let (full, change) = match self.change(call, version) {
                Ok(None) => continue,
                Ok(Some(found)) => found,
                Err((operator, why)) => {
                    self.block(plan, call, &operator, &why);
                    continue;
                }
            };
            let place = self.place(call);
            let all = edits.entry(call.record).or_default();
            match change {
                CallChange::Callee(adaptation, function) => {
                    let Some(new) = self.renamed(call, &function, all) else {
                        self.block(plan, call, &full, "it is called as a method of another call");
                        continue;
                    };
                    let name = function.clone();
                    all.extend(new);
                    let what = format!("{full} is computed by {name}");
                    plan.add(Rewrite::new(adaptation, what).at(&place));
                    if let Some(text) = self.function(&name) {
                        texts.functions.insert(name, text);
                    }
                }
                CallChange::Fewer(less) => {
                    let Some(record) = self.program.records().get(call.record) else { continue };
                    let less = usize::try_from(less).unwrap_or(0);
                    for span in call.spans.iter().rev().take(less) {
                        all.push((argument(&record.text, *span), String::new()));
                    }
                    let what = format!("{full}: {less} of its arguments are left out");
                    plan.add(Rewrite::new(DEFAULT, what).at(&place));
                }
                CallChange::Without(names) => {
                    let Some(record) = self.program.records().get(call.record) else { continue };
                    // By name or by place: the last ones are then left out first.
                    for (span, known) in call.spans.iter().zip(given(call)) {
                        if names.contains(&known.name) {
                            all.push((argument(&record.text, *span), String::new()));
                        }
                    }
                    let what = format!("{full}: {} left out, as by default", names.join(", "));
                    plan.add(Rewrite::new(DEFAULT, what).at(&place));
                }
            }
        }
        texts.changed = self.edited(edits);
        texts
    }

    /// The edits by which a call calls a function in `__torch__.unskew`. A method, `a.f(b)`, becomes `f(a, b)`; none for
    /// one whose object is a call that is edited too.
    fn renamed(
        &self,
        call: &Call,
        function: &str,
        known: &[(TextSpan, String)],
    ) -> Option<Vec<(TextSpan, String)>> {
        let (callee, name) = (call.callee?, format!("{}.{function}", code::FUNCTIONS));
        if call.spelling != Spelling::Method {
            return (call.spelling == Spelling::Name).then(|| vec![(callee, name)]);
        }
        let text = &self.program.records().get(call.record)?.text;
        let dot = callee.start + text.get(callee.start..callee.end)?.rfind('.')?;
        let open = callee.end + text.get(callee.end..)?.find('(')? + 1;
        let edited =
            |(span, _): &(TextSpan, String)| callee.start <= span.start && span.start < open;
        if known.iter().any(edited) {
            return None;
        }
        let is_alone = text.get(open..)?.trim_start().starts_with(')');
        let between = if is_alone { "" } else { ", " };
        let start = TextSpan { start: callee.start, end: callee.start };
        let rest = TextSpan { start: dot, end: open };
        Some(vec![(start, format!("{name}(")), (rest, between.to_owned())])
    }

    /// What is done to a call; an error says why there is no exact form.
    fn change(
        &self,
        call: &Call,
        version: i64,
    ) -> Result<Option<(String, CallChange)>, (String, String)> {
        let table = &self.task.to.operators;
        let operator = call.operator.to_string();
        let OverloadChoice::One(signature, _) = &call.choice else {
            let gone = call.spelling == Spelling::Name
                && !table.knows(&operator)
                && table.nearest_with(&operator).is_some();
            return if gone { Err((operator, "it is not there".to_owned())) } else { Ok(None) };
        };
        let schema = &signature.schema;
        let full = schema.full_name();
        let registry = self.registry;
        if call.spelling == Spelling::Language
            || history::builtins().iter().any(|builtin| builtin.name == schema.name)
        {
            return Ok(None);
        }
        if is_upgraded(self.task, registry, &full, self.writer, version) {
            return Ok(None);
        }
        if let Some(less) = surplus(table, schema, Some(call.given.len() as i64), true) {
            return Ok(Some((full, CallChange::Fewer(less))));
        }
        let given = given(call);
        let resolved = OperatorCall { schema, given: &given };
        let target = CallTarget { table, operator_version: u32::try_from(version).unwrap_or(0) };
        match registry.decide(resolved, &self.writer, target) {
            CallDecision::Keep => Ok(None),
            CallDecision::Fitted(fit) if fit.without.is_empty() => Ok(None),
            CallDecision::Fitted(fit) => Ok(Some((full, CallChange::Without(fit.without)))),
            CallDecision::Upgrade(step) => self.replaced(call, full, UPGRADE, step),
            CallDecision::Downgrade(step) => self.replaced(call, full, DOWNGRADE, step),
            // The file does not show what is meant: the verdict on the result says so.
            CallDecision::Blocked(BlockReason::WriterUnknown { .. }) => Ok(None),
            CallDecision::Blocked(why) => {
                let packed = matches!(&why, BlockReason::Misfit(Misfit::Type { wants, .. })
                    if wants.contains("torch.classes.quantized"));
                let record = self.program.records().get(call.record);
                let place = record.map_or("", |record| &*record.name);
                if packed && is_packed_by_loader(self.task.to, &operator, &[place]) {
                    return Ok(None);
                }
                Err((full, why.to_string()))
            }
        }
    }

    /// A function in the place of a call, unless it is known to do something else with such arguments.
    fn replaced(
        &self,
        call: &Call,
        full: String,
        adaptation: &'static str,
        step: BridgeStep<'_>,
    ) -> Result<Option<(String, CallChange)>, (String, String)> {
        let name = step.function.name.text.to_string();
        if let OverloadChoice::One(signature, binding) = &call.choice {
            let elements = code::elements(self.program, call);
            let (given, elements) = (&*call.given, &*elements);
            let resolved = BoundCall { signature, binding, given, elements };
            let certain = |row: &InexactFunction| {
                row.values.is_empty() && resolved.fits(&row.when) == Truth::Yes
            };
            if let Some(row) = inexact_function::inexact_functions(&name).find(certain) {
                return Err((full, format!("{name}, which takes its place, {}", row.says())));
            }
        }
        Ok(Some((full, CallChange::Callee(adaptation, name))))
    }

    fn function(&self, name: &str) -> Option<String> {
        self.registry.function(name).map(ToString::to_string)
    }

    /// The texts without branches that never run and hold calls that the release does not take.
    pub(super) fn prune(&self, version: i64, plan: &mut Conversion) -> BTreeMap<String, String> {
        let calls = self.typing.calls.iter().filter(|call| call.loaded && call.removable);
        let dead: Vec<&Call> = calls.filter(|call| self.change(call, version).is_err()).collect();
        let mut edits: BTreeMap<usize, Vec<(TextSpan, String)>> = BTreeMap::new();
        let prunings =
            if dead.is_empty() { Vec::new() } else { self.typing.prunings(self.program) };
        for pruning in prunings {
            let inside = |call: &&&Call| {
                call.record == pruning.record
                    && pruning.span.start <= call.span.start
                    && call.span.end <= pruning.span.end
            };
            let Some(call) = dead.iter().find(inside) else { continue };
            let Some(record) = self.program.records().get(pruning.record) else { continue };
            edits.entry(pruning.record).or_default().push((pruning.span, pruning.text));
            let holds = if pruning.taken { "always" } else { "never" };
            let operator = &call.operator;
            let what = format!("a branch with {operator} is removed: its condition {holds} holds");
            let place = format!("{}:{}", record.name, pruning.line);
            plan.add(Rewrite::new(PRUNE, what).at(place));
        }
        self.edited(edits)
    }

    fn edited(&self, edits: BTreeMap<usize, Vec<(TextSpan, String)>>) -> BTreeMap<String, String> {
        let texts = edits.into_iter().filter_map(|(record, all)| {
            let record = self.program.records().get(record)?;
            Some((record.name.to_string(), edited(&record.text, all)))
        });
        texts.collect()
    }

    fn place(&self, call: &Call) -> String {
        let record = self.program.records().get(call.record);
        record.map_or_else(String::new, |r| format!("{}:{}", r.name, r.line(call.span.start)))
    }

    fn block(&self, plan: &mut Conversion, call: &Call, operator: &str, why: &str) {
        let (file, runtime) = (&self.task.file, &self.task.to.name());
        let finding = rules::CallHasNoForm { file, runtime, operator: &operator, why: &why };
        let place = Places::from_iter([self.place(call)]);
        add_blocker(plan, finding.finding(), place);
    }
}

/// Whether the release itself replaces the calls of an operator, for files of this version.
pub(in crate::convert) fn is_upgraded(
    task: &ConversionTask<'_>,
    registry: &OperatorRegistry,
    operator: &str,
    writer: FileWriter,
    version: i64,
) -> bool {
    let version = u32::try_from(version).unwrap_or(0);
    let Some(change) = registry.historic(operator, version) else { return false };
    let bump = change.since.version().unwrap_or(u32::MAX);
    let newest = task.to.release.file_format.max.map_or(0, |max| max.major());
    let is_there = change.gone_in.is_none_or(|gone| task.to.minor() < gone);
    let mobile = change.mobile || !task.model.format.is_mobile();
    i64::from(bump) <= newest && is_there && mobile && writer.operator_version < bump
}

/// How many arguments too many a call gives for a release, if nothing that is computed depends on them:
/// later releases say the class of an exception behind its message, and whose line a warning names. With
/// `by_place`, those that the release takes by name only count as too many.
pub(in crate::convert) fn surplus(
    table: &OperatorTable,
    schema: &FunctionSchema,
    given: Option<i64>,
    by_place: bool,
) -> Option<i64> {
    let taken = table.overload(&schema.name, &schema.overload)?;
    let takes = taken.arguments.iter().filter(|one| !by_place || !one.keyword_only).count() as i64;
    let given = given.unwrap_or(schema.arguments.len() as i64);
    let idle = ["prim::RaiseException", "aten::warn"].contains(&schema.name.as_str());
    (idle && given > takes).then_some(given - takes)
}

/// The lowest operator version in which a text of functions means what it means to the release.
///
/// That matters up to 1.11. There the loader takes the upgrader of one overload for all overloads of the operator: in a file of
/// version 3 a `div` with a rounding mode is none, because `div_0_3` takes no mode.
pub(super) fn needs_of(task: &ConversionTask<'_>, text: &str) -> u32 {
    let release = &task.to.release;
    let newest = release.file_format.max.map_or(0, Version::major);
    let Ok(newest) = u32::try_from(newest) else { return 0 };
    let Ok(program) = ScriptProgram::of_text("unskew.py", text) else { return 0 };
    if task.to.minor() >= BY_OVERLOAD {
        return 0;
    }
    let typing = infer(&program, &Callable(&task.to.operators));
    let registry = unskew_torch_operators::registry();
    let needs = typing.calls.iter().filter_map(|call| {
        let OverloadChoice::One(signature, _) = &call.choice else { return None };
        let given = given(call);
        Some(registry.needs(OperatorCall { schema: &signature.schema, given: &given }, newest))
    });
    needs.max().unwrap_or(0)
}

/// What a call gives, as the registry wants it.
fn given(call: &Call) -> Vec<GivenArgument> {
    let OverloadChoice::One(signature, binding) = &call.choice else { return Vec::new() };
    let mut all: Vec<GivenArgument> = call
        .given
        .iter()
        .map(|one| GivenArgument {
            name: one.keyword.clone().unwrap_or_default(),
            by_name: one.keyword.is_some(),
            value: one.literal.as_ref().map(ToString::to_string),
            ty: None,
        })
        .collect();
    for (argument, bound) in signature.schema.arguments.iter().zip(&binding.arguments) {
        if let BoundArgument::Given(place) | BoundArgument::Rest(place) = bound
            && let Some(one) = all.get_mut(*place)
        {
            argument.name.clone_into(&mut one.name);
            let given = call.given.get(*place).map(|given| &given.ty);
            // What is known to be there is not what may be none.
            let taken = match &argument.ty {
                SchemaType::Optional(inner) if given.is_some_and(is_sure) => {
                    one.ty = Some((**inner).clone());
                    &**inner
                }
                ty => ty,
            };
            if argument.ty.is_generic() {
                one.ty = given.and_then(ScriptType::schema_type);
            }
            // An integer also goes where a release takes no other number.
            let number = matches!(taken, SchemaType::Named(name) if name == "Scalar");
            if let (true, Some(ScriptType::Int)) = (number, given) {
                one.ty = Some(SchemaType::Named("int".to_owned()));
            }
        }
    }
    all
}

/// Whether a value of this type is something.
fn is_sure(ty: &ScriptType) -> bool {
    use ScriptType::{Bool, Float, Int, Str, Tensor};
    matches!(ty, Int | Float | Bool | Str | Tensor)
}

/// An argument given by name, from the comma in front of it to its end.
fn argument(text: &str, value: TextSpan) -> TextSpan {
    let before = text.get(..value.start).unwrap_or_default();
    let start = before.rfind([',', '(']).unwrap_or(value.start);
    let start = if before.as_bytes().get(start) == Some(&b'(') { start + 1 } else { start };
    TextSpan { start, end: value.end }
}

/// The text with all replacements, none of which lies in another.
fn edited(text: &str, mut all: Vec<(TextSpan, String)>) -> String {
    let mut edits = Edits::new(text);
    all.sort_by_key(|(span, _)| (span.start, span.end));
    for (span, by) in all {
        // Overlaps were excluded; if one were left, the call would stay and the verdict would say so.
        let _ = edits.replace(span, by);
    }
    edits.finish()
}
