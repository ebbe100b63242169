//! Attention written by matrix products, where its sizes are known and every row sees a key.

use super::adapter_context::FreshNames;
use super::node_draft::{AttributeValue, NodeDraft, ints};
use super::scope::Scope;
use crate::{Dim, OnnxElementType};

/// The opset under which the nodes are written.
pub(super) const OPSET: i64 = 13;

/// The largest size that is counted with.
const LARGEST: i64 = 1 << 20;

/// The nodes that an `Attention` means; none if it is one that is not written by others.
pub(super) fn nodes(
    work: &NodeDraft,
    scope: &Scope<'_>,
    names: &mut FreshNames,
) -> Option<Vec<NodeDraft>> {
    let [q, k, v] = [work.input(0)?, work.input(1)?, work.input(2)?];
    let (sizes, keys) = (sizes(scope, q)?, sizes(scope, k)?);
    let values = self::sizes(scope, v)?;
    let (mask, past) = (work.input(3), work.input(4).zip(work.input(5)));
    let causal = work.int("is_causal").unwrap_or(0) != 0;
    let softcap = work.float("softcap").unwrap_or(0.0);
    let window = |name| work.int(name).unwrap_or(-1) != -1;
    // What a release makes of these together has changed.
    let changed = causal && (past.is_some() || mask.is_some())
        || softcap != 0.0 && (mask.is_some() || causal)
        || window("left_window_size")
        || window("right_window_size");
    let plain = scope.element(q) == Some(OnnxElementType(1))
        && mask.is_none_or(|mask| scope.element(mask) == Some(OnnxElementType(1)));
    let half_past = work.input(4).is_some() != work.input(5).is_some();
    if changed
        || !plain
        || half_past
        || work.input(6).is_some()
        || work.outputs.len() > 3
        || work.get("softmax_precision").is_some()
    {
        return None;
    }
    let flat = sizes.len() == 3;
    let heads = if flat { work.int("q_num_heads")? } else { *sizes.get(1)? };
    let kv_heads = if flat { work.int("kv_num_heads")? } else { *keys.get(1)? };
    if !(1..=LARGEST).contains(&heads)
        || kv_heads < 1
        || heads % kv_heads != 0
        || keys.len() != sizes.len()
        || values.len() != sizes.len()
    {
        return None;
    }
    let rows = if flat { *sizes.get(1)? } else { *sizes.get(2)? };
    let columns = if flat { *keys.get(1)? } else { *keys.get(2)? };
    let depth = if flat { sizes.get(2)? / heads } else { *sizes.get(3)? };
    let mut made = NodeSequence { nodes: Vec::new(), names };
    let mut split = |name: &str, heads: i64| match flat {
        true => {
            let parts = made.reshape(name, &[0, 0, heads, -1]);
            made.turn(&parts, &[0, 2, 1, 3], None)
        }
        false => name.to_owned(),
    };
    let q = split(q, heads);
    let (mut k, mut v) = (split(k, kv_heads), split(v, kv_heads));
    for (at, slot, past) in [(1, &mut k, past.map(|one| one.0)), (2, &mut v, past.map(|one| one.1))]
    {
        let present = work.outputs.get(at).filter(|name| !name.is_empty());
        let inputs: Vec<&str> = past.into_iter().chain([slot.as_str()]).collect();
        if present.is_some() || inputs.len() > 1 {
            let axis = AttributeValue::Int(2);
            *slot = made.node("Concat", &inputs, present.map(String::as_str), &[("axis", axis)]);
        }
    }
    let scale = work.float("scale").unwrap_or_else(|| 1.0 / (depth as f32).sqrt());
    let scale = made.number(scale);
    let q = made.node("Mul", &[&q, &scale], None, &[]);
    let grouped = heads != kv_heads;
    let q = if grouped { made.reshape(&q, &[0, kv_heads, heads / kv_heads * rows, -1]) } else { q };
    let k = made.turn(&k, &[0, 1, 3, 2], None);
    let mut scores = made.node("MatMul", &[&q, &k], None, &[]);
    if grouped {
        scores = made.reshape(&scores, &[0, heads, rows, -1]);
    }
    if softcap != 0.0 {
        let cap = made.number(softcap);
        let small = made.node("Div", &[&scores, &cap], None, &[]);
        let small = made.node("Tanh", &[&small], None, &[]);
        scores = made.node("Mul", &[&small, &cap], None, &[]);
    }
    if let Some(mask) = mask {
        scores = made.node("Add", &[&scores, mask], None, &[]);
    }
    if causal {
        let count =
            usize::try_from(rows.checked_mul(columns)?).ok().filter(|count| *count <= 1 << 20)?;
        let bytes = (0..count as i64).flat_map(|at| {
            let number = if at % columns <= at / columns { 0.0_f32 } else { f32::NEG_INFINITY };
            number.to_le_bytes()
        });
        let triangle =
            AttributeValue::Tensor(OnnxElementType(1), vec![rows, columns], bytes.collect());
        let triangle = made.node("Constant", &[], None, &[("value", triangle)]);
        scores = made.node("Add", &[&scores, &triangle], None, &[]);
    }
    let mut shares = made.node("Softmax", &[&scores], None, &[("axis", AttributeValue::Int(-1))]);
    if grouped {
        shares = made.reshape(&shares, &[0, kv_heads, heads / kv_heads * rows, -1]);
    }
    let mut out = made.node("MatMul", &[&shares, &v], None, &[]);
    if grouped {
        out = made.reshape(&out, &[0, heads, rows, -1]);
    }
    let last = work.outputs.first()?;
    if flat {
        out = made.turn(&out, &[0, 2, 1, 3], None);
        let shape = made.node("Constant", &[], None, &[("value", ints(&[0, 0, -1]))]);
        made.node("Reshape", &[&out, &shape], Some(last), &[]);
    } else {
        made.node("Identity", &[&out], Some(last), &[]);
    }
    Some(made.nodes)
}

/// The dimensions of a value, if all are numbers.
fn sizes(scope: &Scope<'_>, name: &str) -> Option<Vec<i64>> {
    let size = |dim: &Dim| match dim {
        Dim::Size(size) if (1..=LARGEST).contains(size) => Some(*size),
        _ => None,
    };
    scope.dims(name)?.iter().map(size).collect()
}

pub(super) struct NodeSequence<'a> {
    pub(super) nodes: Vec<NodeDraft>,
    pub(super) names: &'a mut FreshNames,
}

impl NodeSequence<'_> {
    pub(super) fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        output: Option<&str>,
        attributes: &[(&str, AttributeValue)],
    ) -> String {
        let output =
            output.map_or_else(|| self.names.fresh(&op.to_ascii_lowercase()), str::to_owned);
        let mut work = NodeDraft::new(op, inputs, &[&output]);
        attributes.iter().for_each(|(name, value)| work.set(name, value.clone()));
        self.nodes.push(work);
        output
    }

    pub(super) fn reshape(&mut self, name: &str, sizes: &[i64]) -> String {
        let shape = self.node("Constant", &[], None, &[("value", ints(sizes))]);
        self.node("Reshape", &[name, &shape], None, &[])
    }

    pub(super) fn turn(&mut self, name: &str, order: &[i64], output: Option<&str>) -> String {
        self.node("Transpose", &[name], output, &[("perm", AttributeValue::Ints(order.to_vec()))])
    }

    fn number(&mut self, number: f32) -> String {
        let value =
            AttributeValue::Tensor(OnnxElementType(1), Vec::new(), number.to_le_bytes().to_vec());
        self.node("Constant", &[], None, &[("value", value)])
    }
}
