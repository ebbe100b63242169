//! Class of the items of a tensor, where its code shows it.
//!
//! The types of TorchScript say of a tensor that it is one. A comparison gives booleans all the same, `torch.to(x, 0)`
//! gives uint8, and a softmax no integers: enough to tell some calls that a release stopped to take. Nothing is said
//! where a name has several values of different kinds, or comes from outside.

use unskew_script::typing::literal_of;
use unskew_script::{CallExpression, Expression, FunctionDefinition, Statement, TextSpan};
use unskew_torch_schemas::matching::Literal;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ElementClass {
    Bool,
    Uint8,
    Integer,
    Float,
    Complex,
}

/// How many names and calls are followed for one value.
const STEPS: usize = 64;

const BOOLEANS: [&str; 14] = [
    "gt",
    "lt",
    "ge",
    "le",
    "eq",
    "ne",
    "isnan",
    "isinf",
    "isfinite",
    "logical_not",
    "logical_and",
    "logical_or",
    "logical_xor",
    "isclose",
];
const PLACES: [&str; 4] = ["argmax", "argmin", "argsort", "nonzero"];
const FLOATS: [&str; 20] = [
    "softmax",
    "log_softmax",
    "sigmoid",
    "tanh",
    "gelu",
    "conv1d",
    "conv2d",
    "conv3d",
    "linear",
    "addmm",
    "batch_norm",
    "layer_norm",
    "group_norm",
    "instance_norm",
    "embedding",
    "dropout",
    "rand",
    "randn",
    "mean",
    "std",
];
const SAME: [&str; 30] = [
    "relu",
    "view",
    "reshape",
    "transpose",
    "permute",
    "unsqueeze",
    "squeeze",
    "slice",
    "select",
    "contiguous",
    "expand",
    "expand_as",
    "clone",
    "detach",
    "neg",
    "abs",
    "flatten",
    "repeat",
    "flip",
    "roll",
    "t",
    "bitwise_not",
    "index",
    "gather",
    "index_select",
    "narrow",
    "alias",
    "relu_",
    "view_as",
    "chunk",
];
/// Which make a tensor, of the type that is named.
const MAKERS: [&str; 12] = [
    "zeros",
    "ones",
    "full",
    "empty",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "arange",
    "tensor",
    "as_tensor",
    "linspace",
];

/// The kind of what stands at a place in a function, if it is a tensor of which that shows.
pub(crate) fn element_of(function: &FunctionDefinition, at: TextSpan) -> Option<ElementClass> {
    let mut found = None;
    each(&function.body, &mut |statement| {
        for expression in statement.expressions() {
            find(expression, at, &mut found);
        }
    });
    Search { function, steps: STEPS }.element_of(found?)
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

fn find<'f>(expression: &'f Expression, at: TextSpan, found: &mut Option<&'f Expression>) {
    let span = expression.span();
    if (span.start, span.end) == (at.start, at.end) {
        *found = Some(expression);
    } else if span.start <= at.start && at.end <= span.end {
        expression.parts().into_iter().for_each(|part| find(part, at, found));
    }
}

struct Search<'f> {
    function: &'f FunctionDefinition,
    steps: usize,
}

impl<'f> Search<'f> {
    fn element_of(&mut self, expression: &'f Expression) -> Option<ElementClass> {
        self.steps = self.steps.checked_sub(1)?;
        match expression {
            Expression::Name(name) => self.of_name(&name.text),
            Expression::Call(call) => self.of_call(call),
            _ => None,
        }
    }

    /// What all assignments to a name agree on. A parameter has another value besides.
    fn of_name(&mut self, name: &str) -> Option<ElementClass> {
        if self.function.parameters.iter().any(|one| one.name.text == name) {
            return None;
        }
        let (mut values, mut plain) = (Vec::new(), true);
        each(&self.function.body, &mut |statement| match statement {
            Statement::Assign { target, value, .. } => match target {
                Expression::Name(target) if target.text == name => values.push(value),
                Expression::Tuple { items, .. } => {
                    plain &= !items.iter().any(|one| one.path().as_deref() == Some(name));
                }
                _ => {}
            },
            Statement::Annotated { target, value: Some(value), .. }
                if target.path().as_deref() == Some(name) =>
            {
                values.push(value);
            }
            Statement::For { target, .. } => plain &= target.path().as_deref() != Some(name),
            _ => {}
        });
        let (first, rest) = values.split_first().filter(|_| plain)?;
        let element = self.element_of(first)?;
        rest.iter().all(|one| self.element_of(one) == Some(element)).then_some(element)
    }

    fn of_call(&mut self, call: &'f CallExpression) -> Option<ElementClass> {
        let path = call.function.path()?;
        let argument = |at: usize| call.arguments.get(at).map(|one| &one.value);
        if matches!(path.as_str(), "unchecked_cast" | "annotate") {
            return self.element_of(argument(1)?);
        }
        let name = path.strip_prefix("torch.")?;
        let first = call.arguments.first().filter(|one| one.keyword.is_none());
        if name == "to" {
            // `to(x, 0)`, `to(x, dtype=0)`; of a device or another tensor it shows nothing.
            let ty = named(call, "dtype").or_else(|| argument(1))?;
            return by_number(ty);
        }
        if MAKERS.contains(&name) {
            return named(call, "dtype").and_then(by_number);
        }
        if BOOLEANS.contains(&name) {
            return Some(ElementClass::Bool);
        }
        if PLACES.contains(&name) {
            return Some(ElementClass::Integer);
        }
        if FLOATS.contains(&name) {
            return Some(ElementClass::Float);
        }
        let first = &first?.value;
        if SAME.contains(&name) {
            return self.element_of(first);
        }
        if matches!(name, "add" | "sub" | "mul" | "__and__" | "__or__") {
            let second = argument(1)?;
            let floats = |literal: Option<Literal>| matches!(literal, Some(Literal::Float(_)));
            let (a, b) = (self.element_of(first), self.element_of(second));
            return match (a, b) {
                (Some(ElementClass::Float), _) if b != Some(ElementClass::Complex) => {
                    Some(ElementClass::Float)
                }
                (Some(a), Some(b)) => Some(a.max(b)),
                (Some(a), None) if matches!(literal_of(second), Some(Literal::Int(_))) => {
                    Some(a.max(ElementClass::Uint8))
                }
                (Some(a), None) if floats(literal_of(second)) => Some(a.max(ElementClass::Float)),
                _ => None,
            };
        }
        None
    }
}

fn named<'c>(call: &'c CallExpression, keyword: &str) -> Option<&'c Expression> {
    let is = |one: &&unskew_script::CallArgument| {
        one.keyword.as_ref().is_some_and(|name| name.text == keyword)
    };
    call.arguments.iter().find(is).map(|one| &one.value)
}

/// The kind that a number stands for, as code writes types of items.
fn by_number(number: &Expression) -> Option<ElementClass> {
    let Some(Literal::Int(number)) = literal_of(number) else { return None };
    Some(match number {
        0 => ElementClass::Uint8,
        1..=4 => ElementClass::Integer,
        5..=7 | 15 => ElementClass::Float,
        8..=10 => ElementClass::Complex,
        11 => ElementClass::Bool,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of the argument of `f(...)` in a function.
    fn kind(body: &str) -> Option<ElementClass> {
        let text = format!("def g(x: Tensor, n: int) -> Tensor:\n{body}  return f(m)\n");
        let module = unskew_script::parse(&text).unwrap();
        let function = module.functions().next().unwrap();
        let end = text.rfind("m)").unwrap();
        element_of(function, TextSpan { start: end, end: end + 1 })
    }

    #[test]
    fn what_code_shows_of_a_tensor_is_known_and_nothing_else() {
        for (body, element) in [
            ("  m = torch.to(torch.gt(x, 0), 0)\n", Some(ElementClass::Uint8)),
            ("  m = torch.gt(x, 0)\n", Some(ElementClass::Bool)),
            ("  y = torch.lt(x, n)\n  m = torch.unsqueeze(y, 0)\n", Some(ElementClass::Bool)),
            ("  m = torch.zeros([n], dtype=0, layout=None)\n", Some(ElementClass::Uint8)),
            ("  m = torch.zeros([n])\n", None),
            ("  m = torch.to(x, n)\n", None),
            ("  m = x\n", None),
            ("  m = torch.softmax(x, 0)\n", Some(ElementClass::Float)),
            ("  m = torch.mul(torch.arange(n, dtype=4), 2)\n", Some(ElementClass::Integer)),
            ("  m = torch.mul(torch.argmax(x), 0.5)\n", Some(ElementClass::Float)),
            ("  if True:\n    m = torch.gt(x, 0)\n  else:\n    m = torch.to(x, 0)\n", None),
            ("  m, z = torch.max(x, 0)\n", None),
            ("  m = torch.relu(m)\n", None),
        ] {
            assert_eq!(kind(body), element, "{body}");
        }
    }
}
