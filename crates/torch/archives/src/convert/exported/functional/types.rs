//! The type of what an operator gives that takes the place of one that writes: `x.add_(y)` has the type of `x` always.

use super::super::shapes::FLOATS;
use super::{Functionalizer, meta};
use crate::json::JsonValue;

/// Operators whose result has the type of what they write to, whatever else they are given.
const KEEPING: [&str; 31] = [
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bernoulli",
    "cauchy",
    "clamp",
    "copy",
    "dropout",
    "exponential",
    "fill",
    "geometric",
    "hardtanh",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "log_normal",
    "masked_fill",
    "masked_scatter",
    "normal_functional",
    "put",
    "random",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "tril",
    "triu",
    "zero",
];

/// Operators that give whole numbers for whole numbers.
const WHOLE: [&str; 29] = [
    "__lshift__",
    "__rshift__",
    "abs",
    "absolute",
    "add",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "clamp_max",
    "clamp_min",
    "clip",
    "floor_divide",
    "fmod",
    "gcd",
    "lcm",
    "mul",
    "multiply",
    "neg",
    "negative",
    "pow",
    "relu",
    "remainder",
    "sgn",
    "sign",
    "sub",
    "subtract",
];

/// Operators that give truth values.
const TRUTH: [&str; 16] = [
    "eq",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "le",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "ne",
    "not_equal",
    "isin",
];

const BOOL: i64 = 12;

impl Functionalizer<'_, '_> {
    /// The type that an operator gives, if it is another than that of what is written to.
    pub(super) fn cast_of(
        &self,
        operator: &str,
        node: &JsonValue,
        name: &str,
    ) -> Result<Option<i64>, String> {
        const UNTOLD: &str = "whose result may have another type";
        if KEEPING.contains(&operator) {
            return Ok(None);
        }
        let row = self.rows.get(name).ok_or("of whose tensor nothing is told")?;
        let (Some(own), Some(rank)) = (meta::dtype(row), meta::rank(row)) else {
            return Err("of whose tensor nothing is told".to_owned());
        };
        if TRUTH.contains(&operator) {
            return Ok((own != BOOL).then_some(BOOL));
        }
        if !FLOATS.contains(&own) && !WHOLE.contains(&operator) {
            return Err(UNTOLD.to_owned());
        }
        let mut wide = own;
        for other in meta::inputs(node).filter(|other| *other != name) {
            let other = self.rows.get(other).ok_or("of whose tensor nothing is told")?;
            let (Some(dtype), Some(dims)) = (meta::dtype(other), meta::rank(other)) else {
                return Err("of whose tensor nothing is told".to_owned());
            };
            let is_less =
                kind(dtype) < kind(wide) || (kind(dtype) == kind(wide) && dims == 0 && rank > 0);
            if !is_less {
                wide = promoted(wide, dtype).ok_or(UNTOLD)?;
            }
        }
        Ok((wide != own).then_some(wide))
    }
}

/// Truth values, whole numbers, floats, complex numbers.
fn kind(dtype: i64) -> u8 {
    match dtype {
        BOOL => 0,
        1..=5 => 1,
        9..=11 => 3,
        _ => 2,
    }
}

/// The type of two that are of one kind; none of those that have a rule of their own.
fn promoted(one: i64, other: i64) -> Option<i64> {
    match (one.min(other), one.max(other)) {
        (a, b) if a == b => Some(a),
        // Signed whole numbers, and floats from half on, by their size. 1 is uint8, 13 bfloat16.
        (2..=5, b @ 2..=5) | (6..=8, b @ 6..=8) => Some(b),
        (1, b @ 3..=5) => Some(b),
        (a @ 7..=8, 13) => Some(a),
        _ => None,
    }
}
