//! Conditions on the arguments of a call.

use serde::Deserialize;
use serde::de::Error as _;
use unskew_torch_schemas::matching::{Literal, ScriptType};

use crate::code::Element;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Truth {
    No,
    /// It shows only when the program runs.
    Open,
    Yes,
}

impl From<bool> for Truth {
    fn from(is: bool) -> Self {
        if is { Self::Yes } else { Self::No }
    }
}

/// What is known of an argument that a call gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'v> {
    pub(crate) ty: &'v ScriptType,
    pub(crate) literal: Option<&'v Literal>,
    /// What its items are, if it is a tensor of which that is known.
    pub(crate) element: Option<Element>,
}

/// Something that must hold of an argument, or of one of several.
#[derive(Debug)]
pub(crate) struct Condition {
    arguments: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Absent,
    Integer,
    Float,
    Real,
    Uint8,
    Negative,
    /// Values that are equal, or halfway between two others.
    Tied,
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let fault = || D::Error::custom(format!("not `ARGUMENT is KIND`: {text}"));
        let (arguments, kind) = text.split_once(" is ").ok_or_else(fault)?;
        let kind = match kind {
            "absent" => Kind::Absent,
            "integer" => Kind::Integer,
            "float" => Kind::Float,
            "real" => Kind::Real,
            "uint8" => Kind::Uint8,
            "negative" => Kind::Negative,
            "tied" => Kind::Tied,
            _ => return Err(fault()),
        };
        let arguments = arguments.split(',').map(|one| one.trim().to_owned()).collect();
        Ok(Self { arguments, kind })
    }
}

impl Condition {
    /// Whether it holds of a call. `value` says what the call gives for an argument: the outer none stands for an argument
    /// of which nothing is known, the inner one for an argument that is left out.
    pub(crate) fn holds<'v>(&self, value: &dyn Fn(&str) -> Option<Option<Value<'v>>>) -> Truth {
        let each = self.arguments.iter().map(|argument| match value(argument) {
            None => Truth::Open,
            Some(None) => matches!(self.kind, Kind::Absent).into(),
            Some(Some(value)) => self.kind.is(value),
        });
        each.max().unwrap_or(Truth::Open)
    }
}

impl Kind {
    fn is(self, Value { ty, literal, element }: Value<'_>) -> Truth {
        let is_tensor = *ty == ScriptType::Tensor;
        match self {
            Self::Absent => match (literal, ty) {
                (Some(literal), _) => (*literal == Literal::None).into(),
                (None, ScriptType::None) => Truth::Yes,
                (None, ScriptType::Optional(_)) => Truth::Open,
                (None, _) => Truth::No,
            },
            Self::Integer | Self::Float | Self::Real if is_tensor => match element {
                None => Truth::Open,
                Some(element) => match self {
                    Self::Float => element == Element::Float,
                    Self::Real => element != Element::Complex,
                    _ => matches!(element, Element::Integer | Element::Uint8),
                }
                .into(),
            },
            Self::Uint8 => match element {
                Some(element) => (element == Element::Uint8).into(),
                None if is_tensor => Truth::Open,
                None => Truth::No,
            },
            Self::Integer => number(ty, |ty| *ty == ScriptType::Int),
            Self::Float => number(ty, |ty| *ty == ScriptType::Float),
            Self::Real => number(ty, |ty| matches!(ty, ScriptType::Int | ScriptType::Float)),
            Self::Negative => match literal {
                Some(Literal::Int(value)) => (*value < 0).into(),
                Some(Literal::Float(value)) => (value.value() < 0.0).into(),
                _ => Truth::Open,
            },
            Self::Tied => Truth::Open,
        }
    }
}

/// Whether a number, or the numbers in a list, are of a type.
fn number(ty: &ScriptType, is: impl Fn(&ScriptType) -> bool) -> Truth {
    match ty {
        ScriptType::Int | ScriptType::Float | ScriptType::Bool | ScriptType::None => is(ty).into(),
        ScriptType::List(item) => number(item, is),
        _ => Truth::Open,
    }
}
