//! Compatibility of types: what becomes of a value that is written as one and read as another.

use std::collections::{HashMap, HashSet};

use crate::index;
use crate::model::{ProtoField, ProtoScalar, ProtoType};
use crate::schema::Schema;

/// What the bytes of the old type are to a reader of the new one, and the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Same,
    /// Another type that reads and writes the same.
    Respelled,
    /// Old values do not all fit.
    Narrower(&'static str),
    /// New values do not all fit into the old type.
    Wider(&'static str),
    /// The same bytes mean another value.
    Reinterpreted,
    /// Written in another way.
    Broken,
}

/// How a scalar stands on the wire, and how its bytes are read.
fn coding(scalar: ProtoScalar) -> (u8, u8) {
    match scalar {
        ProtoScalar::Int32
        | ProtoScalar::Int64
        | ProtoScalar::Uint32
        | ProtoScalar::Uint64
        | ProtoScalar::Bool => (0, 0),
        ProtoScalar::Sint32 | ProtoScalar::Sint64 => (0, 1),
        ProtoScalar::Fixed64 | ProtoScalar::Sfixed64 => (1, 0),
        ProtoScalar::Double => (1, 1),
        ProtoScalar::String | ProtoScalar::Bytes => (2, 0),
        ProtoScalar::Fixed32 | ProtoScalar::Sfixed32 => (5, 0),
        ProtoScalar::Float => (5, 1),
    }
}

/// How many bits a number has, and whether it may be negative.
fn width(scalar: ProtoScalar) -> (u8, bool) {
    match scalar {
        ProtoScalar::Bool => (1, false),
        ProtoScalar::Uint32 | ProtoScalar::Fixed32 => (32, false),
        ProtoScalar::Uint64 | ProtoScalar::Fixed64 => (64, false),
        ProtoScalar::Int64 | ProtoScalar::Sint64 | ProtoScalar::Sfixed64 => (64, true),
        _ => (32, true),
    }
}

/// What becomes of a field whose type was `old` and is `new`.
pub(crate) fn fit(old: &ProtoType, new: &ProtoType, sides: (&Schema, &Schema)) -> Fit {
    match (old, new) {
        (ProtoType::Scalar(old), ProtoType::Scalar(new)) => scalars(*old, *new),
        (ProtoType::Enum(old), ProtoType::Enum(new)) => enums(old, new, sides),
        (ProtoType::Enum(name), ProtoType::Scalar(scalar)) => {
            match scalars(ProtoScalar::Int32, *scalar) {
                Fit::Same | Fit::Wider(_) if closed(name, sides.0) => {
                    Fit::Wider("numbers that are no value of the enumeration")
                }
                Fit::Same => Fit::Respelled,
                fit => fit,
            }
        }
        (ProtoType::Scalar(ProtoScalar::Bool), ProtoType::Enum(name))
            if has_truth_values(name, sides.1) =>
        {
            Fit::Wider("numbers that are no truth value")
        }
        (ProtoType::Scalar(scalar), ProtoType::Enum(name)) => {
            match scalars(*scalar, ProtoScalar::Int32) {
                Fit::Same if !closed(name, sides.1) => Fit::Respelled,
                Fit::Same | Fit::Wider(_) => {
                    Fit::Narrower("numbers that are no value of the enumeration")
                }
                fit => fit,
            }
        }
        (ProtoType::Message(old), ProtoType::Message(new))
        | (ProtoType::Group(old), ProtoType::Group(new)) => messages(old, new, sides),
        (ProtoType::Message(_), ProtoType::Scalar(ProtoScalar::Bytes)) => {
            Fit::Wider("bytes that are no such message")
        }
        (ProtoType::Scalar(ProtoScalar::Bytes), ProtoType::Message(_)) => {
            Fit::Narrower("bytes that are no such message")
        }
        (ProtoType::Scalar(ProtoScalar::String), ProtoType::Message(_))
        | (ProtoType::Message(_), ProtoType::Scalar(ProtoScalar::String)) => Fit::Reinterpreted,
        (ProtoType::Map(old_key, old_value), ProtoType::Map(new_key, new_value)) => {
            worse(scalars(*old_key, *new_key), fit(old_value, new_value, sides))
        }
        (ProtoType::Named(old), ProtoType::Named(new)) if old == new => Fit::Same,
        // What is not at hand is taken for what it was if its name ends alike.
        (ProtoType::Named(old), ProtoType::Message(new) | ProtoType::Enum(new))
        | (ProtoType::Message(old) | ProtoType::Enum(old), ProtoType::Named(new))
            if leaf(old) == leaf(new) =>
        {
            Fit::Same
        }
        _ => Fit::Broken,
    }
}

/// The last part of a name.
pub(crate) fn leaf(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether an enumeration has the numbers 0 and 1.
fn has_truth_values(name: &str, side: &Schema) -> bool {
    let has = |number| {
        side.enums.get(name).is_some_and(|found| found.is.values.iter().any(|v| v.number == number))
    };
    has(0) && has(1)
}

fn closed(name: &str, side: &Schema) -> bool {
    side.enums.get(name).is_none_or(|found| found.is.closed)
}

fn worse(a: Fit, b: Fit) -> Fit {
    let rank = |fit: &Fit| match fit {
        Fit::Same => 0,
        Fit::Respelled => 1,
        Fit::Wider(_) => 2,
        Fit::Narrower(_) => 3,
        Fit::Reinterpreted => 4,
        Fit::Broken => 5,
    };
    if rank(&a) >= rank(&b) { a } else { b }
}

fn scalars(old: ProtoScalar, new: ProtoScalar) -> Fit {
    if old == new {
        return Fit::Same;
    }
    let ((old_wire, old_reading), (new_wire, new_reading)) = (coding(old), coding(new));
    if old_wire != new_wire {
        return Fit::Broken;
    }
    if old_reading != new_reading {
        return Fit::Reinterpreted;
    }
    match (old, new) {
        (ProtoScalar::String, _) => return Fit::Wider("bytes that are no UTF-8"),
        (ProtoScalar::Bytes, _) => return Fit::Narrower("bytes that are no UTF-8"),
        _ => {}
    }
    let ((old_bits, old_sign), (new_bits, new_sign)) = (width(old), width(new));
    match (old_bits.cmp(&new_bits), old_sign, new_sign) {
        (_, true, false) => Fit::Narrower("negative numbers"),
        (std::cmp::Ordering::Greater, _, _) => Fit::Narrower("large numbers"),
        (std::cmp::Ordering::Equal, false, true) => Fit::Narrower("large numbers"),
        (_, false, true) => Fit::Wider("negative and large numbers"),
        _ => Fit::Wider("large numbers"),
    }
}

/// Another enumeration: fits where it has the numbers of the old one.
fn enums(old: &str, new: &str, (before, after): (&Schema, &Schema)) -> Fit {
    if old == new {
        return Fit::Same;
    }
    let (Some(was), Some(is)) = (before.enums.get(old), after.enums.get(new)) else {
        return if leaf(old) == leaf(new) { Fit::Same } else { Fit::Broken };
    };
    let numbers = |values: &[crate::ProtoEnumValue]| {
        values.iter().map(|value| value.number).collect::<HashSet<_>>()
    };
    let (was, is) = (numbers(&was.is.values), numbers(&is.is.values));
    match (was.iter().all(|n| is.contains(n)), is.iter().all(|n| was.contains(n))) {
        (true, true) => Fit::Respelled,
        (true, false) => Fit::Wider("values that the old enumeration does not have"),
        (false, _) => Fit::Narrower("values that the new enumeration does not have"),
    }
}

/// Another message: it reads the same if it has the same numbers with types that do.
fn messages(old: &str, new: &str, sides: (&Schema, &Schema)) -> Fit {
    if old == new {
        return Fit::Same;
    }
    if alike(old, new, sides) { Fit::Respelled } else { Fit::Reinterpreted }
}

/// Whether two messages have the same fields, names of messages apart.
pub(crate) fn alike(old: &str, new: &str, (before, after): (&Schema, &Schema)) -> bool {
    let (Some(was), Some(is)) = (before.messages.get(old), after.messages.get(new)) else {
        return leaf(old) == leaf(new);
    };
    let (was, is) = (&was.is, &is.is);
    // A number that stands twice is a fault that other rules name: the first counts.
    let fields = || index::first(&is.fields, |field| field.number);
    let all = |by_number: HashMap<i64, &ProtoField>| {
        was.fields.iter().all(|field| {
            by_number.get(&field.number).is_some_and(|other| {
                other.label == field.label && same_spelling(&field.ty, &other.ty)
            })
        })
    };
    was.fields.len() == is.fields.len() && all(fields())
}

/// The same type, or another name of a message or enumeration that may have moved along.
fn same_spelling(old: &ProtoType, new: &ProtoType) -> bool {
    match (old, new) {
        (ProtoType::Message(a), ProtoType::Message(b))
        | (ProtoType::Enum(a), ProtoType::Enum(b))
        | (ProtoType::Group(a), ProtoType::Group(b)) => a == b || leaf(a) == leaf(b),
        (ProtoType::Map(a, x), ProtoType::Map(b, y)) => a == b && same_spelling(x, y),
        (a, b) => a == b,
    }
}
