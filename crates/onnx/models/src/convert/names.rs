//! The names that a model uses, so that new values get others.

use std::collections::HashSet;

use crate::{Graph, Model};

/// Every name of a value in a model that could be taken for a new one.
pub(super) fn used(model: &Model) -> HashSet<String> {
    let mut used = HashSet::new();
    let bodies = model.functions.iter().map(|function| &function.body);
    for graph in std::iter::once(&model.graph).chain(bodies).flat_map(Graph::all) {
        let values = graph.inputs.iter().chain(&graph.outputs).chain(&graph.values);
        let named = values.map(|value| &value.name);
        let tensors = graph.initializers.iter().map(|tensor| &tensor.name);
        let nodes = graph.nodes.iter().flat_map(|node| node.inputs.iter().chain(&node.outputs));
        // New names have this in them.
        let ours = named.chain(tensors).chain(nodes).filter(|name| name.contains("_unskew_"));
        used.extend(ours.map(ToString::to_string));
    }
    used
}
