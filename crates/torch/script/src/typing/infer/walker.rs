//! Walker over a program: where it is, and what it has found.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use unskew_torch_schemas::matching::{
    GivenValue, Literal, OverloadCache, OverloadChoice, OverloadSource, ScriptType,
};

use super::fold;
use crate::TextSpan;
use crate::typing::scope::{Binding, Scope};
use crate::typing::{
    AttributeUse, FunctionId, LoaderFault, ResolvedCall, ScriptProgram, Spelling, Typing,
};

/// The most faults that are kept.
const FAULTS: usize = 1000;

/// The most calls of one program; a large one has some ten thousand.
const CALLS: usize = 1 << 19;

/// What a function is given: for each parameter the value, if it is known.
pub(super) type CallContext = Vec<Option<Literal>>;

/// A value that a call gives, and where it stands.
pub(super) type LocatedValue = (GivenValue, TextSpan);

/// A call or a mention of a function of the program.
pub(super) struct Reference {
    pub(super) from: FunctionId,
    pub(super) span: TextSpan,
    pub(super) to: FunctionId,
}

/// The walk: where it is, what is known there, and what it has found.
pub(super) struct Walker<'p, 't> {
    pub(super) program: &'p ScriptProgram,
    pub(super) overloads: OverloadCache<'t>,
    pub(super) scope: Scope<'p>,
    pub(super) function: FunctionId,
    pub(super) record: usize,
    /// Whether what is walked may run.
    pub(super) live: bool,
    pub(super) end: BlockEnd,
    /// How many branches and loops are around.
    pub(super) branches: usize,
    pub(super) found: InferenceState,
    /// What functions are given by live calls.
    pub(super) demands: Vec<(FunctionId, CallContext)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BlockEnd {
    /// What stands behind it runs.
    #[default]
    None,
    /// By an exception. For the loader that is a call like any other: what the block assigned counts for the types behind it,
    /// though nobody comes there.
    Raised,
    Returned,
}

/// A condition: the function and the place, and whether it was met true, false, and unknown.
pub(super) type Condition = (FunctionId, TextSpan, [bool; 3]);

/// What is found so far.
#[derive(Default)]
pub(super) struct InferenceState {
    pub(super) typing: Typing,
    /// Where each call is in the list: the same call is met once for each context.
    pub(super) calls: HashMap<(usize, usize, usize, Arc<str>), usize>,
    pub(super) faults: HashSet<(usize, usize, String)>,
    pub(super) mentions: Vec<Reference>,
    pub(super) mentioned: HashSet<(usize, usize, FunctionId)>,
    /// Where attributes are read and set, if that is asked for.
    pub(super) attributes: Option<BTreeSet<AttributeUse>>,
    /// By the place of the `if`.
    pub(super) conditions: HashMap<(usize, usize, usize), Condition>,
}

impl<'p, 't> Walker<'p, 't> {
    pub(super) fn new(program: &'p ScriptProgram, operators: &'t dyn OverloadSource) -> Self {
        Self {
            program,
            overloads: OverloadCache::new(operators),
            scope: Scope::default(),
            function: 0,
            record: 0,
            live: true,
            end: BlockEnd::None,
            branches: 0,
            found: InferenceState::default(),
            demands: Vec::new(),
        }
    }

    pub(super) fn routine(&mut self, id: FunctionId, context: Option<&CallContext>, live: bool) {
        let Some(routine) = self.program.routines().get(id) else { return };
        let Some(body) = self.program.body(id) else { return };
        (self.function, self.record) = (id, routine.record);
        (self.live, self.end, self.branches) = (live, BlockEnd::None, 0);
        for parameter in &body.parameters {
            if let Some(default) = &parameter.default {
                self.scope.enter();
                self.value(default);
                self.scope.leave();
            }
        }
        self.scope.enter();
        for (at, (parameter, ty)) in body.parameters.iter().zip(&routine.parameters).enumerate() {
            let literal = context.and_then(|context| context.get(at)?.clone());
            self.scope.set(&parameter.name.text, Binding::Value(ty.ty.clone(), literal));
        }
        self.block(&body.body);
        self.scope.leave();
    }

    pub(super) fn fault(&mut self, span: TextSpan, what: impl Into<String>) {
        let what = what.into();
        if self.found.typing.faults.len() < FAULTS
            && self.found.faults.insert((self.record, span.start, what.clone()))
        {
            let (record, function) = (self.record, self.function);
            self.found.typing.faults.push(LoaderFault { record, span, function, what });
        }
    }

    /// Notes that a function is named at a place.
    pub(super) fn mention(&mut self, to: FunctionId, span: TextSpan) {
        if self.found.mentioned.insert((self.record, span.start, to)) {
            self.found.mentions.push(Reference { from: self.function, span, to });
        }
    }

    /// Resolves a call of an operator, and notes it.
    pub(super) fn operator(
        &mut self,
        operator: &str,
        given: Vec<LocatedValue>,
        (span, callee): (TextSpan, Option<TextSpan>),
        spelling: Spelling,
    ) -> Binding {
        let (given, spans): (Vec<GivenValue>, Vec<TextSpan>) = given.into_iter().unzip();
        let choice = self.overloads.choose(operator, &given);
        let returns = match &choice {
            OverloadChoice::One(_, binding) => binding.returns.clone(),
            OverloadChoice::Several(all) => {
                let first = all[0].1.returns.clone();
                all.iter().fold(first, |joined, (_, binding)| joined.join(&binding.returns))
            }
            OverloadChoice::Misfit(_) | OverloadChoice::Missing => ScriptType::Unknown,
        };
        let literal = fold::operator(operator, &given);
        let key = (self.record, span.start, span.end, Arc::from(operator));
        match self.found.calls.get(&key) {
            Some(at) => {
                let known = &mut self.found.typing.calls[*at];
                known.live |= self.live;
                for (known, new) in known.given.iter_mut().zip(&given) {
                    if known.literal != new.literal {
                        known.literal = None;
                    }
                }
            }
            None if self.found.typing.calls.len() < CALLS => {
                self.found.calls.insert(key, self.found.typing.calls.len());
                self.found.typing.calls.push(ResolvedCall {
                    operator: operator.into(),
                    record: self.record,
                    span,
                    callee,
                    function: self.function,
                    spelling,
                    given,
                    spans,
                    choice,
                    in_branch: self.branches > 0,
                    live: self.live,
                    removable: false,
                    loaded: true,
                });
            }
            None => {
                self.fault(span, format!("more than {CALLS} calls; the others were not looked at"))
            }
        }
        Binding::Value(returns, literal)
    }

    /// Notes what a condition is, as far as it is known here.
    pub(super) fn condition(&mut self, span: TextSpan, holds: Option<bool>) {
        if !self.live {
            return;
        }
        let key = (self.record, span.start, span.end);
        let entry = self.found.conditions.entry(key);
        let (.., met) = entry.or_insert((self.function, span, [false; 3]));
        met[match holds {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        }] = true;
    }
}
