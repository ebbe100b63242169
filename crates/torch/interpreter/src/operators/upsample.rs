//! Other sizes of images: nearest, linear and cubic.
//!
//! Each dimension has, for each of its new places, the old places that count and how much; the new element
//! is the sum over all combinations.

use super::Arguments;
use super::convolution::places;
use super::declaration::{Context, Operator, plain};
use super::pool::planes;
use crate::problem::refused;
use crate::{RunProblem, ScriptValue};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::upsample_nearest1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor", |c, a| sized(c, a, 1, Mode::Nearest, None)),
    plain("aten::upsample_nearest2d(Tensor self, int[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor", |c, a| sized(c, a, 2, Mode::Nearest, None)),
    plain("aten::upsample_nearest3d(Tensor self, int[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", |c, a| sized(c, a, 3, Mode::Nearest, None)),
    plain("aten::upsample_nearest1d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 1, Mode::Nearest, None)),
    plain("aten::upsample_nearest2d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 2, Mode::Nearest, None)),
    plain("aten::upsample_nearest3d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 3, Mode::Nearest, None)),
    plain("aten::_upsample_nearest_exact1d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 1, Mode::NearestExact, None)),
    plain("aten::_upsample_nearest_exact2d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 2, Mode::NearestExact, None)),
    plain("aten::_upsample_nearest_exact3d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 3, Mode::NearestExact, None)),
    plain("aten::upsample_linear1d(Tensor self, int[1] output_size, bool align_corners, float? scales=None) -> Tensor", |c, a| sized(c, a, 1, Mode::Linear, Some(2))),
    plain("aten::upsample_bilinear2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", |c, a| sized(c, a, 2, Mode::Linear, Some(2))),
    plain("aten::upsample_trilinear3d(Tensor self, int[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", |c, a| sized(c, a, 3, Mode::Linear, Some(2))),
    plain("aten::upsample_bicubic2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", |c, a| sized(c, a, 2, Mode::Cubic, Some(2))),
    plain("aten::upsample_linear1d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 1, Mode::Linear, Some(2))),
    plain("aten::upsample_bilinear2d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 2, Mode::Linear, Some(2))),
    plain("aten::upsample_trilinear3d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 3, Mode::Linear, Some(2))),
    plain("aten::upsample_bicubic2d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", |c, a| scaled(c, a, 2, Mode::Cubic, Some(2))),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Nearest,
    NearestExact,
    Linear,
    Cubic,
}

/// With an output size, and perhaps the factors that it came from, one by one.
fn sized(
    context: &Context<'_>,
    args: &Arguments<'_>,
    rank: usize,
    mode: Mode,
    align: Option<usize>,
) -> Result<ScriptValue, RunProblem> {
    let out = args.sizes(1)?;
    let first = align.map_or(2, |at| at + 1);
    let factors: Vec<Option<f64>> =
        (first..first + rank).map(|at| args.float_or_none(at)).collect::<Result<_, _>>()?;
    resize(context, args, mode, &out, &factors, align)
}

/// With an output size or a list of factors.
fn scaled(
    context: &Context<'_>,
    args: &Arguments<'_>,
    rank: usize,
    mode: Mode,
    align: Option<usize>,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let factors = args.floats_or_none(align.map_or(2, |at| at + 1))?;
    let Some(outer) = tensor.rank().checked_sub(rank) else {
        return refused(format!("expected {} dimensions: {tensor}", rank + 2));
    };
    let out = match (args.ints_or_none(1)?, &factors) {
        (Some(sizes), None) => super::arguments::sizes(&sizes)?,
        (None, Some(factors)) => {
            let space = tensor.shape()[outer..].iter();
            space
                .zip(factors)
                .map(|(size, factor)| (*size as f64 * factor).floor() as usize)
                .collect()
        }
        _ => return refused("Must specify exactly one of output_size and scale_factors"),
    };
    let factors: Vec<Option<f64>> =
        factors.map_or(vec![None; rank], |factors| factors.into_iter().map(Some).collect());
    resize(context, args, mode, &out, &factors, align)
}

fn resize(
    context: &Context<'_>,
    args: &Arguments<'_>,
    mode: Mode,
    out: &[usize],
    factors: &[Option<f64>],
    align: Option<usize>,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let rank = factors.len();
    if tensor.rank() != rank + 2 || out.len() != rank || out.contains(&0) {
        return refused(format!(
            "It is expected input_size equals to {}, but got {tensor}",
            rank + 2
        ));
    }
    let align = align.map(|at| args.boolean(at)).transpose()?.unwrap_or(false);
    let space = tensor.shape()[2..].to_vec();
    if space.contains(&0) {
        return refused(format!("Expected non-empty input: {tensor}"));
    }
    let shape: Vec<usize> = tensor.shape()[..2].iter().chain(out).copied().collect();
    context.meter.room(&shape)?;
    // The taps of one dimension are made before any element; each takes as much as some numbers.
    out.iter().try_for_each(|size| context.meter.room(&[*size, 4]).map(drop))?;
    let taps: Vec<Vec<Vec<(usize, f64)>>> =
        (0..rank).map(|axis| taps(mode, space[axis], out[axis], factors[axis], align)).collect();
    let per_place = match mode {
        Mode::Nearest | Mode::NearestExact => 1,
        Mode::Linear => 1 << rank,
        Mode::Cubic => 1 << (2 * rank),
    };
    planes(context, tensor, rank, out, per_place, |plane, result| {
        for at in places(out) {
            result.push(sum(plane, &space, &taps, &at, 0, 0));
        }
    })
}

/// The sum over the taps of this dimension and all behind it.
fn sum(
    plane: &[f64],
    space: &[usize],
    taps: &[Vec<Vec<(usize, f64)>>],
    at: &[usize],
    axis: usize,
    place: usize,
) -> f64 {
    let Some(size) = space.get(axis) else { return plane[place] };
    let taps_here = &taps[axis][at[axis]];
    taps_here
        .iter()
        .map(|(from, weight)| weight * sum(plane, space, taps, at, axis + 1, place * size + from))
        .sum()
}

fn taps(
    mode: Mode,
    size: usize,
    out: usize,
    factor: Option<f64>,
    align: bool,
) -> Vec<Vec<(usize, f64)>> {
    let step = match factor.filter(|factor| *factor > 0.0) {
        _ if align => {
            if out > 1 {
                (size - 1) as f64 / (out - 1) as f64
            } else {
                0.0
            }
        }
        Some(factor) => 1.0 / factor,
        None => size as f64 / out as f64,
    };
    let last = size - 1;
    let nearest = |from: f32| vec![((from.floor() as usize).min(last), 1.0)];
    let centre = |at: usize| {
        if align { at as f64 * step } else { (at as f64 + 0.5) * step - 0.5 }
    };
    (0..out)
        .map(|at| match mode {
            // The step is a float of 32 bits there, whatever the elements are.
            Mode::Nearest => nearest(at as f32 * step as f32),
            Mode::NearestExact => nearest((at as f32 + 0.5) * step as f32),
            // Where a size stays, its elements do, whatever the factor says.
            Mode::Linear if size == out => vec![(at, 1.0)],
            Mode::Linear => {
                let from = centre(at).max(0.0);
                let low = (from.floor() as usize).min(last);
                let part = (from - low as f64).clamp(0.0, 1.0);
                vec![(low, 1.0 - part), ((low + 1).min(last), part)]
            }
            Mode::Cubic => {
                let from = centre(at);
                let low = from.floor();
                let weights = cubic(from - low);
                let tap = |nth: usize| {
                    let place = low as i64 + nth as i64 - 1;
                    (place.clamp(0, last as i64) as usize, weights[nth])
                };
                (0..4).map(tap).collect()
            }
        })
        .collect()
}

/// The weights of four neighbours, of a point this far behind the second.
pub(super) fn cubic(part: f64) -> [f64; 4] {
    const A: f64 = -0.75;
    let near = |x: f64| ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0;
    let far = |x: f64| ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A;
    [far(part + 1.0), near(part), near(1.0 - part), far(2.0 - part)]
}
