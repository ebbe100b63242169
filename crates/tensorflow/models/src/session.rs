//! What a session restores and initializes, and what it needs for a signature.
//!
//! A session loads a SavedModel by running the op of its saver, and then what initializes its tables. A signature that
//! reads a variable which neither of them writes cannot run. Keras 3 writes such models with `tf.saved_model.save`: its
//! variables are saved a second time under other names, and the signature reads those of the first time.

use foldhash::{HashMap, HashSet, HashSetExt as _};
use unskew_core::Places;

use crate::read::{MetaGraph, Signature};
use crate::{AttrValue, Function, Graph, Node};

/// What restores a graph of TensorFlow 1 that is written without its saver.
const RESTORE_ALL: &str = "save/restore_all";

/// Nodes that are run, with all that they need.
struct Reached<'g> {
    graph: HashSet<&'g str>,
    functions: HashSet<&'g str>,
}

/// The nodes and functions of a graph by name.
struct Names<'g> {
    nodes: HashMap<&'g str, &'g Node>,
    functions: HashMap<&'g str, &'g Function>,
}

impl<'g> Names<'g> {
    fn of(graph: &'g Graph) -> Self {
        let functions = graph.functions.iter().map(|it| (&*it.signature.name, it));
        Self {
            nodes: graph.nodes.iter().map(|node| (&*node.name, node)).collect(),
            functions: functions.collect(),
        }
    }

    /// All that these tensors and nodes need.
    fn reached<'r>(&self, roots: impl Iterator<Item = &'r str>) -> Reached<'g> {
        let mut found = Reached { graph: HashSet::new(), functions: HashSet::new() };
        let name = |input: &'r str| {
            let input = input.strip_prefix('^').unwrap_or(input);
            input.split(':').next().unwrap_or(input)
        };
        let mut open: Vec<&Node> =
            roots.filter_map(|root| self.nodes.get(name(root))).copied().collect();
        while let Some(node) = open.pop() {
            if found.graph.insert(&node.name) {
                open.extend(node.sources().filter_map(|source| self.nodes.get(source)));
                self.call(node, &mut found.functions);
            }
        }
        found
    }

    /// The functions that a node calls, and those that these call.
    fn call(&self, node: &'g Node, found: &mut HashSet<&'g str>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let named = node.attrs.iter().flat_map(|(_, value)| value.functions());
            for function in named.chain([&*node.op]).filter_map(|name| self.functions.get(name)) {
                if found.insert(&function.signature.name) {
                    open.extend(&function.nodes);
                }
            }
        }
    }
}

/// What a saver restores: nodes by their function and name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Restoring {
    graph: HashSet<Box<str>>,
    functions: HashSet<Box<str>>,
    everything: bool,
}

impl Restoring {
    /// What the saver of `meta` runs: nothing without one.
    pub(crate) fn of(meta: &MetaGraph) -> Self {
        let root = meta.restore_op.as_deref();
        root.map(|root| Self::from(&meta.graph, root)).unwrap_or_default()
    }

    /// A graph that was written without its saver is restored by its own op, and one without such an op by somebody
    /// else, who may run any.
    pub(crate) fn of_graph(graph: &Graph) -> Self {
        match graph.nodes.iter().any(|node| &*node.name == RESTORE_ALL) {
            true => Self::from(graph, RESTORE_ALL),
            false => Self { everything: true, ..Self::default() },
        }
    }

    fn from(graph: &Graph, root: &str) -> Self {
        let reached = Names::of(graph).reached(std::iter::once(root));
        Self {
            graph: reached.graph.into_iter().map(Into::into).collect(),
            functions: reached.functions.into_iter().map(Into::into).collect(),
            everything: false,
        }
    }

    /// Whether a node is run to restore.
    pub(crate) fn runs(&self, function: Option<&str>, node: &str) -> bool {
        self.everything
            || match function {
                Some(function) => self.functions.contains(function),
                None => self.graph.contains(node),
            }
    }
}

/// The variables of each signature that a session has no values for.
pub(crate) fn without_values(meta: &MetaGraph) -> Vec<(String, Places)> {
    let graph = &meta.graph;
    let ready = meta.restore_op.iter().chain(&meta.init_ops).map(|name| &**name);
    let names = Names::of(graph);
    let ready: HashSet<&[u8]> = variables(graph, &names.reached(ready)).into_iter().collect();
    let missing = |signature: &Signature| {
        let outputs = signature.outputs.iter().map(|output| &**output);
        let mut read = variables(graph, &names.reached(outputs));
        read.retain(|name| !ready.contains(name));
        read.sort_unstable();
        read.dedup();
        read.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect::<Places>()
    };
    let all = meta.signatures.iter().map(|one| (one.name.clone(), missing(one)));
    all.filter(|(_, places)| !places.is_empty()).collect()
}

/// The names under which a session keeps the variables that are reached.
fn variables<'g>(graph: &'g Graph, reached: &Reached<'g>) -> Vec<&'g [u8]> {
    let is = |node: &&Node| &*node.op == "VarHandleOp" && reached.graph.contains(&*node.name);
    let name = |node: &'g Node| match node.attr("shared_name") {
        Some(AttrValue::String(name)) if !name.is_empty() => &**name,
        _ => node.name.as_bytes(),
    };
    graph.nodes.iter().filter(is).map(name).collect()
}
