//! Attributes and types that a rewrite makes.

use crate::bytecode::entries::builtin;
use crate::convert::numbers::varint;
use crate::module::{Field, Id, Item, Module, Operation, Raw, Sort, VHLO};

/// The number of integers among the attributes of MLIR itself.
const PLAIN_INTEGER: u64 = 8;

/// The numbers of kinds of VHLO.
pub(crate) mod code {
    pub(crate) const ARRAY: u64 = 1;
    pub(crate) const BOOL: u64 = 2;
    pub(crate) const DIRECTION: u64 = 3;
    pub(crate) const COMPARED: u64 = 4;
    pub(crate) const API_VERSION: u64 = 5;
    pub(crate) const DICTIONARY: u64 = 6;
    pub(crate) const INTEGER: u64 = 9;
    pub(crate) const TEXT: u64 = 14;
    pub(crate) const TENSOR: u64 = 15;
    pub(crate) const TYPE: u64 = 17;
    pub(crate) const ACCURACY_MODE: u64 = 19;
    pub(crate) const ACCURACY: u64 = 20;
    pub(crate) const SUB_AXIS: u64 = 21;
    pub(crate) const AXIS: u64 = 22;
    pub(crate) const MESH_GROUPS: u64 = 23;
    pub(crate) const MESH_AXIS: u64 = 24;
    pub(crate) const MESH: u64 = 25;
    pub(crate) const COMPLEX: u64 = 1;
    pub(crate) const I32: u64 = 13;
    pub(crate) const I64: u64 = 14;
    pub(crate) const TENSOR_TYPE: u64 = 20;
    pub(crate) const NONE: u64 = 33;
}

/// The value of an attribute that says nothing, by the name that the table of forms has for it.
pub(crate) fn default(module: &mut Module, name: &str, operation: &Operation) -> Option<Id> {
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
            let fields = vec![
                Field::Number(code::ACCURACY),
                zero.clone(),
                zero.clone(),
                zero,
                Field::Attribute(mode),
            ];
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
pub(crate) fn number(value: u64) -> Field {
    let mut bytes = Vec::new();
    varint(&mut bytes, value);
    Field::Raw(Raw::Bytes(bytes))
}

pub(crate) fn text(module: &mut Module, text: &[u8]) -> Id {
    let text = module.text(text);
    attribute(module, vec![Field::Number(code::TEXT), Field::Text(text)])
}

/// A tensor of 64-bit integers.
pub(crate) fn integers(module: &mut Module, dims: &[i64], values: &[i64]) -> Id {
    let element = module.vhlo(Sort::Type, vec![Field::Number(code::I64)]);
    let r#type = tensor_type(module, dims, element);
    let mut raw = Vec::new();
    varint(&mut raw, values.len() as u64 * 8);
    values.iter().for_each(|value| raw.extend_from_slice(&value.to_le_bytes()));
    attribute(
        module,
        vec![Field::Number(code::TENSOR), Field::Type(r#type), Field::Raw(Raw::Bytes(raw))],
    )
}

pub(crate) fn tensor_type(module: &mut Module, dims: &[i64], element: Id) -> Id {
    let mut fields = vec![Field::Number(code::TENSOR_TYPE), Field::Number(dims.len() as u64)];
    fields.extend(dims.iter().map(|dim| Field::Number(zigzag(*dim))));
    fields.push(Field::Type(element));
    module.vhlo(Sort::Type, fields)
}

/// The dimensions of a type of tensors and what an element is; none if it is something else, or carries an
/// encoding.
pub(crate) fn tensor(module: &Module, r#type: Id) -> Option<(Vec<i64>, Id)> {
    let item = module.types.get(r#type)?;
    (item.code(VHLO)? == code::TENSOR_TYPE).then_some(())?;
    let (Field::Type(element), dims) =
        item.fields.split_last().map(|(last, rest)| (last, rest.get(2..)))?
    else {
        return None;
    };
    let dim = |field: &Field| match field {
        Field::Number(number) => Some(unzigzag(*number)),
        _ => None,
    };
    Some((dims?.iter().map(dim).collect::<Option<_>>()?, *element))
}

/// The bytes behind the length that stands in front of them; none if they lie elsewhere, and are many.
fn blob(item: &Item) -> Option<&[u8]> {
    let Some(Field::Raw(Raw::Bytes(raw))) = item.fields.last() else { return None };
    let first = *raw.first()?;
    raw.get(1 + first.trailing_zeros() as usize..)
}

/// The elements of a short tensor of 64-bit integers.
pub(super) fn elements(module: &Module, attribute: Id) -> Option<Vec<i64>> {
    let item = module.attributes.get(attribute)?;
    (item.code(VHLO)? == code::TENSOR).then_some(())?;
    let Some(Field::Type(kind)) = item.fields.get(1) else { return None };
    let (dims, element) = tensor(module, *kind)?;
    (module.types.get(element)?.code(VHLO)? == code::I64).then_some(())?;
    let count = usize::try_from(dims.iter().product::<i64>()).ok()?;
    let (numbers, []) = blob(item)?.as_chunks::<8>() else { return None };
    let numbers: Vec<i64> = numbers.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
    match numbers[..] {
        [one] => Some(vec![one; count.min(SHORT)]),
        _ => (numbers.len() == count).then_some(numbers),
    }
}

/// The most elements that one stands for.
const SHORT: usize = 64;

/// A 64-bit integer.
pub(crate) fn signed(module: &mut Module, value: i64) -> Id {
    let element = module.vhlo(Sort::Type, vec![Field::Number(code::I64)]);
    attribute(
        module,
        vec![Field::Number(code::INTEGER), Field::Type(element), number(zigzag(value))],
    )
}

/// The value of a 64-bit integer.
pub(crate) fn integer(module: &Module, attribute: Id) -> Option<i64> {
    let item = module.attributes.get(attribute)?;
    (item.code(VHLO)? == code::INTEGER).then_some(())?;
    let Some(Field::Raw(Raw::Bytes(raw))) = item.fields.get(2) else { return None };
    varint_of(raw).map(|(number, _)| unzigzag(number))
}

pub(super) fn plain_integer(module: &Module, attribute: Id) -> Option<i64> {
    let item = module.attributes.get(attribute)?;
    (item.code(builtin::NAME)? == PLAIN_INTEGER).then_some(())?;
    let Some(Field::Raw(Raw::Bytes(raw))) = item.fields.get(2) else { return None };
    varint_of(raw).map(|(number, _)| unzigzag(number))
}

/// A number at the beginning of some bytes, and what is behind it.
pub(crate) fn varint_of(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let first = *bytes.first()?;
    let more = first.trailing_zeros() as usize;
    let (own, rest) = bytes.split_at_checked(more + 1)?;
    let mut word = [0; 8];
    if more == 8 {
        word.copy_from_slice(own.get(1..)?);
        return Some((u64::from_le_bytes(word), rest));
    }
    word.get_mut(..own.len())?.copy_from_slice(own);
    Some((u64::from_le_bytes(word) >> (more + 1), rest))
}

pub(crate) fn truth(module: &mut Module, value: bool) -> Id {
    attribute(module, vec![Field::Number(code::BOOL), number(value.into())])
}

/// A dictionary of VHLO; the names are in their order.
pub(crate) fn dictionary(module: &mut Module, pairs: &[(&str, Id)]) -> Id {
    let mut fields = vec![Field::Number(code::DICTIONARY), Field::Number(pairs.len() as u64)];
    for (name, value) in pairs {
        let name = text(module, name.as_bytes());
        fields.extend([Field::Attribute(name), Field::Attribute(*value)]);
    }
    attribute(module, fields)
}

/// Makes an operation a call of something by its name, without a configuration.
pub(super) fn call(
    module: &mut Module,
    operation: &mut Operation,
    target: &str,
    more: &[(&str, Id)],
) {
    let empty = text(module, b"");
    let list = attribute(module, vec![Field::Number(code::ARRAY), Field::Number(0)]);
    let original = attribute(module, vec![Field::Number(code::API_VERSION), number(1)]);
    let no = truth(module, false);
    let target = text(module, target.as_bytes());
    operation.attributes.clear();
    let own = [
        ("api_version", original),
        ("backend_config", empty),
        ("call_target_name", target),
        ("called_computations", list),
        ("has_side_effect", no),
        ("operand_layouts", list),
        ("output_operand_aliases", list),
        ("result_layouts", list),
    ];
    for (name, value) in own.iter().chain(more) {
        let name = module.text(name.as_bytes());
        operation.attributes.push((name, *value));
    }
    operation.dialect = VHLO.into();
    operation.name = "custom_call_v1".into();
}

/// The elements of a list that an attribute is.
pub(crate) fn list(module: &Module, attribute: Id) -> Option<Vec<Id>> {
    let item = module.attributes.get(attribute)?;
    (item.code(VHLO)? == code::ARRAY).then_some(())?;
    let ids = item.fields.get(2..)?.iter();
    ids.map(|field| if let Field::Attribute(id) = field { Some(*id) } else { None }).collect()
}

/// How many bits a signed integer may use, by its type.
pub(super) fn bits(module: &Module, r#type: Id) -> Option<u32> {
    Some(match module.types.get(r#type)?.code(VHLO)? {
        11 => 8,
        12 => 16,
        13 => 32,
        14 => 63,
        16 => 9,
        17 => 17,
        18 => 33,
        19 => 63,
        _ => return None,
    })
}

/// A number whose sign is its lowest bit.
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// The same the other way.
pub(crate) fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}
