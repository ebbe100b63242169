//! What stands in what: the parts of an expression, the expressions and the blocks of a statement.

use crate::{Expression, Statement};

impl Expression {
    /// The expressions that it is made of, in the order in which they are written but for a choice, whose condition
    /// comes first. Their own parts are left out.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Name(_) | Self::Constant { .. } => Vec::new(),
            Self::Attribute { of: inner, .. } | Self::Unary { operand: inner, .. } => vec![inner],
            Self::Call(call) => {
                let given = call.arguments.iter().map(|argument| &argument.value);
                std::iter::once(&call.function).chain(given).collect()
            }
            Self::Subscript { of, index, .. } => vec![of, index],
            Self::Slice { parts, .. } => parts.iter().flatten().collect(),
            Self::List { items, .. } | Self::Tuple { items, .. } => items.iter().collect(),
            Self::Dict { items, .. } => items.iter().flat_map(|(key, it)| [key, it]).collect(),
            Self::Binary { left, right, .. } => vec![left, right],
            Self::Choice { test, then, otherwise, .. } => vec![test, then, otherwise],
        }
    }
}

impl Statement {
    /// The expressions that stand in it, those of statements inside left out. Types that it declares are none of them.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Class(_) | Self::Function(_) | Self::Pass { .. } => Vec::new(),
            Self::Assign { target, value, .. } => vec![target, value],
            Self::Annotated { target, value, .. } => std::iter::once(target).chain(value).collect(),
            Self::Expression { value, .. } => vec![value],
            Self::Return { value, .. } => value.iter().collect(),
            Self::If { test, .. } | Self::While { test, .. } => vec![test],
            Self::For { target, items, .. } => vec![target, items],
            Self::With { items, .. } => {
                items.iter().flat_map(|(entered, name)| [entered].into_iter().chain(name)).collect()
            }
        }
    }

    /// The blocks of statements inside a branch, a loop or a `with`.
    pub fn blocks(&self) -> Vec<&[Self]> {
        match self {
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::While { body, .. } | Self::For { body, .. } | Self::With { body, .. } => {
                vec![body]
            }
            _ => Vec::new(),
        }
    }
}
