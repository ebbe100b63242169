//! Values that hold values, and how they end.
//!
//! A program can make a chain of a million of them, each in the next. The drop of the language goes down such a chain by
//! recursion, and the stack is not that deep. So what a container holds is taken out of it and dropped in a loop.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use crate::Value;

/// The items of a list, which everyone who holds it can change.
#[derive(Debug, Default)]
pub struct List(RefCell<Vec<Value>>);

/// The pairs of a dictionary, in the order of insertion.
#[derive(Debug, Default)]
pub struct Dict(RefCell<Vec<(Value, Value)>>);

/// A tuple, with names if it is a named one.
#[derive(Debug, Default)]
pub struct Tuple {
    /// The items, in their order.
    pub items: Vec<Value>,
    /// The class, and the name of each field; none if it has no names.
    pub named: Option<(Rc<str>, Vec<Rc<str>>)>,
}

/// An object of a class of the program.
#[derive(Debug)]
pub struct Object {
    /// The qualified name of its class.
    pub class: Rc<str>,
    /// The attributes with their values.
    pub attributes: RefCell<Vec<(Rc<str>, Value)>>,
}

impl Object {
    /// The attribute of this name.
    pub fn get(&self, name: &str) -> Option<Value> {
        let attributes = self.attributes.borrow();
        attributes.iter().find(|(known, _)| &**known == name).map(|(_, value)| value.clone())
    }

    /// Sets an attribute, which may be new.
    pub fn set(&self, name: &str, value: Value) {
        let mut attributes = self.attributes.borrow_mut();
        match attributes.iter_mut().find(|(known, _)| &**known == name) {
            Some((_, old)) => *old = value,
            None => attributes.push((name.into(), value)),
        }
    }
}

impl Deref for List {
    type Target = RefCell<Vec<Value>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Deref for Dict {
    type Target = RefCell<Vec<(Value, Value)>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> Self {
        Self(RefCell::new(items))
    }
}

impl From<Vec<(Value, Value)>> for Dict {
    fn from(pairs: Vec<(Value, Value)>) -> Self {
        Self(RefCell::new(pairs))
    }
}

/// What can be emptied before it is dropped.
trait Container {
    fn empty_into(&mut self, values: &mut Vec<Value>);
}

impl Container for List {
    fn empty_into(&mut self, values: &mut Vec<Value>) {
        values.append(self.0.get_mut());
    }
}

impl Container for Dict {
    fn empty_into(&mut self, values: &mut Vec<Value>) {
        values.extend(self.0.get_mut().drain(..).flat_map(|(key, value)| [key, value]));
    }
}

impl Container for Tuple {
    fn empty_into(&mut self, values: &mut Vec<Value>) {
        values.append(&mut self.items);
    }
}

impl Container for Object {
    fn empty_into(&mut self, values: &mut Vec<Value>) {
        values.extend(self.attributes.get_mut().drain(..).map(|(_, value)| value));
    }
}

/// Drops what a container holds, and what that held alone, in a loop.
fn drop_contents(container: &mut impl Container) {
    let mut values = Vec::new();
    container.empty_into(&mut values);
    while let Some(mut value) = values.pop() {
        match &mut value {
            Value::List(list) => empty_last(list, &mut values),
            Value::Dict(dict) => empty_last(dict, &mut values),
            Value::Tuple(tuple) => empty_last(tuple, &mut values),
            Value::Object(object) => empty_last(object, &mut values),
            _ => {}
        }
    }
}

/// Empties a container that nobody else holds.
fn empty_last(shared: &mut Rc<impl Container>, values: &mut Vec<Value>) {
    if let Some(container) = Rc::get_mut(shared) {
        container.empty_into(values);
    }
}

impl Drop for List {
    fn drop(&mut self) {
        drop_contents(self);
    }
}

impl Drop for Dict {
    fn drop(&mut self) {
        drop_contents(self);
    }
}

impl Drop for Tuple {
    fn drop(&mut self) {
        drop_contents(self);
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        drop_contents(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of a million, each made of the one before.
    fn chain(next: impl Fn(Value) -> Value) {
        let mut value = Value::None;
        for _ in 0..1_000_000 {
            value = next(value);
        }
        drop(value);
    }

    #[test]
    fn a_chain_of_a_million_is_dropped_on_an_ordinary_stack() {
        chain(|value| Value::list(vec![value]));
        chain(|value| Value::tuple(vec![value.clone(), value]));
        chain(|value| Value::dict(vec![(Value::None, value)]));
        chain(|value| {
            let object = Object { class: "Node".into(), attributes: RefCell::default() };
            object.set("next", value);
            Value::Object(Rc::new(object))
        });
    }

    #[test]
    fn what_another_holds_keeps_its_items() {
        let inner = Value::list(vec![Value::from(1)]);
        drop(Value::tuple(vec![inner.clone()]));
        assert_eq!(inner.items().map(|items| items.len()), Some(1));
    }
}
