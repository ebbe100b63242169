//! The nodes of a graph, or of the body of a function, by name, and which node each input reads: looked up once for all
//! that follows edges.

use foldhash::{HashMap, HashMapExt as _};

use crate::{FunctionDef, GraphDef, Inputs, NodeDef};

/// Stands for the node of an input that names none.
const NONE: u32 = u32::MAX;

/// A graph, without its library, or the body of a function.
pub(crate) struct Body<'g> {
    /// The function whose body it is; none for the graph itself.
    pub(crate) function: Option<&'g FunctionDef>,
    /// In the order of the file.
    pub(crate) nodes: &'g [NodeDef],
    /// Nodes that have a name which an earlier one has.
    pub(crate) duplicates: Vec<&'g NodeDef>,
    /// Of several nodes of a name the last one.
    by_name: HashMap<&'g str, u32>,
    /// The place of the node that each input reads, those of a node in a row.
    sources: Vec<u32>,
    /// How many inputs the nodes have up to each, itself included.
    ends: Vec<usize>,
}

impl<'g> Body<'g> {
    pub(crate) fn of_graph(graph: &'g GraphDef) -> Self {
        Self::new(&graph.nodes, None)
    }

    pub(crate) fn of_function(function: &'g FunctionDef) -> Self {
        Self::new(&function.nodes, Some(function))
    }

    fn new(nodes: &'g [NodeDef], function: Option<&'g FunctionDef>) -> Self {
        let mut by_name = HashMap::with_capacity(nodes.len());
        let mut duplicates = Vec::new();
        // What is kept of a file ends long before so many nodes.
        for (place, node) in (0..NONE).zip(nodes) {
            if by_name.insert(&*node.name, place).is_some() {
                duplicates.push(node);
            }
        }
        let mut sources = Vec::with_capacity(nodes.iter().map(|node| node.inputs.len()).sum());
        let mut ends = Vec::with_capacity(nodes.len());
        for node in nodes {
            sources.extend(node.sources().map(|it| by_name.get(it).copied().unwrap_or(NONE)));
            ends.push(sources.len());
        }
        Self { function, nodes, duplicates, by_name, sources, ends }
    }

    /// The name of the function; empty for the graph itself.
    pub(crate) fn name(&self) -> &'g str {
        self.function.map_or("", |function| &function.signature.name)
    }

    /// What the function returns, by name, and the input that says it.
    pub(crate) fn returns(&self) -> &'g [(Box<str>, Box<str>)] {
        self.function.map_or(&[], |function| &function.returns)
    }

    /// A node, as a finding names it: `function/node`.
    pub(crate) fn place(&self, node: &str) -> String {
        match self.function {
            None => node.to_owned(),
            Some(function) => [&function.signature.name, "/", node].concat(),
        }
    }

    /// The place of the node of this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).map(|place| *place as usize)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'g NodeDef> {
        self.nodes.get(self.find(name)?)
    }

    /// The inputs of the node at a place as they are written, with the place of the node that each reads.
    pub(crate) fn inputs(&self, place: usize) -> impl Iterator<Item = (&'g str, Option<usize>)> {
        let written = Inputs::iter_of(self.nodes.get(place).map(|node| &node.inputs));
        let read = |source: &u32| (*source != NONE).then_some(*source as usize);
        let sources = self.sources_of(place).iter().map(read);
        written.zip(sources)
    }

    /// The inputs of the node at a place that read no node.
    pub(crate) fn unread(&self, place: usize) -> impl Iterator<Item = &'g str> {
        let any = self.sources_of(place).contains(&NONE);
        let inputs = any.then(|| self.inputs(place)).into_iter().flatten();
        inputs.filter(|(_, source)| source.is_none()).map(|(input, _)| input)
    }

    /// The places of the nodes that the inputs of the node at a place read.
    fn sources_of(&self, place: usize) -> &[u32] {
        let end = self.ends.get(place).copied().unwrap_or_default();
        let count = self.nodes.get(place).map_or(0, |node| node.inputs.len());
        self.sources.get(end.saturating_sub(count)..end).unwrap_or_default()
    }

    /// The places of a node and of one that reads it, for each input that names a node.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut reader = 0;
        (0..).zip(&self.sources).filter(|(_, source)| **source != NONE).map(move |(at, source)| {
            while self.ends.get(reader).is_some_and(|end| *end <= at) {
                reader += 1;
            }
            (*source as usize, reader)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_input_is_given_with_the_node_that_it_reads() {
        let node = |name: &str, inputs: &[&str]| NodeDef {
            name: name.into(),
            inputs: inputs.iter().copied().collect(),
            ..NodeDef::default()
        };
        let nodes = vec![node("a", &[]), node("b", &["a:1", "gone", "^c"]), node("c", &["b"])];
        let graph = GraphDef { nodes, ..GraphDef::default() };
        let body = Body::of_graph(&graph);
        let read: Vec<_> = body.inputs(1).collect();
        assert_eq!(read, [("a:1", Some(0)), ("gone", None), ("^c", Some(2))]);
        assert_eq!(body.inputs(0).count(), 0);
        assert_eq!(body.inputs(2).collect::<Vec<_>>(), [("b", Some(1))]);
        assert_eq!(body.inputs(3).count(), 0);
    }

    #[test]
    fn of_nodes_of_one_name_the_last_is_found() {
        let node = |op: &str| NodeDef { name: "a".into(), op: op.into(), ..NodeDef::default() };
        let graph = GraphDef { nodes: vec![node("Const"), node("Add")], ..GraphDef::default() };
        let body = Body::of_graph(&graph);
        assert_eq!(body.get("a").map(|node| &*node.op), Some("Add"));
        assert_eq!(body.duplicates.len(), 1);
    }
}
