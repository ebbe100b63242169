//! The walk over the nodes of a model, with the types of the values that they see.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use unskew_core::{Finding, Places, Unjudged, aspect};

use super::{function, node};
use crate::around::Around;
use crate::{Element, Function, Graph, Kind, Lookup, Model, Node, Reader, Runtime, rules};

/// How deep functions call functions before it counts as a circle.
const CALLS: usize = 64;

/// The most calls of functions with types of their own that are looked into.
const MOST_CALLS: usize = 100_000;

/// What was found on the way.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) findings: Vec<Finding>,
    pub(super) unjudged: Vec<Unjudged>,
}

/// Why something was not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Open {
    /// The type of an input is not known.
    Type,
    /// The operator was not measured in this release.
    Unmeasured,
    /// The operator comes from a library.
    Custom,
    /// The schema of this release is not known.
    Schema,
    /// It depends on the machine.
    Machine,
    /// It depends on shapes or values.
    Shapes,
    /// The optimizer may join it with its neighbours.
    Fused,
    /// Functions nest too deep, or there are too many.
    Calls,
}

/// Types of several values, as far as they are known.
type Kinds = Vec<Option<Kind>>;

/// The state of a walk.
pub(super) struct Walk<'m> {
    pub(super) model: &'m Model,
    pub(super) runtime: &'m Runtime,
    pub(super) findings: Vec<Finding>,
    /// Sizes and makers of values.
    pub(super) around: Around<'m>,
    open: BTreeMap<Open, Places>,
    /// What the release makes of each operator, under each opset that it stands under.
    lookups: HashMap<(String, i64), Arc<Lookup>>,
    /// What functions gave for the types of their inputs.
    calls: HashMap<(usize, Kinds), Kinds>,
    /// How many calls were looked into.
    called: usize,
    depth: usize,
}

/// The values that a node can see.
pub(super) struct Scope<'s> {
    own: HashMap<&'s str, Option<Kind>>,
    around: Option<&'s Scope<'s>>,
}

impl Scope<'_> {
    fn kind(&self, name: &str) -> Option<Kind> {
        match self.own.get(name) {
            Some(kind) => kind.clone(),
            None => self.around.and_then(|around| around.kind(name)),
        }
    }
}

/// Walks all nodes of a model.
pub(super) fn walk(model: &Model, runtime: &Runtime) -> Walked {
    let mut walk = Walk {
        model,
        runtime,
        findings: Vec::new(),
        around: Around::of(model),
        open: BTreeMap::new(),
        lookups: HashMap::new(),
        calls: HashMap::new(),
        called: 0,
        depth: 0,
    };
    walk.graph(&model.graph, &model.opsets, None, &[]);
    let reader = runtime.name();
    let unjudged = walk.open.into_iter().map(|(open, places)| {
        let (aspect, reason) = match open {
            Open::Type => (
                aspect::KERNELS,
                "the types of inputs are not known here, so no kernel was looked for".to_owned(),
            ),
            Open::Unmeasured => (
                aspect::KERNELS,
                format!("the kernels of {reader} for these operators were not measured"),
            ),
            Open::Custom => (
                aspect::CUSTOM_CALLS,
                "operators of domains that no release has come from a library".to_owned(),
            ),
            Open::Schema => (
                aspect::KERNELS,
                format!("{reader} does not tell the attributes and types of these operators"),
            ),
            Open::Machine => (
                aspect::KERNELS,
                "these operators need a locale that must be installed where the model runs"
                    .to_owned(),
            ),
            Open::Shapes => (
                aspect::KERNELS,
                "whether these operators run depends on shapes or values, which are not looked at"
                    .to_owned(),
            ),
            Open::Fused => (
                aspect::KERNELS,
                format!(
                    "the optimizer of {reader} may join these with their neighbours into an operator that has no kernel for \
                     their types"
                ),
            ),
            Open::Calls => {
                (aspect::CONTENTS, "functions call functions too often to be followed".to_owned())
            }
        };
        Unjudged::new(aspect, reason).at(places)
    });
    Walked { unjudged: unjudged.collect(), findings: walk.findings }
}

impl<'m> Walk<'m> {
    /// What the release makes of the operator of a node, whose name with its domain is `op`.
    pub(super) fn look_up(&mut self, op: &str, node: &Node, opset: i64) -> Arc<Lookup> {
        let runtime = self.runtime;
        let known = self.lookups.entry((op.to_owned(), opset));
        let look_up = || Arc::new(runtime.look_up(&node.domain, &node.op, opset));
        known.or_insert_with(look_up).clone()
    }

    /// Notes something that was not judged.
    pub(super) fn open(&mut self, why: Open, place: &str) {
        self.open.entry(why).or_default().add(place);
    }

    /// Judges the nodes of a graph; gives the types of its outputs. `given`: types of its inputs that it does not say.
    pub(super) fn graph(
        &mut self,
        graph: &Graph,
        opsets: &[(Box<str>, i64)],
        around: Option<&Scope<'_>>,
        given: &[Option<Kind>],
    ) -> Kinds {
        let mut own: HashMap<&str, Option<Kind>> = HashMap::new();
        for tensor in &graph.initializers {
            own.insert(
                &tensor.name,
                Some(Kind::Tensor(tensor.element)).filter(|_| tensor.element != Element(0)),
            );
        }
        for (at, input) in graph.inputs.iter().enumerate() {
            if let (Some(said), Some(Some(kind))) = (&input.kind, given.get(at))
                && said != kind
            {
                self.differs("a graph inside of a node", &input.name, kind, said);
            }
            let kind = input.kind.clone().or_else(|| given.get(at).cloned().flatten());
            if kind.is_some() || !own.contains_key(&*input.name) {
                own.insert(&input.name, kind);
            }
        }
        let said = graph.values.iter().chain(&graph.outputs);
        let said: HashMap<&str, &Kind> =
            said.filter_map(|value| Some((&*value.name, value.kind.as_ref()?))).collect();
        if graph.nodes.iter().any(|node| node.since.is_some()) {
            // Nodes stand in no order here, and the type of each value is said.
            let known = said.iter().map(|(name, kind)| (*name, Some((*kind).clone())));
            own.extend(known);
        }
        let mut scope = Scope { own, around };
        for node in &graph.nodes {
            let kinds = self.node(node, opsets, &scope);
            for (at, name) in node.outputs.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
                let kind = kinds.get(at).cloned().flatten();
                if let (Some(kind), Some(said)) = (&kind, said.get(&**name)) {
                    self.agree(node, name, kind, said);
                }
                let kind = kind.or_else(|| said.get(&**name).map(|kind| (*kind).clone()));
                scope.own.insert(name, kind);
            }
        }
        graph
            .outputs
            .iter()
            .map(|output| output.kind.clone().or_else(|| scope.kind(&output.name)))
            .collect()
    }

    /// Whether what a node makes is of the type that the model says.
    fn agree(&mut self, node: &Node, name: &str, kind: &Kind, said: &Kind) {
        // ONNX Runtime takes constants for tensors of the model before it looks at types.
        if kind != said && &*node.op != "Constant" {
            self.differs(&place(node), name, kind, said);
        }
    }

    fn differs(&mut self, place: &str, name: &str, kind: &Kind, said: &Kind) {
        // onnx looks at types only where it is asked to.
        if self.runtime.reader != Reader::OnnxRuntime {
            return;
        }
        let rule = rules::ValueTypeDiffers { value: &name, kind, said };
        let symptom = format!(
            "Type Error: Type ({kind}) of output arg ({name}) does not match expected type ({said})."
        );
        self.findings.push(rule.finding().at(Places::from_iter([place])).with_symptom(symptom));
    }

    /// Judges one node; gives the types of its outputs.
    fn node(&mut self, node: &Node, opsets: &[(Box<str>, i64)], scope: &Scope<'_>) -> Kinds {
        let inputs: Kinds = node.inputs.iter().map(|name| scope.kind(name)).collect();
        let model = self.model;
        let called = model.functions.iter().position(|function| is_call(node, function));
        if let Some((at, function)) = called.and_then(|at| Some((at, model.functions.get(at)?))) {
            let refused = function::call(self.runtime, function, node, opsets);
            self.findings.extend(refused);
            return self.call(at, function, node, inputs);
        }
        let subgraphs = self.subgraphs(node, opsets, scope, &inputs);
        let mut kinds = node::judge(self, node, opsets, &inputs, subgraphs.as_deref());
        if let Some(inner) = subgraphs {
            for (kind, inner) in kinds.iter_mut().zip(inner) {
                *kind = inner.or(kind.take());
            }
        }
        kinds
    }

    /// Judges the graphs in the attributes of a node; gives the types that they say of its outputs.
    fn subgraphs(
        &mut self,
        node: &Node,
        opsets: &[(Box<str>, i64)],
        scope: &Scope<'_>,
        inputs: &[Option<Kind>],
    ) -> Option<Kinds> {
        let given: Kinds = match &*node.op {
            "Loop" => {
                let counter = [Some(Kind::Tensor(Element(7))), Some(Kind::Tensor(Element(9)))];
                counter.into_iter().chain(inputs.iter().skip(2).cloned()).collect()
            }
            "SequenceMap" => {
                let element = |kind: &Option<Kind>| match kind {
                    Some(Kind::Sequence(of)) => Some((**of).clone()),
                    other => other.clone(),
                };
                inputs.iter().map(element).collect()
            }
            // A scan hands slices of tensors on, which are of the same type.
            "Scan" if node.attributes.iter().all(|(name, _)| &**name != "directions") => {
                inputs.to_vec()
            }
            _ => Vec::new(),
        };
        let mut outputs = None;
        for (_, attribute) in &node.attributes {
            for graph in attribute.graphs() {
                let kinds = self.graph(graph, opsets, Some(scope), &given);
                outputs.get_or_insert(kinds);
            }
        }
        let outputs: Kinds = outputs?;
        match &*node.op {
            "If" | "Scan" => Some(outputs),
            // The first output of a body says whether the loop goes on.
            "Loop" => Some(outputs.into_iter().skip(1).collect()),
            "SequenceMap" => {
                let sequence = |kind: Option<Kind>| kind?.in_sequence();
                Some(outputs.into_iter().map(sequence).collect())
            }
            _ => None,
        }
    }

    /// Judges the body of a function for these types of its inputs, once.
    fn call(&mut self, at: usize, function: &'m Function, node: &Node, inputs: Kinds) -> Kinds {
        let decided = function::is_decided_by_calls(function, node);
        if let Some(known) = self.calls.get(&(at, inputs.clone())).filter(|_| !decided) {
            return known.clone();
        }
        self.called += 1;
        if self.depth >= CALLS || self.called >= MOST_CALLS {
            self.open(Open::Calls, &place(node));
            return Vec::new();
        }
        self.depth += 1;
        let own = function.inputs.iter().enumerate();
        let own = own.map(|(at, name)| (&**name, inputs.get(at).cloned().flatten())).collect();
        let around = Scope { own, around: None };
        let mut scope = Scope { own: HashMap::new(), around: Some(&around) };
        let said: HashMap<&str, &Kind> = function
            .body
            .values
            .iter()
            .filter_map(|one| Some((&*one.name, one.kind.as_ref()?)))
            .collect();
        for inner in &function.body.nodes {
            let node = &*function::called(inner, function, node);
            let kinds = self.node(node, &function.opsets, &scope);
            for (at, name) in inner.outputs.iter().enumerate().filter(|(_, name)| !name.is_empty())
            {
                let kind = kinds.get(at).cloned().flatten();
                scope
                    .own
                    .insert(name, kind.or_else(|| said.get(&**name).map(|kind| (*kind).clone())));
            }
        }
        let outputs: Kinds = function.outputs.iter().map(|name| scope.kind(name)).collect();
        self.depth -= 1;
        self.calls.insert((at, inputs), outputs.clone());
        outputs
    }
}

/// Whether some node of the model, or of its functions, calls this function.
pub(super) fn calls(model: &Model, function: &Function) -> bool {
    model.graphs().flat_map(|graph| &graph.nodes).any(|node| is_call(node, function))
}

fn is_call(node: &Node, function: &Function) -> bool {
    node.op == function.name && node.domain == function.domain && node.overload == function.overload
}

/// Where a node is, for people: its name, or its operator and what it makes.
pub(crate) fn place(node: &Node) -> String {
    if !node.name.is_empty() {
        return node.name.to_string();
    }
    let output = node.outputs.iter().find(|name| !name.is_empty());
    output.map_or_else(|| node.op.to_string(), |output| format!("{} ({output})", node.op))
}
