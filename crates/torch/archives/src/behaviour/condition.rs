//! Conditions on the arguments of a call.

use serde::Deserialize;
use serde::de::Error as _;
use unskew_torch_schemas::matching::{
    BoundArgument, CallBinding, GivenValue, Literal, ScriptType, TypedSchema,
};

use crate::code::ElementClass;

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
pub(crate) struct ArgumentFacts<'v> {
    pub(crate) ty: &'v ScriptType,
    pub(crate) literal: Option<&'v Literal>,
    /// What its items are, if it is a tensor of which that is known.
    pub(crate) element: Option<ElementClass>,
}

/// Something that must hold of an argument, or of one of several.
#[derive(Debug)]
pub(crate) struct BehaviourCondition {
    arguments: Vec<String>,
    kind: ConditionKind,
}

#[derive(Clone, Copy, Debug)]
enum ConditionKind {
    Absent,
    Integer,
    Float,
    Real,
    Uint8,
    /// Integers with a sign, and no others.
    Signed,
    /// Integers and booleans.
    Integral,
    Bool,
    Complex,
    /// Anything but an argument that is left out.
    Given,
    Negative,
    /// The literal `True`.
    True,
    /// The literal `False`, or left out: for arguments that are false by default.
    NotTrue,
    /// An integer that is not 1.
    NotOne,
    /// Values that are equal, or halfway between two others.
    Tied,
    /// Values up to a bound that other arguments give.
    Small,
}

impl<'de> Deserialize<'de> for BehaviourCondition {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let fault = || D::Error::custom(format!("not `ARGUMENT is KIND`: {text}"));
        let (arguments, kind) = text.split_once(" is ").ok_or_else(fault)?;
        let kind = ConditionKind::named(kind).ok_or_else(fault)?;
        let arguments = arguments.split(',').map(|one| one.trim().to_owned()).collect();
        Ok(Self { arguments, kind })
    }
}

impl BehaviourCondition {
    /// A condition as `data/changes.tsv` writes it: `ARGUMENT KIND`.
    pub(crate) fn measured(text: &str) -> Option<Self> {
        let (argument, kind) = text.split_once(' ')?;
        Some(Self { arguments: vec![argument.to_owned()], kind: ConditionKind::named(kind)? })
    }

    /// Whether it is about an argument that is given or left out, whatever it is.
    pub(crate) fn is_of_presence(&self) -> bool {
        matches!(self.kind, ConditionKind::Given | ConditionKind::Absent)
    }

    pub(super) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Whether it holds of a call. `value` says what the call gives for an argument: the outer none stands for an argument
    /// of which nothing is known, the inner one for an argument that is left out.
    pub(crate) fn holds<'v>(
        &self,
        value: &dyn Fn(&str) -> Option<Option<ArgumentFacts<'v>>>,
    ) -> Truth {
        let each = self.arguments.iter().map(|argument| match value(argument) {
            None => Truth::Open,
            Some(None) => {
                matches!(self.kind, ConditionKind::Absent | ConditionKind::NotTrue).into()
            }
            Some(Some(value)) => self.kind.is(value),
        });
        each.max().unwrap_or(Truth::Open)
    }
}

/// A call that was resolved to an overload, with what its tensors hold as far as that shows.
#[derive(Clone, Copy)]
pub(crate) struct BoundCall<'c> {
    pub(crate) signature: &'c TypedSchema,
    pub(crate) binding: &'c CallBinding,
    pub(crate) given: &'c [GivenValue],
    pub(crate) elements: &'c [Option<ElementClass>],
}

impl BoundCall<'_> {
    /// Whether all of these conditions hold of it.
    pub(crate) fn fits(&self, when: &[BehaviourCondition]) -> Truth {
        let value = |argument: &str| {
            let mut arguments = self.signature.schema.arguments.iter();
            let Some(place) = arguments.position(|one| one.name == argument) else {
                return Some(None);
            };
            let given = self.binding.arguments.get(place).and_then(|bound| match bound {
                BoundArgument::Given(at) | BoundArgument::Rest(at) => Some(*at),
                BoundArgument::Default => None,
            });
            let value = |at: usize| {
                let one = self.given.get(at)?;
                let element = self.elements.get(at).copied().flatten();
                Some(ArgumentFacts { ty: &one.ty, literal: one.literal.as_ref(), element })
            };
            Some(given.and_then(value))
        };
        when.iter().map(|condition| condition.holds(&value)).min().unwrap_or(Truth::Yes)
    }
}

impl ConditionKind {
    fn named(text: &str) -> Option<Self> {
        Some(match text {
            "absent" => Self::Absent,
            "given" => Self::Given,
            "integer" => Self::Integer,
            "signed" => Self::Signed,
            "integral" => Self::Integral,
            "float" => Self::Float,
            "real" => Self::Real,
            "bool" => Self::Bool,
            "complex" => Self::Complex,
            "uint8" => Self::Uint8,
            "negative" => Self::Negative,
            "not one" => Self::NotOne,
            "true" => Self::True,
            "not true" => Self::NotTrue,
            "tied" => Self::Tied,
            "small" => Self::Small,
            _ => return None,
        })
    }

    fn is(self, ArgumentFacts { ty, literal, element }: ArgumentFacts<'_>) -> Truth {
        let is_tensor = *ty == ScriptType::Tensor;
        match self {
            Self::Absent => match (literal, ty) {
                (Some(literal), _) => (*literal == Literal::None).into(),
                (None, ScriptType::None) => Truth::Yes,
                (None, ScriptType::Optional(_)) => Truth::Open,
                (None, _) => Truth::No,
            },
            Self::Given => match Self::Absent.is(ArgumentFacts { ty, literal, element }) {
                Truth::Yes => Truth::No,
                Truth::Open => Truth::Open,
                Truth::No => Truth::Yes,
            },
            Self::Negative => match literal {
                Some(Literal::Int(value)) => (*value < 0).into(),
                Some(Literal::Float(value)) => (value.value() < 0.0).into(),
                _ => Truth::Open,
            },
            Self::True | Self::NotTrue => match literal {
                Some(Literal::Bool(value)) => (*value == matches!(self, Self::True)).into(),
                _ => Truth::Open,
            },
            Self::NotOne => match literal {
                Some(Literal::Int(value)) => (*value != 1).into(),
                _ => Truth::Open,
            },
            Self::Tied | Self::Small => Truth::Open,
            _ if is_tensor || element.is_some() => {
                element.map_or(Truth::Open, |element| self.is_of(element).into())
            }
            Self::Integer => number(ty, |ty| *ty == ScriptType::Int),
            Self::Float => number(ty, |ty| *ty == ScriptType::Float),
            Self::Real => number(ty, |ty| matches!(ty, ScriptType::Int | ScriptType::Float)),
            Self::Uint8 => Truth::No,
            Self::Signed => number(ty, |ty| *ty == ScriptType::Int),
            Self::Integral => number(ty, |ty| matches!(ty, ScriptType::Int | ScriptType::Bool)),
            Self::Bool => number(ty, |ty| *ty == ScriptType::Bool),
            Self::Complex => number(ty, |ty| *ty == ScriptType::Complex),
        }
    }

    /// Whether items of a tensor are of it.
    fn is_of(self, element: ElementClass) -> bool {
        match self {
            Self::Float => element == ElementClass::Float,
            Self::Real => element != ElementClass::Complex,
            Self::Integer => matches!(element, ElementClass::Integer | ElementClass::Uint8),
            Self::Signed => element == ElementClass::Integer,
            Self::Integral => !matches!(element, ElementClass::Float | ElementClass::Complex),
            Self::Bool => element == ElementClass::Bool,
            Self::Complex => element == ElementClass::Complex,
            Self::Uint8 => element == ElementClass::Uint8,
            _ => false,
        }
    }
}

fn number(ty: &ScriptType, is: impl Fn(&ScriptType) -> bool) -> Truth {
    match ty {
        ScriptType::Int | ScriptType::Float | ScriptType::Bool | ScriptType::None => is(ty).into(),
        ScriptType::List(item) => number(item, is),
        _ => Truth::Open,
    }
}
