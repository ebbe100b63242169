//! What a graph restores from a checkpoint: its `RestoreV2` nodes, with the names that they are given.
//!
//! The names stand in constants, whose values no other part of a check looks at; so this is a walk of its own,
//! over the nodes of the graph and of each function apart, for graphs that have such nodes.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use unskew_source::wire::{Field, Message};
use unskew_source::{ReadError, Source};

use super::Kind;
use super::kept::Kept;
use super::values::attr_value;
use crate::{AttrValue, DataType, Shape};

/// A tensor that a graph takes from a checkpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// Its name in the checkpoint.
    pub name: Box<str>,
    /// The element type that the graph wants, if it says so.
    pub dtype: Option<DataType>,
    /// The shape of the variable that gets it, if that is known.
    pub shape: Option<Shape>,
    /// Whether only a slice of it is taken.
    pub sliced: bool,
    /// Among the graphs of the file, the one that takes it.
    pub graph: usize,
    /// The function in whose body the node stands, if it is one.
    pub function: Option<Box<str>>,
    /// The name of the node.
    pub node: Box<str>,
}

/// The most tensors that are looked at.
const TENSORS: usize = 1 << 20;

/// Ops that take tensors from a checkpoint.
const RESTORES: [&str; 3] = ["RestoreV2", "Restore", "RestoreSlice"];

/// Ops through which a tensor goes unchanged.
const PASSES: [&str; 2] = ["Identity", "IdentityN"];

/// Ops that write a value to a variable: the variable is their first input, the value the second.
const ASSIGNS: [&str; 2] = ["Assign", "AssignVariableOp"];

const VARIABLES: [&str; 3] = ["VariableV2", "Variable", "VarHandleOp"];

/// Whether an op takes tensors from a checkpoint.
pub(crate) fn is_restore(op: &str) -> bool {
    RESTORES.contains(&op)
}

/// Everything that the graphs in `source` restore, but for the bodies that do not count: `counts` is asked with the
/// number of a graph and the name of a function, which is empty for the graph itself.
///
/// # Errors
/// If the source is no such message.
pub fn restored(
    source: &dyn Source,
    kind: Kind,
    counts: &dyn Fn(usize, &str) -> bool,
) -> Result<Vec<Restored>, ReadError> {
    let mut found =
        RestoredTensors { tensors: Vec::new(), kept: Kept::default(), graphs: 0, counts };
    let mut message = Message::whole(source);
    match kind {
        Kind::Graph => found.graph(&mut message)?,
        Kind::MetaGraph => found.within(&mut message, 2, RestoredTensors::graph)?,
        Kind::SavedModel => found
            .within(&mut message, 2, |found, meta| found.within(meta, 2, RestoredTensors::graph))?,
        Kind::Table | Kind::OpList => {}
    }
    Ok(found.tensors)
}

/// Whether nodes of this op say what is restored, or whereto.
fn is_wanted(op: &[u8]) -> bool {
    let wanted = [&RESTORES[..], &PASSES, &ASSIGNS, &VARIABLES, &["Const"]];
    wanted.iter().any(|ops| ops.iter().any(|one| one.as_bytes() == op))
}

/// What is kept of a node.
#[derive(Default)]
struct Light {
    op: Box<str>,
    inputs: Vec<Box<str>>,
    attrs: Vec<(Arc<str>, AttrValue)>,
    /// The texts of a constant.
    texts: Vec<Box<str>>,
}

impl Light {
    fn attr(&self, name: &str) -> Option<&AttrValue> {
        self.attrs.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }
}

struct RestoredTensors<'c> {
    tensors: Vec<Restored>,
    /// How many graphs were read before.
    graphs: usize,
    kept: Kept,
    counts: &'c dyn Fn(usize, &str) -> bool,
}

type Nodes = HashMap<Box<str>, Light>;

impl RestoredTensors<'_> {
    /// Reads every message in the field `number`.
    fn within(
        &mut self,
        message: &mut Message<'_>,
        number: u32,
        mut read: impl FnMut(&mut Self, &mut Message<'_>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        while let Some(field) = message.next()? {
            if field.number == number && field.span().is_some() {
                message.enter(&field, |inner| read(self, inner))?;
            }
        }
        Ok(())
    }

    fn graph(&mut self, message: &mut Message<'_>) -> Result<(), ReadError> {
        let mut nodes = Nodes::new();
        let counts = (self.counts)(self.graphs, "");
        while let Some(field) = message.next()? {
            match field.number {
                1 if counts => message.enter(&field, |node| self.node(node, &mut nodes))?,
                2 => message.enter(&field, |library| self.within(library, 1, Self::function))?,
                _ => {}
            }
        }
        self.collect(&nodes, None);
        self.graphs += 1;
        Ok(())
    }

    fn function(&mut self, message: &mut Message<'_>) -> Result<(), ReadError> {
        let (mut nodes, mut name) = (Nodes::new(), Box::default());
        while let Some(field) = message.next()? {
            match field.number {
                1 => message.enter(&field, |signature| {
                    while let Some(field) = signature.next()? {
                        if field.number == 1 {
                            name = self.kept.text(signature, &field)?;
                        }
                    }
                    Ok(())
                })?,
                // The signature stands in front of the nodes.
                3 if !name.is_empty() && !(self.counts)(self.graphs, &name) => return Ok(()),
                3 => message.enter(&field, |node| self.node(node, &mut nodes))?,
                _ => {}
            }
        }
        self.collect(&nodes, Some(&name));
        Ok(())
    }

    fn node(&mut self, message: &mut Message<'_>, nodes: &mut Nodes) -> Result<(), ReadError> {
        let (mut name, mut light) = (None, Light::default());
        while let Some(field) = message.next()? {
            match field.number {
                1 => name = Some(field),
                // Of most nodes nothing is wanted, so nothing is kept of them.
                2 if message.ahead(&field).is_some_and(|op| !is_wanted(op)) => return Ok(()),
                2 => {
                    light.op = self.kept.text(message, &field)?;
                    if !is_wanted(light.op.as_bytes()) {
                        return Ok(());
                    }
                }
                3 => light.inputs.push(self.kept.text(message, &field)?),
                5 => message.enter(&field, |entry| self.attr(entry, &mut light))?,
                _ => {}
            }
        }
        if &*light.op != "Const" || !light.texts.is_empty() {
            let name = name.map(|field| self.kept.text(message, &field)).transpose()?;
            nodes.insert(name.unwrap_or_default(), light);
        }
        Ok(())
    }

    /// An attribute, of which the element types, the shape of a variable and the texts of a constant are kept.
    fn attr(&mut self, message: &mut Message<'_>, light: &mut Light) -> Result<(), ReadError> {
        let mut name: Arc<str> = Arc::default();
        while let Some(field) = message.next()? {
            match (field.number, &*name) {
                (1, _) => name = self.kept.name(message, &field)?,
                (2, "value") => message.enter(&field, |value| {
                    self.within(value, 8, |found, tensor| found.texts(tensor, light))
                })?,
                (2, "dtypes" | "dt" | "dtype" | "shape") => {
                    let value = message.enter(&field, |value| attr_value(value, &mut self.kept))?;
                    light.attrs.push((name.clone(), value));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The texts of a `TensorProto`.
    fn texts(&mut self, message: &mut Message<'_>, light: &mut Light) -> Result<(), ReadError> {
        while let Some(field) = message.next()? {
            match (field.number, field.varint()) {
                (1, Some(dtype)) if dtype != 7 => return Ok(()),
                (8, None) if light.texts.len() < TENSORS => {
                    let text = self.text(message, &field)?;
                    light.texts.push(text);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A text; bytes that are none stand for no name.
    fn text(&mut self, message: &mut Message<'_>, field: &Field) -> Result<Box<str>, ReadError> {
        let bytes = message.bytes(field)?;
        self.kept.count(message, bytes.len())?;
        Ok(String::from_utf8(bytes).unwrap_or_default().into())
    }

    /// What the nodes of one graph or body restore.
    fn collect(&mut self, nodes: &Nodes, function: Option<&str>) {
        let shapes = shapes(nodes);
        let mut restores: Vec<_> = nodes.iter().filter(|(_, node)| is_restore(&node.op)).collect();
        restores.sort_by_key(|(name, _)| *name);
        for (name, node) in restores {
            let texts = |input: usize| {
                let source = node.inputs.get(input).map(|input| place(input).0);
                source.and_then(|source| nodes.get(source)).map_or(&[][..], |node| &node.texts)
            };
            let names = texts(1);
            let slices = if &*node.op == "Restore" { &[][..] } else { texts(2) };
            for (i, tensor) in names.iter().enumerate().filter(|(_, tensor)| !tensor.is_empty()) {
                if self.tensors.len() >= TENSORS {
                    return;
                }
                let dtype = match (node.attr("dtypes"), node.attr("dt")) {
                    (Some(AttrValue::List(types)), _) => types.get(i),
                    (_, single) => single,
                };
                let dtype = match dtype {
                    Some(AttrValue::Type(dtype)) => Some(*dtype),
                    _ => None,
                };
                self.tensors.push(Restored {
                    name: tensor.clone(),
                    dtype,
                    shape: shapes.get(&(&**name, i)).cloned(),
                    sliced: slices.get(i).is_some_and(|slice| !slice.is_empty()),
                    graph: self.graphs,
                    function: function.map(Into::into),
                    node: name.clone(),
                });
            }
        }
    }
}

/// The shapes of the variables that the outputs of restoring nodes are written to.
fn shapes(nodes: &Nodes) -> HashMap<(&str, usize), Shape> {
    let mut found = HashMap::new();
    for node in nodes.values().filter(|node| ASSIGNS.contains(&&*node.op)) {
        let variable = node.inputs.first().and_then(|input| nodes.get(place(input).0));
        let shape = variable.filter(|node| VARIABLES.contains(&&*node.op));
        let Some(AttrValue::Shape(shape)) = shape.and_then(|node| node.attr("shape")) else {
            continue;
        };
        let Some(mut value) = node.inputs.get(1).map(|input| place(input)) else { continue };
        // A chain of nodes that pass a tensor on has an end, unless the graph is broken.
        for _ in 0..8 {
            match nodes.get(value.0) {
                Some(node) if is_restore(&node.op) => {
                    found.insert(value, shape.clone());
                    break;
                }
                Some(node) if PASSES.contains(&&*node.op) => {
                    let Some(next) = node.inputs.get(value.1) else { break };
                    value = place(next);
                }
                _ => break,
            }
        }
    }
    found
}

/// The node of an input and the number of its output: `save/RestoreV2:3`, in functions `RestoreV2:tensors:3`.
fn place(input: &str) -> (&str, usize) {
    let input = input.strip_prefix('^').unwrap_or(input);
    let name = input.split_once(':').map_or(input, |(name, _)| name);
    let output = input.rsplit_once(':').and_then(|(_, number)| number.parse().ok());
    (name, output.unwrap_or(0))
}
