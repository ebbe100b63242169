//! Shapes of values, from the inputs of a model to its outputs: sizes, names that stand for one size each, and small
//! lists of sizes that a model calculates with.
//!
//! Nothing is believed that is not known: an operator that is not followed here makes values of unknown dimensions. What
//! ONNX Runtimes do with each contradiction was measured, 1.8 to 1.32 (`docs/agreement.md`).

mod conflict;
mod layout;
mod linear;
mod node;
mod node_inputs;
mod window;

use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt as _};

use crate::judge::place;
use crate::{
    Dim, OnnxAttribute, OnnxElementType, OnnxFunction, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor,
    ValueInfo,
};

pub(crate) use conflict::{ConflictPhase, ShapeConflict, shown};
use conflict::{both, differ};
pub(crate) use node::outputs;
pub(crate) use node_inputs::{NodeInputs, ValueFacts};

/// The most graphs inside of nodes that are followed.
const GRAPHS: usize = 100_000;

/// What a model says that cannot be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShapeFault {
    /// The operator's name, without its domain.
    pub(crate) op: Box<str>,
    /// The node, for people.
    pub(crate) place: String,
    pub(crate) kind: ShapeFaultKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ShapeFaultKind {
    /// The inputs of a node do not fit together.
    Clash(ShapeConflict),
    /// A value has other dimensions than the model says: its name, what it has, what is said.
    Said { value: Box<str>, has: String, said: String },
}

/// The values that a node sees.
struct Scope<'s> {
    own: HashMap<&'s str, ValueFacts>,
    around: Option<&'s Scope<'s>>,
}

impl Scope<'_> {
    fn known(&self, name: &str) -> ValueFacts {
        match (self.own.get(name), self.around) {
            (Some(known), _) => known.clone(),
            (None, Some(around)) => around.known(name),
            (None, None) => ValueFacts::default(),
        }
    }
}

struct ShapeInference<'m> {
    model: &'m OnnxModel,
    faults: Vec<ShapeFault>,
    /// Whether something that the model says was found to be wrong, so that others may believe in other dimensions.
    doubt: bool,
    graphs: usize,
    /// The sizes of every value by its name.
    sizes: HashMap<Box<str>, Vec<Dim>>,
}

/// What contradicts itself in a model, and the sizes of each of its values.
type FaultsAndSizes = (Vec<ShapeFault>, HashMap<Box<str>, Vec<Dim>>);

/// What the shapes of a model say, made when somebody asks, once for all releases.
#[derive(Default)]
pub(crate) struct ModelShapes(OnceLock<FaultsAndSizes>);

impl ModelShapes {
    /// Everything that contradicts itself; functions of the model are not followed.
    pub(crate) fn faults(&self, model: &OnnxModel) -> &[ShapeFault] {
        &self.inferred(model).0
    }

    /// The sizes of a value; none for values in functions of the model.
    pub(crate) fn sizes(&self, model: &OnnxModel, name: &str) -> Option<&[Dim]> {
        self.inferred(model).1.get(name).map(Vec::as_slice)
    }

    fn inferred(&self, model: &OnnxModel) -> &FaultsAndSizes {
        self.0.get_or_init(|| {
            let mut walk = ShapeInference {
                model,
                faults: Vec::new(),
                doubt: false,
                graphs: 0,
                sizes: HashMap::new(),
            };
            walk.graph(&model.graph, opset(&model.opsets), None);
            (walk.faults, walk.sizes)
        })
    }
}

fn opset(opsets: &[(Box<str>, i64)]) -> i64 {
    opsets.iter().find(|(domain, _)| domain.is_empty()).map_or(1, |(_, version)| *version)
}

/// What is known of a tensor that stands in the model.
pub(crate) fn of_tensor(tensor: &OnnxTensor) -> ValueFacts {
    let dims: Vec<Dim> = tensor.dims.iter().copied().map(Dim::Size).collect();
    let whole = matches!(tensor.element, OnnxElementType(6 | 7));
    let alone = dims.len() <= 1 && whole && (!tensor.ints.is_empty() || tensor.dims == [0]);
    let data = alone.then(|| tensor.ints.iter().copied().map(Dim::Size).collect());
    ValueFacts { dims: Some(dims), data }
}

/// The dimensions that are said of a value; a size below 0 says nothing.
fn declared(value: &ValueInfo) -> Option<Vec<Dim>> {
    let known = |dim: &Dim| match dim {
        Dim::Size(size) if *size < 0 => Dim::Unknown,
        dim => dim.clone(),
    };
    Some(value.dims.as_ref()?.iter().map(known).collect())
}

impl<'m> ShapeInference<'m> {
    /// Follows the nodes of a graph; gives what its outputs are.
    fn graph(
        &mut self,
        graph: &OnnxGraph,
        opset: i64,
        around: Option<&Scope<'_>>,
    ) -> Vec<ValueFacts> {
        self.graphs += 1;
        if self.graphs > GRAPHS {
            return Vec::new();
        }
        let mut own: HashMap<&str, ValueFacts> = HashMap::new();
        let given: HashMap<&str, &ValueInfo> =
            graph.inputs.iter().map(|input| (&*input.name, input)).collect();
        for input in &graph.inputs {
            own.insert(&input.name, ValueFacts { dims: declared(input), data: None });
        }
        for tensor in &graph.initializers {
            // What is an input too may be given other values, since IR version 4.
            let given = self.model.ir_version >= 4 && given.contains_key(&*tensor.name);
            if !given && tensor.element != OnnxElementType(0) {
                own.insert(&tensor.name, of_tensor(tensor));
            }
        }
        let said = graph.values.iter().chain(&graph.outputs);
        let said: HashMap<&str, Vec<Dim>> =
            said.filter_map(|value| Some((&*value.name, declared(value)?))).collect();
        let mut scope = Scope { own, around };
        for node in &graph.nodes {
            let made = self.node(node, opset, &scope);
            for (at, name) in node.outputs.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
                let mut known = made.get(at).cloned().unwrap_or_default();
                if let Some(said) = said.get(&**name) {
                    self.agree(node, name, &mut known, said);
                }
                scope.own.insert(name, known);
            }
        }
        let own = scope.own.iter();
        let known = own.filter_map(|(name, known)| Some(((*name).into(), known.dims.clone()?)));
        self.sizes.extend(known);
        graph.outputs.iter().map(|output| scope.known(&output.name)).collect()
    }

    /// Adds what the model says of a value to what was inferred; what was inferred counts.
    fn agree(&mut self, node: &OnnxNode, name: &str, known: &mut ValueFacts, said: &[Dim]) {
        let Some(dims) = &mut known.dims else {
            known.dims = Some(said.to_vec());
            return;
        };
        if dims.len() != said.len() || dims.iter().zip(said).any(|(one, other)| differ(one, other))
        {
            self.doubt = true;
            let (has, said) = (shown(dims), shown(said));
            self.fault(node, ShapeFaultKind::Said { value: name.into(), has, said });
            return;
        }
        dims.iter_mut().zip(said).for_each(|(one, other)| *one = both(one, other));
    }

    fn fault(&mut self, node: &OnnxNode, kind: ShapeFaultKind) {
        self.faults.push(ShapeFault { op: node.op.clone(), place: place(node), kind });
    }

    fn node(&mut self, node: &OnnxNode, opset: i64, scope: &Scope<'_>) -> Vec<ValueFacts> {
        let mut inner = Vec::new();
        for (_, attribute) in &node.attributes {
            for graph in attribute.graphs() {
                inner.push(self.graph(graph, opset, Some(scope)));
            }
        }
        if !node.domain.is_empty() || self.is_call(node) || node.attributes.iter().any(refers) {
            return Vec::new();
        }
        if &*node.op == "If" {
            return alike(&inner);
        }
        let inputs = node.inputs.iter().map(|name| match &**name {
            "" => ValueFacts::default(),
            name => scope.known(name),
        });
        match outputs(&NodeInputs { node, opset, inputs: inputs.collect() }) {
            Ok(made) => made,
            Err(mut clash) => {
                if self.doubt {
                    clash.when = ConflictPhase::Run;
                }
                self.fault(node, ShapeFaultKind::Clash(clash));
                Vec::new()
            }
        }
    }

    fn is_call(&self, node: &OnnxNode) -> bool {
        let is =
            |function: &OnnxFunction| function.name == node.op && function.domain == node.domain;
        self.model.functions.iter().any(is)
    }
}

/// Whether the function around decides on an attribute.
fn refers((_, attribute): &(Box<str>, OnnxAttribute)) -> bool {
    matches!(attribute, OnnxAttribute::Of(_))
}

/// What both branches of an `If` give.
fn alike(branches: &[Vec<ValueFacts>]) -> Vec<ValueFacts> {
    let [one, other] = branches else { return Vec::new() };
    let both = one.iter().zip(other);
    both.map(|(one, other)| if one == other { one.clone() } else { ValueFacts::default() })
        .collect()
}
