//! Whether an upgrader takes and returns what its historic schema says.

use unskew_script::{Expression, Function, Parameter};

use crate::change::{is_same_type, plain};
use crate::{Argument, Schema, Type};

pub(super) fn check(function: &Function, schema: &Schema) -> Result<(), String> {
    let (has, wants) = (function.parameters.len(), schema.arguments.len());
    if has != wants {
        return Err(format!("takes {has} arguments, the schema has {wants}: {schema}"));
    }
    for (parameter, argument) in function.parameters.iter().zip(&schema.arguments) {
        one(parameter, argument)?;
    }
    let returns = function.returns.as_ref().ok_or("says no type that it returns")?;
    let returns = type_of(returns)?;
    let wanted = match schema.returns.as_slice() {
        [one] => one.ty.clone(),
        many => Type::Tuple(many.iter().map(|one| one.ty.clone()).collect()),
    };
    if !is_same_type(&returns, &wanted) {
        return Err(format!("returns {returns}, the schema {wanted}"));
    }
    Ok(())
}

fn one(parameter: &Parameter, argument: &Argument) -> Result<(), String> {
    let name = &parameter.name.text;
    if *name != argument.name {
        return Err(format!("has {name} where the schema has {}", argument.name));
    }
    if parameter.keyword_only != argument.keyword_only {
        return Err(format!("{name}: by keyword only on one side, and not on the other"));
    }
    let annotation = parameter.annotation.as_ref().ok_or_else(|| format!("{name} has no type"))?;
    let ty = type_of(annotation)?;
    if !is_same_type(&ty, &argument.ty) {
        return Err(format!("{name} is {ty}, in the schema {}", argument.ty));
    }
    match (&parameter.default, &argument.default) {
        (None, None) => Ok(()),
        (Some(is), Some(was)) if plain(&is.to_string()) == plain(was) => Ok(()),
        (is, was) => {
            let shown = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
            let is = shown(is.as_ref().map(ToString::to_string));
            Err(format!("the default of {name} is {is}, in the schema {}", shown(was.clone())))
        }
    }
}

/// A type as TorchScript writes it, as one of the schema language: `Optional[List[int]]` is `int[]?`.
fn type_of(annotation: &Expression) -> Result<Type, String> {
    let wrong = || format!("not a type: {annotation}");
    if let Some(path) = annotation.path() {
        return Ok(Type::Named(match path.as_str() {
            "number" => "Scalar".to_owned(),
            "Device" | "Tensor" | "int" | "float" | "bool" | "str" | "complex" | "Any" => path,
            _ => return Err(wrong()),
        }));
    }
    let Expression::Subscript { of, index, .. } = annotation else { return Err(wrong()) };
    match of.path().as_deref() {
        Some("Optional") => Ok(Type::Optional(Box::new(type_of(index)?))),
        Some("List") => Ok(Type::List(Box::new(type_of(index)?), None)),
        Some("Tuple") => match &**index {
            Expression::Tuple { items, .. } => {
                Ok(Type::Tuple(items.iter().map(type_of).collect::<Result<_, _>>()?))
            }
            one => Ok(Type::Tuple(vec![type_of(one)?])),
        },
        _ => Err(wrong()),
    }
}
