//! Reachable nodes of a session: what it restores and initializes, and what it needs for a signature.
//!
//! A session loads a SavedModel by running the op of its saver, and then what initializes its tables. A signature that
//! reads a variable which neither of them writes cannot run. Keras 3 writes such models with `tf.saved_model.save`: its
//! variables are saved a second time under other names, and the signature reads those of the first time.

use std::cell::OnceCell;

use foldhash::{HashMap, HashSet, HashSetExt as _};
use unskew_core::Places;

use crate::body::Body;
use crate::graph::source_of;
use crate::read::{MetaGraph, SignatureDef};
use crate::{AttrValue, GraphDef, NodeDef, restores};

/// What restores a graph of TensorFlow 1 that is written without its saver.
const RESTORE_ALL: &str = "save/restore_all";

/// Nodes that are run, with all that they need.
struct ReachableNodes<'g> {
    /// Whether each node of the graph is, by its place.
    graph: Vec<bool>,
    functions: HashSet<&'g str>,
}

/// A graph with its functions by name, and what they call.
pub(crate) struct CallGraph<'b, 'g> {
    body: &'b Body<'g>,
    graph: &'g GraphDef,
    functions: HashMap<&'g str, usize>,
    /// The functions that each function calls, by their places in the library, once that was asked for.
    calls: Vec<OnceCell<Vec<usize>>>,
}

impl<'b, 'g> CallGraph<'b, 'g> {
    /// The names of `graph`, whose own nodes are those of `body`.
    pub(crate) fn new(graph: &'g GraphDef, body: &'b Body<'g>) -> Self {
        let functions = graph.functions.iter().zip(0..).map(|(it, at)| (&*it.signature.name, at));
        let calls = vec![OnceCell::new(); graph.functions.len()];
        Self { body, graph, functions: functions.collect(), calls }
    }

    /// All that these tensors and nodes need.
    fn reached<'r>(&self, roots: impl Iterator<Item = &'r str>) -> ReachableNodes<'g> {
        let nodes = self.body.nodes;
        let mut found =
            ReachableNodes { graph: vec![false; nodes.len()], functions: HashSet::new() };
        let mut open: Vec<usize> =
            roots.filter_map(|root| self.body.find(source_of(root))).collect();
        while let Some(at) = open.pop() {
            let Some(seen) = found.graph.get_mut(at).filter(|seen| !**seen) else { continue };
            *seen = true;
            open.extend(self.body.inputs(at).filter_map(|(_, source)| source));
            if let Some(node) = nodes.get(at) {
                self.call(node, &mut found.functions);
            }
        }
        found
    }

    fn call(&self, node: &'g NodeDef, found: &mut HashSet<&'g str>) {
        let mut open: Vec<usize> = self.called(node).collect();
        while let Some(at) = open.pop() {
            if let (Some(function), Some(calls)) =
                (self.graph.functions.get(at), self.calls.get(at))
                && found.insert(&function.signature.name)
            {
                open.extend(calls.get_or_init(|| {
                    let mut all: Vec<usize> =
                        function.nodes.iter().flat_map(|node| self.called(node)).collect();
                    all.sort_unstable();
                    all.dedup();
                    all
                }));
            }
        }
    }

    /// The functions that a node calls itself, by their places in the library.
    fn called(&self, node: &'g NodeDef) -> impl Iterator<Item = usize> {
        let names = node.attrs.functions().chain([&*node.op]);
        names.filter_map(|name| self.functions.get(name).copied())
    }

    /// The names under which a session keeps the variables that are reached.
    fn variables(&self, reached: &ReachableNodes<'_>) -> Vec<&'g [u8]> {
        let nodes = self.body.nodes.iter().zip(&reached.graph);
        let is = |node: &NodeDef, reached: bool| reached && &*node.op == "VarHandleOp";
        let name = |node: &'g NodeDef| match node.attr("shared_name") {
            Some(AttrValue::String(name)) if !name.is_empty() => &**name,
            _ => node.name.as_bytes(),
        };
        nodes.filter(|(node, reached)| is(node, **reached)).map(|(node, _)| name(node)).collect()
    }
}

/// What a saver runs to restore.
#[derive(Clone, Debug, Default)]
pub(crate) struct SaverRestores {
    /// Nodes of the graph itself that take tensors from a checkpoint, by name.
    graph: HashSet<Box<str>>,
    functions: HashSet<Box<str>>,
    everything: bool,
}

impl SaverRestores {
    /// What the saver of `meta` runs: nothing without one.
    pub(crate) fn from_meta_graph(meta: &MetaGraph, names: &CallGraph<'_, '_>) -> Self {
        let root = meta.restore_op.as_deref();
        root.map(|root| Self::from(names, root)).unwrap_or_default()
    }

    /// A graph that was written without its saver is restored by its own op, and one without such an op by somebody
    /// else, who may run any.
    pub(crate) fn of_graph(names: &CallGraph<'_, '_>) -> Self {
        match names.body.find(RESTORE_ALL) {
            Some(_) => Self::from(names, RESTORE_ALL),
            None => Self { everything: true, ..Self::default() },
        }
    }

    fn from(names: &CallGraph<'_, '_>, root: &str) -> Self {
        let reached = names.reached(std::iter::once(root));
        let nodes = names.body.nodes.iter().zip(reached.graph).filter(|(_, reached)| *reached);
        let restores = nodes.map(|(node, _)| node).filter(|node| restores::is_restore(node));
        Self {
            graph: restores.map(|node| Box::from(&*node.name)).collect(),
            functions: reached.functions.into_iter().map(Into::into).collect(),
            everything: false,
        }
    }

    /// Whether a node that takes tensors from a checkpoint is run, or a function.
    pub(crate) fn runs(&self, function: Option<&str>, node: &str) -> bool {
        self.everything
            || match function {
                Some(function) => self.functions.contains(function),
                None => self.graph.contains(node),
            }
    }
}

/// The variables of each signature that a session has no values for.
pub(crate) fn without_values(meta: &MetaGraph, names: &CallGraph<'_, '_>) -> Vec<(String, Places)> {
    let ready = meta.restore_op.iter().chain(&meta.init_ops).map(|name| &**name);
    let ready: HashSet<&[u8]> = names.variables(&names.reached(ready)).into_iter().collect();
    let missing = |signature: &SignatureDef| {
        let outputs = signature.outputs.iter().map(|output| &**output);
        let mut read = names.variables(&names.reached(outputs));
        read.retain(|name| !ready.contains(name));
        read.sort_unstable();
        read.dedup();
        read.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect::<Places>()
    };
    let all = meta.signatures.iter().map(|one| (one.name.clone(), missing(one)));
    all.filter(|(_, places)| !places.is_empty()).collect()
}
