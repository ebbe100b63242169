//! Signature check: whether an upgrader takes and returns what its historic schema says.

use unskew_script::{Expression, FunctionDefinition, FunctionParameter};
use unskew_torch_schemas::{FunctionSchema, SchemaArgument, SchemaType};
use unskew_torch_schemas::{is_same_type, plain_value};

pub(crate) fn check(function: &FunctionDefinition, schema: &FunctionSchema) -> Result<(), String> {
    let (has, wants) = (function.parameters.len(), schema.arguments.len());
    if has != wants {
        return Err(format!("takes {has} arguments, the schema has {wants}: {schema}"));
    }
    for (parameter, argument) in function.parameters.iter().zip(&schema.arguments) {
        one(parameter, argument)?;
    }
    let returns = match &function.returns {
        Some(returns) => type_of(returns)?,
        // Its schema was taken from it.
        None if schema.returns.is_empty() => return Ok(()),
        None => return Err("says no type that it returns".to_owned()),
    };
    let wanted = match schema.returns.as_slice() {
        [one] => one.ty.clone(),
        many => SchemaType::Tuple(many.iter().map(|one| one.ty.clone()).collect()),
    };
    if !is_same_type(&returns, &wanted) {
        return Err(format!("returns {returns}, the schema {wanted}"));
    }
    Ok(())
}

/// The schema that the signature of a function is: with the types, and with the defaults and the result that it says.
pub(crate) fn schema(
    function: &FunctionDefinition,
    operator: &str,
) -> Result<FunctionSchema, String> {
    let (name, overload) = operator.split_once('.').unwrap_or((operator, ""));
    let untyped = |name: String, ty: SchemaType| SchemaArgument {
        name,
        ty,
        alias: None,
        default: None,
        keyword_only: false,
    };
    let argument = |parameter: &FunctionParameter| {
        let name = &parameter.name.text;
        let annotation =
            parameter.annotation.as_ref().ok_or_else(|| format!("{name} has no type"))?;
        Ok(SchemaArgument {
            default: parameter.default.as_ref().map(ToString::to_string),
            keyword_only: parameter.keyword_only,
            ..untyped(name.to_string(), type_of(annotation)?)
        })
    };
    let arguments = function.parameters.iter().map(argument).collect::<Result<_, String>>()?;
    let returns = function.returns.as_ref().map(type_of).transpose()?;
    Ok(FunctionSchema {
        name: name.to_owned(),
        overload: overload.to_owned(),
        arguments,
        variadic: false,
        returns: returns.into_iter().map(|ty| untyped(String::new(), ty)).collect(),
        variadic_returns: false,
    })
}

fn one(parameter: &FunctionParameter, argument: &SchemaArgument) -> Result<(), String> {
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
        (Some(is), Some(was)) if plain_value(&is.to_string()) == plain_value(was) => Ok(()),
        (is, was) => {
            let shown = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
            let is = shown(is.as_ref().map(ToString::to_string));
            Err(format!("the default of {name} is {is}, in the schema {}", shown(was.clone())))
        }
    }
}

/// A type as TorchScript writes it, as one of the schema language: `Optional[List[int]]` is `int[]?`.
fn type_of(annotation: &Expression) -> Result<SchemaType, String> {
    let wrong = || format!("not a type: {annotation}");
    if let Some(path) = annotation.path() {
        return Ok(SchemaType::Named(match path.as_str() {
            "number" => "Scalar".to_owned(),
            "Device" | "Tensor" | "int" | "float" | "bool" | "str" | "complex" | "Any" => path,
            _ => return Err(wrong()),
        }));
    }
    let Expression::Subscript { of, index, .. } = annotation else { return Err(wrong()) };
    match of.path().as_deref() {
        Some("Optional") => Ok(SchemaType::Optional(Box::new(type_of(index)?))),
        Some("List") => Ok(SchemaType::List(Box::new(type_of(index)?), None)),
        Some("Tuple") => match &**index {
            Expression::Tuple { items, .. } => {
                Ok(SchemaType::Tuple(items.iter().map(type_of).collect::<Result<_, _>>()?))
            }
            one => Ok(SchemaType::Tuple(vec![type_of(one)?])),
        },
        _ => Err(wrong()),
    }
}

/// A function of a schema that passes its arguments on to the operator of that name.
pub(crate) fn stub(name: &str, schema: &FunctionSchema) -> Result<String, String> {
    let (mut parameters, mut passed, mut by_name) = (Vec::new(), Vec::new(), false);
    for argument in &schema.arguments {
        let SchemaArgument { name, ty, default, keyword_only, .. } = argument;
        if KEYWORDS.contains(&name.as_str()) {
            return Err(format!(
                "no function can have an argument that is a word of Python: {name}"
            ));
        }
        if *keyword_only && !std::mem::replace(&mut by_name, true) {
            parameters.push("*".to_owned());
        }
        let default = default.as_ref().map(|value| format!("={}", value.replace('"', "'")));
        parameters.push(format!("{name}: {}{}", annotation(ty)?, default.unwrap_or_default()));
        passed.push(if by_name { format!("{name}={name}") } else { name.clone() });
    }
    let returns = match schema.returns.as_slice() {
        [one] => annotation(&one.ty)?,
        many => annotation(&SchemaType::Tuple(many.iter().map(|one| one.ty.clone()).collect()))?,
    };
    let callee = match schema.name.split_once("::") {
        Some(("aten", name)) => format!("torch.{name}"),
        Some((namespace, name)) => format!("ops.{namespace}.{name}"),
        None => format!("torch.{}", schema.name),
    };
    let (parameters, passed) = (parameters.join(", "), passed.join(", "));
    Ok(format!("def {name}({parameters}) -> {returns}:\n  return {callee}({passed})\n"))
}

/// Arguments for a call, one for each that has no default, as the cases of a registry write them.
pub(crate) fn sample(schema: &FunctionSchema) -> String {
    let given = schema.arguments.iter().filter(|argument| argument.default.is_none());
    let one = |argument: &SchemaArgument| format!("{}={}", argument.name, value(argument));
    given.map(one).collect::<Vec<_>>().join(", ")
}

fn value(argument: &SchemaArgument) -> String {
    match &argument.ty {
        SchemaType::Named(name) if name == "Tensor" && argument.is_out() => {
            "tensor('float32', [0], [])".into()
        }
        ty => of_type(ty),
    }
}

fn of_type(ty: &SchemaType) -> String {
    match ty {
        SchemaType::Named(name) => match name.as_str() {
            "Tensor" => "tensor('float32', [2, 2], [1.0, -2.0, 0.5, 3.0])",
            "bool" => "True",
            "float" => "0.5",
            "str" => "'none'",
            "Device" | "Generator" => "None",
            _ => "1",
        }
        .to_owned(),
        SchemaType::List(item, size) => {
            let count = size.and_then(|size| usize::try_from(size).ok()).unwrap_or(1).clamp(1, 8);
            format!("[{}]", vec![of_type(item); count].join(", "))
        }
        SchemaType::Tuple(items) => {
            format!("({},)", items.iter().map(of_type).collect::<Vec<_>>().join(", "))
        }
        SchemaType::Optional(_) | SchemaType::Applied(..) => "None".to_owned(),
    }
}

/// Words of Python that an argument of an operator may have as its name.
const KEYWORDS: [&str; 6] = ["from", "lambda", "in", "is", "global", "with"];

/// A type of the schema language as TorchScript writes it.
fn annotation(ty: &SchemaType) -> Result<String, String> {
    Ok(match ty {
        SchemaType::Named(name) => match name.as_str() {
            "Scalar" => "number".to_owned(),
            "SymInt" | "ScalarType" | "Layout" | "MemoryFormat" | "QScheme" => "int".to_owned(),
            "Dimname" => "str".to_owned(),
            "Device" | "Tensor" | "int" | "float" | "bool" | "str" | "complex" | "Any" => {
                name.clone()
            }
            _ => return Err(format!("a function has no word for the type {name}")),
        },
        SchemaType::List(item, _) => format!("List[{}]", annotation(item)?),
        SchemaType::Optional(inner) => format!("Optional[{}]", annotation(inner)?),
        SchemaType::Tuple(items) => {
            let items: Vec<String> = items.iter().map(annotation).collect::<Result<_, _>>()?;
            format!("Tuple[{}]", items.join(", "))
        }
        SchemaType::Applied(..) => return Err(format!("a function has no word for the type {ty}")),
    })
}
