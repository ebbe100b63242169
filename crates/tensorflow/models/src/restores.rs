//! What graphs restore from a checkpoint: their `RestoreV2` nodes, with the names that they are given.
//!
//! The names stand in constants, whose values no other part of a check looks at. So the graphs say which constants are
//! wanted, and those alone are read from the file once more.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt as _};

use crate::body::Body;
use crate::read::{ConstantPlace, ConstantTexts};
use crate::{AttrValue, DataType, GraphUse, Node, Shape};

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

/// How far a tensor is followed from node to node. A chain has an end, unless the graph is broken.
const CHAIN: usize = 8;

fn is_restore(node: &Node) -> bool {
    RESTORES.contains(&&*node.op)
}

/// A node that takes tensors, and where the constants stand that name them.
struct Taking<'g> {
    node: &'g Node,
    names: Option<ConstantPlace>,
    slices: Option<ConstantPlace>,
    /// The shapes of the variables that its outputs are written to, by the number of the output.
    shapes: HashMap<usize, &'g Shape>,
}

/// What graphs take from a checkpoint, before the constants are read that name it.
pub(crate) struct Restores<'g>(Vec<Taking<'g>>);

impl<'g> Restores<'g> {
    /// What the nodes of `graphs` take that their savers run.
    pub(crate) fn of(graphs: &'g [GraphUse]) -> Self {
        let mut all = Vec::new();
        for (at, one) in graphs.iter().enumerate() {
            let graph = &*one.graph;
            for (i, function) in graph.functions.iter().enumerate() {
                let runs = one.restoring.runs(Some(&function.signature.name), "");
                if runs && function.nodes.iter().any(is_restore) {
                    all.extend(taking(&Body::of_function(function), (at, Some(i)), |_| true));
                }
            }
            if graph.nodes.iter().any(is_restore) {
                let runs = |node: &Node| one.restoring.runs(None, &node.name);
                all.extend(taking(&Body::of_graph(graph), (at, None), runs));
            }
        }
        Self(all)
    }

    /// The constants whose texts are wanted.
    pub(crate) fn constants(&self) -> ConstantTexts {
        let places = self.0.iter().flat_map(|taking| taking.names.into_iter().chain(taking.slices));
        places.map(|place| (place, Vec::new())).collect()
    }

    /// The tensors that are taken, with the texts of the constants that name them.
    pub(crate) fn named(self, texts: &ConstantTexts) -> Vec<Restored> {
        let of = |place: Option<ConstantPlace>| {
            place.and_then(|place| texts.get(&place)).map_or(&[][..], Vec::as_slice)
        };
        let mut all = Vec::new();
        for taking in self.0 {
            let (names, slices) = (of(taking.names), of(taking.slices));
            for (i, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
                if all.len() >= TENSORS {
                    return all;
                }
                let dtype = match (taking.node.attr("dtypes"), taking.node.attr("dt")) {
                    (Some(AttrValue::List(types)), _) => types.get(i),
                    (_, single) => single,
                };
                let dtype = match dtype {
                    Some(AttrValue::Type(dtype)) => Some(*dtype),
                    _ => None,
                };
                all.push(Restored {
                    name: name.clone(),
                    dtype,
                    shape: taking.shapes.get(&i).copied().cloned(),
                    sliced: slices.get(i).is_some_and(|slice| !slice.is_empty()),
                });
            }
        }
        all
    }
}

/// The nodes of a body that take tensors and run, by name. The body is that of a function, by its place in the library
/// of a graph, or the graph itself.
fn taking<'g>(
    body: &Body<'g>,
    (graph, function): (usize, Option<usize>),
    runs: impl Fn(&Node) -> bool,
) -> Vec<Taking<'g>> {
    let mut shapes = shapes(body);
    let mut all: BTreeMap<&str, Taking<'g>> = BTreeMap::new();
    // Of several nodes of a name the last counts.
    for (at, node) in body.nodes.iter().enumerate().filter(|(_, node)| is_restore(node)) {
        if !runs(node) {
            continue;
        }
        let inputs: Vec<_> = body.inputs(at).map(|(_, source)| source).collect();
        let constant = |input: usize| {
            let node = inputs.get(input).copied().flatten()?;
            Some(ConstantPlace { graph, function, node })
        };
        let slices = if &*node.op == "Restore" { None } else { constant(2) };
        let shapes = shapes.remove(&at).unwrap_or_default();
        all.insert(&node.name, Taking { node, names: constant(1), slices, shapes });
    }
    all.into_values().collect()
}

/// The shapes of the variables that the outputs of restoring nodes are written to, by the place of the node and the
/// number of its output.
fn shapes<'g>(body: &Body<'g>) -> HashMap<usize, HashMap<usize, &'g Shape>> {
    let mut found: HashMap<usize, HashMap<usize, &'g Shape>> = HashMap::new();
    let input = |node: usize, number: usize| {
        let (input, source) = body.inputs(node).nth(number)?;
        Some((source?, output(input)))
    };
    let assigns = body.nodes.iter().enumerate().filter(|(_, it)| ASSIGNS.contains(&&*it.op));
    for (at, _) in assigns {
        let variable = input(at, 0).and_then(|(variable, _)| body.nodes.get(variable));
        let shape = variable.filter(|node| VARIABLES.contains(&&*node.op));
        let Some(AttrValue::Shape(shape)) = shape.and_then(|node| node.attr("shape")) else {
            continue;
        };
        let mut value = input(at, 1);
        for _ in 0..CHAIN {
            let Some((source, number)) = value else { break };
            match body.nodes.get(source) {
                Some(node) if is_restore(node) => {
                    found.entry(source).or_default().insert(number, shape);
                    break;
                }
                Some(node) if PASSES.contains(&&*node.op) => value = input(source, number),
                _ => break,
            }
        }
    }
    found
}

/// The number of the output that an input reads: `save/RestoreV2:3`, in functions `RestoreV2:tensors:3`.
fn output(input: &str) -> usize {
    let number = input.rsplit_once(':').and_then(|(_, number)| number.parse().ok());
    number.unwrap_or(0)
}
