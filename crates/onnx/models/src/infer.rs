//! Types of values: what the outputs of a node are, by what its inputs are and what its schema says.

use crate::schema::{Arity, ParameterKind};
use crate::{OnnxAttribute, OnnxElementType, OnnxNode, OpSchema, ValueType};

/// What the variables of a schema stand for at one node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TypeBinding {
    /// Nothing that is given decides it.
    Free,
    /// Something decides it whose type is not known.
    Unknown,
    /// These types; several where each input has its own.
    Types(Vec<ValueType>),
}

/// What each variable of `schema` is at `node`, whose inputs are `inputs`; a name that is left out is none of them.
pub(crate) fn bind(
    schema: &OpSchema,
    node: &OnnxNode,
    inputs: &[Option<ValueType>],
) -> Vec<TypeBinding> {
    let mut bound = vec![TypeBinding::Free; schema.variables.len()];
    for (at, name) in node.inputs.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let Some(parameter) = schema.input(at) else { continue };
        let ParameterKind::Variable(variable) = parameter.kind else { continue };
        let Some(slot) = bound.get_mut(variable) else { continue };
        let mixed = matches!(parameter.arity, Arity::Many { same: false, .. });
        match (inputs.get(at).cloned().flatten(), &mut *slot) {
            (Some(kind), TypeBinding::Types(types)) if mixed && !types.contains(&kind) => {
                types.push(kind)
            }
            (Some(kind), TypeBinding::Free | TypeBinding::Unknown) if !name.is_empty() => {
                *slot = TypeBinding::Types(vec![kind]);
            }
            (None, TypeBinding::Free) => *slot = TypeBinding::Unknown,
            (None, TypeBinding::Types(_)) if mixed => *slot = TypeBinding::Unknown,
            _ => {}
        }
    }
    if let Some((name, variable)) = schema.typed_by()
        && let Some(slot) = bound.get_mut(variable).filter(|slot| **slot == TypeBinding::Free)
    {
        *slot = match attribute(node, name) {
            // Kernels of an empty sequence are known by its elements, which are floats unless it says others.
            None if &*schema.name == "SequenceEmpty" => {
                TypeBinding::Types(vec![ValueType::Tensor(OnnxElementType(1))])
            }
            Some(OnnxAttribute::Int(0)) | None => TypeBinding::Free,
            Some(OnnxAttribute::Int(number)) => {
                element(*number).map_or(TypeBinding::Unknown, |one| TypeBinding::Types(vec![one]))
            }
            Some(_) => TypeBinding::Unknown,
        };
    }
    for (slot, (_, allowed)) in bound.iter_mut().zip(&schema.variables) {
        // One type is all that there is to choose.
        if let ([only], TypeBinding::Free | TypeBinding::Unknown) = (allowed.as_slice(), &*slot) {
            *slot = TypeBinding::Types(vec![only.clone()]);
        }
    }
    bound
}

/// Binds variables that only outputs have, by what is known of these. `inner`: types that graphs of the node give them.
pub(crate) fn bind_outputs(
    schema: &OpSchema,
    node: &OnnxNode,
    inputs: &[Option<ValueType>],
    inner: Option<&[Option<ValueType>]>,
    bound: &mut [TypeBinding],
) {
    let variable = |at: usize| match schema.output(at)?.kind {
        ParameterKind::Variable(variable) => Some(variable),
        _ => None,
    };
    if let (Some(at), Some(kind)) = (variable(0), first(schema, node, inputs))
        && let Some(slot) = bound.get_mut(at).filter(|slot| **slot == TypeBinding::Free)
    {
        *slot = TypeBinding::Types(vec![kind]);
    }
    let Some(inner) = inner.filter(|_| &*schema.name == "If") else { return };
    for (at, kind) in inner.iter().enumerate() {
        let Some(slot) = variable(at).and_then(|at| bound.get_mut(at)) else { continue };
        match (kind, &mut *slot) {
            (Some(kind), TypeBinding::Types(types)) if !types.contains(kind) => {
                types.push(kind.clone())
            }
            (Some(kind), TypeBinding::Free) => *slot = TypeBinding::Types(vec![kind.clone()]),
            (None, _) => *slot = TypeBinding::Unknown,
            _ => {}
        }
    }
}

/// The types of the outputs of `node`, as far as they are decided by its inputs and attributes.
pub(crate) fn outputs(
    schema: &OpSchema,
    node: &OnnxNode,
    inputs: &[Option<ValueType>],
    bound: &[TypeBinding],
) -> Vec<Option<ValueType>> {
    let by_schema = |at: usize| match &schema.output(at)?.kind {
        ParameterKind::Fixed(kind) => Some(kind.clone()),
        ParameterKind::Variable(variable) => match bound.get(*variable)? {
            TypeBinding::Types(types) => match types.as_slice() {
                [one] => Some(one.clone()),
                _ => None,
            },
            _ => None,
        },
        ParameterKind::Unknown => None,
    };
    let mut all: Vec<Option<ValueType>> = (0..node.outputs.len()).map(by_schema).collect();
    if &*schema.name == "LayerNormalization" {
        let stash = match attribute(node, "stash_type") {
            None => Some(ValueType::Tensor(OnnxElementType(1))),
            Some(OnnxAttribute::Int(number)) => element(*number),
            Some(_) => None,
        };
        all.iter_mut().skip(1).for_each(|one| one.clone_from(&stash));
    }
    if let (Some(kind), Some(first)) = (first(schema, node, inputs), all.first_mut()) {
        *first = Some(kind);
    }
    all
}

/// The type of the first output, where no variable says it.
fn first(schema: &OpSchema, node: &OnnxNode, inputs: &[Option<ValueType>]) -> Option<ValueType> {
    let input = |at: usize| inputs.get(at).cloned().flatten();
    let said = |name: &str| match attribute(node, name)? {
        OnnxAttribute::Int(number) => element(*number),
        _ => None,
    };
    let or = |name: &str, other: i32| {
        if attribute(node, name).is_some() {
            said(name)
        } else {
            Some(ValueType::Tensor(OnnxElementType(other)))
        }
    };
    let like = |name: &str, at: usize| {
        if attribute(node, name).is_some() { said(name) } else { input(at) }
    };
    match &*schema.name {
        "Constant" => constant(node),
        "ConstantOfShape" => match attribute(node, "value") {
            Some(OnnxAttribute::Tensor(tensor)) => Some(ValueType::Tensor(tensor.element)),
            Some(_) => None,
            None => Some(ValueType::Tensor(OnnxElementType(1))),
        },
        "RandomNormal" | "RandomUniform" => or("dtype", 1),
        "Multinomial" => or("dtype", 6),
        "EyeLike" | "Bernoulli" | "RandomNormalLike" | "RandomUniformLike" => like("dtype", 0),
        "BlackmanWindow" | "HannWindow" | "HammingWindow" | "MelWeightMatrix" => {
            or("output_datatype", 1)
        }
        "QuantizeLinear" if node.inputs.get(2).is_none_or(|name| name.is_empty()) => {
            match attribute(node, "output_dtype") {
                Some(OnnxAttribute::Int(0)) | None => Some(ValueType::Tensor(OnnxElementType(2))),
                Some(_) => said("output_dtype"),
            }
        }
        "SequenceConstruct" | "SplitToSequence" => input(0)?.in_sequence(),
        "SequenceEmpty" => or("dtype", 1)?.in_sequence(),
        "SequenceAt" | "ConcatFromSequence" => input(0)?.inner().cloned(),
        "Optional" => input(0)?.optional(),
        "OptionalGetElement" => match input(0)? {
            ValueType::Optional(of) => Some(*of),
            kind => Some(kind),
        },
        "ai.onnx.ml:TreeEnsembleClassifier"
        | "ai.onnx.ml:LinearClassifier"
        | "ai.onnx.ml:SVMClassifier" => Some(ValueType::Tensor(labels(node))),
        "ai.onnx.ml:ZipMap" => {
            let map = ValueType::Map(labels(node), Box::new(ValueType::Tensor(OnnxElementType(1))));
            Some(ValueType::Sequence(Box::new(map)))
        }
        "Cast" if schema.since == 1 => match attribute(node, "to")? {
            OnnxAttribute::Text(name) => ValueType::parse(&name.to_ascii_lowercase()),
            _ => None,
        },
        _ => None,
    }
}

/// The type of the labels of a classifier: texts where it has such, else numbers.
fn labels(node: &OnnxNode) -> OnnxElementType {
    OnnxElementType(if attribute(node, "classlabels_strings").is_some() { 8 } else { 7 })
}

/// The type of a constant, by the attribute that has its value.
fn constant(node: &OnnxNode) -> Option<ValueType> {
    node.attributes.iter().find_map(|(name, value)| {
        let number = match (&**name, value) {
            ("value", OnnxAttribute::Tensor(tensor)) => {
                return Some(ValueType::Tensor(tensor.element));
            }
            ("value_float" | "value_floats", _) => 1,
            ("value_int" | "value_ints", _) => 7,
            ("value_string" | "value_strings", _) => 8,
            _ => return None,
        };
        Some(ValueType::Tensor(OnnxElementType(number)))
    })
}

pub(crate) fn attribute<'n>(node: &'n OnnxNode, name: &str) -> Option<&'n OnnxAttribute> {
    node.attributes.iter().find(|(one, _)| **one == *name).map(|(_, value)| value)
}

fn element(number: i64) -> Option<ValueType> {
    i32::try_from(number).ok().map(|number| ValueType::Tensor(OnnxElementType(number)))
}
