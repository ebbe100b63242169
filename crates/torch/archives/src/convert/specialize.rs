//! A function of the registry for one call: what it comes to when the arguments are known.
//!
//! Graphs have no branches, loops and variables. But what a function decides by depends mostly on what stands at
//! the call: whether an argument is given, a flag, how long a list is, the type of a tensor. With these known, its branches
//! fall away, its loops are a few rounds, and calls are left, often one.

use std::collections::BTreeMap;

use unskew_script::typing::{literal_of, type_of_annotation};
use unskew_script::{CallArgument, Expression, FunctionDefinition, Statement};
use unskew_torch_schemas::matching::{Literal, ScriptType};

/// What is known of the arguments of a call.
pub(super) trait KnownArguments {
    /// The value of an argument, if it is a literal.
    fn literal(&self, name: &str) -> Option<Literal>;

    /// Whether an argument is a tensor of floats; none if that is not known.
    fn is_floating_point(&self, name: &str) -> Option<bool>;

    /// The number that PyTorch has for the type of an argument's elements.
    fn dtype(&self, name: &str) -> Option<i64>;

    /// Whether an argument is given at all; else it has its default.
    fn is_given(&self, name: &str) -> bool;

    fn is_something(&self, name: &str) -> bool;
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum PartialValue {
    Argument(String),
    Literal(Literal),
    /// What one of the calls gives.
    Call(usize),
}

#[derive(Debug, PartialEq)]
pub(super) struct ResidualCall {
    /// The operator without its overload: `aten::linalg_qr`.
    pub(super) operator: String,
    /// What it is given, each with its name if it is given by name.
    pub(super) given: Vec<(Option<String>, PartialValue)>,
}

/// Steps that a function may take: those of the registry take a few.
const STEPS: usize = 1000;

/// The calls that `function` comes to, of which the last gives what it returns; none if that depends on more than is
/// known.
pub(super) fn unfold(
    function: &FunctionDefinition,
    arguments: &dyn KnownArguments,
) -> Option<Vec<ResidualCall>> {
    let names = function.parameters.iter().map(|one| {
        let name = one.name.text.to_string();
        let default = one.default.as_ref().filter(|_| !arguments.is_given(&name));
        match default.and_then(literal_of) {
            Some(default) => (name, PartialValue::Literal(default)),
            None => (name.clone(), PartialValue::Argument(name)),
        }
    });
    let mut walk = Specializer { arguments, values: names.collect(), steps: 0, calls: Vec::new() };
    match walk.block(&function.body)?? {
        PartialValue::Call(last) if last + 1 == walk.calls.len() => Some(walk.calls),
        _ => None,
    }
}

pub(super) fn annotated(function: &FunctionDefinition, name: &str) -> Option<ScriptType> {
    let parameter = function.parameters.iter().find(|one| one.name.text == name)?;
    type_of_annotation(&parameter.annotation.as_ref()?.to_string())
}

struct Specializer<'a> {
    arguments: &'a dyn KnownArguments,
    values: BTreeMap<String, PartialValue>,
    steps: usize,
    calls: Vec<ResidualCall>,
}

impl Specializer<'_> {
    /// What statements return: none if that is not known, `Some(None)` if they return nothing.
    #[allow(clippy::option_option, reason = "unknown, and known to be nothing")]
    fn block(&mut self, body: &[Statement]) -> Option<Option<PartialValue>> {
        for statement in body {
            self.steps += 1;
            if self.steps > STEPS {
                return None;
            }
            match statement {
                Statement::Assign { target: Expression::Name(name), value, .. }
                | Statement::Annotated {
                    target: Expression::Name(name), value: Some(value), ..
                } => {
                    let value = self.part(value)?;
                    self.values.insert(name.text.to_string(), value);
                }
                Statement::If { test, then, otherwise, .. } => {
                    let taken = if self.truth(test)? { then } else { otherwise };
                    if let Some(part) = self.block(taken)? {
                        return Some(Some(part));
                    }
                }
                Statement::For { target: Expression::Name(name), items, body, .. } => {
                    for round in 0..self.rounds(items)? {
                        let round = PartialValue::Literal(Literal::Int(round));
                        self.values.insert(name.text.to_string(), round);
                        if let Some(part) = self.block(body)? {
                            return Some(Some(part));
                        }
                    }
                }
                Statement::Expression { value: Expression::Call(call), .. } => {
                    self.append(&call.function, &call.arguments)?;
                }
                Statement::Return { value: Some(value), .. } => {
                    return Some(Some(self.part(value)?));
                }
                Statement::Pass { .. } => {}
                _ => return None,
            }
        }
        Some(None)
    }

    /// How often a loop over `range(n)` runs, if `n` is a constant.
    fn rounds(&self, items: &Expression) -> Option<i64> {
        let Expression::Call(call) = items else { return None };
        match (call.function.path()?.as_str(), call.arguments.as_slice()) {
            ("range", [CallArgument { keyword: None, value }]) => match self.literal(value)? {
                Literal::Int(count) => Some(count),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a call `list.append(value)`.
    fn append(&mut self, function: &Expression, arguments: &[CallArgument]) -> Option<()> {
        let path = function.path()?;
        let (list, "append") = path.rsplit_once('.')? else { return None };
        let [CallArgument { keyword: None, value }] = arguments else { return None };
        let PartialValue::Literal(Literal::List(items)) = self.values.get(list)? else {
            return None;
        };
        let items = items.iter().cloned().chain([self.literal(value)?]).collect();
        self.values.insert(list.to_owned(), PartialValue::Literal(Literal::List(items)));
        Some(())
    }

    /// `torch.f(...)`, or `a.f(...)` with a value `a`.
    fn call(&mut self, function: &Expression, arguments: &[CallArgument]) -> Option<PartialValue> {
        let path = function.path()?;
        let (of, name) = path.rsplit_once('.')?;
        let mut given = Vec::new();
        if of != "torch" {
            given.push((None, self.values.get(of)?.clone()));
        }
        for argument in arguments {
            let keyword = argument.keyword.as_ref().map(|name| name.text.to_string());
            given.push((keyword, self.part(&argument.value)?));
        }
        self.calls.push(ResidualCall { operator: format!("aten::{name}"), given });
        Some(PartialValue::Call(self.calls.len() - 1))
    }

    /// What an expression is, with the calls that it takes.
    fn part(&mut self, expression: &Expression) -> Option<PartialValue> {
        if let Some(part) = self.known(expression) {
            return Some(part);
        }
        match expression {
            Expression::Choice { test, then, otherwise, .. } => {
                self.part(if self.truth(test)? { then } else { otherwise })
            }
            Expression::Call(call) => self.call(&call.function, &call.arguments),
            _ => None,
        }
    }

    /// What an expression is, if no call is needed for it.
    fn known(&self, expression: &Expression) -> Option<PartialValue> {
        if let Some(literal) = literal_of(expression) {
            return Some(PartialValue::Literal(literal));
        }
        match expression {
            Expression::Name(name) => self.values.get(name.text.as_str()).cloned(),
            Expression::Attribute { of, name, .. } if name.text == "dtype" => {
                let PartialValue::Argument(of) = self.known(of)? else { return None };
                Some(PartialValue::Literal(Literal::Int(self.arguments.dtype(&of)?)))
            }
            Expression::Choice { test, then, otherwise, .. } => {
                self.known(if self.truth(test)? { then } else { otherwise })
            }
            Expression::List { items, .. } => {
                let items: Option<_> = items.iter().map(|item| self.literal(item)).collect();
                Some(PartialValue::Literal(Literal::List(items?)))
            }
            Expression::Binary { operator, left, right, .. } => {
                let (left, right) = (self.literal(left)?, self.literal(right)?);
                Some(PartialValue::Literal(calculated(operator, &left, &right)?))
            }
            Expression::Unary { operator: "not", .. } => {
                Some(PartialValue::Literal(Literal::Bool(self.truth(expression)?)))
            }
            Expression::Call(call) => {
                let [CallArgument { keyword: None, value }] = call.arguments.as_slice() else {
                    return None;
                };
                match (call.function.path()?.as_str(), self.literal(value)?) {
                    ("len", Literal::List(items)) => {
                        Some(PartialValue::Literal(Literal::Int(items.len() as i64)))
                    }
                    ("float", Literal::Int(number)) => {
                        Some(PartialValue::Literal((number as f64).into()))
                    }
                    ("float", literal @ Literal::Float(_)) => Some(PartialValue::Literal(literal)),
                    ("int", literal @ Literal::Int(_)) => Some(PartialValue::Literal(literal)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The value of an expression, if it is a literal.
    fn literal(&self, expression: &Expression) -> Option<Literal> {
        match self.known(expression)? {
            PartialValue::Literal(literal) => Some(literal),
            PartialValue::Argument(name) => self.arguments.literal(&name),
            PartialValue::Call(_) => None,
        }
    }

    fn is_none(&self, expression: &Expression) -> Option<bool> {
        match self.known(expression)? {
            PartialValue::Call(_) => Some(false),
            PartialValue::Literal(literal) => Some(literal == Literal::None),
            PartialValue::Argument(name) => match self.arguments.literal(&name) {
                Some(literal) => Some(literal == Literal::None),
                None => self.arguments.is_something(&name).then_some(false),
            },
        }
    }

    /// Whether a condition holds; none if it depends on more than what is known.
    fn truth(&self, test: &Expression) -> Option<bool> {
        let is_none = |it: &Expression| literal_of(it) == Some(Literal::None);
        match test {
            Expression::Unary { operator: "not", operand, .. } => Some(!self.truth(operand)?),
            Expression::Binary { operator, left, right, .. } => match *operator {
                "is" if is_none(right) => self.is_none(left),
                "is not" if is_none(right) => Some(!self.is_none(left)?),
                "==" => Some(self.literal(left)? == self.literal(right)?),
                "!=" => Some(self.literal(left)? != self.literal(right)?),
                "and" | "or" => {
                    let decides = *operator == "or";
                    match (self.truth(left), self.truth(right)) {
                        (Some(one), _) | (_, Some(one)) if one == decides => Some(decides),
                        (Some(_), Some(_)) => Some(!decides),
                        _ => None,
                    }
                }
                _ => None,
            },
            Expression::Call(call) => self.asked(&call.function, &call.arguments),
            other => self.literal(other)?.truth(),
        }
    }

    /// `a.is_floating_point()`, `torch.is_floating_point(a)`, `isinstance(a, float)`.
    fn asked(&self, function: &Expression, arguments: &[CallArgument]) -> Option<bool> {
        let path = function.path()?;
        let first = arguments.first().map(|argument| &argument.value);
        match (path.as_str(), first, arguments.get(1)) {
            ("isinstance", Some(value), Some(kind)) => {
                match (self.literal(value)?, kind.value.path()?.as_str()) {
                    (literal, "float") => Some(matches!(literal, Literal::Float(_))),
                    (literal, "int") => Some(matches!(literal, Literal::Int(_))),
                    _ => None,
                }
            }
            ("torch.is_floating_point", Some(Expression::Name(name)), None) => {
                self.floats(&name.text)
            }
            (path, None, None) => {
                let (of, method) = path.rsplit_once('.')?;
                (method == "is_floating_point").then(|| self.floats(of))?
            }
            _ => None,
        }
    }

    fn floats(&self, name: &str) -> Option<bool> {
        match self.values.get(name)? {
            PartialValue::Argument(argument) => self.arguments.is_floating_point(argument),
            PartialValue::Literal(_) | PartialValue::Call(_) => None,
        }
    }
}

/// What two values come to that are known: integers, conditions and lists.
fn calculated(operator: &str, left: &Literal, right: &Literal) -> Option<Literal> {
    Some(match (operator, left, right) {
        ("+", Literal::Int(a), Literal::Int(b)) => Literal::Int(a.checked_add(*b)?),
        ("-", Literal::Int(a), Literal::Int(b)) => Literal::Int(a.checked_sub(*b)?),
        ("*", Literal::Int(a), Literal::Int(b)) => Literal::Int(a.checked_mul(*b)?),
        ("+", Literal::List(a), Literal::List(b)) => {
            Literal::List(a.iter().chain(b.iter()).cloned().collect())
        }
        ("==", a, b) => Literal::Bool(a == b),
        ("!=", a, b) => Literal::Bool(a != b),
        ("and", Literal::Bool(a), Literal::Bool(b)) => Literal::Bool(*a && *b),
        ("or", Literal::Bool(a), Literal::Bool(b)) => Literal::Bool(*a || *b),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known(&'static [(&'static str, Literal)], Option<bool>);

    impl KnownArguments for Known {
        fn literal(&self, name: &str) -> Option<Literal> {
            self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
        }

        fn is_floating_point(&self, _: &str) -> Option<bool> {
            self.1
        }

        fn dtype(&self, _: &str) -> Option<i64> {
            self.1.map(|floats| if floats { 6 } else { 4 })
        }

        fn is_given(&self, _: &str) -> bool {
            true
        }

        fn is_something(&self, _: &str) -> bool {
            false
        }
    }

    fn all(text: &str, known: &Known) -> Option<Vec<ResidualCall>> {
        let module = unskew_script::parse(text).unwrap();
        unfold(module.functions().next().unwrap(), known)
    }

    fn unfolded(text: &str, known: &Known) -> Option<ResidualCall> {
        let [one] = all(text, known)?.try_into().unwrap();
        Some(one)
    }

    const DIV: &str = "def f(self: Tensor, other: Tensor) -> Tensor:\n\
        \x20 if self.is_floating_point() or other.is_floating_point():\n\
        \x20   return self.true_divide(other)\n\
        \x20 return self.divide(other, rounding_mode='trunc')\n";

    #[test]
    fn branches_fall_away_where_types_are_known_and_nothing_is_guessed_where_not() {
        let one = unfolded(DIV, &Known(&[], Some(true))).unwrap();
        assert_eq!((one.operator.as_str(), one.given.len()), ("aten::true_divide", 2));
        let one = unfolded(DIV, &Known(&[], Some(false))).unwrap();
        assert_eq!((one.operator.as_str(), one.given.len()), ("aten::divide", 3));
        assert_eq!(unfolded(DIV, &Known(&[], None)), None);
    }

    #[test]
    fn flags_choose() {
        let text = "def f(self: Tensor, some: bool=True) -> Tensor:\n\
            \x20 mode = 'reduced' if some else 'complete'\n\
            \x20 return torch.linalg_qr(self, mode)\n";
        let one = unfolded(text, &Known(&[("some", Literal::Bool(false))], None)).unwrap();
        assert_eq!(one.given[1].1, PartialValue::Literal(Literal::Text("complete".into())));
        assert_eq!(unfolded(text, &Known(&[], None)), None);
    }

    #[test]
    fn calls_follow_each_other_and_loops_are_their_rounds() {
        let text = "def f(self: Tensor, shape: List[int]) -> Tensor:\n\
            \x20 dims: List[int] = []\n\
            \x20 for i in range(len(shape)):\n\
            \x20   dims.append(-1 - i)\n\
            \x20 half = self.dtype == 5\n\
            \x20 value = self.to(6) if half else self\n\
            \x20 return torch.mul(value, torch.sum(torch.abs(value), dims, True))\n";
        let shape = Literal::List([Literal::Int(3), Literal::Int(4)].into());
        let shape: &'static [_] = Box::leak(Box::new([("shape", shape)]));
        let calls = all(text, &Known(shape, Some(true))).unwrap();
        let names: Vec<&str> = calls.iter().map(|one| one.operator.as_str()).collect();
        assert_eq!(names, ["aten::abs", "aten::sum", "aten::mul"]);
        let dims = Literal::List([Literal::Int(-1), Literal::Int(-2)].into());
        assert_eq!(calls[1].given[0].1, PartialValue::Call(0));
        assert_eq!(calls[1].given[1].1, PartialValue::Literal(dims));
        assert_eq!(calls[2].given[0].1, PartialValue::Argument("self".into()));
        // How many rounds there are is not known.
        assert_eq!(all(text, &Known(&[], Some(true))), None);
        let kept = "def f(self: Tensor) -> Tensor:\n  x = torch.abs(self)\n  return self\n";
        assert_eq!(all(kept, &Known(&[], None)), None);
    }
}
