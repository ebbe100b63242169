//! Inlining of functions of a registry.
//!
//! A function may call another one of its file by its name. It is read with the body of that one in place of the
//! call, so whoever takes a function of the registry, writes it into an archive, makes bytecode or graphs of it or runs
//! it, has one that calls operators only. For that, such a call is the value of an assignment or of a `return`, is given
//! names and literals, and a function that is called returns once, at its end, and has no variable of its caller's
//! but the one that its result goes to.

use std::collections::BTreeSet;

use unskew_script::{
    CallExpression, Edits, Expression, FunctionDefinition, Statement, TextSpan, parse,
};

/// How deep functions may call each other.
const DEPTH: usize = 4;

/// How long a function may get by the bodies that come into it, in bytes.
const MOST: usize = 1 << 20;

/// The text of a function with the bodies of the functions that it calls; `of` has their texts.
pub(crate) fn expand<'t>(
    text: &str,
    of: &dyn Fn(&str) -> Option<&'t str>,
) -> Result<String, String> {
    within(text, of, DEPTH)
}

/// The functions that a function calls by their names, those of the language among them.
pub(crate) fn named(function: &FunctionDefinition) -> BTreeSet<&str> {
    let calls = all(&function.body).into_iter().filter_map(|expression| match expression {
        Expression::Call(call) => called(call),
        _ => None,
    });
    calls.collect()
}

fn within<'t>(
    text: &str,
    of: &dyn Fn(&str) -> Option<&'t str>,
    depth: usize,
) -> Result<String, String> {
    let caller = only(text)?;
    let shared = named(&caller).into_iter().filter(|name| of(name).is_some()).count();
    if shared == 0 {
        return Ok(text.to_owned());
    }
    let too_deep = || format!("{}: functions call each other too deep", caller.name.text);
    let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
    let mut edits = Edits::new(text);
    let (mut found, mut length) = (BTreeSet::new(), text.len());
    for statement in statements(&caller.body) {
        let (call, target) = match statement {
            Statement::Assign { target, value: Expression::Call(call), .. } => (call, Some(target)),
            Statement::Return { value: Some(Expression::Call(call)), .. } => (call, None),
            _ => continue,
        };
        let Some((name, callee)) = called(call).and_then(|name| Some((name, of(name)?))) else {
            continue;
        };
        let callee = within(callee, of, depth)?;
        let body = InlinedCall { text, caller: &caller, call, target, callee: &callee }.body();
        let body = body.map_err(|why| format!("{name}: {why}"))?;
        let start = statement.span().start;
        let indent = start - text.get(..start).and_then(|t| t.rfind('\n')).map_or(0, |at| at + 1);
        let body = body.replace("\n  ", &format!("\n{}", " ".repeat(indent)));
        length += body.len();
        if length > MOST {
            return Err(format!("{name}: what is called makes it longer than {MOST} bytes"));
        }
        edits.replace(statement.span(), body).map_err(|error| error.to_string())?;
        found.insert(call.span.start);
    }
    let elsewhere = all(&caller.body).into_iter().find_map(|expression| match expression {
        Expression::Call(call) if !found.contains(&call.span.start) => {
            called(call).filter(|name| of(name).is_some())
        }
        _ => None,
    });
    match elsewhere {
        Some(name) => Err(format!("{name} is called inside of an expression; assign its result")),
        None => Ok(edits.finish()),
    }
}

/// A call, and the function whose body comes in its place.
struct InlinedCall<'c> {
    text: &'c str,
    caller: &'c FunctionDefinition,
    call: &'c CallExpression,
    /// What the result is assigned to; none if it is returned.
    target: Option<&'c Expression>,
    callee: &'c str,
}

impl InlinedCall<'_> {
    /// The statements of the callee, indented as in a function.
    fn body(&self) -> Result<String, String> {
        let callee = only(self.callee)?;
        let returns = |one: &&Statement| matches!(one, Statement::Return { .. });
        let (Some(first), Some(Statement::Return { value: Some(value), span }), 1) = (
            callee.body.first(),
            callee.body.last(),
            statements(&callee.body).into_iter().filter(returns).count(),
        ) else {
            return Err("does not return once, at its end".to_owned());
        };
        let given = self.given(&callee)?;
        self.hold(&callee, &given, value)?;
        let mut edits = Edits::new(self.callee);
        let mut edit = |start: usize, end: usize, by: String| {
            edits.replace(TextSpan { start, end }, by).map_err(|error| error.to_string())
        };
        edit(0, first.span().start, String::new())?;
        let is_there = self.target.is_some_and(|target| {
            callee.body.len() > 1 && !names(target).is_empty() && names(target) == names(value)
        });
        if is_there {
            edit(span.start, self.callee.len(), String::new())?;
        } else {
            let head = match self.target.map(Expression::span) {
                Some(TextSpan { start, end }) => {
                    format!("{} = ", self.text.get(start..end).unwrap_or_default())
                }
                None => "return ".to_owned(),
            };
            edit(span.start, value.span().start, head)?;
            edit(value.span().end, self.callee.len(), String::new())?;
        }
        for expression in all(&callee.body) {
            if let Expression::Name(name) = expression
                && let Some((_, by)) = given.iter().find(|(known, _)| *known == name.text)
                && !(is_there && span.start <= name.span.start)
            {
                edit(name.span.start, name.span.end, by.clone())?;
            }
        }
        Ok(edits.finish().trim_end().to_owned())
    }

    /// What the callee is given: the text of a name or a literal for each parameter.
    fn given(&self, callee: &FunctionDefinition) -> Result<Vec<(String, String)>, String> {
        let text = |value: &Expression, from: &str| {
            let simple = match value {
                Expression::Unary { operand, .. } => {
                    matches!(**operand, Expression::Constant { .. })
                }
                other => matches!(other, Expression::Name(_) | Expression::Constant { .. }),
            };
            let span = value.span();
            let text = from.get(span.start..span.end).filter(|_| simple).map(str::to_owned);
            text.ok_or("is given an expression; give it a name first")
        };
        let known = |name: &str| callee.parameters.iter().any(|one| one.name.text == name);
        let keywords = self.call.arguments.iter().filter_map(|one| one.keyword.as_ref());
        if let Some(name) = keywords.into_iter().find(|name| !known(&name.text)) {
            return Err(format!("takes no {}", name.text));
        }
        let positional: Vec<_> =
            self.call.arguments.iter().filter(|one| one.keyword.is_none()).collect();
        if positional.len() > callee.parameters.len() {
            return Err("is given too much".to_owned());
        }
        let parameters = callee.parameters.iter().enumerate().map(|(at, parameter)| {
            let name = &parameter.name.text;
            let by_name = self
                .call
                .arguments
                .iter()
                .find(|one| one.keyword.as_ref().is_some_and(|keyword| keyword.text == *name));
            let value = match (positional.get(at).copied().or(by_name), &parameter.default) {
                (Some(given), _) => text(&given.value, self.text)?,
                (None, Some(default)) => text(default, self.callee)?,
                (None, None) => return Err(format!("is not given {name}")),
            };
            Ok((name.to_string(), value))
        });
        parameters.collect()
    }

    /// No variable of the callee is one of the caller, but for the one that both have the result in.
    fn hold(
        &self,
        callee: &FunctionDefinition,
        given: &[(String, String)],
        result: &Expression,
    ) -> Result<(), String> {
        let variables = assigned(&callee.body);
        if let Some((name, _)) = given.iter().find(|(name, _)| variables.contains(name.as_str())) {
            return Err(format!("assigns its parameter {name}"));
        }
        let mut own: BTreeSet<&str> =
            self.caller.parameters.iter().map(|one| one.name.text.as_str()).collect();
        own.extend(assigned(&self.caller.body));
        let is_passed = |name: &str| given.iter().any(|(_, value)| value == name);
        let targets = self.target.map(names).unwrap_or_default();
        let is_result = |name: &str| {
            targets.iter().zip(names(result)).any(|(own, its)| *own == name && its == name)
        };
        let shares = |name: &&&str| own.contains(**name) && (!is_result(name) || is_passed(name));
        match variables.iter().find(shares) {
            Some(name) => Err(format!("has a variable {name}, and so has its caller")),
            None => Ok(()),
        }
    }
}

fn only(text: &str) -> Result<FunctionDefinition, String> {
    let module = parse(text).map_err(|error| error.what)?;
    module.functions().next().cloned().ok_or_else(|| "is no function".to_owned())
}

/// The name by which something is called, if it is no more than a name.
fn called(call: &CallExpression) -> Option<&str> {
    match &call.function {
        Expression::Name(name) => Some(&name.text),
        _ => None,
    }
}

/// The statements of a body, those inside of others behind them.
fn statements(body: &[Statement]) -> Vec<&Statement> {
    let each = |one| {
        let inside = Statement::blocks(one).into_iter().flat_map(statements);
        std::iter::once(one).chain(inside).collect::<Vec<_>>()
    };
    body.iter().flat_map(each).collect()
}

/// All expressions of a body, and all parts of them.
fn all(body: &[Statement]) -> Vec<&Expression> {
    let mut open: Vec<&Expression> =
        statements(body).into_iter().flat_map(Statement::expressions).collect();
    let mut at = 0;
    while let Some(expression) = open.get(at) {
        open.extend(expression.parts());
        at += 1;
    }
    open
}

fn assigned(body: &[Statement]) -> BTreeSet<&str> {
    let targets = statements(body).into_iter().filter_map(|statement| match statement {
        Statement::Assign { target, .. }
        | Statement::Annotated { target, .. }
        | Statement::For { target, .. } => Some(target),
        _ => None,
    });
    targets.flat_map(names).collect()
}

/// The names that an expression is: one, or those of a tuple.
fn names(expression: &Expression) -> Vec<&str> {
    match expression {
        Expression::Name(name) => vec![name.text.as_str()],
        Expression::Tuple { items, .. } => items.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARED: [(&str, &str); 4] = [
        (
            "grown",
            "def grown(x: Tensor, by: List[int], rank: int=2) -> Tensor:\n\
             \x20 result = x\n\
             \x20 for i in range(rank):\n\
             \x20   result = torch.add(result, by[i])\n\
             \x20 return result\n",
        ),
        (
            "both",
            "def both(x: Tensor) -> Tuple[Tensor, Tensor]:\n\
             \x20 low = torch.neg(x)\n\
             \x20 return (low, torch.abs(x))\n",
        ),
        ("twice", "def twice(x: Tensor) -> Tensor:\n  y = grown(x, rank=1, by=more)\n  return y\n"),
        ("endless", "def endless(x: Tensor) -> Tensor:\n  y = endless(x)\n  return y\n"),
    ];

    fn expanded(text: &str) -> Result<String, String> {
        expand(text, &|name| Some(SHARED.iter().find(|(known, _)| *known == name)?.1))
    }

    #[test]
    fn the_body_comes_in_place_of_a_call_that_is_returned() {
        let text = "def f(a: Tensor, b: List[int]) -> Tensor:\n\
            \x20 if a.dim() == 1:\n\
            \x20   return grown(a, b, 1)\n\
            \x20 return torch.neg(a)\n";
        let wanted = "def f(a: Tensor, b: List[int]) -> Tensor:\n\
            \x20 if a.dim() == 1:\n\
            \x20   result = a\n\
            \x20   for i in range(1):\n\
            \x20     result = torch.add(result, b[i])\n\
            \x20   return result\n\
            \x20 return torch.neg(a)\n";
        assert_eq!(expanded(text).unwrap(), wanted);
        let none = "def f(a: Tensor) -> Tensor:\n  return torch.neg(a)\n";
        assert_eq!(expanded(none).unwrap(), none);
    }

    #[test]
    fn results_are_assigned_unless_they_have_their_names_already() {
        let text =
            "def f(a: Tensor, b: List[int]) -> Tensor:\n  result = grown(a, b)\n  return result\n";
        let same = expanded(text).unwrap();
        assert!(!same.contains("result = result") && same.contains("range(2)"), "{same}");
        let text =
            "def f(a: Tensor) -> Tensor:\n  low, high = both(a)\n  return torch.add(low, high)\n";
        let two = expanded(text).unwrap();
        assert!(two.contains("\n  low, high = (low, torch.abs(a))\n"), "{two}");
    }

    #[test]
    fn what_would_mean_something_else_is_refused() {
        let why = |body: &str| {
            expanded(&format!("def f(a: Tensor, b: List[int]) -> Tensor:\n  {body}\n")).unwrap_err()
        };
        for (body, wanted) in [
            ("return torch.neg(grown(a, b))", "grown is called inside of an expression"),
            ("return grown(torch.neg(a), b)", "grown: is given an expression"),
            ("i = 1\n  return grown(a, b, i)", "grown: has a variable i, and so has its caller"),
            ("result = a\n  result = grown(result, b)", "grown: has a variable result"),
            ("return grown(a)", "grown: is not given by"),
            ("return grown(a, b, how=1)", "grown: takes no how"),
            ("return grown(a, b, 1, 2)", "grown: is given too much"),
            ("return endless(a)", "endless: "),
        ] {
            let why = why(body);
            assert!(why.starts_with(wanted), "{body}: {why}");
        }
    }

    #[test]
    fn a_function_does_not_grow_without_end() {
        let calls = |name: &str, next: &str| {
            let lines = format!("  {name}1 = {next}({name}1)\n").repeat(60);
            format!("def {name}(x: Tensor) -> Tensor:\n  {name}1 = x\n{lines}  return {name}1\n")
        };
        let texts =
            [("g", calls("g", "h")), ("h", calls("h", "i")), ("i", calls("i", "torch.neg"))];
        let of = |name: &str| Some(texts.iter().find(|(known, _)| *known == name)?.1.as_str());
        let why = expand(&calls("f", "g"), &of).unwrap_err();
        assert!(why.contains("longer than"), "{why}");
    }
}
