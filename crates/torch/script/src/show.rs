//! Printer, from the syntax tree to a text as PyTorch prints it: two blanks for a block, a comma behind the last
//! target.

use std::fmt;

use crate::{
    CallArgument, ClassDefinition, Expression, FunctionDefinition, FunctionParameter,
    LiteralConstant, Module, Statement,
};

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        block(f, &self.body, 0)
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        statement(f, self, 0)
    }
}

impl fmt::Display for FunctionDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        function(f, self, 0)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        expression(f, self)
    }
}

fn block(f: &mut fmt::Formatter<'_>, body: &[Statement], depth: usize) -> fmt::Result {
    body.iter().try_for_each(|one| statement(f, one, depth))
}

fn indent(f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str("  "))
}

fn statement(f: &mut fmt::Formatter<'_>, statement: &Statement, depth: usize) -> fmt::Result {
    match statement {
        Statement::Class(inner) => return class(f, inner, depth),
        Statement::Function(inner) => return function(f, inner, depth),
        _ => indent(f, depth)?,
    }
    match statement {
        Statement::Class(_) | Statement::Function(_) => Ok(()),
        Statement::Assign { target, value, .. } => {
            bare(f, target)?;
            writeln!(f, " = {value}")
        }
        Statement::Annotated { target, annotation, value, .. } => {
            write!(f, "{target} : {annotation}")?;
            match value {
                Some(value) => writeln!(f, " = {value}"),
                None => writeln!(f),
            }
        }
        Statement::Expression { value, .. } => writeln!(f, "{value}"),
        Statement::Return { value: Some(value), .. } => writeln!(f, "return {value}"),
        Statement::Return { value: None, .. } => writeln!(f, "return"),
        Statement::If { test, then, otherwise, .. } => {
            writeln!(f, "if {test}:")?;
            block(f, then, depth + 1)?;
            if otherwise.is_empty() {
                return Ok(());
            }
            indent(f, depth)?;
            writeln!(f, "else:")?;
            block(f, otherwise, depth + 1)
        }
        Statement::While { test, body, .. } => {
            writeln!(f, "while {test}:")?;
            block(f, body, depth + 1)
        }
        Statement::For { target, items, body, .. } => {
            writeln!(f, "for {target} in {items}:")?;
            block(f, body, depth + 1)
        }
        Statement::With { items, body, .. } => {
            f.write_str("with ")?;
            separated(f, items, |f, (entered, name)| match name {
                Some(name) => write!(f, "{entered} as {name}"),
                None => write!(f, "{entered}"),
            })?;
            writeln!(f, ":")?;
            block(f, body, depth + 1)
        }
        Statement::Pass { .. } => writeln!(f, "pass"),
    }
}

/// A target: a tuple without parentheses, with a comma behind every item.
fn bare(f: &mut fmt::Formatter<'_>, target: &Expression) -> fmt::Result {
    match target {
        Expression::Tuple { items, .. } if !items.is_empty() => {
            for (i, item) in items.iter().enumerate() {
                write!(f, "{}{item},", if i == 0 { "" } else { " " })?;
            }
            Ok(())
        }
        other => expression(f, other),
    }
}

fn class(f: &mut fmt::Formatter<'_>, class: &ClassDefinition, depth: usize) -> fmt::Result {
    indent(f, depth)?;
    write!(f, "class {}", class.name.text)?;
    if !class.bases.is_empty() {
        f.write_str("(")?;
        separated(f, &class.bases, expression)?;
        f.write_str(")")?;
    }
    writeln!(f, ":")?;
    block(f, &class.body, depth + 1)
}

fn function(
    f: &mut fmt::Formatter<'_>,
    function: &FunctionDefinition,
    depth: usize,
) -> fmt::Result {
    indent(f, depth)?;
    write!(f, "def {}(", function.name.text)?;
    let mut keywords = false;
    for (i, parameter) in function.parameters.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        if parameter.keyword_only && !std::mem::replace(&mut keywords, true) {
            f.write_str("*, ")?;
        }
        one_parameter(f, parameter)?;
    }
    f.write_str(")")?;
    if let Some(returns) = &function.returns {
        write!(f, " -> {returns}")?;
    }
    writeln!(f, ":")?;
    block(f, &function.body, depth + 1)
}

fn one_parameter(f: &mut fmt::Formatter<'_>, parameter: &FunctionParameter) -> fmt::Result {
    f.write_str(&parameter.name.text)?;
    if let Some(annotation) = &parameter.annotation {
        write!(f, ": {annotation}")?;
    }
    match &parameter.default {
        Some(default) => write!(f, "={default}"),
        None => Ok(()),
    }
}

fn expression(f: &mut fmt::Formatter<'_>, shown: &Expression) -> fmt::Result {
    match shown {
        Expression::Name(name) => f.write_str(&name.text),
        Expression::Attribute { of, name, .. } => {
            // `1.real` would be read as a number with a fraction.
            match **of {
                Expression::Constant { value: LiteralConstant::Int(_), .. } => write!(f, "({of})")?,
                _ => operand(f, of)?,
            }
            write!(f, ".{}", name.text)
        }
        Expression::Call(call) => {
            operand(f, &call.function)?;
            f.write_str("(")?;
            separated(f, &call.arguments, argument)?;
            f.write_str(")")
        }
        Expression::Subscript { of, index, .. } => {
            operand(f, of)?;
            f.write_str("[")?;
            match &**index {
                Expression::Tuple { items, .. } if items.len() > 1 => {
                    separated(f, items, expression)?;
                }
                other => expression(f, other)?,
            }
            f.write_str("]")
        }
        Expression::Slice { parts, .. } => {
            let [lower, upper, step] = &**parts;
            for (i, part) in [lower, upper, step].into_iter().enumerate() {
                if i == 1 || (i == 2 && part.is_some()) {
                    f.write_str(":")?;
                }
                part.iter().try_for_each(|part| operand(f, part))?;
            }
            Ok(())
        }
        Expression::List { items, .. } => {
            f.write_str("[")?;
            separated(f, items, expression)?;
            f.write_str("]")
        }
        Expression::Tuple { items, .. } => {
            f.write_str("(")?;
            separated(f, items, expression)?;
            f.write_str(if items.len() == 1 { ",)" } else { ")" })
        }
        Expression::Dict { items, .. } => {
            f.write_str("{")?;
            separated(f, items, |f, (key, value)| write!(f, "{key}: {value}"))?;
            f.write_str("}")
        }
        Expression::Constant { value, .. } => constant(f, value),
        Expression::Unary { operator, operand: inner, .. } => {
            let blank = if operator.ends_with(char::is_alphabetic) { " " } else { "" };
            write!(f, "{operator}{blank}")?;
            operand(f, inner)
        }
        Expression::Binary { operator, left, right, .. } => {
            operand(f, left)?;
            write!(f, " {operator} ")?;
            operand(f, right)
        }
        Expression::Choice { test, then, otherwise, .. } => {
            operand(f, then)?;
            f.write_str(" if ")?;
            operand(f, test)?;
            f.write_str(" else ")?;
            operand(f, otherwise)
        }
    }
}

/// With parentheses where the operator around it would bind more strongly.
fn operand(f: &mut fmt::Formatter<'_>, shown: &Expression) -> fmt::Result {
    match shown {
        Expression::Unary { .. } | Expression::Binary { .. } | Expression::Choice { .. } => {
            write!(f, "({shown})")
        }
        _ => expression(f, shown),
    }
}

fn argument(f: &mut fmt::Formatter<'_>, argument: &CallArgument) -> fmt::Result {
    match &argument.keyword {
        Some(keyword) => write!(f, "{}={}", keyword.text, argument.value),
        None => write!(f, "{}", argument.value),
    }
}

fn constant(f: &mut fmt::Formatter<'_>, value: &LiteralConstant) -> fmt::Result {
    match value {
        LiteralConstant::None => f.write_str("None"),
        LiteralConstant::Bool(true) => f.write_str("True"),
        LiteralConstant::Bool(false) => f.write_str("False"),
        LiteralConstant::Int(text)
        | LiteralConstant::Float(text)
        | LiteralConstant::Imaginary(text) => f.write_str(text),
        LiteralConstant::Text(text) => quoted(f, text),
        LiteralConstant::Ellipsis => f.write_str("..."),
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_ascii_control() => write!(f, "\\x{:02x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    mut show: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        show(f, item)?;
    }
    Ok(())
}
