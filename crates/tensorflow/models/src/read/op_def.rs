//! `OpDef` and `OpList`: signatures of functions, stripped op lists, dumped registries.

use unskew_source::wire::{MessageField, WireMessage};
use unskew_source::{ReadError, Source};

use super::interner::Interner;
use super::values::attr_value;
use crate::op_def::{ArgDef, ArgKind, AttrDef, Deprecation, ElementType, Trait};
use crate::{AttrKind, AttrScalarType, AttrValue, DataType, OpDef};

/// Every op of an `OpList`, as a TensorFlow dumps its registry.
///
/// # Errors
/// If the source is no such message.
pub fn op_list(source: &dyn Source) -> Result<Vec<OpDef>, ReadError> {
    ops(&mut WireMessage::whole(source), &mut Interner::default())
}

/// The ops of an `OpList`.
pub(crate) fn ops(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<Vec<OpDef>, ReadError> {
    let mut ops = Vec::new();
    while let Some(field) = message.next()? {
        if field.number == 1 {
            ops.push(message.enter(&field, |message| op(message, kept))?);
        }
    }
    Ok(ops)
}

/// An `OpDef`, without its documentation.
pub(crate) fn op(message: &mut WireMessage<'_>, kept: &mut Interner) -> Result<OpDef, ReadError> {
    let mut op = OpDef::default();
    kept.count(message, size_of::<OpDef>())?;
    while let Some(field) = message.next()? {
        let set = |is: Trait, op: &mut OpDef| {
            if field.varint() == Some(1) {
                op.traits.insert(is);
            }
        };
        match field.number {
            1 => op.name = text(message, &field, kept)?,
            2 => op.inputs.push(message.enter(&field, |message| arg(message, kept))?),
            3 => op.outputs.push(message.enter(&field, |message| arg(message, kept))?),
            4 => op.attrs.push(message.enter(&field, |message| attr(message, kept))?),
            8 => op.deprecation = Some(message.enter(&field, |m| deprecation(m, kept))?),
            16 => set(Trait::Aggregate, &mut op),
            17 => set(Trait::Stateful, &mut op),
            18 => set(Trait::Commutative, &mut op),
            19 => set(Trait::Uninitialized, &mut op),
            21 => set(Trait::Distributed, &mut op),
            _ => {}
        }
    }
    Ok(op)
}

fn text(
    message: &mut WireMessage<'_>,
    field: &MessageField,
    kept: &mut Interner,
) -> Result<String, ReadError> {
    Ok(kept.text(message, field)?.into())
}

fn arg(message: &mut WireMessage<'_>, kept: &mut Interner) -> Result<ArgDef, ReadError> {
    let (mut name, mut dtype, mut type_attr) = (String::new(), 0, String::new());
    let (mut number, mut types, mut reference) = (String::new(), String::new(), false);
    kept.count(message, size_of::<ArgDef>())?;
    while let Some(field) = message.next()? {
        match field.number {
            1 => name = text(message, &field, kept)?,
            3 => dtype = field.varint().unwrap_or(0) as i32,
            4 => type_attr = text(message, &field, kept)?,
            5 => number = text(message, &field, kept)?,
            6 => types = text(message, &field, kept)?,
            16 => reference = field.varint() == Some(1),
            _ => {}
        }
    }
    let element = if type_attr.is_empty() {
        ElementType::Fixed(DataType(dtype))
    } else {
        ElementType::Attr(type_attr)
    };
    let kind = match (types.is_empty(), number.is_empty()) {
        (false, _) => ArgKind::Each(types),
        (_, false) => ArgKind::Many(number, element),
        _ => ArgKind::One(element),
    };
    Ok(ArgDef { name, kind, reference })
}

fn attr(message: &mut WireMessage<'_>, kept: &mut Interner) -> Result<AttrDef, ReadError> {
    let kind = AttrKind { single: AttrScalarType::Int, list: false };
    let mut attr =
        AttrDef { name: String::new(), kind, default: None, allowed: None, minimum: None };
    let (mut has_minimum, mut minimum) = (false, 0);
    kept.count(message, size_of::<AttrDef>())?;
    while let Some(field) = message.next()? {
        match field.number {
            1 => attr.name = text(message, &field, kept)?,
            2 => {
                let word = message.string(&field)?;
                let unknown = || message.malformed(field.offset, "an unknown kind of attribute");
                attr.kind = AttrKind::from_text(&word).ok_or_else(unknown)?;
            }
            3 => attr.default = Some(message.enter(&field, |m| attr_value(m, kept))?),
            5 => has_minimum = field.varint() == Some(1),
            6 => minimum = field.varint().unwrap_or(0) as i64,
            7 => match message.enter(&field, |m| attr_value(m, kept))? {
                AttrValue::List(values) => attr.allowed = Some(values),
                _ => return Err(message.malformed(field.offset, "allowed values that are no list")),
            },
            _ => {}
        }
    }
    attr.minimum = has_minimum.then_some(minimum);
    Ok(attr)
}

fn deprecation(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<Deprecation, ReadError> {
    let mut deprecation = Deprecation { version: 0, explanation: String::new() };
    while let Some(field) = message.next()? {
        match field.number {
            1 => deprecation.version = field.varint().unwrap_or(0) as i64,
            2 => deprecation.explanation = text(message, &field, kept)?,
            _ => {}
        }
    }
    Ok(deprecation)
}
