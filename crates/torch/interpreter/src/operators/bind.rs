//! What a call gives, bound to the arguments of a schema.
//!
//! As in TorchScript: values by place fill the arguments that may be given by place, values by name the
//! others, defaults the rest. First without conversions; if no overload takes the call so, an
//! integer may stand for a float, a tensor of one element for a number, a tuple for a list.

use unskew_torch_schemas::{Argument, Schema, Type};

use crate::{Number, Value};

/// The value of a default, in a form that may be shared between threads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Default {
    None,
    Number(Number),
    Text(String),
    List(Vec<Self>),
}

/// What the default of an argument stands for; none if it has none, or it cannot be read.
pub(crate) fn default(argument: &Argument) -> Option<Default> {
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
        "True" => return number(Number::Bool(true)),
        "False" => return number(Number::Bool(false)),
        // Names of numbers: a memory format, a layout, a reduction, a type.
        "contiguous_format" | "strided" => return number(Number::Int(0)),
        "Mean" => return number(Number::Int(1)),
        "long" => return number(Number::Int(4)),
        _ => {}
    }
    if let Some(text) = text.strip_prefix(['\'', '"']) {
        return Some(Default::Text(text.trim_end_matches(['\'', '"']).to_owned()));
    }
    if let Ok(int) = text.parse() {
        return number(Number::Int(int));
    }
    text.parse().ok().and_then(|float| number(Number::Float(float)))
}

/// The value of a default.
fn import_default(default: &Default) -> Value {
    match default {
        Default::None => Value::None,
        Default::Number(number) => Value::Number(*number),
        Default::Text(text) => Value::from(text.as_str()),
        Default::List(items) => Value::list(items.iter().map(import_default).collect()),
    }
}

/// The values of all arguments of a schema; none if the call does not fit it.
pub(crate) fn bind(
    schema: &Schema,
    defaults: &[Option<Default>],
    positional: &[Value],
    named: &[(String, Value)],
    convert: bool,
) -> Option<Vec<Value>> {
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
fn fit(value: &Value, ty: &Type, convert: bool) -> Option<Value> {
    match ty {
        Type::Optional(_) if matches!(value, Value::None) => Some(Value::None),
        Type::Optional(inner) => fit(value, inner, convert),
        Type::List(inner, size) => {
            let items = match value {
                Value::List(items) => items.borrow().clone(),
                Value::Tuple(tuple) if convert => tuple.items.clone(),
                // One number for all of a fixed size.
                one => {
                    let one = size.and_then(|_| fit(one, inner, convert))?;
                    return Some(Value::list(vec![one; size.unwrap_or(1) as usize]));
                }
            };
            // A list that is changed must stay the same one.
            let fitted: Vec<Value> =
                items.iter().map(|item| fit(item, inner, convert)).collect::<Option<_>>()?;
            match value {
                Value::List(_) if !convert => Some(value.clone()),
                _ => Some(Value::list(fitted)),
            }
        }
        Type::Tuple(types) => match value {
            Value::Tuple(tuple) if tuple.items.len() == types.len() => Some(value.clone()),
            _ => None,
        },
        Type::Applied(name, _) if name == "Dict" => {
            matches!(value, Value::Dict(_)).then(|| value.clone())
        }
        Type::Applied(..) => Some(value.clone()),
        Type::Named(name) => fit_named(value, name, convert),
    }
}

fn fit_named(value: &Value, name: &str, convert: bool) -> Option<Value> {
    let same = || Some(value.clone());
    match (name, value) {
        ("Tensor", Value::Tensor(_))
        | ("int" | "SymInt", Value::Number(Number::Int(_)))
        | ("ScalarType" | "Layout" | "MemoryFormat", Value::Number(Number::Int(_)))
        | ("float", Value::Number(Number::Float(_)))
        | ("bool", Value::Number(Number::Bool(_)))
        | ("complex", Value::Number(Number::Complex(..)))
        | ("Scalar" | "number", Value::Number(_))
        | ("str" | "Dimname", Value::Text(_))
        | ("Device", Value::Device(_))
        | ("AnyList", Value::List(_))
        | ("Generator" | "Stream" | "NoneType", Value::None) => same(),
        ("Device", Value::Text(text)) => Some(Value::Device(text.clone())),
        ("Device", Value::Number(Number::Int(_))) => Some(Value::Device("cpu".into())),
        ("float", Value::Number(number @ (Number::Int(_) | Number::Bool(_)))) if convert => {
            Some(Value::from(number.float()))
        }
        ("int" | "SymInt", Value::Number(Number::Bool(yes))) if convert => {
            Some(Value::from(i64::from(*yes)))
        }
        ("bool", Value::Number(number @ Number::Int(_))) if convert => {
            Some(Value::from(number.is_true()))
        }
        ("int" | "SymInt" | "float" | "Scalar" | "number", Value::Tensor(tensor)) if convert => {
            let number = tensor.item().ok()?;
            fit_named(&Value::Number(number), name, convert)
        }
        (class, Value::Object(object)) if *object.class == *class => same(),
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
pub(crate) fn given(positional: &[Value], named: &[(String, Value)]) -> String {
    let mut all: Vec<String> = positional.iter().map(Value::type_name).collect();
    all.extend(named.iter().map(|(name, value)| format!("{name}={}", value.type_name())));
    all.join(", ")
}
