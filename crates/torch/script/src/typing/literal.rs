//! Values that stand in a program itself.

use std::sync::Arc;

use unskew_torch_schemas::matching::Literal;

use crate::{Expression, LiteralConstant, Statement};

/// The most items of a list that is known as a whole.
const ITEMS: usize = 64;

/// How deep lists in lists are known.
const DEPTH: usize = 4;

/// The value of an expression that is a literal.
pub fn literal_of(expression: &Expression) -> Option<Literal> {
    within(expression, 0)
}

/// The default of a schema as a value: `1`, `None`, `'none'`, `[0, 0]`, `True`.
pub fn literal_of_default(text: &str) -> Option<Literal> {
    let module = crate::parse(text).ok()?;
    match module.body.as_slice() {
        [Statement::Expression { value, .. }] => literal_of(value),
        _ => None,
    }
}

fn within(expression: &Expression, depth: usize) -> Option<Literal> {
    match expression {
        Expression::Constant { value, .. } => match value {
            LiteralConstant::None => Some(Literal::None),
            LiteralConstant::Bool(value) => Some(Literal::Bool(*value)),
            LiteralConstant::Int(text) => text.parse().ok().map(Literal::Int),
            LiteralConstant::Float(text) => text.parse::<f64>().ok().map(Literal::from),
            LiteralConstant::Text(text) => Some(Literal::Text(text.as_str().into())),
            LiteralConstant::Imaginary(_) | LiteralConstant::Ellipsis => None,
        },
        Expression::Unary { operator: "-", operand, .. } => match within(operand, depth)? {
            Literal::Int(value) => value.checked_neg().map(Literal::Int),
            Literal::Float(value) => Some(Literal::from(-value.value())),
            _ => None,
        },
        Expression::List { items, .. } => all(items, depth).map(Literal::List),
        Expression::Tuple { items, .. } => all(items, depth).map(Literal::Tuple),
        _ => None,
    }
}

fn all(items: &[Expression], depth: usize) -> Option<Arc<[Literal]>> {
    if items.len() > ITEMS || depth >= DEPTH {
        return None;
    }
    items.iter().map(|item| within(item, depth + 1)).collect()
}
