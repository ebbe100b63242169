//! Structural faults of a graph, whatever the ops are.

use foldhash::{HashMap, HashMapExt as _, HashSet};
use unskew_core::Places;

use crate::behaviour::{self, Behaviour, NOTED_SHAPES, Presence, behaviours};
use crate::body::Body;
use crate::graph::{at_colon, source_of};
use crate::{NodeDef, shape_inputs};

/// Ops through which a loop goes back to its beginning.
const BACK_EDGES: [&str; 2] = ["NextIteration", "RefNextIteration"];

/// What is to be said about the wiring of a graph, or of the bodies of functions.
#[derive(Clone, Debug, Default)]
pub struct GraphStructure {
    /// Nodes that wait for themselves, or for such a node; loops of the graph's own are none.
    pub cycle: Places,
    /// Inputs that name no node: `node <- input`.
    pub dangling: Places,
    /// Names that several nodes have.
    pub duplicates: Places,
    /// What some releases check although no definition of an op says so: for each such behaviour, in the
    /// order of the data, where it is.
    pub(crate) behaviours: Vec<Places>,
    /// Where that may be, which the graph does not tell.
    pub(crate) possibly: Vec<Places>,
    /// Constants without values that decide about shapes.
    pub(crate) valueless: Places,
}

impl GraphStructure {
    /// Looks at the nodes of a graph or a function, and at what the function returns. Its arguments are inputs as nodes
    /// are.
    pub(crate) fn from_body(body: &Body<'_>) -> Self {
        let mut structure = Self::default();
        let place = |name: &str| body.place(name);
        structure.duplicates = body.duplicates.iter().map(|node| place(&node.name)).collect();
        let arguments = body.function.map_or(&[][..], |function| &function.signature.inputs);
        let arguments: HashSet<&str> = arguments.iter().map(|arg| &*arg.name).collect();
        let get = |name: &str| body.get(name);
        structure.behaviours.resize(behaviours().len(), Places::default());
        structure.possibly.resize(behaviours().len(), Places::default());
        let counts = |behaviour: &Behaviour| body.function.is_none() || !behaviour.graph_only;
        // By the addresses of the names of ops: whether any behaviour is about them. In functions there is none of most.
        let mut watched: HashMap<usize, bool> = HashMap::new();
        for (i, node) in body.nodes.iter().enumerate() {
            let gone = body.unread(i).map(source_of);
            for input in gone.filter(|input| !arguments.contains(input)) {
                let place = place(&node.name);
                structure.dangling.add(format_args!("{place} <- {input}"));
            }
            let is_watched = watched.entry(node.op.as_ptr().addr());
            let about = || behaviour::about(&node.op).filter(|(_, one)| counts(one));
            if !*is_watched.or_insert_with(|| about().next().is_some()) {
                continue;
            }
            for (at, behaviour) in about() {
                let places = match behaviour.sees(node, get) {
                    Presence::Yes => &mut structure.behaviours,
                    Presence::Maybe => &mut structure.possibly,
                    Presence::No => continue,
                };
                places[at].add(place(&node.name));
            }
        }
        for (_, result) in body.returns() {
            let name = at_colon(result).map_or(&**result, |(name, _)| name);
            if body.find(name).is_none() && !arguments.contains(name) {
                structure.dangling.add(format_args!("{} returns <- {name}", body.name()));
            }
        }
        if body.function.is_none() {
            let found = shape_inputs::valueless(body);
            structure.valueless = found.iter().map(|name| place(name)).collect();
        }
        let stuck = cycle(body);
        let stuck = stuck.iter().filter_map(|i| body.nodes.get(*i));
        structure.cycle = stuck.map(|node| place(&node.name)).collect();
        structure
    }

    /// Adds what is to be said about another body.
    pub(crate) fn extend(&mut self, more: &Self) {
        self.cycle.extend(&more.cycle);
        self.dangling.extend(&more.dangling);
        self.duplicates.extend(&more.duplicates);
        self.behaviours.resize(behaviours().len(), Places::default());
        self.possibly.resize(behaviours().len(), Places::default());
        for (places, more) in self.behaviours.iter_mut().zip(&more.behaviours) {
            places.extend(more);
        }
        for (places, more) in self.possibly.iter_mut().zip(&more.possibly) {
            places.extend(more);
        }
    }
}

/// Whether this is the gradient of a batch norm with an unused output that is noted to have elements.
pub(crate) fn notes_an_old_shape(node: &NodeDef) -> bool {
    behaviour::about(&node.op).any(|(_, behaviour)| {
        behaviour.name == NOTED_SHAPES && behaviour.sees(node, |_| None) == Presence::Yes
    })
}

/// The nodes that are never ready when each waits for its inputs, those of loops apart.
fn cycle(body: &Body<'_>) -> Vec<usize> {
    let nodes = body.nodes;
    let goes_back = |source: usize| nodes.get(source).is_some_and(|n| BACK_EDGES.contains(&&*n.op));
    let back: Vec<bool> = (0..nodes.len()).map(goes_back).collect();
    let waited_for = || body.edges().filter(|(source, _)| !back[*source]);
    // Most files have nearly each node behind those that it reads. Of a circle one node is not, and is itself read.
    let mut early: Vec<usize> = Vec::new();
    early
        .extend(waited_for().filter(|(source, reader)| source >= reader).map(|(_, reader)| reader));
    early.dedup();
    if early.is_empty() || waited_for().all(|(source, _)| early.binary_search(&source).is_err()) {
        return Vec::new();
    }
    // The readers of all nodes stand in one list, those of a node together.
    let mut ends = vec![0usize; nodes.len() + 1];
    let mut waits = vec![0usize; nodes.len()];
    for (source, reader) in waited_for() {
        ends[source + 1] += 1;
        waits[reader] += 1;
    }
    for i in 1..ends.len() {
        ends[i] += ends[i - 1];
    }
    let mut next = ends.clone();
    let mut readers = vec![0usize; ends[nodes.len()]];
    for (source, reader) in waited_for() {
        readers[next[source]] = reader;
        next[source] += 1;
    }
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|i| waits[*i] == 0).collect();
    while let Some(done) = ready.pop() {
        for reader in &readers[ends[done]..ends[done + 1]] {
            waits[*reader] -= 1;
            if waits[*reader] == 0 {
                ready.push(*reader);
            }
        }
    }
    waits.iter().enumerate().filter(|(_, waits)| **waits > 0).map(|(i, _)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FunctionDef, GraphDef};

    fn graph(nodes: &[(&str, &str, &[&str])]) -> GraphDef {
        let node = |(name, op, inputs): &(&str, &str, &[&str])| NodeDef {
            name: (*name).into(),
            op: (*op).into(),
            inputs: inputs.iter().copied().collect(),
            ..NodeDef::default()
        };
        GraphDef { nodes: nodes.iter().map(node).collect(), ..GraphDef::default() }
    }

    #[test]
    fn two_nodes_that_wait_for_each_other_are_a_cycle() {
        let graph = graph(&[("a", "Identity", &["b"]), ("b", "Identity", &["^a"])]);
        assert_eq!(GraphStructure::from_body(&Body::of_graph(&graph)).cycle.count(), 2);
    }

    #[test]
    fn a_loop_of_the_graphs_own_is_no_cycle() {
        let graph = graph(&[
            ("enter", "Enter", &[]),
            ("merge", "Merge", &["enter", "next"]),
            ("switch", "Switch", &["merge"]),
            ("next", "NextIteration", &["switch:1"]),
        ]);
        let structure = GraphStructure::from_body(&Body::of_graph(&graph));
        assert!(structure.cycle.is_empty() && structure.dangling.is_empty());
    }

    #[test]
    fn the_arguments_of_a_function_are_inputs_of_its_body() {
        let body =
            graph(&[("y", "Identity", &["x"]), ("z", "Identity", &["y:output:0", "gone:out:0"])]);
        let argument = crate::op_def::ArgDef {
            name: "x".to_owned(),
            kind: crate::op_def::ArgKind::Each("T".to_owned()),
            reference: false,
        };
        let signature =
            crate::OpDef { name: "f".into(), inputs: vec![argument], ..crate::OpDef::default() };
        let returns = vec![("a".into(), "y:output:0".into()), ("b".into(), "lost:output:0".into())];
        let structure = GraphStructure::from_body(&Body::of_function(&FunctionDef {
            signature,
            nodes: body.nodes,
            returns,
            ..FunctionDef::default()
        }));
        assert_eq!(structure.dangling.to_string(), "f/z <- gone, f returns <- lost");
        assert!(structure.cycle.is_empty());
    }

    #[test]
    fn an_input_that_names_no_node_is_found() {
        let graph = graph(&[("a", "Identity", &["gone:1"])]);
        assert_eq!(
            GraphStructure::from_body(&Body::of_graph(&graph)).dangling.to_string(),
            "a <- gone"
        );
    }
}
