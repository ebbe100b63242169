//! A function of the registry for one call: what it comes to when the arguments are known.
//!
//! Graphs have no branches and no variables. But what a function decides by depends mostly on what stands at
//! the call: whether an argument is given, a flag, the type of a tensor. With these known, its branches fall away, and often
//! one call is left.

use std::collections::BTreeMap;

use unskew_ops::typing::{Literal, ScriptType};
use unskew_script::{Argument, Expression, Function, Statement};

/// What is known of the arguments of a call.
pub(super) trait Arguments {
    /// The value of an argument, if it is a literal.
    fn literal(&self, name: &str) -> Option<Literal>;

    /// Whether an argument is a tensor of floats; none if that is not known.
    fn is_floating_point(&self, name: &str) -> Option<bool>;

    /// Whether an argument is given by something that is not none.
    fn is_something(&self, name: &str) -> bool;
}

/// A value of the function.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// An argument of the call.
    Argument(String),
    /// A value that stands there.
    Literal(Literal),
}

/// The one call that is left.
#[derive(Debug, PartialEq)]
pub(super) struct One {
    /// The operator without its overload: `aten::linalg_qr`.
    pub(super) operator: String,
    /// What it is given, each with its name if it is given by name.
    pub(super) given: Vec<(Option<String>, Part)>,
}

/// Steps that a function may take: those of the registry take a few.
const STEPS: usize = 1000;

/// What `function` comes to; none if it is more than one call.
pub(super) fn unfold(function: &Function, arguments: &dyn Arguments) -> Option<One> {
    let names = function.parameters.iter().map(|one| {
        let name = one.name.text.clone();
        (name.clone(), Part::Argument(name))
    });
    let mut walk = Walk { arguments, values: names.collect(), steps: 0 };
    walk.block(&function.body)?
}

/// The type that a parameter of a function has.
pub(super) fn annotated(function: &Function, name: &str) -> Option<ScriptType> {
    let parameter = function.parameters.iter().find(|one| one.name.text == name)?;
    ScriptType::from_annotation(&parameter.annotation.as_ref()?.to_string())
}

struct Walk<'a> {
    arguments: &'a dyn Arguments,
    values: BTreeMap<String, Part>,
    steps: usize,
}

impl Walk<'_> {
    /// What statements return: none if that is not known, `Some(None)` if they return nothing.
    #[allow(clippy::option_option, reason = "unknown, and known to be nothing")]
    fn block(&mut self, body: &[Statement]) -> Option<Option<One>> {
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
                    self.values.insert(name.text.clone(), value);
                }
                Statement::If { test, then, otherwise, .. } => {
                    let taken = if self.truth(test)? { then } else { otherwise };
                    if let Some(one) = self.block(taken)? {
                        return Some(Some(one));
                    }
                }
                Statement::Return { value: Some(Expression::Call(call)), .. } => {
                    return Some(Some(self.call(&call.function, &call.arguments)?));
                }
                Statement::Pass { .. } => {}
                _ => return None,
            }
        }
        Some(None)
    }

    /// `torch.f(...)`, or `a.f(...)` with an argument `a`.
    fn call(&self, function: &Expression, arguments: &[Argument]) -> Option<One> {
        let path = function.path()?;
        let (of, name) = path.rsplit_once('.')?;
        let mut given = Vec::new();
        if of != "torch" {
            given.push((None, self.values.get(of)?.clone()));
        }
        for argument in arguments {
            let keyword = argument.keyword.as_ref().map(|name| name.text.clone());
            given.push((keyword, self.part(&argument.value)?));
        }
        Some(One { operator: format!("aten::{name}"), given })
    }

    fn part(&self, expression: &Expression) -> Option<Part> {
        if let Some(literal) = Literal::of(expression) {
            return Some(Part::Literal(literal));
        }
        match expression {
            Expression::Name(name) => self.values.get(&name.text).cloned(),
            Expression::Choice { test, then, otherwise, .. } => {
                self.part(if self.truth(test)? { then } else { otherwise })
            }
            Expression::Call(call) => {
                let [Argument { keyword: None, value }] = call.arguments.as_slice() else {
                    return None;
                };
                match (call.function.path()?.as_str(), self.literal(value)?) {
                    ("float", Literal::Int(number)) => Some(Part::Literal((number as f64).into())),
                    ("float", literal @ Literal::Float(_)) => Some(Part::Literal(literal)),
                    ("int", literal @ Literal::Int(_)) => Some(Part::Literal(literal)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The value of an expression, if it is a literal.
    fn literal(&self, expression: &Expression) -> Option<Literal> {
        match self.part(expression)? {
            Part::Literal(literal) => Some(literal),
            Part::Argument(name) => self.arguments.literal(&name),
        }
    }

    fn is_none(&self, expression: &Expression) -> Option<bool> {
        match self.part(expression)? {
            Part::Literal(literal) => Some(literal == Literal::None),
            Part::Argument(name) => match self.arguments.literal(&name) {
                Some(literal) => Some(literal == Literal::None),
                None => self.arguments.is_something(&name).then_some(false),
            },
        }
    }

    /// Whether a condition holds; none if it depends on more than what is known.
    fn truth(&self, test: &Expression) -> Option<bool> {
        let is_none = |it: &Expression| Literal::of(it) == Some(Literal::None);
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
    fn asked(&self, function: &Expression, arguments: &[Argument]) -> Option<bool> {
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
            Part::Argument(argument) => self.arguments.is_floating_point(argument),
            Part::Literal(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known(&'static [(&'static str, Literal)], Option<bool>);

    impl Arguments for Known {
        fn literal(&self, name: &str) -> Option<Literal> {
            self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
        }

        fn is_floating_point(&self, _: &str) -> Option<bool> {
            self.1
        }

        fn is_something(&self, _: &str) -> bool {
            false
        }
    }

    fn unfolded(text: &str, known: &Known) -> Option<One> {
        let module = unskew_script::parse(text).unwrap();
        unfold(module.functions().next().unwrap(), known)
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
    fn flags_choose_and_two_calls_are_not_one() {
        let text = "def f(self: Tensor, some: bool=True) -> Tensor:\n\
            \x20 mode = 'reduced' if some else 'complete'\n\
            \x20 return torch.linalg_qr(self, mode)\n";
        let one = unfolded(text, &Known(&[("some", Literal::Bool(false))], None)).unwrap();
        assert_eq!(one.given[1].1, Part::Literal(Literal::Text("complete".into())));
        assert_eq!(unfolded(text, &Known(&[], None)), None);
        let two = "def f(self: Tensor) -> Tensor:\n  return torch.neg(torch.abs(self))\n";
        assert_eq!(unfolded(two, &Known(&[], None)), None);
    }
}
