//! Views that are given by their strides, and windows.

use super::Arguments;
use super::arguments::sizes;
use super::declaration::{Context, Operator, plain};
use crate::problem::refused;
use crate::{RunProblem, ScriptValue};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> Tensor(a)", as_strided),
    plain("aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)", unfold),
];

fn as_strided(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let offset = match args.int_or_none(3)? {
        None => tensor.offset(),
        Some(offset) => match usize::try_from(offset) {
            Ok(offset) => offset,
            Err(_) => return refused("Tensor: invalid storage offset"),
        },
    };
    let (shape, strides) = (args.sizes(1)?, sizes(&args.ints(2)?)?);
    Ok(tensor.with(shape, strides, offset)?.into())
}

fn unfold(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(1, tensor.rank())?;
    let (Ok(size), Ok(step)) = (usize::try_from(args.int(2)?), usize::try_from(args.int(3)?))
    else {
        return refused("a negative size or step of windows");
    };
    let whole = tensor.shape().get(axis).copied().unwrap_or(1);
    if size > whole || step == 0 {
        return refused(format!(
            "maximum size for tensor at dimension {axis} is {whole} but size is {size}"
        ));
    }
    let (mut shape, mut strides) = (tensor.shape().to_vec(), tensor.strides().to_vec());
    let stride = strides.get(axis).copied().unwrap_or(1);
    if let (Some(own), Some(width)) = (shape.get_mut(axis), strides.get_mut(axis)) {
        *own = (whole - size) / step + 1;
        *width = stride.saturating_mul(step);
    }
    shape.push(size);
    strides.push(stride);
    Ok(tensor.with(shape, strides, tensor.offset())?.into())
}
