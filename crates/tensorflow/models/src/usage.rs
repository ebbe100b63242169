//! Uses of ops in a graph: what it asks of a runtime, nodes that ask the same taken together.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashMapExt as _, HashSet};
use smallvec::SmallVec;
use unskew_core::{DataVersions, Places};

use crate::attrs::{Attr, is_judged};
use crate::body::Body;
use crate::convert::{ProvedReplacements, Wiring, asks_the_wiring};
use crate::edge::{EdgeIndex, Edges, UseByNode};
use crate::functions::FunctionReport;
use crate::read::{MetaGraph, SavedObject};
use crate::restores::{self, RestoreNode};
use crate::session::{self, CallGraph, SaverRestores};
use crate::{AttrValue, Attrs, GraphDef, KernelChoice, NodeDef, OpDef, structure};

/// The graph or function in which nodes stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeScope {
    /// In the graph itself.
    Graph,
    /// In the body of a function that the graph calls, be it through others.
    Called,
    /// In the body of a function that nothing calls.
    Uncalled,
}

/// Nodes that ask the same of a runtime.
#[derive(Clone, Debug, PartialEq)]
pub struct OpUse {
    /// The name of the op.
    pub op: Arc<str>,
    /// The attributes that the nodes set, by name.
    pub attrs: Attrs,
    /// How many data inputs there are.
    pub inputs: u64,
    /// Where the nodes stand.
    pub scope: NodeScope,
    /// Where their kernels come from.
    pub kernels: KernelChoice,
    /// What the graph proves of their inputs and outputs, for those that other ops might replace.
    pub proved: ProvedReplacements,
    /// The names of the nodes, some of many.
    pub places: Places,
}

impl OpUse {
    /// What one node asks, without a place.
    pub(crate) fn of_node(
        node: &NodeDef,
        scope: NodeScope,
        kernels: KernelChoice,
        proved: ProvedReplacements,
    ) -> Self {
        Self {
            op: node.op.clone(),
            attrs: node
                .attrs
                .judged()
                .map(|(name, value)| (name.clone(), value.judged()))
                .collect(),
            inputs: node.data_input_count(),
            scope,
            kernels,
            proved,
            places: Places::default(),
        }
    }

    /// The value of an attribute.
    pub fn attr(&self, name: &str) -> Option<&AttrValue> {
        self.attrs.get(name)
    }
}

/// What a graph asks of a runtime.
#[derive(Clone, Debug, Default)]
pub struct GraphUse {
    /// The tags of the graph, if it has some: `serve`.
    pub tags: Vec<String>,
    /// The versions that it carries; none counts as producer 0.
    pub versions: Option<DataVersions>,
    /// The TensorFlow that wrote it, by its own account.
    pub tensorflow_version: Option<String>,
    /// Whether attributes that have their default were left out.
    pub stripped_defaults: bool,
    /// The ops that it uses, as its exporter defines them, if it says so.
    pub own_ops: Vec<OpDef>,
    /// The objects of TensorFlow 2, if it has any.
    pub objects: Option<Vec<SavedObject>>,
    /// The nodes, those that are alike as one.
    pub uses: Vec<OpUse>,
    /// Nodes of the graph whose op is the name of a function of its library, by that name.
    pub calls: Vec<(Arc<str>, Places)>,
    /// The functions of its library.
    pub functions: FunctionReport,
    /// How many nodes there are in all.
    pub nodes: usize,
    /// What is wrong with its structure, or known to have been judged differently over time.
    pub structure: structure::GraphStructure,
    pub(crate) edges: Edges,
    pub(crate) taking: Vec<RestoreNode>,
    /// How many of its objects are tensors that a function captured from another one.
    pub captured_tensors: usize,
    /// What a session can be asked for by name.
    pub signatures: Vec<String>,
    /// Nodes of the graph itself that are assigned to a GPU.
    pub on_gpu: Places,
    /// The variables of each signature that a session has no values for.
    pub without_values: Vec<(String, Places)>,
    /// What restores the variables.
    pub(crate) restoring: SaverRestores,
}

impl GraphUse {
    pub(crate) fn of_meta_graph(meta: MetaGraph) -> Self {
        let body = Body::of_graph(&meta.graph);
        let names = CallGraph::new(&meta.graph, &body);
        Self {
            captured_tensors: meta.captured_tensors,
            without_values: session::without_values(&meta, &names),
            restoring: SaverRestores::from_meta_graph(&meta, &names),
            signatures: meta.signatures.into_iter().map(|signature| signature.name).collect(),
            tags: meta.tags,
            tensorflow_version: meta.tensorflow_version,
            stripped_defaults: meta.stripped_defaults,
            own_ops: meta.ops,
            objects: meta.objects,
            ..Self::of_body(&meta.graph, &body)
        }
    }

    /// What a graph asks of a runtime.
    pub fn of_graph(graph: &GraphDef) -> Self {
        let body = Body::of_graph(graph);
        let restoring = SaverRestores::of_graph(&CallGraph::new(graph, &body));
        Self { restoring, ..Self::of_body(graph, &body) }
    }

    /// What a graph, whose own nodes are those of `body`, asks of a runtime, whatever restores it.
    fn of_body(graph: &GraphDef, body: &Body<'_>) -> Self {
        let library: HashMap<&str, usize> = graph
            .functions
            .iter()
            .enumerate()
            .map(|(i, function)| (&*function.signature.name, i))
            .collect();
        let mut functions = FunctionReport::new(graph);
        let room = graph.nodes.len() / ALIKE;
        let mut gather = UseCollector {
            library: &library,
            seen: HashMap::with_capacity(room),
            found: HashMap::with_capacity(room),
            uses: Vec::new(),
            judged: JudgedAttrs::default(),
        };
        let mut joints = EdgeIndex::new(graph);
        let mut wiring = Wiring::new(body);
        let mut add =
            |node| gather.add(node, (NodeScope::Graph, KernelChoice::OfDevice, ""), &mut wiring);
        let uses: UseByNode = graph.nodes.iter().map(&mut add).collect();
        joints.add(body, NodeScope::Graph, &uses);
        let mut taking = restores::taking(body, None);
        let mut nodes = graph.nodes.len();
        let kernels = KernelChoice::of_functions(graph);
        for (i, function) in graph.functions.iter().enumerate() {
            let scope =
                if functions.called.contains(&i) { NodeScope::Called } else { NodeScope::Uncalled };
            nodes += function.nodes.len();
            let body = Body::of_function(function);
            functions.add_body(i, &body);
            let mut wiring = Wiring::new(&body);
            let from = kernels.get(i).copied().unwrap_or_default();
            let mut add = |node| gather.add(node, (scope, from, body.name()), &mut wiring);
            let of_body: UseByNode = function.nodes.iter().map(&mut add).collect();
            joints.add(&body, scope, &of_body);
            taking.extend(restores::taking(&body, Some(i)));
        }
        let calls = graph.nodes.iter().zip(&uses).filter(|(_, place)| place.is_none());
        let calls = by_function(calls.map(|(node, _)| node));
        Self {
            versions: graph.versions.clone(),
            calls,
            on_gpu: graph.nodes.iter().filter(|it| it.on_gpu).map(|node| &node.name).collect(),
            functions,
            nodes,
            uses: gather.uses,
            structure: structure::GraphStructure::from_body(body),
            edges: joints.into_all(),
            taking,
            ..Self::default()
        }
    }

    pub(crate) fn effective_versions(&self) -> DataVersions {
        self.versions.clone().unwrap_or_default()
    }

    /// How many different ops there are.
    pub fn ops(&self) -> usize {
        self.uses.iter().map(|one| &*one.op).collect::<HashSet<_>>().len()
    }
}

/// Nodes whose ops are functions, grouped by function, in the order of the first call of each.
fn by_function<'g>(calls: impl Iterator<Item = &'g NodeDef>) -> Vec<(Arc<str>, Places)> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut all: Vec<(Arc<str>, Places)> = Vec::new();
    for node in calls {
        let place = *places.entry(&*node.op).or_insert_with(|| {
            all.push((node.op.clone(), Places::default()));
            all.len() - 1
        });
        if let Some((_, nodes)) = all.get_mut(place) {
            nodes.add(&*node.name);
        }
    }
    all
}

/// In most graphs, one node of so many asks for something that none before it did.
const ALIKE: usize = 4;

/// What a node says, told without a look at it: the addresses of its op and attributes in the graph, which lives longer,
/// how many inputs it has, and where it stands.
type UseIdentity = (usize, usize, u64, NodeScope, KernelChoice);

struct UseCollector<'g> {
    library: &'g HashMap<&'g str, usize>,
    /// What nodes before said, and the place in `uses` of each; of calls none.
    seen: HashMap<UseIdentity, Option<usize>>,
    /// Places in `uses` of each op, scope and digest of the attributes.
    found: HashMap<(Arc<str>, NodeScope, u64), SmallVec<[usize; 1]>>,
    uses: Vec<OpUse>,
    judged: JudgedAttrs,
}

impl UseCollector<'_> {
    /// Adds a node of a body: of this scope, with kernels from there, and of the function of this name. Says among
    /// which use it is; none for a call of a function.
    fn add<'n>(
        &mut self,
        node: &'n NodeDef,
        (scope, kernels, function): (NodeScope, KernelChoice, &str),
        wiring: &mut Wiring<'_, 'n>,
    ) -> Option<usize> {
        let inputs = node.data_input_count();
        let said = (node.op.as_ptr().addr(), node.attrs.address(), inputs, scope, kernels);
        let place = match self.seen.get(&said) {
            Some(place) => *place,
            None => {
                let place = self.place(node, (inputs, scope, kernels), wiring);
                if !asks_the_wiring(&node.op) {
                    self.seen.insert(said, place);
                }
                place
            }
        };
        if let Some(one) = self.uses.get_mut(place?) {
            one.places.add_with(|| match function {
                "" => node.name.to_string(),
                function => [function, "/", &node.name].concat(),
            });
        }
        place
    }

    /// The place in `uses` for a node with so many inputs; none for a call of a function.
    fn place<'n>(
        &mut self,
        node: &'n NodeDef,
        (inputs, scope, kernels): (u64, NodeScope, KernelChoice),
        wiring: &mut Wiring<'_, 'n>,
    ) -> Option<usize> {
        if self.library.contains_key(&*node.op) {
            return None;
        }
        let proved = wiring.proved(node);
        let kernels = kernels.of_node(node);
        let (attrs, digest) = self.judged.judged(node);
        let digest = digest.wrapping_add(inputs);
        let alike = self.found.entry((node.op.clone(), scope, digest)).or_default();
        let same = alike.iter().copied().find(|i| {
            self.uses.get(*i).is_some_and(|other| {
                other.inputs == inputs
                    && other.proved == proved
                    && other.kernels == kernels
                    && are_same(attrs, &other.attrs)
            })
        });
        Some(same.unwrap_or_else(|| {
            let (op, attrs) = (node.op.clone(), attrs.iter().cloned().collect());
            let places = Places::default();
            self.uses.push(OpUse { op, attrs, inputs, scope, kernels, proved, places });
            alike.push(self.uses.len() - 1);
            self.uses.len() - 1
        }))
    }
}

/// Attributes as they are judged, each made once for all nodes that share it.
#[derive(Default)]
struct JudgedAttrs {
    /// By the addresses of those of the graph, which lives longer; with digests.
    known: HashMap<usize, (Arc<Attr>, u64)>,
    hasher: RandomState,
    /// Those of the last node.
    last: Vec<Arc<Attr>>,
}

impl JudgedAttrs {
    /// Those of a node, and a digest of all, which does not depend on their order.
    fn judged(&mut self, node: &NodeDef) -> (&[Arc<Attr>], u64) {
        self.last.clear();
        let mut sum = 0u64;
        for attr in node.attrs.shared() {
            if !is_judged(&attr.0) {
                continue;
            }
            let (judged, digest) =
                self.known.entry(Arc::as_ptr(attr).addr()).or_insert_with(|| {
                    let (name, value) = &**attr;
                    let judged = match value {
                        AttrValue::Tensor { .. } => Arc::new((name.clone(), value.judged())),
                        _ => attr.clone(),
                    };
                    let digest = self.hasher.hash_one(&*judged);
                    (judged, digest)
                });
            sum = sum.wrapping_add(*digest);
            self.last.push(judged.clone());
        }
        (&self.last, sum)
    }
}

/// Whether these are the same attributes, in whatever order.
fn are_same(some: &[Arc<Attr>], others: &Attrs) -> bool {
    let others = others.shared();
    let has = |one: &Arc<Attr>| {
        others.iter().any(|other| Arc::ptr_eq(one, other)) || others.contains(one)
    };
    some.len() == others.len() && some.iter().all(has)
}
