//! Values that hold values, and how they end.
//!
//! A program can make a chain of a million of them, each in the next. The drop of the language goes down such a chain by
//! recursion, and the stack is not that deep. So what a container holds is taken out of it and dropped in a loop.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use crate::ScriptValue;

/// The items of a list, which everyone who holds it can change.
#[derive(Debug, Default)]
pub struct ScriptList(RefCell<Vec<ScriptValue>>);

/// The pairs of a dictionary, in the order of insertion.
#[derive(Debug, Default)]
pub struct ScriptDict(RefCell<Vec<(ScriptValue, ScriptValue)>>);

/// A tuple, with names if it is a named one.
#[derive(Debug, Default)]
pub struct ScriptTuple {
    /// The items, in their order.
    pub items: Vec<ScriptValue>,
    /// The class, and the name of each field; none if it has no names.
    pub named: Option<(Rc<str>, Vec<Rc<str>>)>,
}

/// An object of a class of the program.
#[derive(Debug)]
pub struct ScriptObject {
    /// The qualified name of its class.
    pub class: Rc<str>,
    /// The attributes with their values.
    pub attributes: RefCell<Vec<(Rc<str>, ScriptValue)>>,
}

impl ScriptObject {
    /// The attribute of this name.
    pub fn get(&self, name: &str) -> Option<ScriptValue> {
        let attributes = self.attributes.borrow();
        attributes.iter().find(|(known, _)| &**known == name).map(|(_, value)| value.clone())
    }

    /// Sets an attribute, which may be new.
    pub fn set(&self, name: &str, value: ScriptValue) {
        let mut attributes = self.attributes.borrow_mut();
        match attributes.iter_mut().find(|(known, _)| &**known == name) {
            Some((_, old)) => *old = value,
            None => attributes.push((name.into(), value)),
        }
    }
}

impl Deref for ScriptList {
    type Target = RefCell<Vec<ScriptValue>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Deref for ScriptDict {
    type Target = RefCell<Vec<(ScriptValue, ScriptValue)>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl From<Vec<ScriptValue>> for ScriptList {
    fn from(items: Vec<ScriptValue>) -> Self {
        Self(RefCell::new(items))
    }
}

impl From<Vec<(ScriptValue, ScriptValue)>> for ScriptDict {
    fn from(pairs: Vec<(ScriptValue, ScriptValue)>) -> Self {
        Self(RefCell::new(pairs))
    }
}

/// What can be emptied before it is dropped.
trait Container {
    fn empty_into(&mut self, values: &mut Vec<ScriptValue>);
}

impl Container for ScriptList {
    fn empty_into(&mut self, values: &mut Vec<ScriptValue>) {
        values.append(self.0.get_mut());
    }
}

impl Container for ScriptDict {
    fn empty_into(&mut self, values: &mut Vec<ScriptValue>) {
        values.extend(self.0.get_mut().drain(..).flat_map(|(key, value)| [key, value]));
    }
}

impl Container for ScriptTuple {
    fn empty_into(&mut self, values: &mut Vec<ScriptValue>) {
        values.append(&mut self.items);
    }
}

impl Container for ScriptObject {
    fn empty_into(&mut self, values: &mut Vec<ScriptValue>) {
        values.extend(self.attributes.get_mut().drain(..).map(|(_, value)| value));
    }
}

/// Drops what a container holds, and what that held alone, in a loop.
fn drop_contents(container: &mut impl Container) {
    let mut values = Vec::new();
    container.empty_into(&mut values);
    while let Some(mut value) = values.pop() {
        match &mut value {
            ScriptValue::List(list) => empty_last(list, &mut values),
            ScriptValue::Dict(dict) => empty_last(dict, &mut values),
            ScriptValue::Tuple(tuple) => empty_last(tuple, &mut values),
            ScriptValue::Object(object) => empty_last(object, &mut values),
            _ => {}
        }
    }
}

/// Empties a container that nobody else holds.
fn empty_last(shared: &mut Rc<impl Container>, values: &mut Vec<ScriptValue>) {
    if let Some(container) = Rc::get_mut(shared) {
        container.empty_into(values);
    }
}

impl Drop for ScriptList {
    fn drop(&mut self) {
        drop_contents(self);
    }
}

impl Drop for ScriptDict {
    fn drop(&mut self) {
        drop_contents(self);
    }
}

impl Drop for ScriptTuple {
    fn drop(&mut self) {
        drop_contents(self);
    }
}

impl Drop for ScriptObject {
    fn drop(&mut self) {
        drop_contents(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of a million, each made of the one before.
    fn chain(next: impl Fn(ScriptValue) -> ScriptValue) {
        let mut value = ScriptValue::None;
        for _ in 0..1_000_000 {
            value = next(value);
        }
        drop(value);
    }

    #[test]
    fn a_chain_of_a_million_is_dropped_on_an_ordinary_stack() {
        chain(|value| ScriptValue::list(vec![value]));
        chain(|value| ScriptValue::tuple(vec![value.clone(), value]));
        chain(|value| ScriptValue::dict(vec![(ScriptValue::None, value)]));
        chain(|value| {
            let object = ScriptObject { class: "Node".into(), attributes: RefCell::default() };
            object.set("next", value);
            ScriptValue::Object(Rc::new(object))
        });
    }

    #[test]
    fn what_another_holds_keeps_its_items() {
        let inner = ScriptValue::list(vec![ScriptValue::from(1)]);
        drop(ScriptValue::tuple(vec![inner.clone()]));
        assert_eq!(inner.items().map(|items| items.len()), Some(1));
    }
}
