//! A function of the registry as bytecode, in the place of the call that it stands for.
//!
//! What the call would take from the stack goes into registers behind those of the function around it; the body
//! follows, and leaves on the stack what the call would have left. Which overload each call in the body means is found
//! from its types, with the operators of the release ([`unskew_script::typing`]).
//!
//! ```text
//! STOREN 8 2          self, other of div
//! LOAD 8              if torch.is_floating_point(self):
//! OP is_floating_point
//! JF 5
//! ...
//! JMP 4               return: to the end
//! ...
//! DROPR 8             the end, where the call stood
//! ```
//!
//! A loop keeps nothing on the stack but what counts its rounds; its variables stay in their registers. What has no form
//! in bytecode (slices, conversions that the loader would add, a return in a loop) has none here: then there is no
//! bytecode for the function.

mod expression;

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt as _};
use unskew_script::typing::{ResolvedCall, ScriptProgram, infer, literal_of_default};
use unskew_script::{Expression, FunctionDefinition as Script, Statement, TextSpan};
use unskew_torch_schemas::matching::Literal;
use unskew_torch_schemas::{FunctionSchema, OperatorTable, SchemaArgument};

use super::constants::{constant, default};
use crate::bytecode::{BytecodeFunction, BytecodeOperator, Instruction};
use crate::code::Callable;
use crate::pickle::Pickle;

pub(super) struct CallForm<'s> {
    /// How the replacement is recorded: as that of an older or of a newer operator.
    pub(in crate::convert::mobile) adaptation: &'static str,
    /// The schema that its writer meant.
    pub(super) schema: &'s FunctionSchema,
    /// How many values lie on the stack: of the first arguments, and of the outputs.
    pub(super) given: usize,
    pub(super) known: BTreeMap<String, Literal>,
    /// The first register that is free.
    pub(super) free: i64,
    /// Whether operators say how many arguments they are given.
    pub(super) counted: bool,
}

/// What stands in the place of the call: instructions, the last of which takes its slot. The tables of `function`
/// get what they name; none if there is no form, and then the tables may have more than is used.
pub(super) fn assemble(
    script: &Script,
    site: &CallForm<'_>,
    table: &OperatorTable,
    function: &mut BytecodeFunction,
    pickle: &mut Pickle,
) -> Option<Vec<Instruction>> {
    let program = ScriptProgram::of_text("registry", &script.to_string()).ok()?;
    let script = program.body(0)?;
    let typing = infer(&program, &Callable(table));
    let mut calls = HashMap::new();
    for call in &typing.calls {
        calls.entry(call.span).or_insert(call);
    }
    let mut assembler = Assembler {
        site,
        table,
        calls,
        function,
        pickle,
        code: Vec::new(),
        registers: HashMap::new(),
        known: site.known.clone().into_iter().collect(),
        next: site.free,
        ends: Vec::new(),
    };
    assembler.arguments(script)?;
    if !assembler.block(&script.body)? {
        return None;
    }
    assembler.finish()
}

struct Assembler<'a> {
    site: &'a CallForm<'a>,
    table: &'a OperatorTable,
    calls: HashMap<TextSpan, &'a ResolvedCall>,
    function: &'a mut BytecodeFunction,
    pickle: &'a mut Pickle,
    code: Vec<Instruction>,
    /// Where each name of the function lies.
    registers: HashMap<String, i64>,
    /// What is known of names.
    known: HashMap<String, Literal>,
    /// The first register that is free.
    next: i64,
    ends: Vec<usize>,
}

impl Assembler<'_> {
    /// Takes the values of the call from the stack, and the defaults of what it does not give.
    fn arguments(&mut self, script: &Script) -> Option<()> {
        let all = &self.site.schema.arguments;
        let outputs = all.iter().filter(|one| one.is_out()).count();
        let leading = self.site.given.checked_sub(outputs)?;
        let inputs = all.len() - outputs;
        if leading > inputs {
            return None;
        }
        let on_stack: Vec<&SchemaArgument> = all[..leading].iter().chain(&all[inputs..]).collect();
        let first = self.next;
        for argument in &on_stack {
            self.name(&argument.name);
        }
        if !on_stack.is_empty() {
            self.emit("STOREN", first, i64::try_from(on_stack.len()).ok()?);
        }
        for argument in &all[leading..inputs] {
            let value = default(argument, self.pickle)?;
            let number = self.function.constant(self.pickle, value);
            self.emit("LOADC", number, 0);
            let register = self.name(&argument.name);
            self.emit("STORE", register, 0);
            if let Some(literal) = argument.default.as_deref().and_then(literal_of_default) {
                self.known.insert(argument.name.clone(), literal);
            }
        }
        let named = |parameter: &unskew_script::FunctionParameter| {
            all.iter().any(|argument| argument.name == parameter.name.text)
        };
        script.parameters.iter().all(named).then_some(())
    }

    /// The register of a name, which gets one if it has none.
    fn name(&mut self, name: &str) -> i64 {
        if let Some(register) = self.registers.get(name) {
            return *register;
        }
        let register = self.next;
        self.next += 1;
        self.registers.insert(name.to_owned(), register);
        register
    }

    fn emit(&mut self, name: &str, x: i64, n: i64) -> usize {
        self.code.push(Instruction { name: name.to_owned(), x, n });
        self.code.len() - 1
    }

    /// Has the jump at `at` lead to the next instruction.
    fn land(&mut self, at: usize) {
        let here = self.code.len();
        if let Some(jump) = self.code.get_mut(at) {
            jump.x = here as i64 - at as i64;
        }
    }

    fn call(&mut self, operator: &str, overload: &str, given: usize) {
        let given = self.site.counted.then_some(given as i64);
        let operator =
            BytecodeOperator { name: operator.to_owned(), overload: overload.to_owned(), given };
        let number = self.function.operator(operator);
        self.emit("OP", number, 0);
    }

    fn load(&mut self, literal: &Literal) -> Option<()> {
        let value = constant(literal, self.pickle)?;
        let number = self.function.constant(self.pickle, value);
        self.emit("LOADC", number, 0);
        Some(())
    }

    /// Statements; says whether they return whatever happens.
    fn block(&mut self, body: &[Statement]) -> Option<bool> {
        for statement in body {
            match statement {
                Statement::Assign { target, value, .. } => self.assign(target, value)?,
                Statement::Annotated { target, annotation, value: Some(value), .. } => {
                    match (target, value) {
                        (Expression::Name(name), Expression::List { items, .. })
                            if items.is_empty() =>
                        {
                            self.empty(&name.text, &annotation.to_string());
                        }
                        _ => self.assign(target, value)?,
                    }
                }
                Statement::Expression { value: value @ Expression::Call(_), .. } => {
                    for _ in 0..self.values(value)? {
                        self.emit("DROP", 0, 0);
                    }
                }
                Statement::For { target: Expression::Name(name), items, body, .. } => {
                    self.rounds(&name.text, items, body)?;
                }
                Statement::Return { value: Some(value), .. } => {
                    let wanted = self.site.schema.returns.len();
                    (self.values(value)? == wanted).then_some(())?;
                    let jump = self.emit("JMP", 0, 0);
                    self.ends.push(jump);
                    return Some(true);
                }
                Statement::If { test, then, otherwise, .. } => {
                    if self.branch(test, then, otherwise)? {
                        return Some(true);
                    }
                }
                Statement::Pass { .. } => {}
                _ => return None,
            }
        }
        Some(false)
    }

    fn branch(
        &mut self,
        test: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
    ) -> Option<bool> {
        if let Some(holds) = self.truth(test) {
            return self.block(if holds { then } else { otherwise });
        }
        self.one(test)?;
        let over = self.emit("JF", 0, 0);
        let before = self.known.clone();
        let first = self.block(then)?;
        let after = std::mem::replace(&mut self.known, before);
        let out = (!first).then(|| self.emit("JMP", 0, 0));
        self.land(over);
        let second = self.block(otherwise)?;
        if let Some(out) = out {
            self.land(out);
        }
        match (first, second) {
            (true, true) => return Some(true),
            // What is known behind is what was known where it goes on.
            (true, false) => {}
            (false, true) => self.known = after,
            (false, false) => self.known.retain(|name, value| after.get(name) == Some(value)),
        }
        Some(false)
    }

    /// `for name in range(count)`.
    fn rounds(&mut self, name: &str, items: &Expression, body: &[Statement]) -> Option<()> {
        let Expression::Call(call) = items else { return None };
        let [count] = call.arguments.as_slice() else { return None };
        (call.function.path()? == "range").then_some(())?;
        // What the body assigns is known in no round.
        forget(body, &mut self.known);
        self.known.remove(name);
        self.load(&Literal::Int(0))?;
        self.one(&count.value)?;
        self.load(&Literal::Bool(true))?;
        let head = self.emit("LOOP", 0, 2);
        let register = self.name(name);
        self.emit("STORE", register, 0);
        // What a return leaves on the stack would lie on what counts the rounds.
        (!self.block(body)?).then_some(())?;
        self.load(&Literal::Bool(true))?;
        let back = self.emit("JMP", 0, 0);
        self.code.get_mut(back)?.x = head as i64 - back as i64;
        self.land(head);
        forget(body, &mut self.known);
        Some(())
    }

    /// A list without items, of the type that its name is annotated with.
    fn empty(&mut self, name: &str, ty: &str) {
        let ty = self.function.ty(self.pickle, ty);
        self.emit("LIST_CONSTRUCT", ty, 0);
        let register = self.name(name);
        self.emit("STORE", register, 0);
        self.known.remove(name);
    }

    fn assign(&mut self, target: &Expression, value: &Expression) -> Option<()> {
        let names: Vec<&str> = match target {
            Expression::Name(name) => vec![&name.text],
            Expression::Tuple { items, .. } => items
                .iter()
                .map(|item| match item {
                    Expression::Name(name) => Some(name.text.as_str()),
                    _ => None,
                })
                .collect::<Option<_>>()?,
            _ => return None,
        };
        (self.values(value)? == names.len()).then_some(())?;
        let literal = self.literal(value);
        for name in names.iter().rev() {
            let register = self.name(name);
            self.emit("STORE", register, 0);
            self.known.remove(*name);
        }
        if let ([name], Some(literal)) = (names.as_slice(), literal) {
            self.known.insert((*name).to_owned(), literal);
        }
        Some(())
    }

    /// The end: registers are given back, the last one in the slot of the call.
    fn finish(mut self) -> Option<Vec<Instruction>> {
        let ends = std::mem::take(&mut self.ends);
        // A jump to what follows it is none.
        let last = self.code.len().checked_sub(1)?;
        if ends.last() == Some(&last) {
            self.code.pop();
        }
        for at in ends.into_iter().filter(|at| *at != last) {
            self.land(at);
        }
        let used = self.site.free..self.next.max(self.site.free + 1);
        for register in used.clone() {
            self.emit("DROPR", register, 0);
        }
        self.function.registers = self.function.registers.max(used.end - 1);
        Some(self.code)
    }
}

/// Takes what statements assign out of what is known.
fn forget(body: &[Statement], known: &mut HashMap<String, Literal>) {
    for statement in body {
        match statement {
            Statement::Assign { target, .. } | Statement::Annotated { target, .. } => {
                let names = match target {
                    Expression::Tuple { items, .. } => items.as_slice(),
                    one => std::slice::from_ref(one),
                };
                for name in names.iter().filter_map(Expression::path) {
                    known.remove(&name);
                }
            }
            Statement::If { then, otherwise, .. } => {
                forget(then, known);
                forget(otherwise, known);
            }
            Statement::For { target, body, .. } => {
                if let Some(name) = target.path() {
                    known.remove(&name);
                }
                forget(body, known);
            }
            Statement::While { body, .. } | Statement::With { body, .. } => forget(body, known),
            _ => {}
        }
    }
}
