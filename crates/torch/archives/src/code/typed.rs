//! The calls of a program with their types, those that give the same together.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use unskew_core::Places;
use unskew_script::TextSpan;
use unskew_script::typing::{ResolvedCall, ScriptProgram, Spelling, infer};
use unskew_torch_schemas::matching::{
    CallBinding, GivenValue, Literal, OverloadChoice, OverloadSource, ScriptType, TypedSchema,
};

use super::element::{self, ElementClass};
use super::result_reads;
use crate::behaviour;

/// The module into which conversions put functions of the registry.
pub(crate) const FUNCTIONS: &str = "__torch__.unskew";

/// Calls of one operator that give values of the same types.
#[derive(Debug)]
pub(crate) struct TypedUse {
    /// The operator that is called: `aten::div`.
    pub operator: Arc<str>,
    pub given: Vec<GivenValue>,
    /// The overload that its writer meant, if it can be told.
    pub meant: Option<Arc<TypedSchema>>,
    /// What the items are of those that are tensors, where that matters and shows.
    pub elements: Vec<Option<ElementClass>>,
    /// Whether some release does otherwise by this operator than another.
    pub changes: bool,
    /// Those of its results that nothing reads, where it matters.
    pub unread: Vec<usize>,
    /// How the values stand for its arguments.
    pub binding: Option<CallBinding>,
    /// The function of the registry in which they stand: a conversion put it there.
    pub within: Option<Arc<str>>,
    /// Whether the language writes them without a name: `a + b`, `int(a)`.
    pub language: bool,
    /// Where they stand: all that the loader looks at.
    pub places: Places,
    /// Where those stand that may run.
    pub live: usize,
    /// Whether all of them are gone when the branches are removed that are never taken.
    pub removable: bool,
}

impl TypedUse {
    /// The operator with the overload that is meant, or without if that cannot be told.
    pub(crate) fn full_name(&self) -> String {
        let meant = self.meant.as_ref();
        meant.map_or_else(|| self.operator.to_string(), |one| one.schema.full_name())
    }
}

/// What makes calls the same.
type Key = (
    Arc<str>,
    Option<Arc<str>>,
    Vec<(Option<String>, bool, ScriptType, Option<Literal>)>,
    Vec<Option<ElementClass>>,
    Vec<usize>,
);

/// The calls of a program that the loader looks at.
pub(crate) fn typed(program: &ScriptProgram, operators: &dyn OverloadSource) -> Vec<TypedUse> {
    let typing = infer(program, operators);
    let mut known: HashMap<Key, usize> = HashMap::new();
    let mut changing: HashMap<Arc<str>, bool> = HashMap::new();
    let mut uses: Vec<TypedUse> = Vec::new();
    for call in typing.calls.into_iter().filter(|call| call.loaded) {
        let Some(record) = program.records().get(call.record) else { continue };
        let start = call.span.start;
        let remark = match (call.live, call.in_branch) {
            (false, _) => " (never runs)",
            (true, true) => " (in a branch)",
            (true, false) => "",
        };
        let within = within(program, &call);
        let changes = *changing.entry(call.operator.clone()).or_insert_with(|| {
            behaviour::behaviours_of(&call.operator, None).next().is_some()
                || behaviour::measured_change::has(&call.operator)
        });
        // Only of what an operator takes otherwise by release it matters what it is.
        let elements = if changes { elements(program, &call) } else { Vec::new() };
        let unread = if changes { unread(program, &call) } else { Vec::new() };
        let key = key(&call, within.clone(), elements.clone(), unread.clone());
        let at = *known.entry(key).or_insert_with(|| {
            let (meant, binding) = match call.choice {
                OverloadChoice::One(signature, binding) => (Some(signature), Some(binding)),
                _ => (None, None),
            };
            uses.push(TypedUse {
                operator: call.operator,
                given: call.given,
                elements,
                unread,
                changes,
                meant,
                binding,
                within,
                language: call.spelling == Spelling::Language,
                places: Places::default(),
                live: 0,
                removable: true,
            });
            uses.len() - 1
        });
        let one = &mut uses[at];
        one.places.add_with(|| format!("{}:{}{remark}", record.name, record.line(start)));
        one.live += usize::from(call.live);
        one.removable &= call.removable;
        one.language &= call.spelling == Spelling::Language;
    }
    uses
}

/// The function of the registry in which a call stands.
fn within(program: &ScriptProgram, call: &ResolvedCall) -> Option<Arc<str>> {
    let routine = program.routines().get(call.function)?;
    routine.name.strip_prefix(FUNCTIONS)?.strip_prefix('.').map(Arc::from)
}

/// What the tensors are that a call gives.
pub(crate) fn elements(program: &ScriptProgram, call: &ResolvedCall) -> Vec<Option<ElementClass>> {
    let Some(body) = program.body(call.function) else { return Vec::new() };
    let tensor = |(one, span): (&GivenValue, &TextSpan)| {
        (one.ty == ScriptType::Tensor).then(|| element::element_of(body, *span)).flatten()
    };
    call.given.iter().zip(&call.spans).map(tensor).collect()
}

/// The results of a call that changed by release, and that nothing reads.
fn unread(program: &ScriptProgram, call: &ResolvedCall) -> Vec<usize> {
    let changed = behaviour::behaviours_of(&call.operator, None).filter_map(|row| row.result);
    changed.filter(|result| !result_reads::is_read(program, call, *result)).collect()
}

fn key(
    call: &ResolvedCall,
    within: Option<Arc<str>>,
    elements: Vec<Option<ElementClass>>,
    unread: Vec<usize>,
) -> Key {
    let given = call.given.iter().map(|one| {
        // Only `None` and short values tell overloads and versions apart.
        let literal = one.literal.clone();
        (one.keyword.clone(), one.receiver, one.ty.clone(), literal)
    });
    (call.operator.clone(), within, given.collect(), elements, unread)
}
