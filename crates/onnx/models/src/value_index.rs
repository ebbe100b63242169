//! Value index of a graph: of the inputs of a node, the sizes that the model says, and which node made them.

use std::cell::OnceCell;

use foldhash::{HashMap, HashMapExt as _};

use crate::infer::attribute;
use crate::shapes::ModelShapes;
use crate::{Dim, OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor};

/// What the optimizer of ONNX Runtime joins with a Gemm before it.
pub(crate) const ACTIVATIONS: [&str; 10] = [
    "Elu",
    "HardSigmoid",
    "LeakyRelu",
    "Relu",
    "Selu",
    "Sigmoid",
    "Softplus",
    "Softsign",
    "Tanh",
    "ThresholdedRelu",
];

/// What a model says of its values, by their names.
pub(crate) struct ValueIndex<'m> {
    model: &'m OnnxModel,
    shapes: &'m ModelShapes,
    makers: HashMap<&'m str, &'m OnnxNode>,
    tensors: HashMap<&'m str, &'m OnnxTensor>,
    /// The node that takes a value; none if there are several, or it is an output of a graph.
    readers: OnceCell<HashMap<&'m str, Option<&'m OnnxNode>>>,
}

impl<'m> ValueIndex<'m> {
    /// Looks at every graph of a model, once.
    pub(crate) fn new(model: &'m OnnxModel, shapes: &'m ModelShapes) -> Self {
        let graphs: Vec<&OnnxGraph> = model.graphs().collect();
        let mut makers = HashMap::new();
        for node in graphs.iter().flat_map(|graph| &graph.nodes) {
            makers.extend(node.outputs.iter().map(|name| (&**name, node)));
        }
        let stored = graphs.iter().flat_map(|graph| &graph.initializers);
        let mut tensors: HashMap<&str, &OnnxTensor> =
            stored.map(|tensor| (&*tensor.name, tensor)).collect();
        // What is an input too may be given other values, since IR version 4.
        if model.ir_version >= 4 {
            for input in graphs.iter().flat_map(|graph| &graph.inputs) {
                tensors.remove(&*input.name);
            }
        }
        Self { model, shapes, makers, tensors, readers: OnceCell::new() }
    }

    /// The whole numbers that a value always is, where few of them are written down.
    pub(crate) fn ints(&self, name: &str) -> Option<&'m [i64]> {
        let constant = || {
            let node = self.makers.get(name).filter(|node| &*node.op == "Constant")?;
            match (attribute(node, "value"), attribute(node, "value_ints")) {
                (Some(OnnxAttribute::Tensor(tensor)), _) => Some(&*tensor.ints),
                (_, Some(OnnxAttribute::Ints(all))) => Some(&**all),
                _ => None,
            }
        };
        let known = self.tensors.get(name).map(|tensor| &*tensor.ints).or_else(constant);
        known.filter(|all| !all.is_empty())
    }

    /// The sizes of a value, as far as they are said, stored or inferred.
    pub(crate) fn shape(&self, name: &str) -> Option<&[Dim]> {
        self.shapes.sizes(self.model, name)
    }

    /// The numbers with fractions that a value always is, where few of them are written down.
    pub(crate) fn floats(&self, name: &str) -> Option<&'m [f32]> {
        let constant = || {
            let node = self.makers.get(name).filter(|node| &*node.op == "Constant")?;
            match (attribute(node, "value"), attribute(node, "value_floats")) {
                (Some(OnnxAttribute::Tensor(tensor)), _) => Some(&*tensor.floats),
                (_, Some(OnnxAttribute::Floats(all))) => Some(&**all),
                _ => None,
            }
        };
        let known = self.tensors.get(name).map(|tensor| &*tensor.floats).or_else(constant);
        known.filter(|all| !all.is_empty())
    }

    /// Whether a value is always the same: it stands in the model, and nobody can give another.
    pub(crate) fn is_stored(&self, name: &str) -> bool {
        let constant = || self.makers.get(name).is_some_and(|node| &*node.op == "Constant");
        self.tensors.contains_key(name) || constant()
    }

    /// Whether a caller of the model gives a value.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.model.graph.inputs.iter().any(|input| *input.name == *name)
    }

    /// The node that makes a value, if it is of this operator of ONNX.
    pub(crate) fn maker(&self, name: &str, op: &str) -> Option<&'m OnnxNode> {
        let is = |node: &&&OnnxNode| &*node.op == op && node.domain.is_empty();
        self.makers.get(name).filter(is).copied()
    }

    /// Whether one node alone takes the first output of another, and is one of these operators of ONNX.
    pub(crate) fn is_read_by_one_of(&self, node: &OnnxNode, ops: &[&str]) -> bool {
        let readers = self.readers.get_or_init(|| {
            let mut readers: HashMap<&str, Option<&OnnxNode>> = HashMap::new();
            for graph in self.model.graphs() {
                for node in &graph.nodes {
                    for name in node.inputs.iter().filter(|name| !name.is_empty()) {
                        let reader = readers.entry(name).or_insert(Some(node));
                        *reader = reader.filter(|known| std::ptr::eq(*known, node));
                    }
                }
            }
            let functions = self.model.functions.iter().flat_map(|one| &one.outputs);
            let outputs = self.model.graphs().flat_map(|graph| &graph.outputs);
            readers.extend(outputs.map(|one| (&*one.name, None)));
            readers.extend(functions.map(|name| (&**name, None)));
            readers
        });
        let reader = node.outputs.first().and_then(|name| *readers.get(&**name)?);
        reader.is_some_and(|one| one.domain.is_empty() && ops.contains(&&*one.op))
    }

    /// Whether a node of this operator of ONNX made the value.
    pub(crate) fn is_from(&self, name: &str, op: &str) -> bool {
        self.makers.get(name).is_some_and(|node| &*node.op == op && node.domain.is_empty())
    }

    /// Whether the model has a node of this operator of ONNX.
    pub(crate) fn has(&self, op: &str) -> bool {
        self.makers.values().any(|node| &*node.op == op && node.domain.is_empty())
    }

    /// Whether the value is an input of the model, of which `Transpose` swaps the last two dimensions, and nobody
    /// outside asks for it. What is computed before may be folded, and one turn may undo another.
    pub(crate) fn is_turned_input(&self, name: &str) -> bool {
        let graph = &self.model.graph;
        let Some(node) = self.makers.get(name).filter(|node| &*node.op == "Transpose") else {
            return false;
        };
        let is = |one: &crate::ValueInfo| node.inputs.first().is_some_and(|name| *name == one.name);
        let given = graph.inputs.iter().find(|one| is(one));
        let stored = graph.initializers.iter().any(|one| node.inputs.contains(&one.name));
        let swaps = match attribute(node, "perm") {
            Some(OnnxAttribute::Ints(perm)) => {
                let count = perm.len();
                let mut swapped: Vec<i64> = (0_i64..).take(count).collect();
                if count >= 2 {
                    swapped.swap(count - 1, count - 2);
                }
                count >= 2 && swapped == *perm
            }
            Some(_) => false,
            None => given.and_then(|one| one.dims.as_ref()).is_some_and(|dims| dims.len() == 2),
        };
        given.is_some() && !stored && swaps && graph.outputs.iter().all(|one| *one.name != *name)
    }
}
