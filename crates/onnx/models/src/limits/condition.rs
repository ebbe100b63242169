//! One condition of a row: what a node has, its inputs, and what stands around it.

use super::neighbours;
use crate::infer::{TypeBinding, attribute};
use crate::value_index::{ACTIVATIONS, ValueIndex};
use crate::{Dim, OnnxAttribute, OnnxNode, OpSchema, ValueType};

/// A node with its form, the types of its variables, and what is known of its inputs.
pub(super) struct LimitedNode<'a, 'm> {
    pub(super) schema: &'a OpSchema,
    pub(super) node: &'a OnnxNode,
    pub(super) bound: &'a [TypeBinding],
    pub(super) around: &'a ValueIndex<'m>,
    /// The opset that the node means.
    pub(super) opset: i64,
}

impl LimitedNode<'_, '_> {
    pub(super) fn shape(&self, at: usize) -> Option<&[Dim]> {
        self.around.shape(self.name(at)?)
    }

    pub(super) fn name(&self, at: usize) -> Option<&str> {
        self.node.inputs.get(at).map(|name| &**name).filter(|name| !name.is_empty())
    }

    pub(super) fn ints(&self, at: usize) -> Option<&[i64]> {
        self.around.ints(self.name(at)?)
    }

    /// How many elements an input has.
    fn count(&self, at: usize) -> Option<i64> {
        let size = |dim: &Dim| match dim {
            Dim::Size(size) => Some(*size),
            _ => None,
        };
        self.shape(at)?.iter().try_fold(1_i64, |all, dim| all.checked_mul(size(dim)?))
    }

    fn last_size(&self, at: usize, from_end: usize) -> Option<i64> {
        let dims = self.shape(at)?;
        match dims.get(dims.len().checked_sub(from_end)?)? {
            Dim::Size(size) => Some(*size),
            _ => None,
        }
    }
}

/// What a row asks of a node; `data/limits.tsv` says how each is written.
#[derive(Debug)]
pub(crate) enum LimitCondition {
    Is(&'static str, Vec<&'static str>),
    IsNone(&'static str, Vec<&'static str>),
    Negative(&'static str),
    Above(&'static str, i64),
    Longer(&'static str, usize),
    Absent(&'static str),
    FewerInputs(usize),
    MoreInputs(usize),
    Given(usize),
    LeftOut(usize),
    Asked(usize),
    From(&'static str),
    Beside(&'static str),
    Turned,
    Empty(usize),
    MoreDims(usize, usize),
    FewerDims(usize, usize),
    Shorter(usize, usize),
    Minus(usize),
    Below(usize),
    NotZero(usize),
    Zero(usize),
    Computed(usize),
    Stored(usize),
    Several(usize),
    Unlike(usize),
    Resizes(&'static str),
    Padded,
    Overpadded,
    Overstrided,
    Unstarted,
    FarPad,
    BiasScale,
    Grouped,
    WeightOnly,
    Outside(usize),
    Complex(usize),
    Fraction(usize),
    NotAsked(usize),
    There(&'static str),
    Activated,
    OpsetAbove(i64),
    OpsetBelow(i64),
    Types(&'static str, Vec<ValueType>),
}

impl LimitCondition {
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Is(name, values) => format!("{name} = {}", values.join(" or ")),
            Self::IsNone(name, values) => format!("{name} other than {}", values.join(", ")),
            Self::Negative(name) => format!("{name} below 0"),
            Self::Above(name, most) => format!("{name} above {most}"),
            Self::Longer(name, most) => format!("{name} of more than {most} numbers"),
            Self::Absent(name) => format!("no {name}"),
            Self::FewerInputs(count) => format!("fewer than {count} inputs"),
            Self::MoreInputs(count) => format!("more than {count} inputs"),
            Self::Given(at) => format!("an input {at}"),
            Self::LeftOut(at) => format!("no input {at}"),
            Self::Asked(at) => format!("an output {at}"),
            Self::From(op) => format!("an input that {op} makes"),
            Self::Beside(op) => format!("{op} in the model"),
            Self::Turned => "an input of the model that Transpose turns".to_owned(),
            Self::Empty(at) => format!("a dimension of 0 in input {at}"),
            Self::MoreDims(at, most) => format!("more than {most} dimensions of input {at}"),
            Self::FewerDims(at, least) => format!("fewer than {least} dimensions of input {at}"),
            Self::Shorter(one, other) => {
                format!("fewer columns in input {one} than rows in input {other}")
            }
            Self::Minus(at) => format!("-1 in input {at}"),
            Self::Below(at) => format!("a number below 0 in input {at}"),
            Self::NotZero(at) => format!("a number other than 0 in input {at}"),
            Self::Zero(at) => format!("0 in input {at}"),
            Self::Computed(at) => format!("a computed input {at}"),
            Self::Stored(at) => format!("a constant input {at}"),
            Self::Unlike(at) => format!("different numbers in input {at}"),
            Self::Several(at) => format!("more than one element in input {at}"),
            Self::Resizes(mode) => {
                let mode = mode.trim_end_matches("-outer");
                format!("mode = {mode} and factors along these dimensions")
            }
            Self::Padded => "an input that Pad makes with one value".to_owned(),
            Self::Overpadded => "an input that Pad pads by as much as the window".to_owned(),
            Self::Overstrided => "strides longer than the window".to_owned(),
            Self::Unstarted => "fewer starts than dimensions".to_owned(),
            Self::FarPad => "mode = reflect and more padding than there are elements".to_owned(),
            Self::BiasScale => {
                "a quantized bias of another scale than input and weights together".to_owned()
            }
            Self::WeightOnly => "a quantized second input and a first that is not".to_owned(),
            Self::Outside(at) => format!("an input {at} from outside"),
            Self::Complex(at) => format!("a last dimension of 2 of input {at}"),
            Self::Grouped => "fewer heads of keys than of queries".to_owned(),
            Self::Fraction(at) => format!("a number with a fraction in input {at}"),
            Self::NotAsked(at) => format!("no output {at}"),
            Self::There(name) => name.to_string(),
            Self::Activated => "an activation behind it".to_owned(),
            Self::OpsetAbove(most) => format!("an opset above {most}"),
            Self::OpsetBelow(least) => format!("an opset below {least}"),
            Self::Types(name, types) => {
                let types: Vec<String> = types.iter().map(ToString::to_string).collect();
                format!("{name} = {}", types.join(" or "))
            }
        }
    }

    /// Whether a node that it holds for can be written in another way that means the same.
    pub(super) fn can_be_avoided(&self) -> bool {
        matches!(self, Self::Minus(_) | Self::Activated | Self::Longer("value_ints", _))
    }

    pub(super) fn parse(text: &'static str) -> Option<Self> {
        let list = |text: &'static str| text.split('|').collect::<Vec<_>>();
        if let Some((word, rest)) = text.split_once('#') {
            return match (word, rest) {
                ("", _) => {
                    let (one, other) = rest.split_once("<#")?;
                    Some(Self::Shorter(one.parse().ok()?, other.parse().ok()?))
                }
                ("from", op) => Some(Self::From(op)),
                ("beside", op) => Some(Self::Beside(op)),
                ("resizes", mode) => Some(Self::Resizes(mode)),
                ("padded", "") => Some(Self::Padded),
                ("overpadded", "") => Some(Self::Overpadded),
                ("overstrided", "") => Some(Self::Overstrided),
                ("unstarted", "") => Some(Self::Unstarted),
                ("farpad", "") => Some(Self::FarPad),
                ("biasscale", "") => Some(Self::BiasScale),
                ("grouped", "") => Some(Self::Grouped),
                ("weightonly", "") => Some(Self::WeightOnly),
                ("turned", "") => Some(Self::Turned),
                ("activated", "") => Some(Self::Activated),
                ("rank", _) => match rest.split_once('>') {
                    Some((at, most)) => Some(Self::MoreDims(at.parse().ok()?, most.parse().ok()?)),
                    None => {
                        let (at, least) = rest.split_once('<')?;
                        Some(Self::FewerDims(at.parse().ok()?, least.parse().ok()?))
                    }
                },
                ("length", _) => {
                    let (name, most) = rest.split_once('>')?;
                    Some(Self::Longer(name, most.parse().ok()?))
                }
                _ => Self::of_place(word, rest.parse().ok()?),
            };
        }
        Some(if let Some(name) = text.strip_prefix('!') {
            Self::Absent(name)
        } else if let Some(name) = text.strip_prefix('?') {
            Self::There(name)
        } else if let Some((name, values)) = text.split_once("!=") {
            Self::IsNone(name, list(values))
        } else if let Some((name, values)) = text.split_once('=') {
            Self::Is(name, list(values))
        } else if let Some(count) = text.strip_prefix("inputs<") {
            Self::FewerInputs(count.parse().ok()?)
        } else if let Some(count) = text.strip_prefix("inputs>") {
            Self::MoreInputs(count.parse().ok()?)
        } else if let Some(most) = text.strip_prefix("opset>") {
            Self::OpsetAbove(most.parse().ok()?)
        } else if let Some(least) = text.strip_prefix("opset<") {
            Self::OpsetBelow(least.parse().ok()?)
        } else if let Some(name) = text.strip_suffix("<0") {
            Self::Negative(name)
        } else if let Some((name, most)) = text.split_once('>') {
            Self::Above(name, most.parse().ok()?)
        } else {
            let (name, types) = text.split_once(':')?;
            Self::Types(name, list(types).into_iter().map(ValueType::parse).collect::<Option<_>>()?)
        })
    }

    /// A word with the number of an input or an output behind it.
    fn of_place(word: &str, at: usize) -> Option<Self> {
        Some(match word {
            "empty" => Self::Empty(at),
            "minus" => Self::Minus(at),
            "below" => Self::Below(at),
            "zero" => Self::Zero(at),
            "nonzero" => Self::NotZero(at),
            "computed" => Self::Computed(at),
            "stored" => Self::Stored(at),
            "several" => Self::Several(at),
            "unlike" => Self::Unlike(at),
            "fraction" => Self::Fraction(at),
            "outside" => Self::Outside(at),
            "complex" => Self::Complex(at),
            "given" => Self::Given(at),
            "without" => Self::LeftOut(at),
            "asked" => Self::Asked(at),
            "unasked" => Self::NotAsked(at),
            _ => return None,
        })
    }

    pub(super) fn holds(&self, site: &LimitedNode<'_, '_>) -> bool {
        let LimitedNode { schema, node, bound, around, .. } = site;
        let said = |name: &str| attribute(node, name);
        let has =
            |at: usize, is: fn(&i64) -> bool| site.ints(at).is_some_and(|all| all.iter().any(is));
        match self {
            Self::Is(name, values) => {
                said(name).is_some_and(|one| values.iter().any(|value| is(one, value)))
            }
            Self::IsNone(name, values) => {
                said(name).is_some_and(|one| !values.iter().any(|value| is(one, value)))
            }
            Self::Negative(name) => any(said(name), |number| number < 0),
            Self::Above(name, most) => any(said(name), |number| number > *most),
            Self::Longer(name, most) => match said(name) {
                Some(OnnxAttribute::Ints(all)) => all.len() > *most,
                Some(OnnxAttribute::Floats(all)) => all.len() > *most,
                _ => false,
            },
            Self::Absent(name) => said(name).is_none(),
            Self::FewerInputs(count) => {
                let last = node.inputs.iter().rposition(|name| !name.is_empty());
                last.map_or(0, |last| last + 1) < *count
            }
            Self::MoreInputs(count) => node.inputs.len() > *count,
            Self::Given(at) => site.name(*at).is_some(),
            Self::LeftOut(at) => site.name(*at).is_none(),
            Self::Asked(at) => node.outputs.get(*at).is_some_and(|name| !name.is_empty()),
            Self::From(op) => node.inputs.iter().any(|name| around.is_from(name, op)),
            Self::Beside(op) => around.has(op),
            Self::Turned => node.inputs.iter().any(|name| around.is_turned_input(name)),
            Self::Empty(at) => site.shape(*at).is_some_and(|dims| dims.contains(&Dim::Size(0))),
            Self::MoreDims(at, most) => site.shape(*at).is_some_and(|dims| dims.len() > *most),
            Self::FewerDims(at, least) => site.shape(*at).is_some_and(|dims| dims.len() < *least),
            Self::Shorter(one, other) => {
                let both = site.last_size(*one, 1).zip(site.last_size(*other, 2));
                both.is_some_and(|(one, other)| one < other)
            }
            Self::Minus(at) => has(*at, |number| *number == -1),
            Self::Below(at) => has(*at, |number| *number < 0),
            Self::NotZero(at) => has(*at, |number| *number != 0),
            Self::Zero(at) => has(*at, |number| *number == 0),
            Self::Computed(at) => site.ints(*at).is_none(),
            Self::Stored(at) => site.name(*at).is_some_and(|name| around.is_stored(name)),
            Self::Unlike(at) => {
                let differ = |all: &[i64]| all.iter().any(|number| Some(number) != all.first());
                site.ints(*at).is_some_and(differ)
            }
            Self::Several(at) => site.count(*at).is_some_and(|count| count > 1),
            Self::Resizes(mode) => super::scales::are_refused(site, mode),
            Self::Padded => {
                let pad = site.name(0).and_then(|name| around.maker(name, "Pad"));
                pad.is_some_and(neighbours::pads_with_one_value)
            }
            Self::Overpadded => neighbours::is_overpadded(site),
            Self::Overstrided => {
                matches!(
                    (said("strides"), said("kernel_shape")),
                    (Some(OnnxAttribute::Ints(strides)), Some(OnnxAttribute::Ints(kernel)))
                        if strides.iter().zip(kernel).any(|(stride, size)| stride > size)
                )
            }
            Self::Unstarted => neighbours::has_fewer_starts(site),
            Self::FarPad => neighbours::reflects_too_far(site),
            Self::BiasScale => neighbours::has_other_bias_scale(site),
            Self::WeightOnly => neighbours::has_quantized_weight_only(site),
            Self::Outside(at) => site.name(*at).is_some_and(|name| around.is_given(name)),
            Self::Complex(at) => site.last_size(*at, 1) == Some(2),
            Self::Grouped => neighbours::has_fewer_key_heads(site),
            Self::Fraction(at) => {
                let numbers = site.name(*at).and_then(|name| around.floats(name));
                numbers.is_some_and(|all| all.iter().any(|one| one.fract() != 0.0))
            }
            Self::NotAsked(at) => node.outputs.get(*at).is_none_or(|name| name.is_empty()),
            Self::There(name) => said(name).is_some(),
            Self::Activated => around.is_read_by_one_of(node, &ACTIVATIONS),
            Self::OpsetAbove(most) => site.opset > *most,
            Self::OpsetBelow(least) => site.opset < *least,
            Self::Types(name, types) => {
                if let Some(OnnxAttribute::Tensor(tensor)) = said(name) {
                    return types.contains(&ValueType::Tensor(tensor.element));
                }
                let at = schema.variables.iter().position(|(one, _)| **one == **name);
                let bound = at.and_then(|at| bound.get(at));
                matches!(bound, Some(TypeBinding::Types(found)) if found.iter().all(|one| types.contains(one)))
            }
        }
    }
}

/// Whether an attribute is a number or a text that is written so.
fn is(attribute: &OnnxAttribute, value: &str) -> bool {
    match attribute {
        OnnxAttribute::Int(number) => number.to_string() == value,
        OnnxAttribute::Text(text) => **text == *value,
        _ => false,
    }
}

/// Whether an attribute is or has such a whole number.
fn any(attribute: Option<&OnnxAttribute>, is: impl Fn(i64) -> bool) -> bool {
    match attribute {
        Some(OnnxAttribute::Int(number)) => is(*number),
        Some(OnnxAttribute::Ints(all)) => all.iter().any(|number| is(*number)),
        _ => false,
    }
}
