//! Values of a program.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use crate::container::{ScriptDict, ScriptList, ScriptObject, ScriptTuple};
use crate::{ScalarValue, Tensor};

/// A value of a program. A clone of a list, a dictionary, an object or a tensor is the same one.
#[derive(Clone, Debug, Default)]
pub enum ScriptValue {
    /// The `None` of Python.
    #[default]
    None,
    /// A number, or true or false.
    Number(ScalarValue),
    /// A str of Python.
    Text(Rc<str>),
    /// A tensor, shared by all that hold it.
    Tensor(Tensor),
    /// A list, which everyone who holds it can change.
    List(Rc<ScriptList>),
    /// A tuple, with the names of its fields if it is a named one.
    Tuple(Rc<ScriptTuple>),
    /// A dictionary, in the order of insertion.
    Dict(Rc<ScriptDict>),
    /// An object of a class of the program, such as a module.
    Object(Rc<ScriptObject>),
    /// The name of a device: `cpu`.
    Device(Rc<str>),
    /// A function or a class of the program, by its qualified name.
    Callable(Rc<str>),
}

impl ScriptValue {
    /// A list of these values.
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(items.into()))
    }

    /// A dictionary of these pairs.
    pub fn dict(pairs: Vec<(Self, Self)>) -> Self {
        Self::Dict(Rc::new(pairs.into()))
    }

    /// A tuple of these values.
    pub fn tuple(items: Vec<Self>) -> Self {
        Self::Tuple(Rc::new(ScriptTuple { items, named: None }))
    }

    /// A list of integers.
    pub fn ints(numbers: impl IntoIterator<Item = i64>) -> Self {
        Self::list(numbers.into_iter().map(Self::from).collect())
    }

    /// The items of a list or a tuple.
    pub fn items(&self) -> Option<Vec<Self>> {
        match self {
            Self::List(list) => Some(list.borrow().clone()),
            Self::Tuple(tuple) => Some(tuple.items.clone()),
            _ => None,
        }
    }

    /// The tensor, if it is one.
    pub fn tensor(&self) -> Option<&Tensor> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<ScalarValue> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Every tensor in it, in order: a tuple or a list gives those of its items.
    pub fn tensors(&self) -> Vec<Tensor> {
        let mut found = Vec::new();
        self.collect(&mut found, 0);
        found
    }

    fn collect(&self, found: &mut Vec<Tensor>, depth: usize) {
        // A list may hold itself.
        if depth > 50 {
            return;
        }
        match self {
            Self::Tensor(tensor) => found.push(tensor.clone()),
            Self::List(items) => items.borrow().iter().for_each(|v| v.collect(found, depth + 1)),
            Self::Tuple(tuple) => tuple.items.iter().for_each(|v| v.collect(found, depth + 1)),
            Self::Dict(items) => {
                items.borrow().iter().for_each(|(_, v)| v.collect(found, depth + 1));
            }
            _ => {}
        }
    }

    /// The name of its type, for messages.
    pub fn type_name(&self) -> String {
        match self {
            Self::None => "None".into(),
            Self::Number(ScalarValue::Bool(_)) => "bool".into(),
            Self::Number(ScalarValue::Int(_)) => "int".into(),
            Self::Number(ScalarValue::Float(_)) => "float".into(),
            Self::Number(ScalarValue::Complex(..)) => "complex".into(),
            Self::Text(_) => "str".into(),
            Self::Tensor(_) => "Tensor".into(),
            Self::List(items) => match items.borrow().first() {
                Some(Self::List(_)) => "list[]".into(),
                Some(first) => format!("{}[]", first.type_name()),
                None => "list".into(),
            },
            Self::Tuple(tuple) => match &tuple.named {
                Some((class, _)) => class.to_string(),
                None => "tuple".into(),
            },
            Self::Dict(_) => "Dict".into(),
            Self::Object(object) => object.class.to_string(),
            Self::Device(_) => "Device".into(),
            Self::Callable(_) => "function".into(),
        }
    }
}

impl From<ScalarValue> for ScriptValue {
    fn from(number: ScalarValue) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for ScriptValue {
    fn from(number: i64) -> Self {
        Self::Number(ScalarValue::Int(number))
    }
}

impl From<f64> for ScriptValue {
    fn from(number: f64) -> Self {
        Self::Number(ScalarValue::Float(number))
    }
}

impl From<bool> for ScriptValue {
    fn from(yes: bool) -> Self {
        Self::Number(ScalarValue::Bool(yes))
    }
}

impl From<&str> for ScriptValue {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Tensor> for ScriptValue {
    fn from(tensor: Tensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl fmt::Display for ScriptValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, self, false, (0, &Cell::new(MOST_SHOWN)))
    }
}

/// How many items are shown: a list may hold another many times over, which holds another many times over.
const MOST_SHOWN: usize = 100_000;

/// As Python shows it; texts in quotes where they are items.
fn show(
    f: &mut fmt::Formatter<'_>,
    value: &ScriptValue,
    quoted: bool,
    (depth, left): (usize, &Cell<usize>),
) -> fmt::Result {
    if depth > 20 || left.get() == 0 {
        return f.write_str("...");
    }
    left.set(left.get() - 1);
    let inner = (depth + 1, left);
    match value {
        ScriptValue::None => f.write_str("None"),
        ScriptValue::Number(number) => write!(f, "{number}"),
        ScriptValue::Text(text) if quoted => write!(f, "'{text}'"),
        ScriptValue::Text(text) | ScriptValue::Device(text) | ScriptValue::Callable(text) => {
            f.write_str(text)
        }
        ScriptValue::Tensor(tensor) => write!(f, "{}", tensor.to_array()),
        ScriptValue::List(items) => {
            f.write_str("[")?;
            commas(f, &items.borrow(), inner)?;
            f.write_str("]")
        }
        ScriptValue::Tuple(tuple) => {
            f.write_str("(")?;
            commas(f, &tuple.items, inner)?;
            f.write_str(if tuple.items.len() == 1 { ",)" } else { ")" })
        }
        ScriptValue::Dict(items) => {
            f.write_str("{")?;
            for (i, (key, value)) in items.borrow().iter().enumerate() {
                f.write_str(if i == 0 { "" } else { ", " })?;
                show(f, key, true, inner)?;
                f.write_str(": ")?;
                show(f, value, true, inner)?;
            }
            f.write_str("}")
        }
        ScriptValue::Object(object) => write!(f, "<{}>", object.class),
    }
}

fn commas(
    f: &mut fmt::Formatter<'_>,
    items: &[ScriptValue],
    inner: (usize, &Cell<usize>),
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if inner.1.get() == 0 {
            return f.write_str("...");
        }
        f.write_str(if i == 0 { "" } else { ", " })?;
        show(f, item, true, inner)?;
    }
    Ok(())
}
