//! Data flow of a function: what is known of its values before it runs, instruction by instruction.
//!
//! Constants flow through the stack and the registers; where two ways meet, what both agree on stays known. A jump
//! that depends on what is known goes one way only, so instructions that no way leads to never run: code that was
//! inlined with `mode="bilinear"` has a branch for every other mode.
//!
//! Where the number of values on the stack cannot be told (an operator that is not known, a tuple of unknown length),
//! nothing is known of the whole function.

use std::collections::{BTreeMap, VecDeque};

use unskew_script::typing::fold;
use unskew_torch_schemas::FunctionSchema;
use unskew_torch_schemas::matching::Literal;

use super::constants::literal;
use crate::bytecode::{BytecodeFunction, BytecodeOperator, Instruction};
use crate::pickle::Pickle;

/// The most values in all states that are looked at, together.
const MOST: usize = 1 << 23;

/// A value: what it is, if that is known.
type KnownValue = Option<Literal>;

/// What holds before an instruction.
#[derive(Clone, Debug, Default, PartialEq)]
struct StackState {
    stack: Vec<KnownValue>,
    /// Those registers of which something is known.
    registers: BTreeMap<i64, Literal>,
}

/// What is known of a function. Instructions are counted as they stood when it was looked at.
pub(super) struct Flow {
    states: Vec<Option<StackState>>,
}

impl Flow {
    /// Looks at a function that takes `takes` values; none if it cannot be followed. `schema` says what an operator takes
    /// and gives.
    pub(super) fn new(
        function: &BytecodeFunction,
        pickle: &Pickle,
        takes: usize,
        schema: &dyn Fn(&BytecodeOperator) -> Option<FunctionSchema>,
    ) -> Option<Self> {
        let mut walk = FlowAnalysis {
            function,
            pickle,
            schema,
            states: vec![None; function.instructions.len()],
            open: VecDeque::new(),
            budget: MOST,
        };
        walk.reach(0, StackState { stack: vec![None; takes], ..StackState::default() })?;
        while let Some(at) = walk.open.pop_front() {
            walk.step(at)?;
        }
        Some(Self { states: walk.states })
    }

    /// Whether the instruction never runs.
    pub(super) fn is_dead(&self, at: usize) -> bool {
        matches!(self.states.get(at), Some(None))
    }

    /// The last `count` values on the stack before an instruction.
    pub(super) fn last(&self, at: usize, count: usize) -> Vec<KnownValue> {
        let stack = self.states.get(at).and_then(Option::as_ref).map(|state| &state.stack);
        let known = stack.and_then(|stack| stack.get(stack.len().checked_sub(count)?..));
        known.map_or_else(|| vec![None; count], <[KnownValue]>::to_vec)
    }
}

struct FlowAnalysis<'f> {
    function: &'f BytecodeFunction,
    pickle: &'f Pickle,
    schema: &'f dyn Fn(&BytecodeOperator) -> Option<FunctionSchema>,
    states: Vec<Option<StackState>>,
    /// Instructions whose state changed.
    open: VecDeque<usize>,
    budget: usize,
}

impl FlowAnalysis<'_> {
    /// Says that an instruction is reached with a state; none if that contradicts what was found before.
    fn reach(&mut self, at: i64, state: StackState) -> Option<()> {
        let at = usize::try_from(at).ok()?;
        let known = self.states.get_mut(at)?;
        self.budget = self.budget.checked_sub(1 + state.stack.len() + state.registers.len())?;
        let joined = match known {
            None => state,
            Some(known) => known.join(&state)?,
        };
        if known.as_ref() != Some(&joined) {
            *known = Some(joined);
            self.open.push_back(at);
        }
        Some(())
    }

    fn step(&mut self, at: usize) -> Option<()> {
        let mut state = self.states.get(at)?.clone()?;
        let one = self.function.instructions.get(at)?.clone();
        let here = i64::try_from(at).ok()?;
        let next = here + 1;
        let to = here.checked_add(one.x)?;
        match one.name.as_str() {
            "RET" | "RAISE_EXCEPTION" => {}
            "JMP" => self.reach(to, state)?,
            "JF" => {
                let truth = state.pop()?.as_ref().and_then(Literal::truth);
                if truth != Some(false) {
                    self.reach(next, state.clone())?;
                }
                if truth != Some(true) {
                    self.reach(to, state)?;
                }
            }
            "LOOP" => {
                // The number of the round, how many there may be, whether there is another, what it carries.
                let mut frame = state.take(one.n.checked_add(1)?)?;
                let mut out = state.clone();
                out.stack.extend(frame.get(3..)?.to_vec());
                frame[0] = None;
                frame[2] = None;
                state.stack.extend(frame);
                self.reach(next, state)?;
                self.reach(to, out)?;
            }
            "OP" | "OPN" => {
                let count = (one.name == "OPN").then_some(one.n);
                if self.call(&mut state, one.x, count)? {
                    self.reach(next, state)?;
                }
            }
            _ => {
                self.plain(&mut state, &one)?;
                self.reach(next, state)?;
            }
        }
        Some(())
    }

    /// A call; says whether it comes back.
    fn call(&self, state: &mut StackState, number: i64, count: Option<i64>) -> Option<bool> {
        let operator = self.function.operators.get(usize::try_from(number).ok()?)?;
        match operator.name.as_str() {
            "prim::RaiseException" => return Some(false),
            "prim::ListConstruct" | "prim::TupleConstruct" => {
                state.make(count?)?;
                return Some(true);
            }
            // The tensor, the depth of the lists and the type of their numbers.
            "prim::tolist" => {
                state.make(3)?;
                return Some(true);
            }
            _ => {}
        }
        let schema = (self.schema)(operator)?;
        let takes = match count.or(operator.given) {
            Some(count) => count,
            None if schema.variadic => return None,
            None => i64::try_from(schema.arguments.len()).ok()?,
        };
        if schema.variadic_returns {
            return None;
        }
        let given = state.take(takes)?;
        let result = match schema.returns.len() {
            1 => fold(&operator.name, &given),
            _ => None,
        };
        // It may write to a list that it is given.
        if result.is_none() && given.iter().flatten().any(|one| matches!(one, Literal::List(_))) {
            state.forget_lists();
        }
        let returns = schema.returns.len();
        state.stack.extend(std::iter::once(result).chain(std::iter::repeat(None)).take(returns));
        Some(true)
    }

    /// An instruction that goes on to the next one.
    fn plain(
        &self,
        state: &mut StackState,
        Instruction { name, x, n }: &Instruction,
    ) -> Option<()> {
        let register = |state: &StackState| state.registers.get(x).cloned();
        let folded = |operator: &str, state: &mut StackState, count: i64| {
            let given = state.take(count)?;
            state.stack.push(fold(operator, &given));
            Some(())
        };
        match name.as_str() {
            "LOAD" => state.stack.push(register(state)),
            "MOVE" => {
                state.stack.push(register(state));
                state.registers.remove(x);
            }
            "STORE" => {
                let value = state.pop()?;
                state.store(*x, value);
            }
            "STOREN" => {
                let values = state.take(*n)?;
                for (number, value) in (*x..).zip(values) {
                    state.store(number, value);
                }
            }
            "DROPR" => drop(state.registers.remove(x)),
            "DROP" => drop(state.pop()?),
            "LOADC" => {
                let id = self.function.constants.get(usize::try_from(*x).ok()?)?;
                state.stack.push(literal(self.pickle.value(*id)));
            }
            "UN_INITIALIZED" | "CREATE_OBJECT" => state.stack.push(None),
            "LIST_CONSTRUCT" => {
                let items = state.put(*n)?.into_iter().collect::<Option<Vec<_>>>();
                state.stack.push(items.map(|items| Literal::List(items.into())));
            }
            "TUPLE_CONSTRUCT" => state.make(*x)?,
            "NAMED_TUPLE_CONSTRUCT" | "DICT_CONSTRUCT" => state.make(*n)?,
            "LIST_UNPACK" => {
                state.pop()?;
                let count = usize::try_from(*x).ok().filter(|count| *count <= MOST)?;
                state.stack.resize(state.stack.len() + count, None);
            }
            "TUPLE_INDEX" | "DICT_INDEX" => state.make(2)?,
            "TUPLE_SLICE" | "GET_ATTR" | "ISINSTANCE" | "DEVICE" | "DTYPE" | "DIM" | "IS_CUDA"
            | "NUM_TO_TENSOR" => state.make(1)?,
            "TO_LIST" => state.make(3)?,
            "FORMAT" => state.make(*x)?,
            // What it calls may write to anything.
            "INTERFACE_CALL" => {
                state.make(*n)?;
                state.forget_lists();
            }
            "SET_ATTR" | "WARN" => {
                state.put(2)?;
            }
            "UNCHECKED_CAST" => {}
            "__NOT__" => folded("aten::__not__", state, 1)?,
            "__IS__" => folded("aten::__is__", state, 2)?,
            "__ISNOT__" => folded("aten::__isnot__", state, 2)?,
            _ => return None,
        }
        Some(())
    }
}

impl StackState {
    /// What both agree on; none if they have another number of values.
    fn join(&self, other: &Self) -> Option<Self> {
        if self.stack.len() != other.stack.len() {
            return None;
        }
        let both = |(a, b): (&KnownValue, &KnownValue)| if a == b { a.clone() } else { None };
        let stack = self.stack.iter().zip(&other.stack).map(both).collect();
        let mut registers = self.registers.clone();
        registers.retain(|number, value| other.registers.get(number) == Some(value));
        Some(Self { stack, registers })
    }

    fn pop(&mut self) -> Option<KnownValue> {
        self.stack.pop()
    }

    fn take(&mut self, count: i64) -> Option<Vec<KnownValue>> {
        let count = usize::try_from(count).ok()?;
        let rest = self.stack.len().checked_sub(count)?;
        Some(self.stack.split_off(rest))
    }

    /// Takes values into another one. A list in it may be written to through that.
    fn put(&mut self, count: i64) -> Option<Vec<KnownValue>> {
        let values = self.take(count)?;
        if values.iter().flatten().any(|value| matches!(value, Literal::List(_))) {
            self.forget_lists();
        }
        Some(values)
    }

    fn make(&mut self, count: i64) -> Option<()> {
        self.put(count)?;
        self.stack.push(None);
        Some(())
    }

    fn store(&mut self, number: i64, value: KnownValue) {
        match value {
            Some(value) => self.registers.insert(number, value),
            None => self.registers.remove(&number),
        };
    }

    fn forget_lists(&mut self) {
        let is_list = |value: &Literal| matches!(value, Literal::List(_));
        self.registers.retain(|_, value| !is_list(value));
        for value in &mut self.stack {
            if value.as_ref().is_some_and(is_list) {
                *value = None;
            }
        }
    }
}
