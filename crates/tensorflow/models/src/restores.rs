//! Restored tensors: the `RestoreV2` nodes of graphs, with the names that they are given.
//!
//! The names stand in constants, whose values no other part of a check looks at. So the graphs say which constants are
//! wanted, and those alone are read from the file once more.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use crate::body::Body;
use crate::read::{ConstantPlace, ConstantTexts};
use crate::{AttrValue, DataType, GraphUse, NodeDef, PartialTensorShape};

/// A tensor that a graph takes from a checkpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RestoredTensor {
    /// Its name in the checkpoint.
    pub name: Arc<str>,
    /// The element type that the graph wants, if it says so.
    pub dtype: Option<DataType>,
    /// The shape of the variable that gets it, if that is known.
    pub shape: Option<PartialTensorShape>,
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

pub(crate) fn is_restore(node: &NodeDef) -> bool {
    RESTORES.contains(&&*node.op)
}

/// A node that takes tensors, and where the constants stand that name them.
#[derive(Clone, Debug)]
pub(crate) struct RestoreNode {
    node: Box<str>,
    /// The function in whose body it stands, by its place in the library; none for the graph itself.
    function: Option<usize>,
    /// The places among the nodes of its body of what may be constants: the names, and the slices.
    names: Option<usize>,
    slices: Option<usize>,
    /// The element types, one for each tensor, or one for the only one.
    dtypes: Option<AttrValue>,
    /// The shapes of the variables that its outputs are written to, by the number of the output.
    shapes: HashMap<usize, PartialTensorShape>,
}

/// What graphs take from a checkpoint, before the constants are read that name it: nodes, by the number of their graph.
pub(crate) struct RestoreIndex<'g>(Vec<(usize, &'g RestoreNode)>);

impl<'g> RestoreIndex<'g> {
    /// What the nodes of `graphs` take that their savers run, those of functions first.
    pub(crate) fn new(graphs: &'g [GraphUse]) -> Self {
        let mut all = Vec::new();
        for (at, graph) in graphs.iter().enumerate() {
            let runs = |one: &&RestoreNode| match one.function {
                None => graph.restoring.runs(None, &one.node),
                Some(place) => {
                    let function = graph.functions.names.get(place);
                    function.is_some_and(|name| graph.restoring.runs(Some(name), ""))
                }
            };
            let mut taking: Vec<&RestoreNode> = graph.taking.iter().filter(runs).collect();
            taking.sort_by_key(|one| (one.function.is_none(), one.function));
            all.extend(taking.into_iter().map(|one| (at, one)));
        }
        Self(all)
    }

    pub(crate) fn constants(&self) -> ConstantTexts {
        let places = self.0.iter().flat_map(|(graph, one)| {
            [one.names, one.slices].into_iter().filter_map(|node| one.constant(*graph, node))
        });
        places.map(|place| (place, Vec::new())).collect()
    }

    pub(crate) fn named(self, texts: &ConstantTexts) -> Vec<RestoredTensor> {
        let of = |place: Option<ConstantPlace>| {
            place.and_then(|place| texts.get(&place)).map_or(&[][..], Vec::as_slice)
        };
        let mut all = Vec::new();
        for (graph, taking) in self.0 {
            let (names, slices) = (taking.names, taking.slices);
            let (names, slices) =
                (of(taking.constant(graph, names)), of(taking.constant(graph, slices)));
            for (i, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
                if all.len() >= TENSORS {
                    return all;
                }
                let dtype = match &taking.dtypes {
                    Some(AttrValue::List(types)) => types.get(i),
                    single => single.as_ref(),
                };
                let dtype = match dtype {
                    Some(AttrValue::Type(dtype)) => Some(*dtype),
                    _ => None,
                };
                all.push(RestoredTensor {
                    name: name.clone(),
                    dtype,
                    shape: taking.shapes.get(&i).cloned(),
                    sliced: slices.get(i).is_some_and(|slice| !slice.is_empty()),
                });
            }
        }
        all
    }
}

impl RestoreNode {
    /// The place in the file of the node at a place in the same body.
    fn constant(&self, graph: usize, node: Option<usize>) -> Option<ConstantPlace> {
        Some(ConstantPlace { graph, function: self.function, node: node? })
    }
}

/// The nodes of a body that take tensors, by name. The body is that of a function, by its place in the library of a
/// graph, or the graph itself.
pub(crate) fn taking(body: &Body<'_>, function: Option<usize>) -> Vec<RestoreNode> {
    if !body.nodes.iter().any(is_restore) {
        return Vec::new();
    }
    let mut shapes = shapes(body);
    // Of several nodes of a name the last counts.
    let mut all: BTreeMap<&str, RestoreNode> = BTreeMap::new();
    for (at, node) in body.nodes.iter().enumerate().filter(|(_, node)| is_restore(node)) {
        let inputs: Vec<_> = body.inputs(at).map(|(_, source)| source).collect();
        let source = |input: usize| inputs.get(input).copied().flatten();
        let dtypes = match (node.attr("dtypes"), node.attr("dt")) {
            (Some(list @ AttrValue::List(_)), _) => Some(list),
            (_, single) => single,
        };
        let taking = RestoreNode {
            node: (&*node.name).into(),
            function,
            names: source(1),
            slices: if &*node.op == "Restore" { None } else { source(2) },
            dtypes: dtypes.cloned(),
            shapes: shapes.remove(&at).unwrap_or_default(),
        };
        all.insert(&node.name, taking);
    }
    all.into_values().collect()
}

/// The shapes of the variables that the outputs of restoring nodes are written to, by the place of the node and the
/// number of its output.
fn shapes(body: &Body<'_>) -> HashMap<usize, HashMap<usize, PartialTensorShape>> {
    let mut found: HashMap<usize, HashMap<usize, PartialTensorShape>> = HashMap::new();
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
                    found.entry(source).or_default().insert(number, shape.clone());
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
