//! The operators that an upgrader calls.

use std::collections::BTreeSet;

use unskew_script::{Call, Expression, Function, Statement};

/// Functions of the language itself.
const BUILTINS: [&str; 7] = ["float", "int", "bool", "isinstance", "len", "list", "range"];

/// The names of all operators that a function calls, with their namespaces, without overloads.
pub(super) fn of(function: &Function) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    function.body.iter().for_each(|statement| in_statement(statement, &mut found));
    found
}

fn in_statement(statement: &Statement, found: &mut BTreeSet<String>) {
    let mut each = |expression: &Expression| in_expression(expression, found);
    match statement {
        Statement::Assign { value, .. } | Statement::Expression { value, .. } => each(value),
        Statement::Annotated { value, .. } | Statement::Return { value, .. } => {
            value.iter().for_each(each);
        }
        Statement::If { test, then, otherwise, .. } => {
            each(test);
            then.iter().chain(otherwise).for_each(|inner| in_statement(inner, found));
        }
        Statement::While { test, body, .. } | Statement::For { items: test, body, .. } => {
            each(test);
            body.iter().for_each(|inner| in_statement(inner, found));
        }
        Statement::With { items, body, .. } => {
            items.iter().for_each(|(entered, _)| each(entered));
            body.iter().for_each(|inner| in_statement(inner, found));
        }
        Statement::Class(_) | Statement::Function(_) | Statement::Pass { .. } => {}
    }
}

fn in_expression(expression: &Expression, found: &mut BTreeSet<String>) {
    match expression {
        Expression::Call(call) => in_call(call, found),
        Expression::Attribute { of, .. } => in_expression(of, found),
        Expression::Subscript { of, index, .. } => {
            in_expression(of, found);
            in_expression(index, found);
        }
        Expression::Slice { parts, .. } => {
            parts.iter().flatten().for_each(|part| in_expression(part, found));
        }
        Expression::List { items, .. } | Expression::Tuple { items, .. } => {
            items.iter().for_each(|item| in_expression(item, found));
        }
        Expression::Dict { items, .. } => items.iter().for_each(|(key, value)| {
            in_expression(key, found);
            in_expression(value, found);
        }),
        Expression::Unary { operand, .. } => in_expression(operand, found),
        Expression::Binary { left, right, .. } => {
            in_expression(left, found);
            in_expression(right, found);
        }
        Expression::Choice { test, then, otherwise, .. } => {
            [test, then, otherwise].into_iter().for_each(|part| in_expression(part, found));
        }
        Expression::Name(_) | Expression::Constant { .. } => {}
    }
}

fn in_call(call: &Call, found: &mut BTreeSet<String>) {
    call.arguments.iter().for_each(|argument| in_expression(&argument.value, found));
    match &call.function {
        Expression::Name(name) if BUILTINS.contains(&name.text.as_str()) => {}
        Expression::Attribute { of, name, .. } => {
            // `torch.div(x)` is aten's, `ops.quantized.add(x)` its own namespace's, `x.div(y)` a method.
            let operator = match of.path().as_deref() {
                Some("torch") => format!("aten::{}", name.text),
                Some(path) if path.starts_with("ops.") => {
                    format!("{}::{}", &path["ops.".len()..], name.text)
                }
                _ => {
                    in_expression(of, found);
                    format!("aten::{}", name.text)
                }
            };
            found.insert(operator);
        }
        other => in_expression(other, found),
    }
}
