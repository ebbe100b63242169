//! Nodes of an op, made from its definition: which types and values its attributes have.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use unskew_tensorflow::op_def::{ArgKind, AttrDef, ElementType, Trait};
use unskew_tensorflow::{
    AttrScalarType, AttrValue, DataType, DeviceType, KernelAvailability, OpDef, TensorFlowRuntime,
};

/// A node, with the inputs of each run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeForm {
    /// The name of the op.
    pub op: String,
    /// Its attributes: name, kind and value, as `lab/tensorflow/probes/tf_operators.py` reads them.
    pub attrs: Vec<(String, String, Value)>,
    /// Its inputs, in the order of the op's definition.
    pub args: Vec<Arg>,
    /// What rows may say of it: attributes that nodes of this op differ in, with their values as text.
    pub given: GivenAttributes,
    /// Whether it is the first form of its op: the one with the most runs.
    pub is_first: bool,
    /// What the inputs of each run get.
    #[serde(default)]
    pub runs: Vec<Vec<String>>,
}

/// Attributes and their values as text.
pub type GivenAttributes = Vec<(String, String)>;

/// An input of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arg {
    /// Its name in the definition.
    pub name: String,
    /// The type of its elements.
    pub dtype: String,
    /// `index` for shapes, axes, places and counts, `data` for what is calculated with.
    pub role: String,
}

/// The types that attributes are tried with; the first that is allowed is the one that the others are compared with.
const TYPES: [&str; 13] = [
    "float",
    "half",
    "bfloat16",
    "double",
    "int32",
    "int64",
    "uint8",
    "complex64",
    "bool",
    "string",
    "quint8",
    "qint8",
    "qint32",
];

/// The types that are compared with the first one; kernels of others are instances of the same templates.
const COMPARED: [&str; 3] = ["half", "bfloat16", "int32"];

/// How many other values of attributes that are no types an op is tried with.
const OTHERS: usize = 2;

/// What names of ops have that read or write something, wait, end the process, or are made of functions.
const NEVER: [&str; 38] = [
    "Abort",
    "Print",
    "Dataset",
    "Collective",
    "Send",
    "Recv",
    "File",
    "Barrier",
    "Debug",
    "TPU",
    "Tpu",
    "Xla",
    "Tensor",
    "Assert",
    "Summary",
    "Placeholder",
    "Queue",
    "Stack",
    "Reader",
    "Iterator",
    "Variable",
    "Lookup",
    "HashTable",
    "Gpu",
    "Mkl",
    "Remote",
    "Worker",
    "Eager",
    "Nccl",
    "Const",
    "Restore",
    "Save",
    "Shard",
    "Merge",
    "Switch",
    "Enter",
    "Exit",
    "NextIteration",
];

/// What names of ops begin with that exist for tests of TensorFlow itself, or have no kernel of their own.
const NO_USE: [&str; 12] = [
    "Risc",
    "Foo",
    "Test",
    "Stateless",
    "Namespace",
    "Cudnn",
    "BoostedTrees",
    "IntInput",
    "TwoFloat",
    "Polymorphic",
    "Restrict",
    "Relayout",
];

/// What begins with `Tensor`, or has it in its name, and computes all the same.
const ALLOWED: [&str; 8] = [
    "TensorScatter",
    "SparseTensorDense",
    "RaggedTensorTo",
    "TensorStridedSlice",
    "SparseTensorTo",
    "MergeSummary",
    "InTopK",
    "ParallelDynamicStitch",
];

/// The nodes of all ops of a release that compute something of tensors alone.
pub fn forms(runtime: &TensorFlowRuntime) -> Vec<NodeForm> {
    let registry = &runtime.ops;
    let mut all = Vec::new();
    let mut texts: Vec<&str> = registry.texts().filter(|text| !text.starts_with('_')).collect();
    texts.sort_unstable();
    for text in texts {
        let Ok(op) = text.parse::<OpDef>() else { continue };
        if is_tried(&op) {
            all.extend(of_op(&op));
        }
    }
    all
}

fn is_tried(op: &OpDef) -> bool {
    let allowed = ALLOWED.iter().any(|part| op.name.contains(part));
    let never = NEVER.iter().any(|part| op.name.contains(part)) && !allowed;
    let plain = |arg: &unskew_tensorflow::op_def::ArgDef| match &arg.kind {
        ArgKind::One(ElementType::Fixed(of)) | ArgKind::Many(_, ElementType::Fixed(of)) => {
            TYPES.contains(&&*of.to_string())
        }
        ArgKind::One(_) | ArgKind::Many(..) => true,
        ArgKind::Each(_) => false,
    };
    let args = || op.inputs.iter().chain(&op.outputs);
    let no_use = NO_USE.iter().any(|begin| op.name.starts_with(begin));
    !never
        && !no_use
        && !op.traits.contains(&Trait::Stateful)
        && !op.inputs.is_empty()
        && !op.outputs.is_empty()
        && args().all(|arg| plain(arg) && !arg.reference)
}

/// Values of all attributes by name.
type Values = Vec<(String, AttrValue)>;

fn of_op(op: &OpDef) -> Vec<NodeForm> {
    let Some(base) = op
        .attrs
        .iter()
        .map(|attr| Some((attr.name.clone(), usual(op, attr)?)))
        .collect::<Option<Values>>()
    else {
        return Vec::new();
    };
    let mut all: Vec<NodeForm> = Vec::new();
    let mut varied: Vec<String> = Vec::new();
    let mut sets: Vec<Values> = vec![base.clone()];
    let mut add = |name: &str, value: AttrValue, sets: &mut Vec<Values>| {
        let with = |(known, old): &(String, AttrValue)| {
            (known.clone(), if known == name { value.clone() } else { old.clone() })
        };
        let set: Values = base.iter().map(with).collect();
        if !varied.iter().any(|known| known == name) {
            varied.push(name.to_owned());
        }
        if !sets.contains(&set) {
            sets.push(set);
        }
    };
    let types: Vec<&AttrDef> = op
        .attrs
        .iter()
        .filter(|attr| attr.kind.single == AttrScalarType::Type && !attr.kind.list)
        .collect();
    for attr in &types {
        for one in allowed_types(attr) {
            if COMPARED.contains(&&*one.to_string()) {
                add(&attr.name, one, &mut sets);
            }
        }
    }
    let plain = op.attrs.iter().filter(|attr| attr.kind.single != AttrScalarType::Type);
    let values = plain.flat_map(|attr| others(attr).into_iter().map(move |one| (&attr.name, one)));
    for (name, one) in values.take(OTHERS) {
        add(name, one, &mut sets);
    }
    for set in sets {
        if let Some(form) = form(op, &set, &varied) {
            all.push(NodeForm { is_first: all.is_empty(), ..form });
        }
    }
    all
}

/// Whether an attribute is the type of places, shapes or counts.
fn is_index(attr: &AttrDef) -> bool {
    let names =
        attr.allowed.as_ref().map(|all| all.iter().map(AttrValue::to_string).collect::<Vec<_>>());
    let integers = names.is_some_and(|all| {
        all.iter().all(|one| matches!(&**one, "int32" | "int64" | "int16" | "uint16"))
    });
    integers && attr.name != "T" && !attr.name.starts_with("out")
}

fn allowed_types(attr: &AttrDef) -> Vec<AttrValue> {
    let known = |name: &str| name.parse::<DataType>().ok().map(AttrValue::Type);
    let all = TYPES.iter().filter_map(|name| known(name));
    match &attr.allowed {
        Some(allowed) => all.filter(|one| allowed.contains(one)).collect(),
        None => all.take(10).collect(),
    }
}

/// The value that an attribute has where nothing else is tried.
fn usual(op: &OpDef, attr: &AttrDef) -> Option<AttrValue> {
    if attr.kind.single == AttrScalarType::Type && !attr.kind.list {
        let all = allowed_types(attr);
        // The type that most models have, whatever the default is.
        let default = attr.default.clone().filter(|_| {
            is_index(attr) || attr.name.starts_with("out") || attr.name.starts_with("Tout")
        });
        return default.or_else(|| all.into_iter().next());
    }
    if let Some(default) = &attr.default {
        let encoded = crate::random::encoded(default).is_some();
        return Some(default.clone()).filter(|_| encoded);
    }
    let three = op.name.contains("3D");
    if attr.kind.list {
        let length = attr.minimum.unwrap_or(if three { 5 } else { 4 });
        let one = match attr.kind.single {
            AttrScalarType::Int => AttrValue::Int(1),
            AttrScalarType::Float => AttrValue::Float(0.5),
            _ => return None,
        };
        let mut all = vec![one; usize::try_from(length).ok()?.clamp(1, 8)];
        if attr.name == "ksize" && all.len() > 3 {
            all.iter_mut().take(3).skip(1).for_each(|size| *size = AttrValue::Int(2));
        }
        return Some(AttrValue::List(all));
    }
    if let Some(first) = attr.allowed.as_ref().and_then(|all| all.first()) {
        return Some(first.clone());
    }
    Some(match attr.kind.single {
        AttrScalarType::Int => {
            AttrValue::Int(attr.minimum.unwrap_or(1).max(if attr.name == "N" { 2 } else { 1 }))
        }
        AttrScalarType::Float => AttrValue::Float(0.5),
        AttrScalarType::Bool => AttrValue::Bool(false),
        AttrScalarType::String if attr.name == "equation" => {
            AttrValue::String(b"ij,jk->ik".as_slice().into())
        }
        _ => return None,
    })
}

/// Other values of an attribute that is no type.
fn others(attr: &AttrDef) -> Vec<AttrValue> {
    if attr.kind.list {
        return Vec::new();
    }
    match (&attr.default, attr.kind.single) {
        (Some(AttrValue::Bool(default)), _) => vec![AttrValue::Bool(!default)],
        (None, AttrScalarType::Bool) => vec![AttrValue::Bool(true)],
        (_, AttrScalarType::String) => attr.allowed.iter().flatten().take(6).cloned().collect(),
        (Some(AttrValue::Int(default)), _) if is_small(&attr.name) => {
            [0, 1, 2, -1].into_iter().filter(|one| one != default).map(AttrValue::Int).collect()
        }
        (Some(AttrValue::Float(default)), _) => [0.5, 2.0, -1.0]
            .into_iter()
            .filter(|one| one != default)
            .map(AttrValue::Float)
            .take(2)
            .collect(),
        _ => Vec::new(),
    }
}

/// Numbers that say where something is: other numbers are sizes.
fn is_small(name: &str) -> bool {
    name.contains("axis") || name.contains("dim") || name.contains("mask")
}

fn form(op: &OpDef, values: &Values, varied: &[String]) -> Option<NodeForm> {
    let get = |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let of = |element: &ElementType| match element {
        ElementType::Fixed(of) => Some((*of, matches!(of.0, 3 | 9))),
        ElementType::Attr(name) => match get(name)? {
            AttrValue::Type(of) => Some((*of, op.attr(name).is_some_and(is_index))),
            _ => None,
        },
    };
    let mut args = Vec::new();
    for arg in &op.inputs {
        let (count, element) = match &arg.kind {
            ArgKind::One(element) => (1, element),
            ArgKind::Many(count, element) => (get(count)?.int()?.clamp(1, 4), element),
            ArgKind::Each(_) => return None,
        };
        let (dtype, index) = of(element)?;
        let role = if index { "index" } else { "data" }.to_owned();
        for _ in 0..count {
            args.push(Arg { name: arg.name.clone(), dtype: dtype.to_string(), role: role.clone() });
        }
    }
    let mut attrs = Vec::new();
    for (name, value) in values {
        let kind = op.attr(name)?.kind.to_string();
        attrs.push((name.clone(), kind, plain(value)?));
    }
    let given = values
        .iter()
        .filter(|(name, _)| varied.contains(name))
        .map(|(name, value)| (name.clone(), value.to_string()));
    Some(NodeForm {
        op: op.name.clone(),
        attrs,
        args,
        given: given.collect(),
        is_first: false,
        runs: Vec::new(),
    })
}

fn plain(value: &AttrValue) -> Option<Value> {
    Some(match value {
        AttrValue::Int(one) => json!(one),
        AttrValue::Float(one) => json!(one),
        AttrValue::Bool(one) => json!(one),
        AttrValue::String(one) => json!(std::str::from_utf8(one).ok()?),
        AttrValue::Type(one) => json!(one.to_string()),
        AttrValue::List(all) => Value::Array(all.iter().map(plain).collect::<Option<_>>()?),
        _ => return None,
    })
}

impl NodeForm {
    /// The node for a release: without attributes that it does not have and that have their default. None if the release
    /// has no such op, no such node, or no kernel for it.
    pub fn for_release(&self, runtime: &TensorFlowRuntime) -> Option<Self> {
        let found = runtime.ops.look_up(&self.op);
        let op = found.op()?;
        let mut here = self.clone();
        let newest = found.all().last()?.get()?;
        here.attrs.retain(|(name, _, value)| {
            op.attr(name).is_some() || {
                let default = newest.attr(name).and_then(|attr| attr.default.as_ref());
                default.and_then(plain).as_ref() != Some(value)
            }
        });
        let known = here.attrs.iter().all(|(name, ..)| op.attr(name).is_some());
        let same_inputs = op.inputs.len() == newest.inputs.len();
        let allowed = here.attrs.iter().all(|(name, kind, value)| {
            let allowed = op.attr(name).and_then(|attr| attr.allowed.as_ref());
            kind != "type"
                || allowed
                    .is_none_or(|all| all.iter().any(|one| plain(one).as_ref() == Some(value)))
        });
        let types: Vec<(&str, AttrValue)> = self
            .attrs
            .iter()
            .filter(|(_, kind, _)| kind == "type")
            .filter_map(|(name, _, value)| {
                let of: DataType = value.as_str()?.parse().ok()?;
                Some((&**name, AttrValue::Type(of)))
            })
            .collect();
        let value = |name: &str| types.iter().find(|(known, _)| *known == name).map(|(_, of)| of);
        let table = runtime.kernels.as_ref().filter(|table| table.lists(DeviceType::Cpu));
        let has = table.is_none_or(|table| {
            table.serves(&self.op, DeviceType::Cpu, value) != KernelAvailability::No
        });
        (known && same_inputs && allowed && has).then_some(here)
    }
}
