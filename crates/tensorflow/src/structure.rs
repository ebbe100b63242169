//! What is to be said about the wiring of a graph, whatever the ops are.

use std::collections::HashMap;

use unskew_core::Places;

use crate::{AttrValue, Graph, Node};

/// Ops whose second input says which dimensions are reduced.
const REDUCTIONS: [&str; 8] = ["Sum", "Mean", "Prod", "Min", "Max", "All", "Any", "EuclideanNorm"];

/// Ops through which a loop goes back to its beginning.
const BACK_EDGES: [&str; 2] = ["NextIteration", "RefNextIteration"];

/// The attribute in which the exporter noted the shapes of the outputs.
const OUTPUT_SHAPES: &str = "_output_shapes";

/// Outputs of `FusedBatchNormGrad` that nothing uses: their noted shapes changed with TensorFlow 2.4.
const UNUSED_OUTPUTS: [usize; 2] = [3, 4];

/// What is to be said about the wiring of a graph.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Nodes that wait for themselves, or for such a node; loops of the graph's own are none.
    pub cycle: Places,
    /// Inputs that name no node: `node <- input`.
    pub dangling: Places,
    /// Names that several nodes have.
    pub duplicates: Places,
    /// Reductions over indices of more than one dimension.
    pub deep_indices: Places,
    /// Gradients of batch norms that note a shape which TensorFlow 2.4 computes otherwise.
    pub noted_shapes: Places,
}

impl Structure {
    /// Looks at the nodes of `graph` itself; functions are not wired by names of nodes alone.
    pub fn of(graph: &Graph) -> Self {
        let mut structure = Self::default();
        let mut by_name: HashMap<&str, usize> = HashMap::with_capacity(graph.nodes.len());
        for (i, node) in graph.nodes.iter().enumerate() {
            if by_name.insert(&node.name, i).is_some() {
                structure.duplicates.add(&node.name);
            }
        }
        let get = |name: &str| by_name.get(name).and_then(|i| graph.nodes.get(*i));
        for node in &graph.nodes {
            for input in node.sources().filter(|input| get(input).is_none()) {
                structure.dangling.add(format_args!("{} <- {input}", node.name));
            }
            if REDUCTIONS.contains(&&*node.op) {
                let indices = node.data_inputs().nth(1).and_then(get);
                if indices.and_then(constant_rank).is_some_and(|rank| rank > 1) {
                    structure.deep_indices.add(&node.name);
                }
            }
            if notes_an_old_shape(node) {
                structure.noted_shapes.add(&node.name);
            }
        }
        structure.cycle = cycle(graph, &by_name);
        structure
    }
}

fn constant_rank(node: &Node) -> Option<usize> {
    match node.attr("value")? {
        AttrValue::Tensor { shape, .. } if &*node.op == "Const" => shape.rank(),
        _ => None,
    }
}

/// Whether this is the gradient of a batch norm with an unused output that is noted to have elements.
pub(crate) fn notes_an_old_shape(node: &Node) -> bool {
    if !node.op.starts_with("FusedBatchNormGrad") {
        return false;
    }
    let Some(AttrValue::List(shapes)) = node.attr(OUTPUT_SHAPES) else { return false };
    UNUSED_OUTPUTS.iter().filter_map(|i| shapes.get(*i)).any(|shape| {
        matches!(shape, AttrValue::Shape(shape)
            if shape.0.as_ref().is_some_and(|dims| dims.as_slice() != [0] && dims.iter().all(|d| *d >= 0)))
    })
}

/// The nodes that are never ready when each waits for its inputs, those of loops apart.
fn cycle(graph: &Graph, by_name: &HashMap<&str, usize>) -> Places {
    let mut waits = vec![0usize; graph.nodes.len()];
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    let mut ready = Vec::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        for source in node.sources().filter_map(|source| by_name.get(source)) {
            let back = graph.nodes.get(*source).is_some_and(|n| BACK_EDGES.contains(&&*n.op));
            if let (false, Some(list)) = (back, followers.get_mut(*source)) {
                list.push(i);
                waits[i] += 1;
            }
        }
        if waits[i] == 0 {
            ready.push(i);
        }
    }
    while let Some(done) = ready.pop() {
        for follower in std::mem::take(&mut followers[done]) {
            waits[follower] -= 1;
            if waits[follower] == 0 {
                ready.push(follower);
            }
        }
    }
    let stuck = graph.nodes.iter().zip(&waits).filter(|(_, waits)| **waits > 0);
    stuck.map(|(node, _)| &node.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: &[(&str, &str, &[&str])]) -> Graph {
        let node = |(name, op, inputs): &(&str, &str, &[&str])| Node {
            name: (*name).into(),
            op: (*op).into(),
            inputs: inputs.iter().map(|input| (*input).into()).collect(),
            attrs: Vec::new(),
        };
        Graph { nodes: nodes.iter().map(node).collect(), ..Graph::default() }
    }

    #[test]
    fn two_nodes_that_wait_for_each_other_are_a_cycle() {
        let graph = graph(&[("a", "Identity", &["b"]), ("b", "Identity", &["^a"])]);
        assert_eq!(Structure::of(&graph).cycle.count(), 2);
    }

    #[test]
    fn a_loop_of_the_graphs_own_is_no_cycle() {
        let graph = graph(&[
            ("enter", "Enter", &[]),
            ("merge", "Merge", &["enter", "next"]),
            ("switch", "Switch", &["merge"]),
            ("next", "NextIteration", &["switch:1"]),
        ]);
        let structure = Structure::of(&graph);
        assert!(structure.cycle.is_empty() && structure.dangling.is_empty());
    }

    #[test]
    fn an_input_that_names_no_node_is_found() {
        let graph = graph(&[("a", "Identity", &["gone:1"])]);
        assert_eq!(Structure::of(&graph).dangling.to_string(), "a <- gone");
    }
}
