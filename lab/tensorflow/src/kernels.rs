//! Graphs of one op each, with every type that its definition allows: whether a release has a kernel for it is what they
//! ask.
//!
//! The op reads placeholders to which nothing is fed. Placing it on a device is all that happens to it, so ops that wait,
//! read files or end the process do no harm.

use unskew_random::Random;
use unskew_tensorflow::op_def::{ArgKind, AttrDef, ElementType};
use unskew_tensorflow::{AttrScalarType, AttrValue, DataType, OpDef};

use crate::battery::proto::{GraphBuilder, dtype, node};
use crate::random::encoded;

/// Types that attributes without a list of allowed ones are given.
const TYPES: [i32; 19] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 17, 18, 19, 20, 21, 22];

/// The most graphs of one op.
const MOST: usize = 48;

/// What nothing is fed to.
const UNFED: &str = "unfed";

/// How a graph is named whose op this is: `Cast DstT=half SrcT=int32`.
#[derive(Clone, Debug)]
pub struct KernelQuery {
    /// The op and the types.
    pub name: String,
    /// The bytes of the GraphDef.
    pub graph: Vec<u8>,
}

/// Graphs of `op` with all choices of types, or some of many.
pub fn graphs(random: &mut Random, op: &OpDef, producer: i64) -> Vec<KernelQuery> {
    let types: Vec<&AttrDef> =
        op.attrs.iter().filter(|it| it.kind.single == AttrScalarType::Type).collect();
    let choices: Vec<Vec<AttrValue>> = types.iter().map(|attr| choices(attr)).collect();
    let all: usize = choices.iter().map(Vec::len).product();
    let mut asked: Vec<KernelQuery> = Vec::new();
    for turn in 0..all.min(MOST) {
        // Every choice if there are few; else each type in its turn, with the others at random.
        let mut rest = if all <= MOST { turn } else { usize::MAX };
        let mut values = Vec::new();
        for (place, choices) in choices.iter().enumerate() {
            let at = match rest {
                usize::MAX if place == turn % types.len() => turn / types.len(),
                usize::MAX => random.below(choices.len()),
                number => number,
            };
            if rest != usize::MAX {
                rest = rest.checked_div(choices.len()).unwrap_or(0);
            }
            values.extend(choices.get(at % choices.len().max(1)).cloned());
        }
        let chosen = types.iter().map(|attr| &*attr.name).zip(values).collect::<Vec<_>>();
        if let Some(graph) = graph(op, &chosen, producer) {
            let types = chosen.iter().map(|(name, value)| format!(" {name}={value}"));
            let name = format!("{}{}", op.name, types.collect::<String>());
            if asked.iter().all(|known| known.name != name) {
                asked.push(KernelQuery { name, graph });
            }
        }
    }
    asked
}

fn choices(attr: &AttrDef) -> Vec<AttrValue> {
    let any = || TYPES.iter().map(|of| AttrValue::Type(DataType(*of))).collect();
    let single = attr.allowed.clone().unwrap_or_else(any);
    if !attr.kind.list {
        return single;
    }
    let count = usize::try_from(attr.minimum.unwrap_or(1).max(1)).unwrap_or(1);
    single.into_iter().map(|of| AttrValue::List(vec![of; count.min(4)])).collect()
}

fn graph(op: &OpDef, types: &[(&str, AttrValue)], producer: i64) -> Option<Vec<u8>> {
    let mut values: Vec<(&str, AttrValue)> = types.to_vec();
    for attr in op.attrs.iter().filter(|attr| attr.kind.single != AttrScalarType::Type) {
        values.push((&attr.name, other(attr)?));
    }
    let get = |name: &str| values.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let mut graph = GraphBuilder::new(producer);
    let placeholder = |name: &str, of: DataType| {
        node(name, "Placeholder", &[], &[("dtype", dtype(i64::from(of.0)))])
    };
    graph = graph.with(placeholder(UNFED, DataType(1)));
    let mut inputs = Vec::new();
    for arg in &op.inputs {
        let of = |element: &ElementType| match element {
            ElementType::Fixed(of) => Some(*of),
            ElementType::Attr(name) => match get(name)? {
                AttrValue::Type(of) => Some(*of),
                _ => None,
            },
        };
        let all = match &arg.kind {
            ArgKind::One(element) => vec![of(element)?],
            ArgKind::Many(count, element) => {
                vec![of(element)?; usize::try_from(get(count)?.int()?).ok()?.min(8)]
            }
            ArgKind::Each(name) => match get(name)? {
                AttrValue::List(types) => {
                    let of = |value: &AttrValue| match value {
                        AttrValue::Type(of) => Some(*of),
                        _ => None,
                    };
                    types.iter().map(of).collect::<Option<_>>()?
                }
                _ => return None,
            },
        };
        for of in all {
            let name = format!("in{}", inputs.len());
            graph = graph.with(match arg.reference {
                true => {
                    let shape = encoded(&AttrValue::Shape(unskew_tensorflow::PartialTensorShape(
                        Some(vec![2]),
                    )))?;
                    let attrs = [("dtype", dtype(i64::from(of.0))), ("shape", shape)];
                    node(&name, "VariableV2", &[], &attrs)
                }
                false => placeholder(&name, of),
            });
            inputs.push(name);
        }
    }
    inputs.push(format!("^{UNFED}"));
    let inputs: Vec<&str> = inputs.iter().map(|input| &**input).collect();
    let attrs = values.iter().map(|(name, value)| Some((*name, encoded(value)?)));
    let attrs: Vec<_> = attrs.collect::<Option<_>>()?;
    Some(graph.with(node("asked", &op.name, &inputs, &attrs)).bytes())
}

/// A value of an attribute that is no type.
fn other(attr: &AttrDef) -> Option<AttrValue> {
    if let Some(default) = &attr.default {
        return Some(default.clone());
    }
    if let Some(first) = attr.allowed.as_ref().and_then(|allowed| allowed.first()) {
        return Some(if attr.kind.list {
            AttrValue::List(vec![first.clone()])
        } else {
            first.clone()
        });
    }
    let least = attr.minimum.unwrap_or(1).max(1);
    let one = match attr.kind.single {
        AttrScalarType::Int => AttrValue::Int(if attr.kind.list { 1 } else { least }),
        AttrScalarType::Float => AttrValue::Float(1.0),
        AttrScalarType::Bool => AttrValue::Bool(false),
        AttrScalarType::String => AttrValue::String(b"".as_slice().into()),
        AttrScalarType::Shape => AttrValue::Shape(unskew_tensorflow::PartialTensorShape(None)),
        _ => return None,
    };
    if !attr.kind.list {
        return Some(one);
    }
    let count = usize::try_from(least).unwrap_or(1).min(8);
    Some(AttrValue::List(vec![one; count]))
}
