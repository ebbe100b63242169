//! The names that a model uses: new values get others, and what nothing takes can be left out.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::OnnxModel;

/// Every name of a value in a model that could be taken for a new one.
pub(super) fn used(model: &OnnxModel) -> HashSet<String> {
    let mut used = HashSet::new();
    for graph in model.graphs() {
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

/// The values that something takes: a node, the outputs of a graph or a function. Names of one graph count in all.
pub(super) struct ValueReads<'m> {
    pub(super) model: &'m OnnxModel,
    /// The names, once they were asked for.
    pub(super) names: OnceCell<HashSet<Box<str>>>,
}

impl ValueReads<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        let names = || {
            let functions = self.model.functions.iter().flat_map(|function| &function.outputs);
            let mut names: HashSet<Box<str>> = functions.cloned().collect();
            for graph in self.model.graphs() {
                names.extend(graph.nodes.iter().flat_map(|node| &node.inputs).cloned());
                names.extend(graph.outputs.iter().map(|output| output.name.clone()));
            }
            names
        };
        self.names.get_or_init(names).contains(name)
    }
}
