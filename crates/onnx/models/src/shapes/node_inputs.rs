//! A node with what is known of its inputs.

use super::conflict::ShapeConflict;
use crate::infer::attribute;
use crate::{Dim, OnnxAttribute, OnnxNode};

/// What is known of a value: its dimensions, and its elements if they are few whole numbers. Elements that come from a
/// shape may be names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ValueFacts {
    pub(crate) dims: Option<Vec<Dim>>,
    pub(crate) data: Option<Vec<Dim>>,
}

impl ValueFacts {
    pub(crate) fn from_dims(dims: impl Into<Vec<Dim>>) -> Self {
        Self { dims: Some(dims.into()), data: None }
    }

    /// Whole numbers in a row, or one alone.
    pub(super) fn numbers(data: Vec<Dim>, alone: bool) -> Self {
        let dims = if alone { Vec::new() } else { vec![Dim::Size(data.len() as i64)] };
        Self { dims: Some(dims), data: Some(data) }
    }
}

/// A node, the opset under which it stands, and its inputs.
pub(crate) struct NodeInputs<'a> {
    pub(crate) node: &'a OnnxNode,
    pub(crate) opset: i64,
    pub(crate) inputs: Vec<ValueFacts>,
}

impl NodeInputs<'_> {
    pub(super) fn has(&self, at: usize) -> bool {
        self.node.inputs.get(at).is_some_and(|name| !name.is_empty())
    }

    pub(super) fn dims(&self, at: usize) -> Option<&[Dim]> {
        self.inputs.get(at)?.dims.as_deref()
    }

    /// The elements of an input, if all are known.
    pub(super) fn values(&self, at: usize) -> Option<Vec<i64>> {
        let data = self.inputs.get(at)?.data.as_deref()?;
        data.iter().map(super::conflict::size).collect()
    }

    pub(super) fn data(&self, at: usize) -> Option<&[Dim]> {
        self.inputs.get(at)?.data.as_deref()
    }

    pub(super) fn int(&self, name: &str) -> Option<i64> {
        match attribute(self.node, name)? {
            OnnxAttribute::Int(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn says(&self, name: &str) -> bool {
        attribute(self.node, name).is_some()
    }

    pub(super) fn ints(&self, name: &str) -> Option<&[i64]> {
        match attribute(self.node, name)? {
            OnnxAttribute::Ints(all) => Some(all),
            _ => None,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match attribute(self.node, name)? {
            OnnxAttribute::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whole numbers that stand in an attribute, or since some opset in an input. The outer is none where they are not
    /// known, the inner where they are left out.
    pub(super) fn either(&self, name: &str, at: usize) -> Option<Option<Vec<i64>>> {
        if self.has(at) {
            return self.values(at).map(Some);
        }
        match attribute(self.node, name) {
            None => Some(None),
            Some(OnnxAttribute::Ints(all)) => Some(Some(all.clone())),
            Some(_) => None,
        }
    }
}

/// The place of an axis that may be counted from the end.
pub(super) fn place(axis: i64, rank: usize) -> Option<usize> {
    let axis = if axis < 0 { axis.checked_add(rank as i64)? } else { axis };
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

/// The same, where an axis that is not there ends the model when it is loaded.
pub(super) fn axis(axis: i64, rank: usize) -> Result<usize, ShapeConflict> {
    let wrong = || ShapeConflict::at_load(format!("axis {axis} of {rank} dimensions"));
    place(axis, rank).ok_or_else(wrong)
}
