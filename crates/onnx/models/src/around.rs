//! What is known of the inputs of a node, beside their types: sizes that the model says, and which node made them.

use foldhash::{HashMap, HashMapExt as _};

use crate::infer::attribute;
use crate::{Attribute, Dim, Graph, Model, Node};

/// What a model says of its values, by their names.
pub(crate) struct Around<'m> {
    model: &'m Model,
    shapes: HashMap<&'m str, &'m [Dim]>,
    makers: HashMap<&'m str, &'m Node>,
}

impl<'m> Around<'m> {
    /// Looks at every graph of a model, once.
    pub(crate) fn of(model: &'m Model) -> Self {
        let bodies = model.functions.iter().map(|function| &function.body);
        let graphs: Vec<&Graph> =
            std::iter::once(&model.graph).chain(bodies).flat_map(Graph::all).collect();
        let values = graphs.iter().flat_map(|graph| graph.inputs.iter().chain(&graph.values));
        let shapes = values.filter_map(|value| Some((&*value.name, value.dims.as_deref()?)));
        let shapes = shapes.collect();
        let mut makers = HashMap::new();
        for node in graphs.iter().flat_map(|graph| &graph.nodes) {
            makers.extend(node.outputs.iter().map(|name| (&**name, node)));
        }
        Self { model, shapes, makers }
    }

    /// The dimensions that the model says of a value.
    pub(crate) fn shape(&self, name: &str) -> Option<&'m [Dim]> {
        self.shapes.get(name).copied()
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
        let is = |one: &crate::Value| node.inputs.first().is_some_and(|name| *name == one.name);
        let given = graph.inputs.iter().find(|one| is(one));
        let stored = graph.initializers.iter().any(|one| node.inputs.contains(&one.name));
        let swaps = match attribute(node, "perm") {
            Some(Attribute::Ints(perm)) => {
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
