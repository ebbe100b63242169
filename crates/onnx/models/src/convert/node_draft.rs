//! A node while it is converted, and how it is written.

use std::ops::Range;

use unskew_source::Rope;

use crate::{OnnxAttribute, OnnxElementType};

/// A node: one of the model, changed or not, or a new one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NodeDraft {
    pub(super) op: String,
    pub(super) domain: String,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    pub(super) attributes: Vec<(String, AttributeValue)>,
    /// Fields of the original that stay: name, documentation and what else is not looked at.
    pub(super) kept: Vec<Range<u64>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum AttributeValue {
    /// One of the model: what was read, and the whole field in the file.
    Read(OnnxAttribute, Range<u64>),
    Int(i64),
    Float(f32),
    Text(String),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    /// The bytes of a tensor as they are stored.
    Tensor(OnnxElementType, Vec<i64>, Vec<u8>),
}

impl NodeDraft {
    pub(super) fn new(op: &str, inputs: &[&str], outputs: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            op: op.to_owned(),
            inputs: owned(inputs),
            outputs: owned(outputs),
            ..Self::default()
        }
    }

    /// The same with one more attribute.
    pub(super) fn with(mut self, name: &str, value: AttributeValue) -> Self {
        self.set(name, value);
        self
    }

    pub(super) fn set(&mut self, name: &str, value: AttributeValue) {
        self.remove(name);
        self.attributes.push((name.to_owned(), value));
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<AttributeValue> {
        let at = self.attributes.iter().position(|(one, _)| one == name)?;
        Some(self.attributes.remove(at).1)
    }

    pub(super) fn get(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.iter().find(|(one, _)| one == name).map(|(_, value)| value)
    }

    pub(super) fn int(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            AttributeValue::Int(number) | AttributeValue::Read(OnnxAttribute::Int(number), _) => {
                Some(*number)
            }
            _ => None,
        }
    }

    pub(super) fn float(&self, name: &str) -> Option<f32> {
        match self.get(name)? {
            AttributeValue::Float(number)
            | AttributeValue::Read(OnnxAttribute::Float(number), _) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn ints(&self, name: &str) -> Option<Vec<i64>> {
        match self.get(name)? {
            AttributeValue::Ints(all) | AttributeValue::Read(OnnxAttribute::Ints(all), _) => {
                Some(all.clone())
            }
            _ => None,
        }
    }

    pub(super) fn floats(&self, name: &str) -> Option<Vec<f32>> {
        match self.get(name)? {
            AttributeValue::Floats(all) | AttributeValue::Read(OnnxAttribute::Floats(all), _) => {
                Some(all.clone())
            }
            _ => None,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            AttributeValue::Text(text) => Some(text),
            AttributeValue::Read(OnnxAttribute::Text(text), _) => Some(text),
            _ => None,
        }
    }

    /// The input at a place; none if it is left out.
    pub(super) fn input(&self, at: usize) -> Option<&str> {
        self.inputs.get(at).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Puts a value at the place of an input.
    pub(super) fn put(&mut self, at: usize, name: &str) {
        if self.inputs.len() <= at {
            self.inputs.resize(at + 1, String::new());
        }
        if let Some(slot) = self.inputs.get_mut(at) {
            name.clone_into(slot);
        }
    }

    /// Drops inputs that are left out at the end.
    pub(super) fn trim(&mut self) {
        while self.inputs.last().is_some_and(String::is_empty) {
            self.inputs.pop();
        }
    }

    /// The node as type inference reads it.
    pub(super) fn node(&self) -> crate::OnnxNode {
        let names =
            |all: &[String]| all.iter().map(|one| one.as_str().into()).collect::<Vec<Box<str>>>();
        let attribute =
            |(name, value): &(String, AttributeValue)| (name.as_str().into(), value.attribute());
        crate::OnnxNode {
            op: self.op.as_str().into(),
            domain: self.domain.as_str().into(),
            inputs: names(&self.inputs),
            outputs: names(&self.outputs),
            attributes: self.attributes.iter().map(attribute).collect(),
            ..crate::OnnxNode::default()
        }
    }

    /// The message of the node. `replaced`: attributes with graphs that were converted, by their field.
    pub(super) fn write(self, replaced: &mut dyn FnMut(&Range<u64>) -> Option<Rope>) -> Rope {
        let mut rope = Rope::default();
        self.inputs.iter().for_each(|name| rope.text(1, name));
        self.outputs.iter().for_each(|name| rope.text(2, name));
        rope.text(4, &self.op);
        for (name, value) in self.attributes {
            match value {
                AttributeValue::Read(_, field) => match replaced(&field) {
                    Some(other) => rope.append(other),
                    None => rope.copy(field),
                },
                new => rope.message(5, new.write(&name)),
            }
        }
        if !self.domain.is_empty() {
            rope.text(7, &self.domain);
        }
        self.kept.into_iter().for_each(|range| rope.copy(range));
        rope
    }
}

impl AttributeValue {
    fn attribute(&self) -> OnnxAttribute {
        match self {
            Self::Read(value, _) => value.clone(),
            Self::Int(number) => OnnxAttribute::Int(*number),
            Self::Float(number) => OnnxAttribute::Float(*number),
            Self::Text(text) => OnnxAttribute::Text(text.as_str().into()),
            Self::Ints(all) => OnnxAttribute::Ints(all.clone()),
            Self::Floats(all) => OnnxAttribute::Floats(all.clone()),
            Self::Tensor(element, dims, _) => OnnxAttribute::Tensor(crate::OnnxTensor {
                element: *element,
                dims: dims.clone(),
                ..crate::OnnxTensor::default()
            }),
        }
    }

    /// An `AttributeProto`.
    fn write(self, name: &str) -> Rope {
        let mut rope = Rope::default();
        rope.text(1, name);
        let kind = match self {
            Self::Int(number) => {
                rope.number(3, number as u64);
                2
            }
            Self::Float(number) => {
                rope.fixed32(2, number.to_bits());
                1
            }
            Self::Text(text) => {
                rope.text(4, &text);
                3
            }
            Self::Ints(all) => {
                all.iter().for_each(|number| rope.number(8, *number as u64));
                7
            }
            Self::Floats(all) => {
                all.iter().for_each(|number| rope.fixed32(7, number.to_bits()));
                6
            }
            Self::Tensor(element, dims, bytes) => {
                let mut tensor = Rope::default();
                dims.iter().for_each(|size| tensor.number(1, *size as u64));
                tensor.number(2, element.0 as u64);
                let mut raw = Rope::default();
                raw.bytes(&bytes);
                tensor.message(9, raw);
                rope.message(5, tensor);
                4
            }
            Self::Read(_, range) => {
                rope.copy(range);
                0
            }
        };
        rope.number(20, kind);
        rope
    }
}

/// A tensor of whole numbers in one dimension.
pub(super) fn ints(all: &[i64]) -> AttributeValue {
    let bytes = all.iter().flat_map(|number| number.to_le_bytes()).collect();
    AttributeValue::Tensor(OnnxElementType(7), vec![all.len() as i64], bytes)
}

/// A tensor of floats in one dimension.
pub(super) fn floats(all: &[f32]) -> AttributeValue {
    let bytes = all.iter().flat_map(|number| number.to_le_bytes()).collect();
    AttributeValue::Tensor(OnnxElementType(1), vec![all.len() as i64], bytes)
}
