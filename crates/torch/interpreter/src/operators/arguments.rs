//! The arguments of an operator, in the order of its schema.

use std::rc::Rc;

use crate::problem::{malformed, refused, unsupported};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

/// Arguments that were bound to a schema. What is not there, or is of another type than the schema
/// says, is an error: a fault of the interpreter's own table.
pub(crate) struct Arguments<'a> {
    values: &'a [ScriptValue],
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(values: &'a [ScriptValue]) -> Self {
        Self { values }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn value(&self, at: usize) -> &'a ScriptValue {
        self.values.get(at).unwrap_or(&ScriptValue::None)
    }

    fn wrong<T>(&self, at: usize, wanted: &str) -> Result<T, RunProblem> {
        malformed(format!("argument {at} should be {wanted}: {}", self.value(at).type_name()))
    }

    pub(crate) fn tensor(&self, at: usize) -> Result<&'a Tensor, RunProblem> {
        self.value(at).tensor().map_or_else(|| self.wrong(at, "a tensor"), Ok)
    }

    pub(crate) fn tensor_or_none(&self, at: usize) -> Result<Option<&'a Tensor>, RunProblem> {
        match self.value(at) {
            ScriptValue::None => Ok(None),
            _ => self.tensor(at).map(Some),
        }
    }

    pub(crate) fn number(&self, at: usize) -> Result<ScalarValue, RunProblem> {
        self.value(at).number().map_or_else(|| self.wrong(at, "a number"), Ok)
    }

    pub(crate) fn number_or_none(&self, at: usize) -> Result<Option<ScalarValue>, RunProblem> {
        match self.value(at) {
            ScriptValue::None => Ok(None),
            _ => self.number(at).map(Some),
        }
    }

    pub(crate) fn int(&self, at: usize) -> Result<i64, RunProblem> {
        self.number(at).map(ScalarValue::int)
    }

    pub(crate) fn int_or_none(&self, at: usize) -> Result<Option<i64>, RunProblem> {
        Ok(self.number_or_none(at)?.map(ScalarValue::int))
    }

    pub(crate) fn float(&self, at: usize) -> Result<f64, RunProblem> {
        self.number(at).map(ScalarValue::float)
    }

    pub(crate) fn float_or_none(&self, at: usize) -> Result<Option<f64>, RunProblem> {
        Ok(self.number_or_none(at)?.map(ScalarValue::float))
    }

    pub(crate) fn boolean(&self, at: usize) -> Result<bool, RunProblem> {
        self.number(at).map(ScalarValue::is_true)
    }

    /// Whether an argument is given and not `None`.
    pub(crate) fn is_set(&self, at: usize) -> bool {
        self.value(at).number().is_some_and(ScalarValue::is_true)
    }

    pub(crate) fn text(&self, at: usize) -> Result<&'a str, RunProblem> {
        self.value(at).text().map_or_else(|| self.wrong(at, "a text"), Ok)
    }

    pub(crate) fn text_or_none(&self, at: usize) -> Result<Option<&'a str>, RunProblem> {
        match self.value(at) {
            ScriptValue::None => Ok(None),
            _ => self.text(at).map(Some),
        }
    }

    pub(crate) fn items(&self, at: usize) -> Result<Vec<ScriptValue>, RunProblem> {
        self.value(at).items().map_or_else(|| self.wrong(at, "a list"), Ok)
    }

    pub(crate) fn list(&self, at: usize) -> Result<&'a Rc<crate::ScriptList>, RunProblem> {
        match self.value(at) {
            ScriptValue::List(list) => Ok(list),
            _ => self.wrong(at, "a list"),
        }
    }

    pub(crate) fn dict(&self, at: usize) -> Result<&'a Rc<crate::ScriptDict>, RunProblem> {
        match self.value(at) {
            ScriptValue::Dict(dict) => Ok(dict),
            _ => self.wrong(at, "a dictionary"),
        }
    }

    pub(crate) fn ints(&self, at: usize) -> Result<Vec<i64>, RunProblem> {
        let items = self.items(at)?;
        let number = |item: &ScriptValue| item.number().map(ScalarValue::int);
        let ints: Option<Vec<i64>> = items.iter().map(number).collect();
        ints.map_or_else(|| self.wrong(at, "a list of integers"), Ok)
    }

    pub(crate) fn ints_or_none(&self, at: usize) -> Result<Option<Vec<i64>>, RunProblem> {
        match self.value(at) {
            ScriptValue::None => Ok(None),
            _ => self.ints(at).map(Some),
        }
    }

    pub(crate) fn floats_or_none(&self, at: usize) -> Result<Option<Vec<f64>>, RunProblem> {
        if matches!(self.value(at), ScriptValue::None) {
            return Ok(None);
        }
        let items = self.items(at)?;
        let number = |item: &ScriptValue| item.number().map(ScalarValue::float);
        let floats: Option<Vec<f64>> = items.iter().map(number).collect();
        floats.map_or_else(|| self.wrong(at, "a list of numbers"), |floats| Ok(Some(floats)))
    }

    /// Sizes: none may be negative.
    pub(crate) fn sizes(&self, at: usize) -> Result<Vec<usize>, RunProblem> {
        sizes(&self.ints(at)?)
    }

    pub(crate) fn tensors(&self, at: usize) -> Result<Vec<Tensor>, RunProblem> {
        let items = self.items(at)?;
        let tensors: Option<Vec<Tensor>> =
            items.iter().map(|item| item.tensor().cloned()).collect();
        tensors.map_or_else(|| self.wrong(at, "a list of tensors"), Ok)
    }

    /// A type of elements; none for `None`.
    pub(crate) fn dtype(&self, at: usize) -> Result<Option<Dtype>, RunProblem> {
        match self.int_or_none(at)? {
            None => Ok(None),
            Some(code) => match Dtype::of_code(code) {
                Some(dtype) => Ok(Some(dtype)),
                None => unsupported(format!("tensors of the element type of this number: {code}")),
            },
        }
    }

    /// A dimension of a tensor of this rank, counted from the end if it is negative.
    pub(crate) fn axis(&self, at: usize, rank: usize) -> Result<usize, RunProblem> {
        axis(self.int(at)?, rank)
    }

    /// Dimensions; all of them for `None` and for an empty list.
    pub(crate) fn axes(&self, at: usize, rank: usize) -> Result<Vec<usize>, RunProblem> {
        let wanted = match self.value(at) {
            ScriptValue::None => Vec::new(),
            ScriptValue::Number(number) => vec![number.int()],
            _ => self.ints(at)?,
        };
        if wanted.is_empty() {
            return Ok((0..rank).collect());
        }
        let mut axes = Vec::new();
        for one in wanted {
            let one = axis(one, rank)?;
            if axes.contains(&one) && rank > 0 {
                return refused(format!("dim {one} appears multiple times in the list of dims"));
            }
            axes.push(one);
        }
        Ok(if rank == 0 { Vec::new() } else { axes })
    }
}

/// A dimension, counted from the end if it is negative. A tensor without dimensions has one for this.
pub(crate) fn axis(dim: i64, rank: usize) -> Result<usize, RunProblem> {
    let bound = rank.max(1) as i64;
    if dim < -bound || dim >= bound {
        return refused(format!(
            "Dimension out of range (expected to be in range of [{}, {}], but got {dim})",
            -bound,
            bound - 1
        ));
    }
    Ok((if dim < 0 { dim + bound } else { dim }) as usize)
}

pub(crate) fn sizes(ints: &[i64]) -> Result<Vec<usize>, RunProblem> {
    let size = |int: &i64| usize::try_from(*int).ok();
    match ints.iter().map(size).collect() {
        Some(sizes) => Ok(sizes),
        None => refused(format!("Trying to create tensor with negative dimension: {ints:?}")),
    }
}
