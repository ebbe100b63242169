//! Runs bytecode, as the mobile interpreter does: a stack, and registers for each call of a function.
//!
//! A call takes from the stack what its operator says that it is given, or, in bytecode that does not say so, as many
//! values as the operator of the release takes; the arguments left out are defaults. Of an operator that the release
//! upgrades, the upgrader takes every argument from the stack, whether they are there or not.

use std::rc::Rc;

use unskew_core::Version;
use unskew_script::Statement;
use unskew_torch::bytecode::{BytecodeOperator, Instruction};
use unskew_torch_schemas::FunctionSchema;

use super::execute::truth;
use super::{Given, Machine, RunFault, Upgraders, instance_checks, named_fields, nested_list};
use crate::ScriptObject;
use crate::operators;
use crate::problem::{malformed, refused, unsupported};
use crate::program::{Mobile, Routine};
use crate::{RunError, RunProblem, ScriptValue};

/// The first release whose mobile interpreter has upgraders.
const UPGRADERS: Version = Version::pair(1, 11);

/// The operators that do what instructions do, which bytecode before version 8 has in their place.
const INSTRUCTIONS: [(&str, &str); 15] = [
    ("aten::__is__", "__IS__"),
    ("aten::__isnot__", "__ISNOT__"),
    ("aten::__not__", "__NOT__"),
    ("aten::dim", "DIM"),
    ("aten::format", "FORMAT"),
    ("prim::ListConstruct", "LIST_CONSTRUCT"),
    ("prim::ListUnpack", "LIST_UNPACK"),
    ("prim::TupleConstruct", "TUPLE_CONSTRUCT"),
    ("prim::TupleIndex", "TUPLE_INDEX"),
    ("prim::TupleUnpack", "TUPLE_UNPACK"),
    ("prim::Uninitialized", "UN_INITIALIZED"),
    ("prim::tolist", "TO_LIST"),
    ("prim::dtype", "DTYPE"),
    ("prim::device", "DEVICE"),
    ("prim::unchecked_cast", "UNCHECKED_CAST"),
];

struct Run<'r> {
    mobile: &'r Mobile,
    routine: &'r Routine,
    stack: Vec<ScriptValue>,
    registers: Vec<ScriptValue>,
}

impl Machine<'_> {
    /// Calls a method of an object by its bytecode.
    pub(crate) fn run_bytecode(
        &self,
        mobile: &Mobile,
        object: &ScriptValue,
        name: &str,
        values: Vec<ScriptValue>,
    ) -> Result<ScriptValue, RunError> {
        let lazy = self.context.semantics.release().is_none_or(|release| release >= UPGRADERS);
        let upgraders = self.upgraders.filter(|_| lazy);
        let upgraders = upgraders.map(|upgraders| Upgraders { mobile: true, ..upgraders });
        let context = operators::Context { ..self.context };
        let machine = Machine { code: self.code, constants: self.constants, context, upgraders };
        // A release looks for every operator when it loads the file, also where it never runs.
        for operator in mobile.operators() {
            machine.bytecode_schema(operator)?;
        }
        self.finish(machine.bytecode_method(mobile, object, name, values))
    }

    fn bytecode_method(
        &self,
        mobile: &Mobile,
        object: &ScriptValue,
        name: &str,
        values: Vec<ScriptValue>,
    ) -> Result<ScriptValue, RunFault> {
        let _level = self.context.meter.enter()?;
        let ScriptValue::Object(own) = object else {
            return Ok(malformed(format!("{} has no methods", object.type_name()))?);
        };
        let full = format!("{}.{name}", own.class);
        let Some(routine) = mobile.routine(&full) else {
            return Ok(malformed(format!("the bytecode has no such function: {full}"))?);
        };
        let stack = std::iter::once(object.clone()).chain(values).collect();
        // A register that the file does not count is one more that it uses.
        self.context.meter.step(routine.registers as u64)?;
        let registers = vec![ScriptValue::None; routine.registers];
        let mut run = Run { mobile, routine, stack, registers };
        let mut at = 0;
        loop {
            self.context.meter.step(1)?;
            let instruction = usize::try_from(at).ok().and_then(|at| routine.instructions.get(at));
            let Some(instruction) = instruction else {
                return Ok(malformed(format!("{full}: no instruction {at}"))?);
            };
            if instruction.name == "RET" {
                return Ok(run.pop()?);
            }
            at += self.instruction(&mut run, instruction)?;
        }
    }

    /// Runs one instruction; says how far away the next one is.
    fn instruction(&self, run: &mut Run<'_>, one: &Instruction) -> Result<i64, RunFault> {
        let Instruction { name, x, n } = one;
        match name.as_str() {
            "LOAD" => {
                let value = run.register(*x)?.clone();
                run.push(value);
            }
            "MOVE" => {
                let value = std::mem::take(run.register(*x)?);
                run.push(value);
            }
            "STORE" => *run.register(*x)? = run.pop()?,
            "STOREN" => {
                let values = run.take(*n)?;
                for (at, value) in (*x..).zip(values) {
                    *run.register(at)? = value;
                }
            }
            "DROPR" => *run.register(*x)? = ScriptValue::None,
            "DROP" => drop(run.pop()?),
            "LOADC" => {
                let value = run.constant(*x)?.clone();
                run.push(value);
            }
            "JF" => return Ok(if truth(&run.pop()?)? { 1 } else { *x }),
            "JMP" => return Ok(*x),
            "LOOP" => return Ok(run.next_round(*x, *n)?),
            "OP" | "OPN" => {
                let value = self.bytecode_call(run, *x, (name == "OPN").then_some(*n))?;
                run.extend(value);
            }
            "INTERFACE_CALL" => {
                let name = run.constant(*x)?.text().unwrap_or_default().to_owned();
                let mut values = run.take(*n)?;
                if values.is_empty() {
                    return Ok(malformed("a method without an object")?);
                }
                let object = values.remove(0);
                let value = self.bytecode_method(run.mobile, &object, &name, values)?;
                run.push(value);
            }
            "FORMAT" => {
                let values = run.take(*x)?;
                let value = self.operator("aten::format", &values, &[])?;
                run.push(value);
            }
            "DIM" | "DTYPE" | "DEVICE" | "IS_CUDA" | "NUM_TO_TENSOR" => {
                let operator = match name.as_str() {
                    "DIM" => "aten::dim",
                    "DTYPE" => "prim::dtype",
                    "DEVICE" => "prim::device",
                    "IS_CUDA" => "prim::is_cuda",
                    _ => "prim::NumToTensor",
                };
                let value = run.pop()?;
                run.push(self.operator(operator, &[value], &[])?);
            }
            "TO_LIST" => {
                let [tensor, depth, kind]: [ScriptValue; 3] =
                    run.take(3)?.try_into().unwrap_or_default();
                let (Some(tensor), Some(depth), Some(kind)) =
                    (tensor.tensor(), depth.number(), kind.number())
                else {
                    return Ok(malformed("tolist() without a tensor, a depth and a kind")?);
                };
                self.context.meter.step(tensor.count() as u64)?;
                run.push(nested_list::checked(
                    self.context.meter,
                    tensor,
                    depth.int(),
                    kind.int(),
                )?);
            }
            "NAMED_TUPLE_CONSTRUCT" => {
                let items = run.take(*n)?;
                let ty = run.ty(*x)?.to_owned();
                run.push(self.bytecode_tuple(&ty, items));
            }
            _ => run.make(name, *x, *n)?,
        }
        Ok(1)
    }

    /// A tuple of a type of the table: its fields stand in the type, or in the code beside the bytecode.
    fn bytecode_tuple(&self, ty: &str, items: Vec<ScriptValue>) -> ScriptValue {
        if let Some((class, names)) = nested_list::named_type(ty) {
            return nested_list::tuple(class, &names, items);
        }
        match self.code.class(ty).and_then(|(_, class)| named_fields(class)) {
            Some(names) => nested_list::tuple(ty, &names, items),
            None => ScriptValue::tuple(items),
        }
    }

    /// Calls an operator of the table with what lies on the stack.
    fn bytecode_call(
        &self,
        run: &mut Run<'_>,
        number: i64,
        count: Option<i64>,
    ) -> Result<ScriptValue, RunFault> {
        let operator = usize::try_from(number).ok().and_then(|at| run.routine.operators.get(at));
        let Some(operator) = operator else {
            return Ok(malformed(format!("no operator {number}"))?);
        };
        if let Some((_, instruction)) =
            INSTRUCTIONS.iter().find(|(known, _)| *known == operator.name)
        {
            let x = count.unwrap_or(0);
            let one = Instruction { name: (*instruction).to_owned(), x, n: x };
            self.instruction(run, &one)?;
            return Ok(ScriptValue::tuple(Vec::new()));
        }
        let full = operator.to_string();
        let schema = self.bytecode_schema(operator)?;
        let takes = schema.as_ref().map_or(0, |schema| schema.arguments.len() as i64);
        let given = count.or(operator.given.filter(|_| run.mobile.counted)).unwrap_or(takes);
        if let Some(historic) = self.upgraders.and_then(|upgraders| upgraders.bridge_of(&full)) {
            let wants = historic.schema.arguments.len() as i64;
            if given != wants {
                let what =
                    format!("the upgrader of {full} takes {wants} values, given are {given}");
                return Ok(malformed(what)?);
            }
        }
        let values = run.take(given)?;
        let (positional, named) = named(schema.as_ref(), values);
        let value = match self.operator(&full, &positional, &named) {
            // Up to 1.4 overloads had no names.
            Err(fault) if matches!(*fault.problem, RunProblem::UnknownOperator(_)) => {
                self.operator(&operator.name, &positional, &named)?
            }
            value => value?,
        };
        // What one operator returns are values on the stack.
        let many = schema.is_some_and(|schema| schema.returns.len() != 1);
        Ok(match value {
            ScriptValue::Tuple(tuple) if many => ScriptValue::Tuple(tuple),
            ScriptValue::None if many => ScriptValue::tuple(Vec::new()),
            one => ScriptValue::tuple(vec![one]),
        })
    }

    /// The schema by which the release finds the operator, which it must have.
    fn bytecode_schema(
        &self,
        operator: &BytecodeOperator,
    ) -> Result<Option<FunctionSchema>, RunProblem> {
        let semantics = self.context.semantics;
        if let Some(table) = semantics.table() {
            let found = table.overload(&operator.name, &operator.overload);
            // What is not there as it is may be there for the upgraders.
            let upgraded = self.upgraders.and_then(|one| one.bridge_of(&operator.to_string()));
            if found.is_none() && upgraded.is_none() && !operator.name.starts_with("prim::") {
                let release = semantics.release().map(|release| release.to_string());
                return Err(RunProblem::NotInRelease {
                    release: release.unwrap_or_default(),
                    operator: operator.to_string(),
                    given: String::new(),
                });
            }
            if let Some(found) = found.as_deref().or_else(|| upgraded.map(|one| &one.schema)) {
                return Ok(Some(found.clone()));
            }
        }
        let mut known = operators::find(&operator.name).iter().map(|entry| &entry.schema);
        let first = known.clone().next();
        let exact = known.find(|schema| schema.overload == operator.overload);
        Ok(exact.or(first).cloned())
    }
}

/// What is given by place, and what by name: outputs stand last, behind whatever arguments are given.
fn named(schema: Option<&FunctionSchema>, mut values: Vec<ScriptValue>) -> Given {
    let Some(schema) = schema.filter(|schema| !schema.variadic) else {
        return (values, Vec::new());
    };
    let outputs: Vec<&str> =
        schema.arguments.iter().filter(|one| one.is_out()).map(|one| one.name.as_str()).collect();
    let last = values.split_off(values.len().saturating_sub(outputs.len()));
    let (mut positional, mut named) = (Vec::new(), Vec::new());
    let mut arguments = schema.arguments.iter();
    for value in values {
        match arguments.next() {
            Some(argument) if argument.keyword_only => named.push((argument.name.clone(), value)),
            _ => positional.push(value),
        }
    }
    named.extend(outputs.into_iter().map(str::to_owned).zip(last));
    (positional, named)
}

impl Run<'_> {
    fn push(&mut self, value: ScriptValue) {
        self.stack.push(value);
    }

    fn extend(&mut self, values: ScriptValue) {
        if let ScriptValue::Tuple(tuple) = values {
            self.stack.extend(tuple.items.iter().cloned());
        }
    }

    fn pop(&mut self) -> Result<ScriptValue, RunProblem> {
        self.stack.pop().map_or_else(|| malformed("the stack is empty"), Ok)
    }

    /// The last `count` values.
    fn take(&mut self, count: i64) -> Result<Vec<ScriptValue>, RunProblem> {
        let count = usize::try_from(count).ok().filter(|count| *count <= self.stack.len());
        match count {
            Some(count) => Ok(self.stack.split_off(self.stack.len() - count)),
            None => malformed("the stack is empty"),
        }
    }

    fn register(&mut self, number: i64) -> Result<&mut ScriptValue, RunProblem> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        match at.and_then(|at| self.registers.get_mut(at)) {
            Some(register) => Ok(register),
            None => malformed(format!("no register {number}")),
        }
    }

    fn constant(&self, number: i64) -> Result<&ScriptValue, RunProblem> {
        let constant = usize::try_from(number).ok().and_then(|at| self.routine.constants.get(at));
        constant.map_or_else(|| malformed(format!("no constant {number}")), Ok)
    }

    fn ty(&self, number: i64) -> Result<&str, RunProblem> {
        let ty = usize::try_from(number).ok().and_then(|at| self.routine.types.get(at));
        ty.map_or_else(|| malformed(format!("no type {number}")), |ty| Ok(ty.as_str()))
    }

    /// The head of a loop. On the stack lie the number of the round, how many there may be, whether there is another,
    /// and `n - 2` values that the loop carries.
    fn next_round(&mut self, behind: i64, n: i64) -> Result<i64, RunProblem> {
        let mut frame = self.take(n.saturating_add(1))?;
        let (Some(round), Some(most), Some(goes_on)) = (
            frame.first().and_then(ScriptValue::number),
            frame.get(1).and_then(ScriptValue::number),
            frame.get(2),
        ) else {
            return malformed("a loop without its numbers");
        };
        if round.int() < most.int() && truth(goes_on)? {
            frame[2] = round.int().into();
            frame[0] = round.int().saturating_add(1).into();
            self.stack.append(&mut frame);
            return Ok(1);
        }
        self.stack.extend(frame.drain(3..));
        Ok(behind)
    }

    /// Instructions that need nothing but the stack.
    fn make(&mut self, name: &str, x: i64, n: i64) -> Result<(), RunProblem> {
        let value = match name {
            "LIST_CONSTRUCT" => ScriptValue::list(self.take(n)?),
            "TUPLE_CONSTRUCT" => ScriptValue::tuple(self.take(x)?),
            "DICT_CONSTRUCT" => {
                let pairs = self.take(n)?;
                let pairs = pairs.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
                ScriptValue::dict(pairs.collect())
            }
            "LIST_UNPACK" | "TUPLE_UNPACK" => {
                let value = self.pop()?;
                let Some(items) = value.items() else {
                    return malformed(format!("{} is taken apart", value.type_name()));
                };
                if name == "LIST_UNPACK" && items.len() as i64 != x {
                    return refused(format!(
                        "Expected {x} elements in a list but found {}",
                        items.len()
                    ));
                }
                self.stack.extend(items);
                return Ok(());
            }
            "TUPLE_INDEX" => {
                let index = self.pop()?.number().map_or(0, crate::ScalarValue::int);
                let items = self.pop()?.items().unwrap_or_default();
                let index = if index < 0 { index + items.len() as i64 } else { index };
                match usize::try_from(index).ok().and_then(|at| items.get(at)) {
                    Some(item) => item.clone(),
                    None => return refused("Tuple index out of range"),
                }
            }
            "TUPLE_SLICE" => {
                let items = self.pop()?.items().unwrap_or_default();
                let range = usize::try_from(x).unwrap_or(0)..usize::try_from(n).unwrap_or(0);
                match items.get(range) {
                    Some(items) => ScriptValue::tuple(items.to_vec()),
                    None => return refused("Tuple index out of range"),
                }
            }
            "DICT_INDEX" => {
                let (key, dict) = (self.pop()?, self.pop()?);
                let ScriptValue::Dict(pairs) = &dict else { return malformed("no dictionary") };
                let pairs = pairs.borrow();
                let found = pairs.iter().find(|(known, _)| operators::same(known, &key));
                match found {
                    Some((_, value)) => value.clone(),
                    None => return refused(format!("KeyError: {key}")),
                }
            }
            "GET_ATTR" | "SET_ATTR" => return self.attribute(name == "SET_ATTR", x),
            "CREATE_OBJECT" => {
                let class = self.ty(x)?.into();
                ScriptValue::Object(Rc::new(ScriptObject { class, attributes: Default::default() }))
            }
            "ISINSTANCE" => {
                let value = self.pop()?;
                let mut is = false;
                for number in x..x.saturating_add(n.min(100)) {
                    is |= is_instance(&value, self.ty(number)?)?;
                }
                is.into()
            }
            "__IS__" | "__ISNOT__" => {
                let (b, a) = (self.pop()?, self.pop()?);
                (operators::same(&a, &b) == (name == "__IS__")).into()
            }
            "__NOT__" => (!truth(&self.pop()?)?).into(),
            "UN_INITIALIZED" => ScriptValue::None,
            "UNCHECKED_CAST" | "ENTER" | "EXIT" => return Ok(()),
            "WARN" => {
                self.take(2)?;
                return Ok(());
            }
            "RAISE_EXCEPTION" => {
                // The class, or none, lies above the message.
                let class = self.pop()?;
                let message = self.pop().unwrap_or(class).to_string();
                return Err(RunProblem::Raised { class: "builtins.Exception".into(), message });
            }
            // Upgraders are what it calls, and a runtime puts it in their place when it loads a file.
            "CALL" => {
                return malformed(format!(
                    "a call of function {x}, and a file has no table of them"
                ));
            }
            other => return unsupported(format!("the instruction {other}")),
        };
        self.push(value);
        Ok(())
    }

    /// Reads or writes an attribute of an object by its place.
    fn attribute(&mut self, write: bool, place: i64) -> Result<(), RunProblem> {
        let new = if write { Some(self.pop()?) } else { None };
        let ScriptValue::Object(object) = self.pop()? else { return malformed("no object") };
        let mut attributes = object.attributes.borrow_mut();
        let slot = usize::try_from(place).ok().and_then(|at| attributes.get_mut(at));
        let Some((_, value)) = slot else {
            return malformed(format!("{} has no attribute {place}", object.class));
        };
        match new {
            Some(new) => *value = new,
            None => self.stack.push(value.clone()),
        }
        Ok(())
    }
}

/// Whether a value is of a type, as bytecode names it.
fn is_instance(value: &ScriptValue, ty: &str) -> Result<bool, RunProblem> {
    if let (Some((class, _)), ScriptValue::Tuple(tuple)) = (nested_list::named_type(ty), value) {
        return Ok(tuple.named.as_ref().is_some_and(|(own, _)| **own == *class));
    }
    let parsed = unskew_script::parse(&format!("kind = {ty}\n"));
    let statement = parsed.as_ref().ok().and_then(|module| module.body.first());
    match statement {
        Some(Statement::Assign { value: kind, .. }) => {
            Ok(instance_checks::is_instance(value, kind))
        }
        _ => unsupported(format!("a type of this name: {ty}")),
    }
}
