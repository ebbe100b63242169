//! Operators that are others in a row.

use super::Arguments;
use super::declaration::{Context, Operator, all, plain};
use crate::problem::{refused, unsupported};
use crate::tensor::broadcast;
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::meshgrid(Tensor[] tensors) -> Tensor[]", |c, a| meshgrid(c, a, "ij")),
    plain("aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]", |c, a| meshgrid(c, a, a.text(1)?)),
    plain("aten::repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor", repeat_interleave),
    plain("aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", pixel_shuffle),
    plain("aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", pixel_unshuffle),
    plain("aten::channel_shuffle(Tensor self, int groups) -> Tensor", channel_shuffle),
    plain("aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", cosine_similarity),
    plain("aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", linalg_norm),
    plain("aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", take_along_dim),
    plain("aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor", cdist),
    plain("aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", diff),
    all("aten::selu(Tensor self) -> Tensor", |c, a| super::unary::float(c, a, |n| SELU_SCALE * if n > 0.0 { n } else { SELU_ALPHA * n.exp_m1() })),
    all("aten::celu(Tensor self, Scalar alpha=1.0) -> Tensor", |c, a| { let alpha = a.float(1)?; super::unary::float(c, a, move |n| if n > 0.0 { n } else { alpha * (n / alpha).exp_m1() }) }),
    plain("aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", |c, a| { let bound = a.float(1)?; super::unary::float(c, a, move |n| if n.abs() <= bound { 0.0 } else { n }) }),
    plain("aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", |c, a| { let bound = a.float(1)?; super::unary::float(c, a, move |n| if n > bound { n - bound } else if n < -bound { n + bound } else { 0.0 * n }) }),
    all("aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", nan_to_num),
];

const SELU_ALPHA: f64 = 1.673_263_242_354_377_2;
const SELU_SCALE: f64 = 1.050_700_987_355_480_5;

/// Calls an overload with all of its arguments.
pub(super) fn call(
    context: &Context<'_>,
    name: &str,
    overload: &str,
    values: &[ScriptValue],
) -> Result<ScriptValue, RunProblem> {
    match context.overload(name, overload) {
        Some(entry) => entry.run(context, values),
        None => unsupported(format!("{name}.{overload}")),
    }
}

/// The same, of operators that give a tensor.
pub(super) fn tensor(
    context: &Context<'_>,
    name: &str,
    overload: &str,
    values: &[ScriptValue],
) -> Result<Tensor, RunProblem> {
    match call(context, name, overload, values)? {
        ScriptValue::Tensor(tensor) => Ok(tensor),
        other => refused(format!("{name} gave no tensor: {}", other.type_name())),
    }
}

fn meshgrid(
    _: &Context<'_>,
    args: &Arguments<'_>,
    indexing: &str,
) -> Result<ScriptValue, RunProblem> {
    let mut tensors = args.tensors(0)?;
    if tensors.is_empty() || tensors.iter().any(|tensor| tensor.rank() > 1) {
        return refused("meshgrid expects scalars or 1D tensors");
    }
    let swapped = match indexing {
        "ij" => false,
        "xy" => tensors.len() > 1,
        other => {
            return refused(format!(
                "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {other}"
            ));
        }
    };
    if swapped {
        tensors.swap(0, 1);
    }
    let shape: Vec<usize> = tensors.iter().map(Tensor::count).collect();
    let grid = |(at, tensor): (usize, &Tensor)| {
        let mut own = vec![1; shape.len()];
        own[at] = shape[at];
        tensor.reshape(&own)?.expand(&shape)
    };
    let mut grids = tensors.iter().enumerate().map(grid).collect::<Result<Vec<_>, RunProblem>>()?;
    if swapped {
        grids.swap(0, 1);
    }
    Ok(super::shape::tensors(grids))
}

fn repeat_interleave(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let Ok(times) = usize::try_from(args.int(1)?) else {
        return refused("repeats can not be negative");
    };
    let tensor = match args.int_or_none(2)? {
        None => args.tensor(0)?.reshape(&[args.tensor(0)?.count()])?,
        Some(_) => args.tensor(0)?.clone(),
    };
    let axis = match args.int_or_none(2)? {
        None => 0,
        Some(_) => args.axis(2, tensor.rank())?,
    };
    let (mut shape, mut strides) = (tensor.shape().to_vec(), tensor.strides().to_vec());
    let Some(size) = shape.get(axis).copied() else { return refused("a scalar is not repeated") };
    shape.insert(axis + 1, times);
    strides.insert(axis + 1, 0);
    let wide = tensor.with(shape, strides, tensor.offset())?;
    let mut shape = tensor.shape().to_vec();
    shape[axis] = size.saturating_mul(times);
    let expanded = wide.shape().to_vec();
    wide.expand(&expanded)?.contiguous()?.reshape(&shape).map(ScriptValue::from)
}

fn factor(args: &Arguments<'_>) -> Result<usize, RunProblem> {
    match usize::try_from(args.int(1)?).ok().filter(|factor| *factor > 0) {
        Some(factor) => Ok(factor),
        None => refused("a positive factor is wanted"),
    }
}

fn image(tensor: &Tensor) -> Result<(&[usize], [usize; 3]), RunProblem> {
    match tensor.shape() {
        [batch @ .., channels, height, width] => Ok((batch, [*channels, *height, *width])),
        _ => refused(format!("expected at least 3 dimensions: {tensor}")),
    }
}

/// Another shape, with the dimensions behind the first ones in another order.
fn regrouped(
    tensor: &Tensor,
    batch: &[usize],
    inner: &[usize],
    order: &[usize],
    shape: &[usize],
) -> Result<ScriptValue, RunProblem> {
    let full: Vec<usize> = batch.iter().chain(inner).copied().collect();
    let order: Vec<usize> =
        (0..batch.len()).chain(order.iter().map(|axis| axis + batch.len())).collect();
    let shape: Vec<usize> = batch.iter().chain(shape).copied().collect();
    Ok(tensor.reshape(&full)?.permute(&order)?.contiguous()?.reshape(&shape)?.into())
}

fn pixel_shuffle(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, factor) = (args.tensor(0)?, factor(args)?);
    let (batch, [channels, height, width]) = image(tensor)?;
    let square = factor.saturating_mul(factor);
    if channels % square != 0 {
        return refused(format!("pixel_shuffle expects channels divisible by {square}: {tensor}"));
    }
    let out = channels / square;
    regrouped(
        tensor,
        batch,
        &[out, factor, factor, height, width],
        &[0, 3, 1, 4, 2],
        &[out, height * factor, width * factor],
    )
}

fn pixel_unshuffle(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, factor) = (args.tensor(0)?, factor(args)?);
    let (batch, [channels, height, width]) = image(tensor)?;
    if height % factor != 0 || width % factor != 0 {
        return refused(format!("pixel_unshuffle expects sizes divisible by {factor}: {tensor}"));
    }
    let (down, across) = (height / factor, width / factor);
    regrouped(
        tensor,
        batch,
        &[channels, down, factor, across, factor],
        &[0, 2, 4, 1, 3],
        &[channels * factor * factor, down, across],
    )
}

fn channel_shuffle(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, groups) = (args.tensor(0)?, factor(args)?);
    let [batch, channels, space @ ..] = tensor.shape() else {
        return refused(format!("channel_shuffle expects input with > 2 dims: {tensor}"));
    };
    if channels % groups != 0 {
        return refused("Number of channels must be divisible by groups");
    }
    let area: usize = space.iter().product();
    let shape = [&[*channels], space].concat();
    regrouped(tensor, &[*batch], &[groups, channels / groups, area], &[1, 0, 2], &shape)
}

fn cosine_similarity(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (a, b, eps) = (args.tensor(0)?, args.tensor(1)?, args.float(3)?);
    let dtype = super::arithmetic::common(args.value(0), args.value(1));
    if !dtype.is_float() {
        return refused(format!(
            "expected common dtype to be floating point, yet common dtype is {dtype}"
        ));
    }
    let shape = broadcast(a.shape(), b.shape())?;
    let axis = args.axis(2, shape.len())?;
    let mut order: Vec<usize> = (0..shape.len()).filter(|other| *other != axis).collect();
    let outer: Vec<usize> = order.iter().map(|axis| shape[*axis]).collect();
    if !shape.is_empty() {
        order.push(axis);
    }
    let size = shape.get(axis).copied().unwrap_or(1).max(1);
    let (x, y) =
        (a.expand(&shape)?.permute(&order)?.floats(), b.expand(&shape)?.permute(&order)?.floats());
    let similar = |(x, y): (&[f64], &[f64])| {
        let length = |run: &[f64]| run.iter().map(|n| n * n).sum::<f64>().sqrt().max(eps);
        let product: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
        product / (length(x) * length(y))
    };
    let results = x.chunks(size).zip(y.chunks(size)).map(similar).collect();
    Ok(Tensor::of_floats(context.meter, dtype, &outer, results)?.into())
}

fn linalg_norm(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let axes = args.ints_or_none(2)?;
    let of_matrix = match &axes {
        Some(axes) => axes.len() == 2,
        None => args.tensor(0)?.rank() == 2,
    };
    let order = args.number_or_none(1)?;
    if order.is_some() && of_matrix {
        return unsupported("a norm of matrices other than that of Frobenius");
    }
    let values = [
        args.value(0).clone(),
        order.unwrap_or(ScalarValue::Int(2)).into(),
        args.value(2).clone(),
        args.value(3).clone(),
        args.value(4).clone(),
    ];
    call(context, "aten::linalg_vector_norm", "", &values)
}

fn take_along_dim(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, index) = (args.tensor(0)?, args.tensor(1)?);
    let Some(_) = args.int_or_none(2)? else {
        let flat = tensor.reshape(&[tensor.count()])?;
        let index = index.reshape(&[index.count()])?;
        return call(
            context,
            "aten::gather",
            "",
            &[flat.into(), 0_i64.into(), index.into(), false.into()],
        );
    };
    let axis = args.axis(2, tensor.rank())?;
    if tensor.rank() != index.rank() {
        return refused(
            "torch.take_along_dim(): input and indices should have the same number of dimensions",
        );
    }
    let (mut own, mut other) = (tensor.shape().to_vec(), index.shape().to_vec());
    (own[axis], other[axis]) = (1, 1);
    let mut shape = broadcast(&own, &other)?;
    shape[axis] = tensor.shape()[axis];
    let wide = tensor.expand(&shape)?;
    shape[axis] = index.shape()[axis];
    let values = [wide.into(), (axis as i64).into(), index.expand(&shape)?.into(), false.into()];
    call(context, "aten::gather", "", &values)
}

/// The distance of each row of one matrix from each of another.
fn cdist(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b, p) = (args.tensor(0)?, args.tensor(1)?, args.float(2)?);
    let ([batch_a @ .., rows, width], [batch_b @ .., columns, other]) = (a.shape(), b.shape())
    else {
        return refused("cdist only supports at least 2D tensors");
    };
    if width != other || !a.dtype().is_float() || a.dtype() != b.dtype() {
        return refused(format!("cdist of {a} and {b}"));
    }
    let batch = broadcast(batch_a, batch_b)?;
    let full = |last: [usize; 2]| batch.iter().copied().chain(last).collect::<Vec<_>>();
    let shape = full([*rows, *columns]);
    context.meter.work(context.meter.room(&shape)?.saturating_mul(*width))?;
    let x = a.expand(&full([*rows, *width]))?.floats();
    let y = b.expand(&full([*columns, *width]))?.floats();
    let mut distances = Vec::new();
    let size = (*width).max(1);
    for (x, y) in x.chunks(size * rows.max(&1)).zip(y.chunks(size * columns.max(&1))) {
        for x in x.chunks(size) {
            for y in y.chunks(size) {
                let steps = x.iter().zip(y).map(|(x, y)| (x - y).abs());
                distances.push(match p {
                    0.0 => steps.filter(|step| *step != 0.0).count() as f64,
                    1.0 => steps.sum(),
                    2.0 => steps.map(|step| step * step).sum::<f64>().sqrt(),
                    p if p.is_infinite() => steps.fold(0.0, f64::max),
                    p => steps.map(|step| step.powf(p)).sum::<f64>().powf(1.0 / p),
                });
            }
        }
    }
    if distances.len() != crate::tensor::count(&shape)? {
        return unsupported("cdist of empty rows");
    }
    Ok(Tensor::of_floats(context.meter, a.dtype(), &shape, distances)?.into())
}

fn diff(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if args.tensor_or_none(3)?.is_some() || args.tensor_or_none(4)?.is_some() {
        let ends = [args.value(3), args.value(0), args.value(4)];
        let all = ends.into_iter().filter(|one| one.tensor().is_some()).cloned().collect();
        let joined =
            tensor(context, "aten::cat", "", &[ScriptValue::list(all), args.value(2).clone()])?;
        let given = [
            joined.into(),
            args.value(1).clone(),
            args.value(2).clone(),
            ScriptValue::None,
            ScriptValue::None,
        ];
        return diff(context, &Arguments::new(&given));
    }
    let mut result = args.tensor(0)?.clone();
    let axis = args.axis(2, result.rank())?;
    if result.rank() == 0 {
        return refused("diff expects input to be at least one-dimensional");
    }
    for _ in 0..args.int(1)?.clamp(0, result.shape()[axis] as i64) {
        let size = result.shape()[axis];
        if size == 0 {
            break;
        }
        let (first, second) =
            (result.narrow(axis, 0, size - 1, 1)?, result.narrow(axis, 1, size - 1, 1)?);
        result = match result.dtype() {
            Dtype::Bool => tensor(context, "aten::ne", "Tensor", &[second.into(), first.into()])?,
            _ => tensor(
                context,
                "aten::sub",
                "Tensor",
                &[second.into(), first.into(), 1_i64.into()],
            )?,
        };
    }
    Ok(result.into())
}

fn nan_to_num(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let largest = match tensor.dtype() {
        dtype if dtype.is_integral() => return Ok(tensor.copy()?.into()),
        Dtype::F64 => f64::MAX,
        Dtype::F32 => f64::from(f32::MAX),
        Dtype::BF16 => 3.389_531_389_251_535_5e38,
        Dtype::F16 => 65504.0,
        _ => return unsupported("nan_to_num of complex numbers"),
    };
    let nan = args.float_or_none(1)?.unwrap_or(0.0);
    let (high, low) =
        (args.float_or_none(2)?.unwrap_or(largest), args.float_or_none(3)?.unwrap_or(-largest));
    super::unary::float(context, args, move |n| match n {
        n if n.is_nan() => nan,
        f64::INFINITY => high,
        f64::NEG_INFINITY => low,
        n => n,
    })
}
