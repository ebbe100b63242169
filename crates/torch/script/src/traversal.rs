//! Traversal of the syntax tree: the parts of an expression, the expressions and the blocks of a statement.

use smallvec::{SmallVec, smallvec};

use crate::{Expression, Statement};

/// Most have few parts.
type SmallList<T> = SmallVec<[T; 4]>;

impl Expression {
    /// The expressions that it is made of, in the order in which they are written but for a choice, whose condition
    /// comes first. Their own parts are left out.
    pub fn parts(&self) -> SmallList<&Self> {
        match self {
            Self::Name(_) | Self::Constant { .. } => SmallList::new(),
            Self::Attribute { of: inner, .. } | Self::Unary { operand: inner, .. } => {
                smallvec![&**inner]
            }
            Self::Call(call) => {
                let given = call.arguments.iter().map(|argument| &argument.value);
                std::iter::once(&call.function).chain(given).collect()
            }
            Self::Subscript { of, index, .. } => smallvec![&**of, &**index],
            Self::Slice { parts, .. } => parts.iter().flatten().collect(),
            Self::List { items, .. } | Self::Tuple { items, .. } => items.iter().collect(),
            Self::Dict { items, .. } => items.iter().flat_map(|(key, it)| [key, it]).collect(),
            Self::Binary { left, right, .. } => smallvec![&**left, &**right],
            Self::Choice { test, then, otherwise, .. } => smallvec![&**test, &**then, &**otherwise],
        }
    }
}

impl Statement {
    /// The expressions that stand in it, those of statements inside left out. Types that it declares are none of them.
    pub fn expressions(&self) -> SmallList<&Expression> {
        match self {
            Self::Class(_) | Self::Function(_) | Self::Pass { .. } => SmallList::new(),
            Self::Assign { target, value, .. } => smallvec![target, value],
            Self::Annotated { target, value, .. } => std::iter::once(target).chain(value).collect(),
            Self::Expression { value, .. } => smallvec![value],
            Self::Return { value, .. } => value.iter().collect(),
            Self::If { test, .. } | Self::While { test, .. } => smallvec![test],
            Self::For { target, items, .. } => smallvec![target, items],
            Self::With { items, .. } => {
                items.iter().flat_map(|(entered, name)| [entered].into_iter().chain(name)).collect()
            }
        }
    }

    /// The blocks of statements inside a branch, a loop or a `with`.
    pub fn blocks(&self) -> SmallList<&[Self]> {
        match self {
            Self::If { then, otherwise, .. } => smallvec![then.as_slice(), otherwise.as_slice()],
            Self::While { body, .. } | Self::For { body, .. } | Self::With { body, .. } => {
                smallvec![body.as_slice()]
            }
            _ => SmallList::new(),
        }
    }
}
