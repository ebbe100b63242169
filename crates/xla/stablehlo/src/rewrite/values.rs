//! Attributes and types that a rewrite makes.

use crate::module::{Field, Id, Module, Operation, Raw, Sort};
use crate::convert::numbers::varint;

/// The numbers of kinds of VHLO.
pub(super) mod code {
    pub(crate) const ARRAY: u64 = 1;
    pub(crate) const BOOL: u64 = 2;
    pub(crate) const DICTIONARY: u64 = 6;
    pub(crate) const TEXT: u64 = 14;
    pub(crate) const TENSOR: u64 = 15;
    pub(crate) const TYPE: u64 = 17;
    pub(crate) const ACCURACY_MODE: u64 = 19;
    pub(crate) const ACCURACY: u64 = 20;
    pub(crate) const I64: u64 = 14;
    pub(crate) const TENSOR_TYPE: u64 = 20;
    pub(crate) const NONE: u64 = 33;
}

/// The value of an attribute that says nothing, by the name that the table of forms has for it.
pub(super) fn default(module: &mut Module, name: &str, operation: &Operation) -> Option<Id> {
    Some(match name {
        "empty" => integers(module, &[0], &[]),
        "none" => {
            let none = module.vhlo(Sort::Type, vec![Field::Number(code::NONE)]);
            attribute(module, vec![Field::Number(code::TYPE), Field::Type(none)])
        }
        "list" => attribute(module, vec![Field::Number(code::ARRAY), Field::Number(0)]),
        "false" => attribute(module, vec![Field::Number(code::BOOL), number(0)]),
        "default" => {
            let mode = attribute(module, vec![Field::Number(code::ACCURACY_MODE), number(0)]);
            let zero = Field::Number(0);
            let fields = vec![Field::Number(code::ACCURACY), zero.clone(), zero.clone(), zero, Field::Attribute(mode)];
            attribute(module, fields)
        }
        "zeros" => {
            let input = *operation.operands.first()?;
            let (dims, _) = tensor(module, *module.values.get(input)?)?;
            let spatial = dims.len().checked_sub(2)?;
            integers(module, &[spatial as i64, 2], &vec![0; spatial * 2])
        }
        _ => return None,
    })
}

fn attribute(module: &mut Module, fields: Vec<Field>) -> Id {
    module.vhlo(Sort::Attribute, fields)
}

/// A number behind which nothing stands.
pub(super) fn number(value: u64) -> Field {
    let mut bytes = Vec::new();
    varint(&mut bytes, value);
    Field::Raw(Raw::Bytes(bytes))
}

/// A text.
pub(super) fn text(module: &mut Module, text: &[u8]) -> Id {
    let text = module.text(text);
    attribute(module, vec![Field::Number(code::TEXT), Field::Text(text)])
}

/// A tensor of 64-bit integers.
pub(super) fn integers(module: &mut Module, dims: &[i64], values: &[i64]) -> Id {
    let element = module.vhlo(Sort::Type, vec![Field::Number(code::I64)]);
    let r#type = tensor_type(module, dims, element);
    let mut raw = Vec::new();
    varint(&mut raw, values.len() as u64 * 8);
    values.iter().for_each(|value| raw.extend_from_slice(&value.to_le_bytes()));
    attribute(module, vec![Field::Number(code::TENSOR), Field::Type(r#type), Field::Raw(Raw::Bytes(raw))])
}

/// A type of tensors.
pub(super) fn tensor_type(module: &mut Module, dims: &[i64], element: Id) -> Id {
    let mut fields = vec![Field::Number(code::TENSOR_TYPE), Field::Number(dims.len() as u64)];
    let zigzag = |dim: i64| (dim << 1 ^ dim >> 63).cast_unsigned();
    fields.extend(dims.iter().map(|dim| Field::Number(zigzag(*dim))));
    fields.push(Field::Type(element));
    module.vhlo(Sort::Type, fields)
}

/// The dimensions of a type of tensors and what an element is; none if it is something else, or carries an
/// encoding.
pub(super) fn tensor(module: &Module, r#type: Id) -> Option<(Vec<i64>, Id)> {
    let item = module.types.get(r#type)?;
    (item.code(crate::module::VHLO)? == code::TENSOR_TYPE).then_some(())?;
    let (Field::Type(element), dims) = item.fields.split_last().map(|(last, rest)| (last, rest.get(2..)))? else {
        return None;
    };
    let dim = |field: &Field| match field {
        Field::Number(number) => Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed()),
        _ => None,
    };
    Some((dims?.iter().map(dim).collect::<Option<_>>()?, *element))
}
