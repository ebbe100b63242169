//! Sums, means, extremes: dimensions that go away.

use super::Arguments;
use super::complex;
use super::declaration::{Context, Operator, all, plain, with_out};
use crate::problem::{refused, unsupported};
use crate::tensor::Elements;
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", |c, a| folded(c, a.tensor(0)?, (None, false), a.dtype(1)?, &SUM)),
    with_out("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", |c, a| folded(c, a.tensor(0)?, (Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(2)?), a.dtype(3)?, &SUM)),
    plain("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", |c, a| mean(c, a.tensor(0)?, None, false, a.dtype(1)?)),
    with_out("aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", |c, a| mean(c, a.tensor(0)?, Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(2)?, a.dtype(3)?)),
    plain("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", |c, a| folded(c, a.tensor(0)?, (None, false), a.dtype(1)?, &PRODUCT)),
    plain("aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", |c, a| folded(c, a.tensor(0)?, (Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(2)?), a.dtype(3)?, &PRODUCT)),
    plain("aten::any(Tensor self) -> Tensor", |c, a| truth(c, a, None, |run| run.iter().any(|n| n.is_true()))),
    plain("aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", |c, a| truth(c, a, Some(a.boolean(2)?), |run| run.iter().any(|n| n.is_true()))),
    plain("aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", |c, a| truth(c, a, Some(a.boolean(2)?), |run| run.iter().any(|n| n.is_true()))),
    plain("aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", |c, a| truth(c, a, Some(a.boolean(2)?), |run| run.iter().all(|n| n.is_true()))),
    plain("aten::all(Tensor self) -> Tensor", |c, a| truth(c, a, None, |run| run.iter().all(|n| n.is_true()))),
    plain("aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", |c, a| truth(c, a, Some(a.boolean(2)?), |run| run.iter().all(|n| n.is_true()))),
    plain("aten::max(Tensor self) -> Tensor", |c, a| extreme(c, a.tensor(0)?, None, false, true)),
    plain("aten::min(Tensor self) -> Tensor", |c, a| extreme(c, a.tensor(0)?, None, false, false)),
    plain("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", |c, a| extreme(c, a.tensor(0)?, Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(2)?, true)),
    plain("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", |c, a| extreme(c, a.tensor(0)?, Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(2)?, false)),
    plain("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", |c, a| extreme_with_place(c, a, true)),
    plain("aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", |c, a| extreme_with_place(c, a, false)),
    plain("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", |c, a| place(c, a, true)),
    plain("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", |c, a| place(c, a, false)),
    plain("aten::var(Tensor self, bool unbiased=True) -> Tensor", |c, a| var(c, a.tensor(0)?, None, false, f64::from(u8::from(a.boolean(1)?)), false)),
    plain("aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", |c, a| var(c, a.tensor(0)?, Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(3)?, f64::from(u8::from(a.boolean(2)?)), false)),
    plain("aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", |c, a| var(c, a.tensor(0)?, Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(3)?, a.float_or_none(2)?.unwrap_or(1.0), false)),
    plain("aten::std(Tensor self, bool unbiased=True) -> Tensor", |c, a| var(c, a.tensor(0)?, None, false, f64::from(u8::from(a.boolean(1)?)), true)),
    plain("aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", |c, a| var(c, a.tensor(0)?, Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(3)?, f64::from(u8::from(a.boolean(2)?)), true)),
    plain("aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", |c, a| var(c, a.tensor(0)?, Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(3)?, a.float_or_none(2)?.unwrap_or(1.0), true)),
    plain("aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", |c, a| norm(c, a.tensor(0)?, Some(a.number(1)?), None, false, None)),
    plain("aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor", |c, a| norm(c, a.tensor(0)?, a.number_or_none(1)?, Some(a.axes(2, a.tensor(0)?.rank())?), a.boolean(3)?, None)),
    plain("aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor", |c, a| norm(c, a.tensor(0)?, a.number_or_none(1)?, Some(a.axes(2, a.tensor(0)?.rank())?), a.boolean(3)?, a.dtype(4)?)),
    plain("aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor", |c, a| norm(c, a.tensor(0)?, a.number_or_none(1)?, None, false, a.dtype(2)?)),
    with_out("aten::frobenius_norm(Tensor self) -> Tensor", |c, a| norm(c, a.tensor(0)?, None, None, false, None)),
    with_out("aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", |c, a| norm(c, a.tensor(0)?, None, Some(a.axes(1, a.tensor(0)?.rank())?), a.boolean(2)?, None)),
    with_out("aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", |c, a| norm(c, a.tensor(0)?, Some(a.number(1)?), Some(a.axes(2, a.tensor(0)?.rank())?), a.boolean(3)?, a.dtype(4)?)),
    all("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", cumsum),
    all("aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", cumprod),
    plain("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", logsumexp),
    plain("aten::count_nonzero(Tensor self, int? dim=None) -> Tensor", count_nonzero),
    plain("aten::trace(Tensor self) -> Tensor", trace),
];

/// A tensor cut into the runs that a reduction takes together.
struct Runs {
    tensor: Tensor,
    /// The elements of a run.
    size: usize,
    shape: Vec<usize>,
}

fn runs(tensor: &Tensor, axes: Option<Vec<usize>>, keep: bool) -> Result<Runs, RunProblem> {
    let axes = axes.unwrap_or_else(|| (0..tensor.rank()).collect());
    let kept: Vec<usize> = (0..tensor.rank()).filter(|axis| !axes.contains(axis)).collect();
    let order: Vec<usize> = kept.iter().chain(&axes).copied().collect();
    let shape = match keep {
        true => (0..tensor.rank())
            .map(|a| if axes.contains(&a) { 1 } else { tensor.shape()[a] })
            .collect(),
        false => kept.iter().map(|axis| tensor.shape()[*axis]).collect(),
    };
    let size = axes.iter().map(|axis| tensor.shape()[*axis]).product();
    Ok(Runs { tensor: tensor.permute(&order)?, size, shape })
}

impl Runs {
    fn each<T: Clone, R>(&self, numbers: Vec<T>, of: impl Fn(&[T]) -> R) -> Vec<R> {
        if self.size == 0 {
            let count: usize = self.shape.iter().product();
            return (0..count).map(|_| of(&[])).collect();
        }
        numbers.chunks(self.size).map(of).collect()
    }
}

/// A complex number: its real and its imaginary part.
type Complex = (f64, f64);

/// How the elements of a run become one, by what they are.
struct Folding {
    ints: fn(&[i64]) -> i64,
    floats: fn(&[f64]) -> f64,
    complex: Option<fn(&[Complex]) -> Complex>,
}

const SUM: Folding = Folding {
    ints: |run| run.iter().fold(0, |sum, n| sum.wrapping_add(*n)),
    floats: |run| run.iter().sum(),
    complex: Some(|run| run.iter().fold((0.0, 0.0), |sum, n| (sum.0 + n.0, sum.1 + n.1))),
};

const PRODUCT: Folding = Folding {
    ints: |run| run.iter().fold(1, |product, n| product.wrapping_mul(*n)),
    floats: |run| run.iter().product(),
    complex: Some(|run| run.iter().fold((1.0, 0.0), |product, n| complex::product(product, *n))),
};

fn folded(
    context: &Context<'_>,
    tensor: &Tensor,
    (axes, keep): (Option<Vec<usize>>, bool),
    dtype: Option<Dtype>,
    folding: &Folding,
) -> Result<ScriptValue, RunProblem> {
    // What integers of any width come to is a wide one.
    let wide = if tensor.dtype().is_integral() { Dtype::I64 } else { tensor.dtype() };
    let dtype = dtype.unwrap_or(wide);
    let runs = runs(tensor, axes, keep)?;
    let elements = match (runs.tensor.elements_as(dtype), folding.complex) {
        (Elements::Int(numbers), _) => Elements::Int(runs.each(numbers, folding.ints)),
        (Elements::Float(numbers), _) => Elements::Float(runs.each(numbers, folding.floats)),
        (Elements::Complex(numbers), Some(of)) => Elements::Complex(runs.each(numbers, of)),
        (Elements::Complex(_), None) => return unsupported("prod of complex numbers"),
    };
    Ok(Tensor::from_elements(context.meter, dtype, &runs.shape, &elements)?.into())
}

fn float_only(tensor: &Tensor, dtype: Option<Dtype>, what: &str) -> Result<Dtype, RunProblem> {
    let dtype = dtype.unwrap_or(tensor.dtype());
    if dtype.is_integral() {
        return refused(format!(
            "{what}(): could not infer output dtype. Input dtype must be either a floating point or \
             complex dtype. Got: {}",
            dtype.storage_name()
        ));
    }
    Ok(dtype)
}

fn floats(tensor: &Tensor, dtype: Dtype) -> Vec<f64> {
    match tensor.elements_as(dtype) {
        Elements::Float(numbers) => numbers,
        _ => tensor.floats(),
    }
}

fn mean(
    context: &Context<'_>,
    tensor: &Tensor,
    axes: Option<Vec<usize>>,
    keep: bool,
    dtype: Option<Dtype>,
) -> Result<ScriptValue, RunProblem> {
    let dtype = float_only(tensor, dtype, "mean")?;
    let runs = runs(tensor, axes, keep)?;
    if let Elements::Complex(numbers) = runs.tensor.elements_as(dtype) {
        let count = runs.size as f64;
        let means = runs.each(numbers, |run| {
            let sum = run.iter().fold((0.0, 0.0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
            (sum.0 / count, sum.1 / count)
        });
        let means = Elements::Complex(means);
        return Ok(Tensor::from_elements(context.meter, dtype, &runs.shape, &means)?.into());
    }
    let means =
        runs.each(floats(&runs.tensor, dtype), |run| run.iter().sum::<f64>() / run.len() as f64);
    Ok(Tensor::of_floats(context.meter, dtype, &runs.shape, means)?.into())
}

fn truth(
    context: &Context<'_>,
    args: &Arguments<'_>,
    keep: Option<bool>,
    holds: fn(&[ScalarValue]) -> bool,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axes = keep.map(|_| args.axes(1, tensor.rank())).transpose()?;
    let runs = runs(tensor, axes, keep.unwrap_or(false))?;
    let truths = runs.each(runs.tensor.numbers(), |run| i64::from(holds(run)));
    let dtype = if tensor.dtype() == Dtype::U8 { Dtype::U8 } else { Dtype::Bool };
    Ok(Tensor::of_ints(context.meter, dtype, &runs.shape, truths)?.into())
}

/// The place of the largest or smallest; what is no number wins, of equal ones the first.
fn best(run: &[ScalarValue], largest: bool) -> usize {
    let mut best = 0;
    for (at, number) in run.iter().enumerate().skip(1) {
        let Some(known) = run.get(best) else { break };
        if known.float().is_nan() {
            break;
        }
        let wins = match number.compare(*known) {
            None => true,
            Some(order) => {
                if largest {
                    order.is_gt()
                } else {
                    order.is_lt()
                }
            }
        };
        if wins {
            best = at;
        }
    }
    best
}

fn not_empty(runs: &Runs) -> Result<(), RunProblem> {
    if runs.size == 0 && !runs.shape.contains(&0) {
        return refused("Expected reduction dim to be specified for input.numel() == 0.");
    }
    Ok(())
}

fn extreme(
    context: &Context<'_>,
    tensor: &Tensor,
    axes: Option<Vec<usize>>,
    keep: bool,
    largest: bool,
) -> Result<ScriptValue, RunProblem> {
    let runs = runs(tensor, axes, keep)?;
    not_empty(&runs)?;
    let of =
        |run: &[ScalarValue]| run.get(best(run, largest)).copied().unwrap_or(ScalarValue::Int(0));
    let found = runs.each(runs.tensor.numbers(), of);
    let elements = Elements::of_numbers(tensor.dtype(), &found);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), &runs.shape, &elements)?.into())
}

fn extreme_with_place(
    context: &Context<'_>,
    args: &Arguments<'_>,
    largest: bool,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axes = args.axes(1, tensor.rank())?;
    let values = extreme(context, tensor, Some(axes.clone()), args.boolean(2)?, largest)?;
    let runs = runs(tensor, Some(axes), args.boolean(2)?)?;
    let places = runs.each(runs.tensor.numbers(), |run| best(run, largest) as i64);
    let places = Tensor::of_ints(context.meter, Dtype::I64, &runs.shape, places)?;
    Ok(ScriptValue::tuple(vec![values, places.into()]))
}

fn place(
    context: &Context<'_>,
    args: &Arguments<'_>,
    largest: bool,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axes = match args.value(1) {
        ScriptValue::None => None,
        _ => Some(args.axes(1, tensor.rank())?),
    };
    super::unary::of_kind(tensor, crate::dtype::DtypeCategory::Int)?;
    let runs = runs(tensor, axes, args.boolean(2)?)?;
    not_empty(&runs)?;
    let places = runs.each(runs.tensor.numbers(), |run| best(run, largest) as i64);
    Ok(Tensor::of_ints(context.meter, Dtype::I64, &runs.shape, places)?.into())
}

fn var(
    context: &Context<'_>,
    tensor: &Tensor,
    axes: Option<Vec<usize>>,
    keep: bool,
    correction: f64,
    root: bool,
) -> Result<ScriptValue, RunProblem> {
    let dtype = tensor.dtype();
    if dtype.is_integral() {
        return refused("std and var only support floating point and complex dtypes");
    }
    let runs = runs(tensor, axes, keep)?;
    let squares = |run: &[f64]| {
        let mean = run.iter().sum::<f64>() / run.len() as f64;
        run.iter().map(|n| (n - mean) * (n - mean)).sum::<f64>()
    };
    // Both parts of complex numbers vary.
    let spread: Vec<f64> = match runs.tensor.elements() {
        Elements::Complex(numbers) => {
            let part =
                |of: fn(&Complex) -> f64| runs.each(numbers.iter().map(of).collect(), squares);
            part(|n| n.0).into_iter().zip(part(|n| n.1)).map(|(a, b)| a + b).collect()
        }
        _ => runs.each(runs.tensor.floats(), squares),
    };
    let results = spread.into_iter().map(|squares| {
        let var = squares / (runs.size as f64 - correction).max(0.0);
        if root { var.sqrt() } else { var }
    });
    let results = results.collect();
    Ok(Tensor::of_floats(context.meter, dtype.part(), &runs.shape, results)?.into())
}

fn norm(
    context: &Context<'_>,
    tensor: &Tensor,
    order: Option<ScalarValue>,
    axes: Option<Vec<usize>>,
    keep: bool,
    dtype: Option<Dtype>,
) -> Result<ScriptValue, RunProblem> {
    let own = dtype.unwrap_or(tensor.dtype());
    if own.is_integral() {
        return refused("norm(): expected a floating point or complex tensor");
    }
    let order = order.map_or(2.0, ScalarValue::float);
    let runs = runs(tensor, axes, keep)?;
    let sizes: Vec<f64> = match runs.tensor.elements_as(own) {
        Elements::Complex(numbers) => numbers.iter().map(|(a, b)| a.hypot(*b)).collect(),
        Elements::Float(numbers) => numbers.iter().map(|n| n.abs()).collect(),
        Elements::Int(_) => runs.tensor.floats(),
    };
    if order.is_infinite() && runs.size == 0 && !runs.shape.contains(&0) {
        return refused("norm(): the operation has no identity for an empty tensor");
    }
    let results = runs.each(sizes, |run| norm_of(run, order));
    Ok(Tensor::of_floats(context.meter, own.part(), &runs.shape, results)?.into())
}

fn norm_of(run: &[f64], order: f64) -> f64 {
    let nan = run.iter().any(|n| n.is_nan());
    if order == f64::INFINITY {
        return if nan { f64::NAN } else { run.iter().copied().fold(0.0, f64::max) };
    }
    if order == f64::NEG_INFINITY {
        return if nan { f64::NAN } else { run.iter().copied().fold(f64::INFINITY, f64::min) };
    }
    if order == 0.0 {
        return run.iter().filter(|n| **n != 0.0).count() as f64;
    }
    if order == 2.0 {
        return run.iter().map(|n| n * n).sum::<f64>().sqrt();
    }
    run.iter().map(|n| n.powf(order)).sum::<f64>().powf(1.0 / order)
}

/// Every element with what was gathered before it along a dimension.
fn running(
    context: &Context<'_>,
    args: &Arguments<'_>,
    int: fn(i64, i64) -> i64,
    float: fn(f64, f64) -> f64,
    complex: fn(Complex, Complex) -> Complex,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(1, tensor.rank())?;
    let wide = if tensor.dtype().is_integral() { Dtype::I64 } else { tensor.dtype() };
    let dtype = args.dtype(2)?.unwrap_or(wide);
    let last = tensor.rank().saturating_sub(1);
    let mut order: Vec<usize> = (0..tensor.rank()).collect();
    if tensor.rank() > 0 {
        order.swap(axis, last);
    }
    let swapped = tensor.permute(&order)?;
    let size = swapped.shape().last().copied().unwrap_or(1).max(1);
    let elements = match swapped.elements_as(dtype) {
        Elements::Int(mut numbers) => {
            numbers.chunks_mut(size).for_each(|run| {
                (1..run.len()).for_each(|at| run[at] = int(run[at - 1], run[at]));
            });
            Elements::Int(numbers)
        }
        Elements::Float(mut numbers) => {
            numbers.chunks_mut(size).for_each(|run| {
                (1..run.len()).for_each(|at| run[at] = float(run[at - 1], run[at]));
            });
            Elements::Float(numbers)
        }
        Elements::Complex(mut numbers) => {
            numbers.chunks_mut(size).for_each(|run| {
                (1..run.len()).for_each(|at| run[at] = complex(run[at - 1], run[at]));
            });
            Elements::Complex(numbers)
        }
    };
    let result = Tensor::from_elements(context.meter, dtype, swapped.shape(), &elements)?;
    Ok(result.permute(&order)?.contiguous()?.into())
}

fn cumsum(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    running(context, args, i64::wrapping_add, |a, b| a + b, |a, b| (a.0 + b.0, a.1 + b.1))
}

fn cumprod(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    running(context, args, i64::wrapping_mul, |a, b| a * b, complex::product)
}

fn logsumexp(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let dtype = if tensor.dtype().is_integral() { Dtype::F32 } else { tensor.dtype() };
    let runs = runs(tensor, Some(args.axes(1, tensor.rank())?), args.boolean(2)?)?;
    if let Elements::Complex(numbers) = runs.tensor.elements() {
        let results = runs.each(numbers, |run| {
            let largest = run.iter().map(|n| n.0).fold(f64::NEG_INFINITY, f64::max);
            let shift = if largest.is_infinite() { 0.0 } else { largest };
            let sum = run.iter().map(|n| complex::exp((n.0 - shift, n.1)));
            let sum = complex::ln(sum.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1)));
            (sum.0 + shift, sum.1)
        });
        let results = Elements::Complex(results);
        return Ok(Tensor::from_elements(context.meter, dtype, &runs.shape, &results)?.into());
    }
    let results = runs.each(floats(&runs.tensor, dtype), |run| {
        let largest = run.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shift = if largest.is_infinite() { 0.0 } else { largest };
        shift + run.iter().map(|n| (n - shift).exp()).sum::<f64>().ln()
    });
    Ok(Tensor::of_floats(context.meter, dtype, &runs.shape, results)?.into())
}

fn count_nonzero(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let runs = runs(tensor, Some(args.axes(1, tensor.rank())?), false)?;
    let counts =
        runs.each(runs.tensor.numbers(), |run| run.iter().filter(|n| n.is_true()).count() as i64);
    Ok(Tensor::of_ints(context.meter, Dtype::I64, &runs.shape, counts)?.into())
}

fn trace(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if tensor.rank() != 2 {
        return refused(format!(
            "trace: expected a matrix, but got tensor with dim {}",
            tensor.rank()
        ));
    }
    let diagonal = super::shape::diagonal_of(tensor, 0, 0, 1)?;
    folded(context, &diagonal, (None, false), None, &SUM)
}
