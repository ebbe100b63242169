//! Compatibility of types: what becomes of a value that is written as one and read as another.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::index;
use crate::model::{ProtoField, ProtoScalar, ProtoType};
use crate::schema::Schema;

/// Two sides, and the messages that have another name.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'s> {
    pub(crate) old: &'s Schema,
    pub(crate) new: &'s Schema,
    pub(crate) renamed: &'s BTreeMap<&'s str, &'s str>,
}

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
pub(crate) fn fit(old: &ProtoType, new: &ProtoType, sides: Sides<'_>) -> Fit {
    match (old, new) {
        (ProtoType::Scalar(old), ProtoType::Scalar(new)) => scalars(*old, *new),
        (ProtoType::Enum(old), ProtoType::Enum(new)) => enums(old, new, sides),
        (ProtoType::Enum(name), ProtoType::Scalar(scalar)) => {
            match scalars(ProtoScalar::Int32, *scalar) {
                Fit::Same | Fit::Wider(_) if closed(name, sides.old) => {
                    Fit::Wider("numbers that are no value of the enumeration")
                }
                Fit::Same => Fit::Respelled,
                fit => fit,
            }
        }
        (ProtoType::Scalar(ProtoScalar::Bool), ProtoType::Enum(name))
            if has_truth_values(name, sides.new) =>
        {
            Fit::Wider("numbers that are no truth value")
        }
        (ProtoType::Scalar(scalar), ProtoType::Enum(name)) => {
            match scalars(*scalar, ProtoScalar::Int32) {
                Fit::Same if !closed(name, sides.new) => Fit::Respelled,
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
fn enums(old: &str, new: &str, sides: Sides<'_>) -> Fit {
    if old == new {
        return Fit::Same;
    }
    let (Some(was), Some(is)) = (sides.old.enums.get(old), sides.new.enums.get(new)) else {
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

/// Another message: it reads the same if it is the same one under another name, or has the same numbers with types
/// that do.
fn messages(old: &str, new: &str, sides: Sides<'_>) -> Fit {
    if old == new {
        return Fit::Same;
    }
    let renamed = sides.renamed.get(old) == Some(&new);
    if renamed || alike(old, new, sides) { Fit::Respelled } else { Fit::Reinterpreted }
}

/// How many pairs of messages are looked at to tell whether two are alike.
const MOST: usize = 4096;

/// Whether two messages have the same fields, names apart, and so have the messages in them.
pub(crate) fn alike(old: &str, new: &str, sides: Sides<'_>) -> bool {
    let (mut open, mut seen) = (vec![(old, new)], HashSet::new());
    while let Some((old, new)) = open.pop() {
        if old == new || sides.renamed.get(old) == Some(&new) || !seen.insert((old, new)) {
            continue;
        }
        let (Some(was), Some(is)) = (sides.old.messages.get(old), sides.new.messages.get(new))
        else {
            if leaf(old) == leaf(new) {
                continue;
            }
            return false;
        };
        let (was, is) = (&was.is.fields, &is.is.fields);
        if was.len() != is.len() || seen.len() > MOST {
            return false;
        }
        // A number that stands twice is a fault that other rules name: the first counts.
        let by_number: HashMap<i64, &ProtoField> = index::first(is, |field| field.number);
        for field in was {
            let Some(other) = by_number.get(&field.number) else { return false };
            if other.label != field.label || !same_coding(&field.ty, &other.ty, &mut open) {
                return false;
            }
        }
    }
    true
}

/// Whether two types are written alike; messages are left to be looked at.
fn same_coding<'t>(
    old: &'t ProtoType,
    new: &'t ProtoType,
    open: &mut Vec<(&'t str, &'t str)>,
) -> bool {
    match (old, new) {
        (ProtoType::Message(a), ProtoType::Message(b))
        | (ProtoType::Group(a), ProtoType::Group(b)) => {
            open.push((a, b));
            true
        }
        (ProtoType::Enum(a), ProtoType::Enum(b)) => a == b || leaf(a) == leaf(b),
        (ProtoType::Map(a, x), ProtoType::Map(b, y)) => a == b && same_coding(x, y, open),
        (a, b) => a == b,
    }
}
