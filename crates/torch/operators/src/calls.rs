//! The operators that an upgrader calls.

use std::collections::BTreeSet;

use unskew_script::{CallExpression, Expression, FunctionDefinition, Statement};

/// Functions of the language itself.
const BUILTINS: [&str; 7] = ["float", "int", "bool", "isinstance", "len", "list", "range"];

/// The names of all operators that a function calls, with their namespaces, without overloads.
pub(crate) fn operators_of(function: &FunctionDefinition) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    in_block(&function.body, &mut found);
    found
}

fn in_block(body: &[Statement], found: &mut BTreeSet<String>) {
    for statement in body {
        statement.expressions().into_iter().for_each(|one| in_expression(one, found));
        statement.blocks().into_iter().for_each(|inner| in_block(inner, found));
    }
}

fn in_expression(expression: &Expression, found: &mut BTreeSet<String>) {
    match expression {
        Expression::Call(call) => in_call(call, found),
        other => other.parts().into_iter().for_each(|part| in_expression(part, found)),
    }
}

fn in_call(call: &CallExpression, found: &mut BTreeSet<String>) {
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
