//! Histograms: how many numbers fall between edges.

use super::Arguments;
use super::declaration::{Context, Operator, plain, with_out};
use crate::problem::{refused, unsupported};
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    with_out("aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", histc),
    plain("aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)", by_count),
    plain("aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)", by_edges),
    plain("aten::histogramdd(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)", |c, a| many(c, a, &BinEdges::Counts(a.ints(1)?), 2)),
    plain("aten::histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)", |c, a| many(c, a, &BinEdges::Count(a.int(1)?), 2)),
    plain("aten::histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)", |c, a| many(c, a, &BinEdges::Edges(a.tensors(1)?), 2)),
];

enum BinEdges {
    Count(i64),
    Counts(Vec<i64>),
    Edges(Vec<Tensor>),
}

/// Edges in even steps, in the type of the tensor.
fn even(
    context: &Context<'_>,
    tensor: &Tensor,
    low: f64,
    high: f64,
    bins: i64,
) -> Result<Vec<f64>, RunProblem> {
    let Some(bins) = usize::try_from(bins).ok().filter(|bins| *bins > 0) else {
        return refused("histogram: bins must be > 0");
    };
    context.meter.room(&[bins, 8])?;
    let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
    if !(low.is_finite() && high.is_finite()) || low > high {
        return refused(format!("histogram: range of [{low}, {high}] is not finite"));
    }
    // From both ends, as a release makes even steps.
    let step = (high - low) / bins as f64;
    let edge = |at: usize| {
        if at < bins.div_ceil(2) {
            low + step * at as f64
        } else {
            high - step * (bins - at) as f64
        }
    };
    let edges = (0..=bins).map(edge).collect();
    Ok(Tensor::of_floats(context.meter, tensor.dtype(), &[bins + 1], edges)?.floats())
}

/// Between which edges a number lies; the last one belongs to the last part.
fn part(edges: &[f64], number: f64) -> Option<usize> {
    let (first, last) = (*edges.first()?, *edges.last()?);
    if !(number >= first && number <= last) {
        return None;
    }
    let above = edges.partition_point(|edge| *edge <= number);
    Some(above.saturating_sub(1).min(edges.len().saturating_sub(2)))
}

fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
        (
            if number < low || number.is_nan() { number } else { low },
            if number > high || number.is_nan() { number } else { high },
        )
    });
    if low > high { (0.0, 1.0) } else { (low, high) }
}

fn histc(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (mut low, mut high) = (args.float(2)?, args.float(3)?);
    if !tensor.dtype().is_float() {
        return refused(format!(
            "\"histogram_cpu\" not implemented for '{}'",
            tensor.dtype().storage_name()
        ));
    }
    let numbers = tensor.floats();
    if low == high && !numbers.is_empty() {
        (low, high) = extent(numbers.iter().copied());
    }
    if low == high {
        (low, high) = (low - 1.0, high + 1.0);
    }
    let edges = even(context, tensor, low, high, args.int(1)?)?;
    let mut counts = vec![0.0; edges.len() - 1];
    let width = high - low;
    for number in numbers.into_iter().filter(|number| *number >= low && *number <= high) {
        let at = ((number - low) / width * counts.len() as f64) as usize;
        let last = counts.len() - 1;
        if let Some(count) = counts.get_mut(at.min(last)) {
            *count += 1.0;
        }
    }
    Ok(Tensor::of_floats(context.meter, tensor.dtype(), &[counts.len()], counts)?.into())
}

/// Counts of points, of which each dimension has its edges.
fn counted(
    context: &Context<'_>,
    tensor: &Tensor,
    edges: &[Vec<f64>],
    weights: Option<Vec<f64>>,
    density: bool,
) -> Result<Tensor, RunProblem> {
    let shape: Vec<usize> = edges.iter().map(|edges| edges.len().saturating_sub(1)).collect();
    let size = context.meter.room(&shape)?;
    let mut counts = vec![0.0; size];
    for (nth, point) in tensor.floats().chunks(edges.len().max(1)).enumerate() {
        let weight = weights.as_ref().map_or(Some(1.0), |weights| weights.get(nth).copied());
        let mut at = Some(0);
        for ((number, edges), size) in point.iter().zip(edges).zip(&shape) {
            at = at.and_then(|at| Some(at * size + part(edges, *number)?));
        }
        if let (Some(place), Some(weight)) = (at.and_then(|at| counts.get_mut(at)), weight) {
            *place += weight;
        }
    }
    if density {
        let total: f64 = counts.iter().sum();
        for (at, count) in counts.iter_mut().enumerate() {
            let own = super::index::coordinates(&shape, at);
            let volume: f64 = own
                .iter()
                .zip(edges)
                .filter_map(|(at, edges)| Some(edges.get(at + 1)? - edges.get(*at)?))
                .product();
            *count /= total * volume;
        }
    }
    Tensor::of_floats(context.meter, tensor.dtype(), &shape, counts)
}

fn weights(args: &Arguments<'_>, at: usize) -> Result<Option<Vec<f64>>, RunProblem> {
    Ok(args.tensor_or_none(at)?.map(Tensor::floats))
}

fn edges_tensor(context: &Context<'_>, like: &Tensor, edges: &[f64]) -> Result<Tensor, RunProblem> {
    Tensor::of_floats(context.meter, like.dtype(), &[edges.len()], edges.to_vec())
}

fn by_count(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (low, high) = match args.floats_or_none(2)?.as_deref() {
        Some([low, high]) => (*low, *high),
        Some(_) => return refused("histogram(): range should have 2 elements"),
        None => extent(tensor.floats().into_iter()),
    };
    let edges = even(context, tensor, low, high, args.int(1)?)?;
    let counts = counted(
        context,
        tensor,
        std::slice::from_ref(&edges),
        weights(args, 3)?,
        args.boolean(4)?,
    )?;
    Ok(ScriptValue::tuple(vec![counts.into(), edges_tensor(context, tensor, &edges)?.into()]))
}

fn by_edges(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, edges) = (args.tensor(0)?, args.tensor(1)?);
    let own = [edges.floats()];
    let counts = counted(context, tensor, &own, weights(args, 2)?, args.boolean(3)?)?;
    Ok(ScriptValue::tuple(vec![counts.into(), edges.clone().into()]))
}

fn many(
    context: &Context<'_>,
    args: &Arguments<'_>,
    bins: &BinEdges,
    range: usize,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let Some(columns) = tensor.shape().last().copied().filter(|columns| *columns > 0) else {
        return unsupported("histogramdd of no dimensions");
    };
    let numbers = tensor.floats();
    let given = args.floats_or_none(range)?;
    let mut edges = Vec::new();
    for column in 0..columns {
        let count = match bins {
            BinEdges::Edges(all) => {
                let Some(own) = all.get(column) else { return refused("bins for every dimension") };
                edges.push(own.floats());
                continue;
            }
            BinEdges::Count(count) => *count,
            BinEdges::Counts(counts) => counts.get(column).copied().unwrap_or(0),
        };
        let (low, high) = match given.as_deref().map(|range| range.get(2 * column..2 * column + 2))
        {
            Some(Some([low, high])) => (*low, *high),
            Some(_) => return refused("histogramdd: range should have 2 elements a dimension"),
            None => extent(numbers.iter().skip(column).step_by(columns).copied()),
        };
        edges.push(even(context, tensor, low, high, count)?);
    }
    let counts =
        counted(context, tensor, &edges, weights(args, range + 1)?, args.boolean(range + 2)?)?;
    let edges = edges
        .iter()
        .map(|edges| edges_tensor(context, tensor, edges))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(ScriptValue::tuple(vec![counts.into(), super::shape::tensors(edges)]))
}
