//! The place where a node is adapted: what is known there, and new nodes before and behind it.

use std::collections::HashSet;

use super::names::ValueReads;
use super::node_draft::{AttributeValue, NodeDraft, floats, ints};
use super::scope::{Constant, Scope, TensorNumbers};
use crate::{Dim, OnnxElementType, ValueType};

#[derive(Default)]
pub(super) struct FreshNames {
    pub(super) used: HashSet<String>,
    pub(super) next: usize,
}

impl FreshNames {
    pub(super) fn fresh(&mut self, hint: &str) -> String {
        loop {
            self.next += 1;
            let name = format!("{hint}_unskew_{}", self.next);
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// What an adapter sees.
pub(super) struct AdapterContext<'a, 's> {
    pub(super) scope: &'a Scope<'s>,
    pub(super) names: &'a mut FreshNames,
    reads: &'a ValueReads<'a>,
    pub(super) up: bool,
    /// New nodes before the node, with the opset under which each is written.
    pub(super) before: Vec<(i64, NodeDraft)>,
    /// New nodes behind it.
    pub(super) after: Vec<(i64, NodeDraft)>,
}

impl<'a, 's> AdapterContext<'a, 's> {
    /// The place of a node, without new ones around it.
    pub(super) fn new(
        scope: &'a Scope<'s>,
        names: &'a mut FreshNames,
        reads: &'a ValueReads<'a>,
        up: bool,
    ) -> Self {
        Self { scope, names, reads, up, before: Vec::new(), after: Vec::new() }
    }

    pub(super) fn is_read(&self, name: &str) -> bool {
        self.reads.has(name)
    }

    pub(super) fn fresh(&mut self, hint: &str) -> String {
        self.names.fresh(hint)
    }

    /// A new constant, by its name.
    pub(super) fn constant(&mut self, hint: &str, value: AttributeValue) -> String {
        let name = self.fresh(hint);
        self.before.push((13, NodeDraft::new("Constant", &[], &[&name]).with("value", value)));
        name
    }

    pub(super) fn ints(&mut self, hint: &str, all: &[i64]) -> String {
        self.constant(hint, ints(all))
    }

    pub(super) fn floats(&mut self, hint: &str, all: &[f32]) -> String {
        self.constant(hint, floats(all))
    }

    /// A number of the type of another value.
    pub(super) fn number(&mut self, number: f64, like: &str) -> Result<String, String> {
        let Some(element) = self.scope.element(like) else {
            return Err(format!("the type of {like} is not known"));
        };
        let (name, more) = number_of(number, element, self.names);
        self.before.extend(more.into_iter().map(|work| (13, work)));
        Ok(name)
    }

    /// The whole numbers that an input always is.
    pub(super) fn known_ints(&self, work: &NodeDraft, at: usize) -> Result<Vec<i64>, String> {
        let name = work.input(at).unwrap_or_default();
        let known = self.scope.constant(name).and_then(Constant::ints);
        known.ok_or_else(|| {
            format!("`{name}` is computed, and the older form wants it written down")
        })
    }

    /// The numbers that an input always is.
    pub(super) fn known_floats(&self, work: &NodeDraft, at: usize) -> Result<Vec<f32>, String> {
        let name = work.input(at).unwrap_or_default();
        let known = self.scope.constant(name).and_then(|constant| match &constant.numbers {
            TensorNumbers::Floats(all) => {
                Some(all.iter().map(|one| *one as f32).collect::<Vec<_>>()).filter(|short| {
                    short
                        .iter()
                        .zip(all)
                        .all(|(short, long)| f64::from(*short) == *long || long.is_nan())
                })
            }
            TensorNumbers::Ints(all) => Some(all.iter().map(|one| *one as f32).collect::<Vec<_>>())
                .filter(|short| short.iter().zip(all).all(|(short, long)| *short as i64 == *long)),
        });
        known.ok_or_else(|| {
            format!("`{name}` is computed, and the older form wants it written down")
        })
    }

    pub(super) fn rank(&self, work: &NodeDraft, at: usize) -> Result<i64, String> {
        let name = work.input(at).unwrap_or_default();
        self.scope
            .rank(name)
            .ok_or_else(|| format!("the number of dimensions of `{name}` is not known"))
    }

    pub(super) fn size(&self, name: &str, axis: i64) -> Option<i64> {
        let dims = self.scope.dims(name)?;
        let axis = if axis < 0 { axis + dims.len() as i64 } else { axis };
        match dims.get(usize::try_from(axis).ok()?)? {
            Dim::Size(size) => Some(*size),
            _ => None,
        }
    }

    pub(super) fn element(&self, work: &NodeDraft, at: usize) -> Option<OnnxElementType> {
        self.scope.element(work.input(at)?)
    }
}

pub(super) fn number_of(
    number: f64,
    element: OnnxElementType,
    names: &mut FreshNames,
) -> (String, Vec<NodeDraft>) {
    let name = names.fresh("number");
    let constant = |name: &str, element: OnnxElementType, bytes: Vec<u8>| {
        NodeDraft::new("Constant", &[], &[name])
            .with("value", AttributeValue::Tensor(element, Vec::new(), bytes))
    };
    match element.0 {
        1 => (name.clone(), vec![constant(&name, element, (number as f32).to_le_bytes().to_vec())]),
        11 => (name.clone(), vec![constant(&name, element, number.to_le_bytes().to_vec())]),
        7 => (name.clone(), vec![constant(&name, element, (number as i64).to_le_bytes().to_vec())]),
        other => {
            let wide = names.fresh("number");
            let first = constant(&wide, OnnxElementType(1), (number as f32).to_le_bytes().to_vec());
            let cast = NodeDraft::new("Cast", &[&wide], &[&name])
                .with("to", AttributeValue::Int(i64::from(other)));
            (name, vec![first, cast])
        }
    }
}

/// Whether a type is one of fractions; none if it is no tensor.
pub(super) fn is_float(kind: &ValueType) -> Option<bool> {
    match kind {
        ValueType::Tensor(element) => Some(matches!(element.0, 1 | 10 | 11 | 16)),
        _ => None,
    }
}
