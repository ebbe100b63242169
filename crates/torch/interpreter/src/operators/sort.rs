//! Order.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use crate::problem::refused;
use crate::tensor::Elements;
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", |c, a| sorted(c, a.tensor(0)?, a.axis(1, a.tensor(0)?.rank())?, a.boolean(2)?, None)),
    plain("aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", |c, a| sorted(c, a.tensor(0)?, a.axis(2, a.tensor(0)?.rank())?, a.boolean(3)?, None)),
    plain("aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", argsort),
    plain("aten::topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)", topk),
];

/// In order along a dimension, the first `keep` of each run; equal ones stay in their order.
fn sorted(
    context: &Context<'_>,
    tensor: &Tensor,
    axis: usize,
    descending: bool,
    keep: Option<usize>,
) -> Result<ScriptValue, RunProblem> {
    let mut order: Vec<usize> = (0..tensor.rank()).collect();
    if tensor.rank() > 0 {
        order.swap(axis, tensor.rank() - 1);
    }
    let swapped = tensor.permute(&order)?;
    let size = swapped.shape().last().copied().unwrap_or(1);
    let keep = keep.unwrap_or(size);
    let (mut values, mut places) = (Vec::new(), Vec::new());
    let numbers = swapped.numbers();
    for run in numbers.chunks(size.max(1)) {
        let mut run: Vec<(usize, ScalarValue)> = run.iter().copied().enumerate().collect();
        run.sort_by(|(_, a), (_, b)| {
            // What is no number is larger than every other.
            let ascending =
                a.compare(*b).unwrap_or_else(|| a.float().is_nan().cmp(&b.float().is_nan()));
            if descending { ascending.reverse() } else { ascending }
        });
        for (place, number) in run.into_iter().take(keep) {
            values.push(number);
            places.push(place as i64);
        }
    }
    let mut shape = swapped.shape().to_vec();
    if let Some(last) = shape.last_mut() {
        *last = keep;
    }
    let elements = Elements::of_numbers(tensor.dtype(), &values);
    let values = Tensor::from_elements(context.meter, tensor.dtype(), &shape, &elements)?;
    let places = Tensor::of_ints(context.meter, Dtype::I64, &shape, places)?;
    Ok(ScriptValue::tuple(vec![
        values.permute(&order)?.contiguous()?.into(),
        places.permute(&order)?.contiguous()?.into(),
    ]))
}

fn argsort(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(1, tensor.rank())?;
    let both = sorted(context, tensor, axis, args.boolean(2)?, None)?;
    Ok(both.items().and_then(|mut items| items.pop()).unwrap_or(ScriptValue::None))
}

fn topk(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(2, tensor.rank())?;
    let size = tensor.shape().get(axis).copied().unwrap_or(1);
    match usize::try_from(args.int(1)?).ok().filter(|keep| *keep <= size) {
        Some(keep) => sorted(context, tensor, axis, args.boolean(3)?, Some(keep)),
        None => refused("selected index k out of range"),
    }
}
