//! Values that stand in a program as constants of bytecode.

use unskew_script::typing::literal_of_default;
use unskew_torch_schemas::SchemaType;
use unskew_torch_schemas::matching::Literal;

use crate::pickle::{Id, Pickle, PickleValue};

pub(super) fn default(
    argument: &unskew_torch_schemas::SchemaArgument,
    pickle: &mut Pickle,
) -> Option<Id> {
    let literal = literal_of_default(argument.default.as_ref()?)?;
    let SchemaType::List(item, size) = &argument.ty else {
        return Some(pickle.push(value(&literal)?));
    };
    let items = match &literal {
        Literal::List(items) => items.to_vec(),
        // One number stands for a list of a fixed length.
        one => vec![one.clone(); usize::try_from((*size)?).ok().filter(|size| *size < 64)?],
    };
    let kind = match &**item {
        SchemaType::Named(name) if name == "int" || name == "SymInt" => "build_intlist",
        SchemaType::Named(name) if name == "bool" => "build_boollist",
        SchemaType::Named(name) if name == "float" => "build_doublelist",
        _ => return None,
    };
    let items: Option<Vec<Id>> = items.iter().map(|one| Some(pickle.push(value(one)?))).collect();
    let list = pickle.push(PickleValue::List(items?.into()));
    Some(pickle.call("torch.jit._pickle", kind, [list]))
}

pub(super) fn value(literal: &Literal) -> Option<PickleValue> {
    Some(match literal {
        Literal::None => PickleValue::None,
        Literal::Bool(value) => PickleValue::Bool(*value),
        Literal::Int(number) => PickleValue::Int(*number),
        Literal::Float(bits) => PickleValue::Float(bits.value()),
        Literal::Text(text) => PickleValue::Text(text.to_string()),
        Literal::List(_) | Literal::Tuple(_) => return None,
    })
}

/// A literal as a constant; none for a list.
pub(super) fn constant(literal: &Literal, pickle: &mut Pickle) -> Option<Id> {
    Some(pickle.push(value(literal)?))
}

pub(super) fn literal(value: &PickleValue) -> Option<Literal> {
    Some(match value {
        PickleValue::None => Literal::None,
        PickleValue::Bool(value) => Literal::Bool(*value),
        PickleValue::Int(number) => Literal::Int(*number),
        PickleValue::Float(number) => Literal::from(*number),
        PickleValue::Text(text) => Literal::Text(text.as_str().into()),
        _ => return None,
    })
}
