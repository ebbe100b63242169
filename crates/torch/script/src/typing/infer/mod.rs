//! The walk over a program.
//!
//! Every function is walked with the types that it declares. Methods may be called from outside, so
//! nothing is known of what they are given. A function that is no method can only be called by the
//! program; it is walked once for each set of literals that its calls give, and what holds in all of these
//! walks holds. Calls in branches that are not taken add no such set.

mod block;
mod call;
mod contexts;
mod fold;
mod language;
mod refine;
mod value;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::Span;

use super::scope::{Scope, Thing};
use super::{AttributeUse, Fault, FunctionId, Program, ResolvedCall, Spelling, Typing};
use unskew_torch_schemas::matching::{Choice, Given, Literal, Operators, Overloads, ScriptType};

/// The most faults that are kept.
const FAULTS: usize = 1000;

/// The most calls of one program; a large one has some ten thousand.
const CALLS: usize = 1 << 19;

/// What a function is given: for each parameter the value, if it is known.
type Context = Vec<Option<Literal>>;

/// Finds the types of a program, and the overload of every operator call.
pub fn infer(program: &Program, operators: &dyn Operators) -> Typing {
    contexts::run(Walker::new(program, operators))
}

/// Where a program reads and sets attributes that classes declare.
pub fn attribute_uses(program: &Program, operators: &dyn Operators) -> BTreeSet<AttributeUse> {
    let mut walker = Walker::new(program, operators);
    walker.found.attributes = Some(BTreeSet::new());
    contexts::walk(&mut walker);
    walker.found.attributes.unwrap_or_default()
}

/// What an operator gives for values of which some are known, if that follows from them: `aten::eq` of two texts,
/// `aten::__contains__` of a list.
///
/// ```
/// use unskew_torch_schemas::matching::{Literal};
/// use unskew_script::typing::{fold};
/// let text = |text: &str| Some(Literal::Text(text.into()));
/// assert_eq!(fold("aten::eq", &[text("area"), text("bilinear")]), Some(Literal::Bool(false)));
/// assert_eq!(fold("aten::eq", &[text("area"), None]), None);
/// ```
pub fn fold(operator: &str, given: &[Option<Literal>]) -> Option<Literal> {
    let known = |literal: &Option<Literal>| Given {
        literal: literal.clone(),
        ..Given::of(ScriptType::Unknown)
    };
    let given = given.iter().map(known);
    fold::operator(operator, &given.collect::<Vec<_>>())
}

/// A value that a call gives, and where it stands.
type Placed = (Given, Span);

/// A call or a mention of a function of the program.
struct Mention {
    from: FunctionId,
    span: Span,
    to: FunctionId,
}

struct Walker<'p, 't> {
    program: &'p Program,
    overloads: Overloads<'t>,
    scope: Scope<'p>,
    function: FunctionId,
    record: usize,
    /// Whether what is walked may run.
    live: bool,
    /// Whether the block has ended, and how.
    end: End,
    /// How many branches and loops are around.
    branches: usize,
    found: Found,
    /// What functions are given by live calls.
    demands: Vec<(FunctionId, Context)>,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// What stands behind it runs.
    #[default]
    None,
    /// By an exception. For the loader that is a call like any other: what the block assigned counts for the types behind it,
    /// though nobody comes there.
    Raised,
    /// By `return`.
    Returned,
}

/// A condition: the function and the place, and whether it was met true, false, and unknown.
type Condition = (FunctionId, Span, [bool; 3]);

/// What is found so far.
#[derive(Default)]
struct Found {
    typing: Typing,
    /// Where each call is in the list: the same call is met once for each context.
    calls: HashMap<(usize, usize, usize, Arc<str>), usize>,
    faults: HashSet<(usize, usize, String)>,
    mentions: Vec<Mention>,
    mentioned: HashSet<(usize, usize, FunctionId)>,
    /// Where attributes are read and set, if that is asked for.
    attributes: Option<BTreeSet<AttributeUse>>,
    /// By the place of the `if`.
    conditions: HashMap<(usize, usize, usize), Condition>,
}

impl<'p, 't> Walker<'p, 't> {
    fn new(program: &'p Program, operators: &'t dyn Operators) -> Self {
        Self {
            program,
            overloads: Overloads::new(operators),
            scope: Scope::default(),
            function: 0,
            record: 0,
            live: true,
            end: End::None,
            branches: 0,
            found: Found::default(),
            demands: Vec::new(),
        }
    }

    /// Walks one function with what it is given.
    fn routine(&mut self, id: FunctionId, context: Option<&Context>, live: bool) {
        let Some(routine) = self.program.routines().get(id) else { return };
        let Some(body) = self.program.body(id) else { return };
        (self.function, self.record) = (id, routine.record);
        (self.live, self.end, self.branches) = (live, End::None, 0);
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
            self.scope.set(&parameter.name.text, Thing::Value(ty.ty.clone(), literal));
        }
        self.block(&body.body);
        self.scope.leave();
    }

    fn fault(&mut self, span: Span, what: impl Into<String>) {
        let what = what.into();
        if self.found.typing.faults.len() < FAULTS
            && self.found.faults.insert((self.record, span.start, what.clone()))
        {
            let (record, function) = (self.record, self.function);
            self.found.typing.faults.push(Fault { record, span, function, what });
        }
    }

    /// Notes that a function is named at a place.
    fn mention(&mut self, to: FunctionId, span: Span) {
        if self.found.mentioned.insert((self.record, span.start, to)) {
            self.found.mentions.push(Mention { from: self.function, span, to });
        }
    }

    /// Resolves a call of an operator, and notes it.
    fn operator(
        &mut self,
        operator: &str,
        given: Vec<Placed>,
        (span, callee): (Span, Option<Span>),
        spelling: Spelling,
    ) -> Thing {
        let (given, spans): (Vec<Given>, Vec<Span>) = given.into_iter().unzip();
        let choice = self.overloads.choose(operator, &given);
        let returns = match &choice {
            Choice::One(_, binding) => binding.returns.clone(),
            Choice::Several(all) => {
                let first = all[0].1.returns.clone();
                all.iter().fold(first, |joined, (_, binding)| joined.join(&binding.returns))
            }
            Choice::Misfit(_) | Choice::Missing => ScriptType::Unknown,
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
        Thing::Value(returns, literal)
    }

    /// Notes what a condition is, as far as it is known here.
    fn condition(&mut self, span: Span, holds: Option<bool>) {
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
