//! Rank statistics of a run: medians, quantiles, the most frequent, the greatest so far.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use crate::problem::refused;
use crate::tensor::Elements;
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::median(Tensor self) -> Tensor", |c, a| middle(c, a, false)),
    plain("aten::nanmedian(Tensor self) -> Tensor", |c, a| middle(c, a, true)),
    plain("aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", |c, a| chosen(c, a, 1, |run| median(run, false))),
    plain("aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", |c, a| chosen(c, a, 1, |run| median(run, true))),
    plain("aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", |c, a| chosen(c, a, 1, most_frequent)),
    plain("aten::kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", kth),
    plain("aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", |c, a| quantile(c, a, false)),
    plain("aten::quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", |c, a| quantile(c, a, false)),
    plain("aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", |c, a| quantile(c, a, true)),
    plain("aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", |c, a| quantile(c, a, true)),
    plain("aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", |c, a| running(c, a, true)),
    plain("aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", |c, a| running(c, a, false)),
    plain("aten::logcumsumexp(Tensor self, int dim) -> Tensor", log_sums),
];

/// A tensor with a dimension last, in runs along it; without dimensions it is a run of one.
struct Lines {
    numbers: Vec<ScalarValue>,
    size: usize,
    /// The shape of the others.
    outer: Vec<usize>,
    axis: usize,
}

impl Lines {
    fn from_tensor(tensor: &Tensor, axis: usize) -> Result<Self, RunProblem> {
        let mut outer = tensor.shape().to_vec();
        if outer.is_empty() {
            return Ok(Self { numbers: tensor.numbers(), size: 1, outer, axis });
        }
        let size = outer.remove(axis);
        let mut order: Vec<usize> = (0..tensor.rank()).filter(|other| *other != axis).collect();
        order.push(axis);
        Ok(Self { numbers: tensor.permute(&order)?.numbers(), size, outer, axis })
    }

    fn each(&self) -> impl Iterator<Item = &[ScalarValue]> {
        let runs: usize = self.outer.iter().product();
        (0..runs).map(|at| self.numbers.get(at * self.size..(at + 1) * self.size).unwrap_or(&[]))
    }

    /// The shape of one result a run.
    fn reduced(&self, tensor: &Tensor, keep: bool) -> Vec<usize> {
        let mut shape = self.outer.clone();
        if keep && tensor.rank() > 0 {
            shape.insert(self.axis, 1);
        }
        shape
    }
}

/// The places of a run from the least to the greatest; what is no number last.
fn sorted(run: &[ScalarValue]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..run.len()).collect();
    let nan = |at: usize| run.get(at).is_some_and(|number| number.float().is_nan());
    places.sort_by(|a, b| match (nan(*a), nan(*b)) {
        (false, false) => match (run.get(*a), run.get(*b)) {
            (Some(a), Some(b)) => a.compare(*b).unwrap_or(std::cmp::Ordering::Equal),
            _ => std::cmp::Ordering::Equal,
        },
        (a, b) => a.cmp(&b),
    });
    places
}

/// The place of the lower one of the two in the middle.
fn median(run: &[ScalarValue], known_only: bool) -> usize {
    let unknown = run.iter().position(|number| number.float().is_nan());
    let places = sorted(run);
    let count = match unknown {
        Some(first) if !known_only => return first,
        _ => run.iter().filter(|number| !number.float().is_nan()).count(),
    };
    places.get(count.saturating_sub(1) / 2).copied().unwrap_or(0)
}

fn middle(
    context: &Context<'_>,
    args: &Arguments<'_>,
    known: bool,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let numbers = tensor.numbers();
    let middle = numbers.get(median(&numbers, known)).copied();
    let none = || {
        if tensor.dtype().is_float() { ScalarValue::Float(f64::NAN) } else { ScalarValue::Int(0) }
    };
    let value = middle.unwrap_or_else(none);
    Ok(Tensor::scalar(context.meter, tensor.dtype(), value)?.into())
}

/// The last place of the least of the most frequent.
fn most_frequent(run: &[ScalarValue]) -> usize {
    let places = sorted(run);
    let (mut best, mut most, mut count) = (0, 0, 0);
    for (nth, at) in places.iter().enumerate() {
        let before = nth.checked_sub(1).and_then(|before| run.get(*places.get(before)?));
        count = if before == run.get(*at) { count + 1 } else { 1 };
        if count > most {
            (most, best) = (count, *at);
        }
    }
    run.iter().rposition(|number| Some(number) == run.get(best)).unwrap_or(best)
}

/// One value of each run with its place.
fn chosen(
    context: &Context<'_>,
    args: &Arguments<'_>,
    dim: usize,
    of: impl Fn(&[ScalarValue]) -> usize,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let lines = Lines::from_tensor(tensor, args.axis(dim, tensor.rank())?)?;
    let shape = lines.reduced(tensor, args.boolean(dim + 1)?);
    if lines.size == 0 && !shape.contains(&0) {
        return refused("Expected reduction dim to have non-zero size.");
    }
    let places: Vec<usize> = lines.each().map(of).collect();
    let values = lines.each().zip(&places).filter_map(|(run, at)| run.get(*at).copied());
    let values = Elements::of_numbers(tensor.dtype(), &values.collect::<Vec<_>>());
    let values = Tensor::from_elements(context.meter, tensor.dtype(), &shape, &values)?;
    let places = places.into_iter().map(|at| at as i64).collect();
    let places = Tensor::of_ints(context.meter, Dtype::I64, &shape, places)?;
    Ok(ScriptValue::tuple(vec![values.into(), places.into()]))
}

fn kth(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(2, tensor.rank())?;
    let size = tensor.shape().get(axis).copied().unwrap_or(1);
    let nth = usize::try_from(args.int(1)?).ok().filter(|nth| (1..=size).contains(nth));
    let Some(nth) = nth else {
        return refused("kthvalue(): selected number k out of range for dimension");
    };
    chosen(context, args, 2, |run| sorted(run).get(nth - 1).copied().unwrap_or(0))
}

fn quantile(
    context: &Context<'_>,
    args: &Arguments<'_>,
    known: bool,
) -> Result<ScriptValue, RunProblem> {
    let own = args.tensor(0)?;
    if !matches!(own.dtype(), Dtype::F32 | Dtype::F64) {
        return refused("quantile() input tensor must be either float or double dtype");
    }
    let whole = args.int_or_none(2)?.is_none();
    let (tensor, axis) = match whole {
        true => (own.reshape(&[own.count()])?, 0),
        false => (own.clone(), args.axis(2, own.rank())?),
    };
    let lines = Lines::from_tensor(&tensor, axis)?;
    if lines.size == 0 {
        return refused("quantile() input tensor must be non-empty");
    }
    let keep = args.boolean(3)?;
    let mut shape = match whole {
        true if keep => vec![1; own.rank()],
        true => Vec::new(),
        false => lines.reduced(&tensor, keep),
    };
    let wanted = match args.value(1) {
        ScriptValue::Tensor(tensor) => tensor.floats(),
        _ => vec![args.float(1)?],
    };
    if wanted.iter().any(|q| !(0.0..=1.0).contains(q)) {
        return refused("quantile() q values must be in the range [0, 1]");
    }
    let by = args.text(4)?;
    let runs: Vec<Vec<f64>> = lines.each().map(ascending).collect();
    let mut results = Vec::new();
    for q in &wanted {
        for run in &runs {
            results.push(between(run, *q, known, by, own.dtype())?);
        }
    }
    if let Some(q) = args.value(1).tensor().filter(|q| q.rank() > 0) {
        shape.insert(0, q.count());
    }
    Ok(Tensor::of_floats(context.meter, own.dtype(), &shape, results)?.into())
}

fn ascending(run: &[ScalarValue]) -> Vec<f64> {
    sorted(run).into_iter().filter_map(|at| run.get(at)).map(|number| number.float()).collect()
}

/// What lies at a part of a run in order.
fn between(run: &[f64], q: f64, known: bool, by: &str, dtype: Dtype) -> Result<f64, RunProblem> {
    let count = run.iter().filter(|number| !number.is_nan()).count();
    if count == 0 || (count < run.len() && !known) {
        return Ok(f64::NAN);
    }
    // A release calculates the place in the type of the tensor.
    let place = match dtype {
        Dtype::F32 => f64::from(q as f32 * (count - 1) as f32),
        _ => q * (count - 1) as f64,
    };
    let at = |place: f64| run.get(place as usize).copied().unwrap_or(f64::NAN);
    let (low, high) = (at(place.floor()), at(place.ceil()));
    Ok(match by {
        "lower" => low,
        "higher" => high,
        "nearest" => at(place.round_ties_even()),
        "midpoint" => low + (high - low) * 0.5,
        "linear" => low + (high - low) * place.fract(),
        other => {
            return refused(format!(
                "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, \
                 but got {other}"
            ));
        }
    })
}

/// Results along a dimension, put back where it stood.
fn put_back(
    context: &Context<'_>,
    tensor: &Tensor,
    axis: usize,
    dtype: Dtype,
    elements: &Elements,
) -> Result<Tensor, RunProblem> {
    if tensor.rank() == 0 {
        return Tensor::from_elements(context.meter, dtype, &[], elements);
    }
    let mut shape = tensor.shape().to_vec();
    let size = shape.remove(axis);
    shape.push(size);
    let mut order: Vec<usize> = (0..tensor.rank() - 1).collect();
    order.insert(axis, tensor.rank() - 1);
    Tensor::from_elements(context.meter, dtype, &shape, elements)?.permute(&order)?.contiguous()
}

fn running(
    context: &Context<'_>,
    args: &Arguments<'_>,
    greatest: bool,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(1, tensor.rank())?;
    let lines = Lines::from_tensor(tensor, axis)?;
    let (mut values, mut places) = (Vec::new(), Vec::new());
    for run in lines.each() {
        let mut best = 0;
        for (at, number) in run.iter().enumerate() {
            let known = run.get(best).copied().unwrap_or(*number);
            let wins = match number.compare(known) {
                None => number.float().is_nan(),
                Some(order) => order.is_eq() || order.is_gt() == greatest,
            };
            if wins {
                best = at;
            }
            values.push(run.get(best).copied().unwrap_or(*number));
            places.push(best as i64);
        }
    }
    let values = Elements::of_numbers(tensor.dtype(), &values);
    let values = put_back(context, tensor, axis, tensor.dtype(), &values)?;
    let places = put_back(context, tensor, axis, Dtype::I64, &Elements::Int(places))?;
    Ok(ScriptValue::tuple(vec![values.into(), places.into()]))
}

fn log_sums(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if !tensor.dtype().is_float() {
        return refused(format!(
            "\"logcumsumexp_out_cpu\" not implemented for '{}'",
            tensor.dtype().storage_name()
        ));
    }
    let axis = args.axis(1, tensor.rank())?;
    let lines = Lines::from_tensor(tensor, axis)?;
    let mut sums = Vec::new();
    for run in lines.each() {
        let mut sum = f64::NEG_INFINITY;
        for number in run {
            sum = super::floats::log_add_exp(sum, number.float());
            sums.push(sum);
        }
    }
    Ok(put_back(context, tensor, axis, tensor.dtype(), &Elements::Float(sums))?.into())
}
