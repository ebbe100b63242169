//! The walk over the nodes of a model, with the types of the values that they see.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use unskew_core::{Finding, Places, Unjudged, aspect};

use super::{function, node};
use crate::runtime::full_name;
use crate::shapes::ModelShapes;
use crate::value_index::ValueIndex;
use crate::{
    ModelReader, OnnxElementType, OnnxFunction, OnnxGraph, OnnxModel, OnnxNode, OnnxRelease,
    OperatorLookup, ValueType, rules,
};

/// How deep functions call functions before they are not followed.
const CALLS: usize = 64;

/// The most calls of functions with types of their own that are looked into.
const MOST_CALLS: usize = 100_000;

/// What was found on the way.
#[derive(Default)]
pub(super) struct WalkResult {
    pub(super) findings: Vec<Finding>,
    pub(super) unjudged: Vec<Unjudged>,
    /// Whether the kernels of some node were not measured.
    pub(super) has_unmeasured: bool,
}

/// Why something was not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnjudgedReason {
    /// The type of an input is not known.
    Type,
    /// The operator was not measured in this release.
    Unmeasured,
    /// What the CUDA provider makes of it was not measured.
    Cuda,
    /// The operator comes from a library.
    Custom,
    /// The release has the operator on some processors only.
    Processor,
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
type ValueTypes = Vec<Option<ValueType>>;

pub(super) struct ModelWalk<'m> {
    pub(super) model: &'m OnnxModel,
    pub(super) runtime: &'m OnnxRelease,
    pub(super) findings: Vec<Finding>,
    pub(super) around: ValueIndex<'m>,
    open: BTreeMap<UnjudgedReason, Places>,
    /// What the release makes of each operator, under each opset that it stands under.
    lookups: HashMap<(String, i64), Arc<OperatorLookup>>,
    /// What functions gave for the types of their inputs.
    calls: HashMap<(usize, ValueTypes), ValueTypes>,
    /// How many calls were looked into.
    called: usize,
    /// The functions that are being looked into, the innermost last.
    open_calls: Vec<usize>,
}

/// The values that a node can see.
pub(super) struct Scope<'s> {
    own: HashMap<&'s str, Option<ValueType>>,
    around: Option<&'s Scope<'s>>,
}

impl Scope<'_> {
    fn kind(&self, name: &str) -> Option<ValueType> {
        match self.own.get(name) {
            Some(kind) => kind.clone(),
            None => self.around.and_then(|around| around.kind(name)),
        }
    }
}

pub(super) fn walk(model: &OnnxModel, runtime: &OnnxRelease, shapes: &ModelShapes) -> WalkResult {
    let mut walk = ModelWalk {
        model,
        runtime,
        findings: Vec::new(),
        around: ValueIndex::new(model, shapes),
        open: BTreeMap::new(),
        lookups: HashMap::new(),
        calls: HashMap::new(),
        called: 0,
        open_calls: Vec::new(),
    };
    walk.graph(&model.graph, &model.opsets, None, &[]);
    let reader = runtime.name();
    let has_unmeasured = walk.open.contains_key(&UnjudgedReason::Unmeasured);
    let unjudged = walk.open.into_iter().map(|(open, places)| {
        let (aspect, reason) = match open {
            UnjudgedReason::Type => (
                aspect::KERNELS,
                "the types of inputs are not known here, so no kernel was looked for".to_owned(),
            ),
            UnjudgedReason::Unmeasured => (
                aspect::KERNELS,
                format!("the kernels of {reader} for these operators were not measured"),
            ),
            UnjudgedReason::Cuda => (
                aspect::KERNELS,
                format!(
                    "which attributes, values and types of these operators the CUDA provider of {reader} takes was not measured"
                ),
            ),
            UnjudgedReason::Custom => (
                aspect::CUSTOM_CALLS,
                "operators of domains that no release has come from a library".to_owned(),
            ),
            UnjudgedReason::Processor => (
                aspect::KERNELS,
                format!("{reader} has these operators on some processors only"),
            ),
            UnjudgedReason::Schema => (
                aspect::KERNELS,
                format!("{reader} does not tell the attributes and types of these operators"),
            ),
            UnjudgedReason::Machine => (
                aspect::KERNELS,
                "these operators need a locale that must be installed where the model runs"
                    .to_owned(),
            ),
            UnjudgedReason::Shapes => (
                aspect::KERNELS,
                "whether these operators run depends on shapes or values, which are not looked at"
                    .to_owned(),
            ),
            UnjudgedReason::Fused => (
                aspect::KERNELS,
                format!(
                    "the optimizer of {reader} may join these with their neighbours into an operator that has no kernel for \
                     their types"
                ),
            ),
            UnjudgedReason::Calls => {
                (aspect::CONTENTS, "functions call functions too often to be followed".to_owned())
            }
        };
        Unjudged::new(aspect, reason).at(places)
    });
    WalkResult { unjudged: unjudged.collect(), findings: walk.findings, has_unmeasured }
}

impl<'m> ModelWalk<'m> {
    /// What the release makes of the operator of a node, whose name with its domain is `op`.
    pub(super) fn look_up(&mut self, op: &str, node: &OnnxNode, opset: i64) -> Arc<OperatorLookup> {
        let runtime = self.runtime;
        let known = self.lookups.entry((op.to_owned(), opset));
        let look_up = || Arc::new(runtime.look_up(&node.domain, &node.op, opset));
        known.or_insert_with(look_up).clone()
    }

    /// Notes something that was not judged.
    pub(super) fn open(&mut self, why: UnjudgedReason, place: &str) {
        self.open.entry(why).or_default().add(place);
    }

    /// Judges the nodes of a graph; gives the types of its outputs. `given`: types of its inputs that it does not say.
    pub(super) fn graph(
        &mut self,
        graph: &OnnxGraph,
        opsets: &[(Box<str>, i64)],
        around: Option<&Scope<'_>>,
        given: &[Option<ValueType>],
    ) -> ValueTypes {
        let mut own: HashMap<&str, Option<ValueType>> = HashMap::new();
        for tensor in &graph.initializers {
            own.insert(
                &tensor.name,
                Some(ValueType::Tensor(tensor.element))
                    .filter(|_| tensor.element != OnnxElementType(0)),
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
        let said: HashMap<&str, &ValueType> =
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

    fn agree(&mut self, node: &OnnxNode, name: &str, kind: &ValueType, said: &ValueType) {
        // ONNX Runtime takes constants for tensors of the model before it looks at types.
        if kind != said && &*node.op != "Constant" {
            self.differs(&place(node), name, kind, said);
        }
    }

    fn differs(&mut self, place: &str, name: &str, kind: &ValueType, said: &ValueType) {
        // onnx looks at types only where it is asked to.
        if self.runtime.reader != ModelReader::OnnxRuntime {
            return;
        }
        let rule = rules::ValueTypeDiffers { value: &name, kind, said };
        let symptom = format!(
            "Type Error: Type ({kind}) of output arg ({name}) does not match expected type ({said})."
        );
        self.findings.push(rule.finding().at(Places::from_iter([place])).with_symptom(symptom));
    }

    /// Judges one node; gives the types of its outputs.
    fn node(
        &mut self,
        node: &OnnxNode,
        opsets: &[(Box<str>, i64)],
        scope: &Scope<'_>,
    ) -> ValueTypes {
        let inputs: ValueTypes = node.inputs.iter().map(|name| scope.kind(name)).collect();
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
        node: &OnnxNode,
        opsets: &[(Box<str>, i64)],
        scope: &Scope<'_>,
        inputs: &[Option<ValueType>],
    ) -> Option<ValueTypes> {
        let given: ValueTypes = match &*node.op {
            "Loop" => {
                let counter = [
                    Some(ValueType::Tensor(OnnxElementType(7))),
                    Some(ValueType::Tensor(OnnxElementType(9))),
                ];
                counter.into_iter().chain(inputs.iter().skip(2).cloned()).collect()
            }
            "SequenceMap" => {
                let element = |kind: &Option<ValueType>| match kind {
                    Some(ValueType::Sequence(of)) => Some((**of).clone()),
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
        let outputs: ValueTypes = outputs?;
        match &*node.op {
            "If" | "Scan" => Some(outputs),
            // The first output of a body says whether the loop goes on.
            "Loop" => Some(outputs.into_iter().skip(1).collect()),
            "SequenceMap" => {
                let sequence = |kind: Option<ValueType>| kind?.in_sequence();
                Some(outputs.into_iter().map(sequence).collect())
            }
            _ => None,
        }
    }

    /// Judges the body of a function for these types of its inputs, once.
    fn call(
        &mut self,
        at: usize,
        function: &'m OnnxFunction,
        node: &OnnxNode,
        inputs: ValueTypes,
    ) -> ValueTypes {
        let decided = function::is_decided_by_calls(function, node);
        if let Some(known) = self.calls.get(&(at, inputs.clone())).filter(|_| !decided) {
            return known.clone();
        }
        if self.open_calls.contains(&at) {
            let op = full_name(&function.domain, &function.name);
            let rule = rules::FunctionCallsItself { function: &op };
            self.findings.push(rule.finding().at(Places::from_iter([place(node)])));
            return Vec::new();
        }
        self.called += 1;
        if self.open_calls.len() >= CALLS || self.called >= MOST_CALLS {
            self.open(UnjudgedReason::Calls, &place(node));
            return Vec::new();
        }
        self.open_calls.push(at);
        let own = function.inputs.iter().enumerate();
        let own = own.map(|(at, name)| (&**name, inputs.get(at).cloned().flatten())).collect();
        let around = Scope { own, around: None };
        let mut scope = Scope { own: HashMap::new(), around: Some(&around) };
        let said: HashMap<&str, &ValueType> = function
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
        let outputs: ValueTypes = function.outputs.iter().map(|name| scope.kind(name)).collect();
        self.open_calls.pop();
        self.calls.insert((at, inputs), outputs.clone());
        outputs
    }
}

/// Whether some node of the model, or of its functions, calls this function.
pub(super) fn calls(model: &OnnxModel, function: &OnnxFunction) -> bool {
    model.graphs().flat_map(|graph| &graph.nodes).any(|node| is_call(node, function))
}

/// Whether a node calls this function.
pub(crate) fn is_call(node: &OnnxNode, function: &OnnxFunction) -> bool {
    node.op == function.name && node.domain == function.domain && node.overload == function.overload
}

/// Where a node is, for people: its name, or its operator and what it makes.
pub(crate) fn place(node: &OnnxNode) -> String {
    if !node.name.is_empty() {
        return node.name.to_string();
    }
    let output = node.outputs.iter().find(|name| !name.is_empty());
    output.map_or_else(|| node.op.to_string(), |output| format!("{} ({output})", node.op))
}
