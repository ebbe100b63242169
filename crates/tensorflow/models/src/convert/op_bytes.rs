//! An op as the `OpDef` of a list of used ops, byte for byte as TensorFlow serializes it: fields by their numbers,
//! numbers in lists packed, zeros left out where they say nothing.

use std::collections::BTreeSet;

use crate::op_def::{ArgDef, ArgKind, AttrDef, ElementType, Trait};
use crate::{AttrValue, OpDef, PartialTensorShape};
use unskew_source::Rope;

/// The bytes of `op`.
pub(super) fn encode(op: &OpDef) -> Vec<u8> {
    let mut out = Rope::default();
    out.text(1, &op.name);
    for (field, args) in [(2, &op.inputs), (3, &op.outputs)] {
        args.iter().for_each(|it| out.message(field, arg(it)));
    }
    op.attrs.iter().for_each(|it| out.message(4, attr(it)));
    if let Some(deprecation) = &op.deprecation {
        let mut inner = Rope::default();
        number_but_zero(&mut inner, 1, deprecation.version);
        inner.text(2, &deprecation.explanation);
        out.message(8, inner);
    }
    let traits = op.traits.iter().map(|known| match known {
        Trait::Aggregate => 16,
        Trait::Stateful => 17,
        Trait::Commutative => 18,
        Trait::Uninitialized => 19,
        Trait::Distributed => 21,
    });
    traits.collect::<BTreeSet<u32>>().into_iter().for_each(|field| out.number(field, 1));
    out.new_bytes()
}

/// A number of its own, which is not written if it is zero.
fn number_but_zero(out: &mut Rope, field: u32, number: i64) {
    if number != 0 {
        out.number(field, number as u64);
    }
}

fn arg(arg: &ArgDef) -> Rope {
    let mut out = Rope::default();
    out.text(1, &arg.name);
    let mut element = |element: &ElementType| match element {
        ElementType::Fixed(dtype) => number_but_zero(&mut out, 3, i64::from(dtype.0)),
        ElementType::Attr(attr) => out.text(4, attr),
    };
    match &arg.kind {
        ArgKind::One(kind) => element(kind),
        ArgKind::Many(number, kind) => {
            element(kind);
            out.text(5, number);
        }
        ArgKind::Each(types) => out.text(6, types),
    }
    if arg.reference {
        out.number(16, 1);
    }
    out
}

fn attr(attr: &AttrDef) -> Rope {
    let mut out = Rope::default();
    out.text(1, &attr.name);
    out.text(2, &attr.kind.to_string());
    if let Some(default) = &attr.default {
        out.message(3, value(default));
    }
    if let Some(minimum) = attr.minimum {
        out.number(5, 1);
        number_but_zero(&mut out, 6, minimum);
    }
    if let Some(allowed) = &attr.allowed {
        out.message(7, value(&AttrValue::List(allowed.clone())));
    }
    out
}

fn value(value: &AttrValue) -> Rope {
    let mut out = Rope::default();
    match value {
        AttrValue::List(values) => {
            let mut list = Rope::default();
            match values.first() {
                Some(first) if is_packed(first) => {
                    let mut packed = Rope::default();
                    values.iter().for_each(|it| element(it, &mut packed));
                    list.message(number_of(first), packed);
                }
                // A function has another number in a list; no op has such a default.
                _ => values.iter().for_each(|it| single(it, &mut list)),
            }
            out.message(1, list);
        }
        other => single(other, &mut out),
    }
    out
}

/// Whether values of this kind stand in lists without a field number each.
fn is_packed(value: &AttrValue) -> bool {
    number_of(value) != 0
}

/// The field of a number in an `AttrValue` and in a list; 0 for what is no number.
fn number_of(value: &AttrValue) -> u32 {
    match value {
        AttrValue::Int(_) => 3,
        AttrValue::Float(_) => 4,
        AttrValue::Bool(_) => 5,
        AttrValue::Type(_) => 6,
        _ => 0,
    }
}

/// A number in a packed list.
fn element(value: &AttrValue, out: &mut Rope) {
    match value {
        AttrValue::Int(n) => out.varint(*n as u64),
        AttrValue::Float(n) => out.bytes(&n.to_bits().to_le_bytes()),
        AttrValue::Bool(b) => out.varint(u64::from(*b)),
        AttrValue::Type(dtype) => out.varint(dtype.0 as u64),
        _ => {}
    }
}

fn single(value: &AttrValue, out: &mut Rope) {
    match value {
        AttrValue::String(bytes) => {
            let mut inner = Rope::default();
            inner.bytes(bytes);
            out.message(2, inner);
        }
        AttrValue::Int(n) => out.number(3, *n as u64),
        AttrValue::Float(n) => out.fixed32(4, n.to_bits()),
        AttrValue::Bool(b) => out.number(5, u64::from(*b)),
        AttrValue::Type(dtype) => out.number(6, dtype.0 as u64),
        AttrValue::Shape(it) => out.message(7, shape(it)),
        AttrValue::Tensor { dtype, shape: dims, .. } => {
            let mut inner = Rope::default();
            inner.number(1, dtype.0 as u64);
            inner.message(2, shape(dims));
            out.message(8, inner);
        }
        AttrValue::Func(name) => {
            let mut inner = Rope::default();
            inner.text(1, name);
            out.message(10, inner);
        }
        AttrValue::Placeholder(name) => out.text(9, name),
        AttrValue::Missing | AttrValue::List(_) | AttrValue::Large(..) => {}
    }
}

fn shape(shape: &PartialTensorShape) -> Rope {
    let mut out = Rope::default();
    match &shape.0 {
        None => out.number(3, 1),
        Some(dims) => {
            for dim in dims {
                let mut inner = Rope::default();
                number_but_zero(&mut inner, 1, *dim);
                out.message(2, inner);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use unskew_source::BytesSource;

    use super::*;

    #[test]
    fn an_op_is_read_back_as_it_was() {
        for text in [
            "Conv2D(input: T, filter: T) -> (output: T) {T: type in [half, float], strides: list(int), \
             padding: string in [\"SAME\", \"VALID\"], alpha: float = 0.5, shape: shape = [1,2], \
             other: shape = ?, n: int >= 2 = 3, f: list(int) = []}",
            "Q(handle: &string, more: N * int32, rest: [L]) -> () {N: int >= 1, L: list(type)} stateful \
             deprecated(7, \"No more.\")",
        ] {
            let op: OpDef = text.parse().unwrap();
            let mut list = Rope::default();
            let mut inner = Rope::default();
            inner.bytes(&encode(&op));
            list.message(1, inner);
            let source = BytesSource::new("list", list.new_bytes());
            assert_eq!(crate::read::op_list(&source).unwrap()[0].to_string(), op.to_string());
        }
    }
}
