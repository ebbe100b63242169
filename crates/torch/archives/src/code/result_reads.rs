//! Results of a call that nothing reads.
//!
//! An operator with several results may change one of them and leave the others: it concerns only who reads that one. A
//! result is followed through names, tuples, and what functions of the file return; whatever else is done with it counts
//! as reading, and so does what a method returns.

use std::collections::BTreeSet;

use unskew_script::typing::{FunctionId, ResolvedCall, ScriptProgram};
use unskew_script::{Expression, Statement, TextSpan};

/// How many names and returns are followed for one result.
const STEPS: usize = 64;

/// Whether a result of a call, counted from 0, is read by anything.
pub(crate) fn is_read(program: &ScriptProgram, call: &ResolvedCall, result: usize) -> bool {
    let mut search = Search { program, known: BTreeSet::new(), open: Vec::new(), read: false };
    search.call(call.function, call.span, ResultPart::Item(result));
    while let Some(one) = search.open.pop() {
        if search.read || search.known.len() > STEPS {
            return true;
        }
        match one {
            ResultHolder::Name(function, name, part) => search.name(function, &name, part),
            ResultHolder::Return(function, part) => search.callers(function, part),
        }
    }
    search.read
}

/// What of a value the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ResultPart {
    Whole,
    /// An item of a tuple.
    Item(usize),
}

/// What has the result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ResultHolder {
    /// A name in a function.
    Name(FunctionId, String, ResultPart),
    /// What a function returns.
    Return(FunctionId, ResultPart),
}

struct Search<'p> {
    program: &'p ScriptProgram,
    known: BTreeSet<ResultHolder>,
    open: Vec<ResultHolder>,
    read: bool,
}

impl<'p> Search<'p> {
    fn follow(&mut self, holder: ResultHolder) {
        if self.known.insert(holder.clone()) {
            self.open.push(holder);
        }
    }

    fn body(&self, function: FunctionId) -> &'p [Statement] {
        self.program.body(function).map_or(&[], |body| &body.body)
    }

    /// Follows what stands at a place in a function.
    fn call(&mut self, function: FunctionId, at: TextSpan, part: ResultPart) {
        let is_it = |one: &Expression| {
            let span = one.span();
            matches!(one, Expression::Call(_)) && (span.start, span.end) == (at.start, at.end)
        };
        self.values(function, part, &is_it);
    }

    /// Follows a name in its function.
    fn name(&mut self, function: FunctionId, name: &str, part: ResultPart) {
        let is_it = |one: &Expression| matches!(one, Expression::Name(found) if found.text == name);
        self.values(function, part, &is_it);
    }

    /// Follows the expressions of a function that have the result.
    fn values(
        &mut self,
        function: FunctionId,
        part: ResultPart,
        is_it: &dyn Fn(&Expression) -> bool,
    ) {
        each(self.body(function), &mut |statement| match statement {
            Statement::Assign { target, value, .. } => {
                self.assigned(function, target, value, part, is_it);
                // The target of an assignment is no use of a name, what it is an attribute or an item of is one.
                if !matches!(target, Expression::Name(_) | Expression::Tuple { .. }) {
                    self.read |= has(target, is_it);
                }
            }
            Statement::Annotated { target, value: Some(value), .. } => {
                self.assigned(function, target, value, part, is_it);
            }
            Statement::Return { value: Some(value), .. } => match value {
                value if is_it(value) => self.follow(ResultHolder::Return(function, part)),
                Expression::Tuple { items, .. } if part == ResultPart::Whole => {
                    for (at, item) in items.iter().enumerate() {
                        if is_it(item) {
                            self.follow(ResultHolder::Return(function, ResultPart::Item(at)));
                        } else {
                            self.read |= has(item, is_it);
                        }
                    }
                }
                value => self.read |= has(value, is_it),
            },
            // Its value goes nowhere.
            Statement::Expression { value, .. } if is_it(value) => {}
            statement => {
                self.read |= statement.expressions().iter().any(|one| has(one, is_it));
            }
        });
    }

    fn assigned(
        &mut self,
        function: FunctionId,
        target: &Expression,
        value: &Expression,
        part: ResultPart,
        is_it: &dyn Fn(&Expression) -> bool,
    ) {
        match (target, value) {
            (target, value) if is_it(value) => match (target, part) {
                (Expression::Tuple { items, .. }, ResultPart::Item(at)) => match items.get(at) {
                    Some(Expression::Name(name)) => {
                        let name = name.text.to_string();
                        self.follow(ResultHolder::Name(function, name, ResultPart::Whole));
                    }
                    _ => self.read = true,
                },
                (Expression::Name(name), part) => {
                    self.follow(ResultHolder::Name(function, name.text.to_string(), part));
                }
                _ => self.read = true,
            },
            (Expression::Tuple { items: targets, .. }, Expression::Tuple { items, .. })
                if targets.len() == items.len() =>
            {
                for (target, item) in targets.iter().zip(items) {
                    self.assigned(function, target, item, part, is_it);
                }
            }
            (Expression::Name(name), Expression::Tuple { items, .. })
                if part == ResultPart::Whole =>
            {
                for (at, item) in items.iter().enumerate() {
                    if is_it(item) {
                        let (name, part) = (name.text.to_string(), ResultPart::Item(at));
                        self.follow(ResultHolder::Name(function, name, part));
                    } else {
                        self.read |= has(item, is_it);
                    }
                }
            }
            (_, value) => self.read |= has(value, is_it),
        }
    }

    /// Follows the calls of a function, which code names in full, or by a name that it gave to it.
    fn callers(&mut self, function: FunctionId, part: ResultPart) {
        let Some(routine) = self.program.routines().get(function) else { return };
        if routine.class.is_some() {
            self.read = true;
            return;
        }
        let full: &str = &routine.name;
        for id in 0..self.program.routines().len() {
            let mut aliases = BTreeSet::new();
            each(self.body(id), &mut |statement| {
                if let Statement::Assign { target: Expression::Name(name), value, .. } = statement
                    && value.path().as_deref() == Some(full)
                {
                    aliases.insert(name.text.clone());
                }
            });
            let is_callee = |one: &Expression| match one {
                Expression::Name(name) => aliases.contains(&name.text),
                one => one.path().as_deref() == Some(full),
            };
            let is_it = |one: &Expression| matches!(one, Expression::Call(call) if is_callee(&call.function));
            self.values(id, part, &is_it);
        }
    }
}

/// Whether an expression has one of these anywhere inside.
fn has(expression: &Expression, is_it: &dyn Fn(&Expression) -> bool) -> bool {
    is_it(expression) || expression.parts().into_iter().any(|part| has(part, is_it))
}

/// Does something for each statement, also of those inside.
fn each<'f>(body: &'f [Statement], act: &mut dyn FnMut(&'f Statement)) {
    for statement in body {
        act(statement);
        for block in statement.blocks() {
            each(block, act);
        }
    }
}
