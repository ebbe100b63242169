//! Small graphs made at random from the ops of a release.
//!
//! A node gets an op, values for its attributes, and inputs: outputs of earlier nodes where one fits, else constants,
//! some of them zeros without values. Every result that can be compared is read by an `Identity` named `out_…`.
//! Most graphs are refused by everybody for their shapes; only those that the newest release runs tell something.

use unskew_random::Random;
use unskew_tensorflow::op_def::{ArgKind, AttrDef, ElementType, Trait};
use unskew_tensorflow::{
    AttrScalarType, AttrValue, DataType, OpDef, OpHistory, OpRegistry, PartialTensorShape,
};

use crate::battery::proto::{
    GraphBuilder, MessageBuilder, boolean, dtype, float, int, node, shape,
};

const TYPES: [i32; 7] = [1, 2, 3, 9, 10, 14, 19];

/// Shapes of constants, the most usual ones first.
const SHAPES: [&[i64]; 7] = [&[], &[2, 3], &[3], &[1], &[2, 2, 3], &[1, 4, 4, 2], &[3, 3]];

/// Ops that no random graph has: they read files, wait, or end the process.
const NEVER: [&str; 9] =
    ["Abort", "Print", "Dataset", "Collective", "Send", "Recv", "File", "Barrier", "Debug"];

/// One node of such a graph, with the constants that it reads.
#[derive(Clone, Debug)]
pub struct SampleStep {
    /// The name of the op.
    pub op: String,
    /// The nodes that come with it, which a graph without it does not need.
    nodes: Vec<MessageBuilder>,
    /// The outputs that later nodes may read.
    outputs: Vec<(String, DataType)>,
}

/// A graph as its steps, so that it can be made smaller.
#[derive(Clone, Debug, Default)]
pub struct RandomGraph {
    /// The steps that make the graph, in their order.
    pub steps: Vec<SampleStep>,
    /// The producer that it says.
    pub producer: i64,
}

impl RandomGraph {
    /// The bytes of the GraphDef.
    pub fn bytes(&self) -> Vec<u8> {
        let nodes = self.steps.iter().flat_map(|step| step.nodes.clone()).collect();
        GraphBuilder { nodes, ..GraphBuilder::new(self.producer) }.bytes()
    }

    /// The same graph without one of its last steps; others may be read by those behind them.
    pub fn smaller(&self) -> Option<Self> {
        let steps = self.steps.get(..self.steps.len().checked_sub(1)?)?.to_vec();
        (!steps.is_empty()).then_some(Self { steps, producer: self.producer })
    }

    /// The ops, in words.
    pub fn ops(&self) -> String {
        self.steps.iter().map(|step| &*step.op).collect::<Vec<_>>().join(", ")
    }
}

/// The ops of a release of which random graphs are made.
pub fn usable(history: &std::sync::Arc<OpHistory>, registry: &OpRegistry) -> Vec<OpDef> {
    let names = registry.texts().filter_map(|text| text.split('(').next());
    let mut names: Vec<&str> = names.filter(|name| !name.starts_with('_')).collect();
    names.sort_unstable();
    names.dedup();
    let op = |name: &&str| {
        let found = OpRegistry::new(history.clone(), registry.release(), true).look_up(name);
        let op = found.op()?.clone();
        let plain = |kind: &ArgKind| match kind {
            ArgKind::One(ElementType::Fixed(of)) | ArgKind::Many(_, ElementType::Fixed(of)) => {
                TYPES.contains(&of.0)
            }
            ArgKind::One(_) | ArgKind::Many(..) => true,
            ArgKind::Each(_) => false,
        };
        let args = || op.inputs.iter().chain(&op.outputs);
        let stateful = op.traits.contains(&Trait::Stateful);
        let fits = args().all(|arg| plain(&arg.kind) && !arg.reference) && !op.outputs.is_empty();
        let never = NEVER.iter().any(|part| name.contains(part));
        (fits && !stateful && !never && !op.inputs.is_empty()).then_some(op)
    };
    names.iter().filter_map(op).collect()
}

/// A graph of up to `most` nodes beside its constants.
pub fn sample(random: &mut Random, ops: &[OpDef], producer: i64, most: usize) -> RandomGraph {
    let mut sample = RandomGraph { steps: Vec::new(), producer };
    for _ in 0..=random.below(most) {
        let Some(op) = random.pick(ops).cloned() else { break };
        let known: Vec<(String, DataType)> =
            sample.steps.iter().flat_map(|step| step.outputs.clone()).collect();
        let number = sample.steps.len();
        sample.steps.extend(step(random, &op, number, &known));
    }
    sample
}

/// One node with its constants; none if an attribute is of a kind that is not made.
fn step(
    random: &mut Random,
    op: &OpDef,
    number: usize,
    known: &[(String, DataType)],
) -> Option<SampleStep> {
    let mut values: Vec<(&str, AttrValue)> = Vec::new();
    for attr in &op.attrs {
        values.push((&attr.name, value(random, attr)?));
    }
    let get = |name: &str| values.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let of = |element: &ElementType| match element {
        ElementType::Fixed(of) => Some(*of),
        ElementType::Attr(name) => match get(name)? {
            AttrValue::Type(of) => Some(*of),
            _ => None,
        },
    };
    let types = |kind: &ArgKind| match kind {
        ArgKind::One(element) => Some(vec![of(element)?]),
        ArgKind::Many(count, element) => {
            let count = usize::try_from(get(count)?.int()?).ok()?;
            Some(vec![of(element)?; count.min(8)])
        }
        ArgKind::Each(_) => None,
    };
    let name = format!("n{number}");
    let (mut nodes, mut inputs, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
    for arg in &op.inputs {
        for of in types(&arg.kind)? {
            let fitting: Vec<&String> =
                known.iter().filter(|(_, it)| *it == of).map(|(name, _)| name).collect();
            let earlier = if random.below(2) == 0 { random.pick(&fitting) } else { None };
            let input = match earlier {
                Some(earlier) => (*earlier).clone(),
                None => {
                    let input = format!("{name}_c{}", inputs.len());
                    nodes.push(constant(random, &input, of)?);
                    input
                }
            };
            inputs.push(input);
        }
    }
    let attrs: Vec<(&str, MessageBuilder)> =
        values.iter().filter_map(|(name, value)| Some((*name, encoded(value)?))).collect();
    let inputs: Vec<&str> = inputs.iter().map(|input| &**input).collect();
    nodes.push(node(&name, &op.name, &inputs, &attrs));
    let all = op.outputs.iter().map(|arg| types(&arg.kind)).collect::<Option<Vec<_>>>()?;
    for (at, of) in all.into_iter().flatten().enumerate() {
        let output = if at == 0 { name.clone() } else { format!("{name}:{at}") };
        let shown = format!("out_{number}_{at}");
        nodes.push(node(&shown, "Identity", &[&output], &[("T", dtype(i64::from(of.0)))]));
        outputs.push((output, of));
    }
    Some(SampleStep { op: op.name.clone(), nodes, outputs })
}

/// A value for an attribute: mostly the default, where there is one.
fn value(random: &mut Random, attr: &AttrDef) -> Option<AttrValue> {
    if let Some(default) = attr.default.as_ref().filter(|_| random.below(4) > 0) {
        return Some(default.clone());
    }
    if attr.kind.list {
        // Strides and window sizes of images, which are the usual lists.
        let ones = vec![AttrValue::Int(1); 4];
        return match (&attr.default, attr.kind.single) {
            (Some(default), _) => Some(default.clone()),
            (None, AttrScalarType::Int) => Some(AttrValue::List(ones)),
            _ => None,
        };
    }
    if let Some(allowed) = attr.allowed.as_deref() {
        let made = |value: &&AttrValue| match value {
            AttrValue::Type(of) => TYPES.contains(&of.0),
            _ => true,
        };
        let usual: Vec<&AttrValue> = allowed.iter().filter(made).collect();
        return random.pick(&usual).map(|value| (*value).clone());
    }
    Some(match attr.kind.single {
        AttrScalarType::Int => {
            let most = i64::try_from(random.below(3)).unwrap_or(0);
            AttrValue::Int(attr.minimum.unwrap_or(0).max(1).saturating_add(most))
        }
        AttrScalarType::Float => AttrValue::Float([0.5, 1.0, 2.0].get(random.below(3)).copied()?),
        AttrScalarType::Bool => AttrValue::Bool(random.below(2) == 0),
        AttrScalarType::Type => AttrValue::Type(DataType(*random.pick(&TYPES)?)),
        _ => return attr.default.clone(),
    })
}

/// The bytes of a value; none for kinds that are not made.
pub(crate) fn encoded(value: &AttrValue) -> Option<MessageBuilder> {
    Some(match value {
        AttrValue::Int(n) => int(*n),
        AttrValue::Float(n) => float(*n),
        AttrValue::Bool(b) => boolean(*b),
        AttrValue::Type(of) => dtype(i64::from(of.0)),
        AttrValue::String(bytes) => MessageBuilder::default().bytes(2, bytes),
        AttrValue::Shape(dims) => MessageBuilder::default().message(7, encoded_shape(dims)),
        AttrValue::List(values) => {
            let list = values.iter().try_fold(MessageBuilder::default(), |list, value| {
                Some(match value {
                    AttrValue::Int(n) => list.int(3, *n),
                    AttrValue::Bool(b) => list.int(5, i64::from(*b)),
                    AttrValue::Type(of) => list.int(6, i64::from(of.0)),
                    AttrValue::String(bytes) => list.bytes(2, bytes),
                    AttrValue::Float(n) => list.float(4, *n),
                    AttrValue::Shape(dims) => list.message(7, encoded_shape(dims)),
                    _ => return None,
                })
            })?;
            MessageBuilder::default().message(1, list)
        }
        _ => return None,
    })
}

fn encoded_shape(dims: &PartialTensorShape) -> MessageBuilder {
    match &dims.0 {
        Some(dims) => shape(dims),
        None => MessageBuilder::default().int(3, 1),
    }
}

/// A constant with values, or of zeros that are not written.
fn constant(random: &mut Random, name: &str, of: DataType) -> Option<MessageBuilder> {
    let dims = *random.pick(&SHAPES)?;
    let head = MessageBuilder::default().int(1, i64::from(of.0)).message(2, shape(dims));
    let count: i64 = dims.iter().product();
    let tensor = (0..count).try_fold(head.clone(), |tensor, _| {
        let n = i64::try_from(random.below(5)).unwrap_or(0) - 1;
        Some(match of.0 {
            1 => tensor.float(5, n as f32 * 0.75),
            // Doubles as their bytes in one field would be longer to write than to leave to others.
            2 => tensor,
            3 => tensor.int(7, n),
            9 => tensor.int(10, n),
            10 => tensor.int(11, n & 1),
            // Bits of -1, 0, 1 and 2 in the types of 16 bits.
            14 => tensor.int(13, [0xbf80, 0, 0x3f80, 0x4000].get(random.below(4)).copied()?),
            19 => tensor.int(13, [0xbc00, 0, 0x3c00, 0x4000].get(random.below(4)).copied()?),
            _ => return None,
        })
    })?;
    let zeros = random.below(5) == 0;
    let whole = if zeros { head } else { tensor };
    let value = MessageBuilder::default().message(8, whole);
    Some(node(name, "Const", &[], &[("dtype", dtype(i64::from(of.0))), ("value", value)]))
}
