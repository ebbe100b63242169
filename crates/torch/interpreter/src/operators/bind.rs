//! Binding of what a call gives to the arguments of a schema.
//!
//! As in TorchScript: values by place fill the arguments that may be given by place, values by name the
//! others, defaults the rest. First without conversions; if no overload takes the call so, an
//! integer may stand for a float, a tensor of one element for a number, a tuple for a list.

use unskew_torch_schemas::{FunctionSchema, SchemaArgument, SchemaType};

use crate::{ScalarValue, ScriptValue};

/// The value of a default, in a form that may be shared between threads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Default {
    None,
    Number(ScalarValue),
    Text(String),
    List(Vec<Self>),
}

/// What the default of an argument stands for; none if it has none, or it cannot be read.
pub(crate) fn default(argument: &SchemaArgument) -> Option<Default> {
    let text = argument.default.as_deref()?;
    let value = read(text)?;
    // A number may stand for a list of a fixed size.
    match (argument.ty.list_size(), &value) {
        (Some(size), Default::Number(_)) => Some(Default::List(vec![value; size as usize])),
        _ => Some(value),
    }
}

fn read(text: &str) -> Option<Default> {
    let text = text.trim();
    if let Some(items) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let items = items.split(',').filter(|item| !item.trim().is_empty());
        return items.map(read).collect::<Option<Vec<_>>>().map(Default::List);
    }
    let number = |number| Some(Default::Number(number));
    match text {
        "None" => return Some(Default::None),
        "True" => return number(ScalarValue::Bool(true)),
        "False" => return number(ScalarValue::Bool(false)),
        // Names of numbers: a memory format, a layout, a reduction, a type.
        "contiguous_format" | "strided" => return number(ScalarValue::Int(0)),
        "Mean" => return number(ScalarValue::Int(1)),
        "long" => return number(ScalarValue::Int(4)),
        _ => {}
    }
    if let Some(text) = text.strip_prefix(['\'', '"']) {
        return Some(Default::Text(text.trim_end_matches(['\'', '"']).to_owned()));
    }
    if let Ok(int) = text.parse() {
        return number(ScalarValue::Int(int));
    }
    text.parse().ok().and_then(|float| number(ScalarValue::Float(float)))
}

fn import_default(default: &Default) -> ScriptValue {
    match default {
        Default::None => ScriptValue::None,
        Default::Number(number) => ScriptValue::Number(*number),
        Default::Text(text) => ScriptValue::from(text.as_str()),
        Default::List(items) => ScriptValue::list(items.iter().map(import_default).collect()),
    }
}

/// The values of all arguments of a schema; none if the call does not fit it.
pub(crate) fn bind(
    schema: &FunctionSchema,
    defaults: &[Option<Default>],
    positional: &[ScriptValue],
    named: &[(String, ScriptValue)],
    convert: bool,
) -> Option<Vec<ScriptValue>> {
    let mut values = Vec::with_capacity(schema.arguments.len());
    let mut next = positional.iter();
    let mut names_used = 0;
    for (argument, default) in schema.arguments.iter().zip(defaults) {
        let given = if argument.keyword_only { None } else { next.next() };
        let given = match given {
            Some(value) => Some(value),
            None => {
                let found = named.iter().find(|(name, _)| *name == argument.name);
                names_used += usize::from(found.is_some());
                found.map(|(_, value)| value)
            }
        };
        values.push(match (given, default) {
            (Some(value), _) => fit(value, &argument.ty, convert)?,
            (None, Some(default)) => import_default(default),
            (None, None) => return None,
        });
    }
    if schema.variadic {
        values.extend(next.by_ref().cloned());
    }
    (next.next().is_none() && names_used == named.len()).then_some(values)
}

/// The value as one of the type; none if it is not.
fn fit(value: &ScriptValue, ty: &SchemaType, convert: bool) -> Option<ScriptValue> {
    match ty {
        SchemaType::Optional(_) if matches!(value, ScriptValue::None) => Some(ScriptValue::None),
        SchemaType::Optional(inner) => fit(value, inner, convert),
        SchemaType::List(inner, size) => {
            let items = match value {
                ScriptValue::List(items) => items.borrow().clone(),
                ScriptValue::Tuple(tuple) if convert => tuple.items.clone(),
                // One number for all of a fixed size.
                one => {
                    let one = size.and_then(|_| fit(one, inner, convert))?;
                    return Some(ScriptValue::list(vec![one; size.unwrap_or(1) as usize]));
                }
            };
            // A list that is changed must stay the same one.
            let fitted: Vec<ScriptValue> =
                items.iter().map(|item| fit(item, inner, convert)).collect::<Option<_>>()?;
            match value {
                ScriptValue::List(_) if !convert => Some(value.clone()),
                _ => Some(ScriptValue::list(fitted)),
            }
        }
        SchemaType::Tuple(types) => match value {
            ScriptValue::Tuple(tuple) if tuple.items.len() == types.len() => Some(value.clone()),
            _ => None,
        },
        SchemaType::Applied(name, _) if name == "Dict" => {
            matches!(value, ScriptValue::Dict(_)).then(|| value.clone())
        }
        SchemaType::Applied(..) => Some(value.clone()),
        SchemaType::Named(name) => fit_named(value, name, convert),
    }
}

fn fit_named(value: &ScriptValue, name: &str, convert: bool) -> Option<ScriptValue> {
    let same = || Some(value.clone());
    match (name, value) {
        ("Tensor", ScriptValue::Tensor(_))
        | ("int" | "SymInt", ScriptValue::Number(ScalarValue::Int(_)))
        | ("ScalarType" | "Layout" | "MemoryFormat", ScriptValue::Number(ScalarValue::Int(_)))
        | ("float", ScriptValue::Number(ScalarValue::Float(_)))
        | ("bool", ScriptValue::Number(ScalarValue::Bool(_)))
        | ("complex", ScriptValue::Number(ScalarValue::Complex(..)))
        | ("Scalar" | "number", ScriptValue::Number(_))
        | ("str" | "Dimname", ScriptValue::Text(_))
        | ("Device", ScriptValue::Device(_))
        | ("AnyList", ScriptValue::List(_))
        | ("Generator" | "Stream" | "NoneType", ScriptValue::None) => same(),
        ("Device", ScriptValue::Text(text)) => Some(ScriptValue::Device(text.clone())),
        ("Device", ScriptValue::Number(ScalarValue::Int(_))) => {
            Some(ScriptValue::Device("cpu".into()))
        }
        ("float", ScriptValue::Number(number @ (ScalarValue::Int(_) | ScalarValue::Bool(_))))
            if convert =>
        {
            Some(ScriptValue::from(number.float()))
        }
        ("int" | "SymInt", ScriptValue::Number(ScalarValue::Bool(yes))) if convert => {
            Some(ScriptValue::from(i64::from(*yes)))
        }
        ("bool", ScriptValue::Number(number @ ScalarValue::Int(_))) if convert => {
            Some(ScriptValue::from(number.is_true()))
        }
        ("int" | "SymInt" | "float" | "Scalar" | "number", ScriptValue::Tensor(tensor))
            if convert =>
        {
            let number = tensor.item().ok()?;
            fit_named(&ScriptValue::Number(number), name, convert)
        }
        (class, ScriptValue::Object(object)) if *object.class == *class => same(),
        ("Any" | "AnyType", _) => same(),
        _ => is_variable(name).then(|| value.clone()),
    }
}

/// A type that stands for any: `t`, `t1`, `tVal`.
fn is_variable(name: &str) -> bool {
    name.strip_prefix('t').is_some_and(|rest| {
        rest.bytes().all(|byte| byte.is_ascii_digit()) || matches!(rest, "Val" | "Key")
    })
}

/// The types of what a call gives, for messages: `Tensor, int, alpha=float`.
pub(crate) fn given(positional: &[ScriptValue], named: &[(String, ScriptValue)]) -> String {
    let mut all: Vec<String> = positional.iter().map(ScriptValue::type_name).collect();
    all.extend(named.iter().map(|(name, value)| format!("{name}={}", value.type_name())));
    all.join(", ")
}
