//! Images read at places that a grid gives, between -1 and 1.

use super::Arguments;
use super::convolution::float_layer;
use super::declaration::{Context, Operator, plain};
use super::upsample::cubic;
use crate::problem::{refused, unsupported};
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", sampled),
    plain("aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", sampled),
    plain("aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", sampled),
];

/// What is read outside.
#[derive(Clone, Copy, PartialEq)]
enum PaddingMode {
    Zeros,
    Border,
    Reflection,
}

/// One dimension of an image.
#[derive(Clone, Copy)]
struct Line {
    size: usize,
    outside: PaddingMode,
    align: bool,
}

impl Line {
    /// The place of a number of the grid, in elements.
    fn place(self, at: f64) -> f64 {
        let size = self.size as f64;
        if self.align { (at + 1.0) / 2.0 * (size - 1.0) } else { ((at + 1.0) * size - 1.0) / 2.0 }
    }

    fn inside(self, place: f64) -> f64 {
        let last = self.size as f64 - 1.0;
        let place = match self.outside {
            PaddingMode::Zeros => return place,
            PaddingMode::Border => place,
            PaddingMode::Reflection if self.align => reflected(place, 0.0, last),
            PaddingMode::Reflection => reflected(place, -0.5, last + 0.5),
        };
        if place.is_nan() { 0.0 } else { place.clamp(0.0, last) }
    }

    /// The elements that count for a place, and how much.
    fn taps(self, at: f64, mode: i64) -> Vec<(Option<usize>, f64)> {
        let valid =
            |place: f64| (place >= 0.0 && place < self.size as f64).then_some(place as usize);
        let place = self.place(at);
        match mode {
            0 => {
                let place = self.inside(place);
                let part = place - place.floor();
                vec![(valid(place.floor()), 1.0 - part), (valid(place.floor() + 1.0), part)]
            }
            1 => vec![(valid(self.inside(place).round_ties_even()), 1.0)],
            _ => {
                let low = place.floor();
                let weights = cubic(place - low);
                let tap = |nth: usize| (valid(self.inside(low + nth as f64 - 1.0)), weights[nth]);
                (0..4).map(tap).collect()
            }
        }
    }
}

/// A place mirrored at both ends until it lies between them.
fn reflected(place: f64, low: f64, high: f64) -> f64 {
    let span = high - low;
    if span <= 0.0 {
        return 0.0;
    }
    let off = (place - low).abs();
    let (part, flips) = (off % span, (off / span).floor());
    if flips % 2.0 == 0.0 { low + part } else { high - part }
}

fn sampled(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (input, grid, mode) = (args.tensor(0)?, args.tensor(1)?, args.int(2)?);
    let dtype = float_layer(input, "grid_sampler")?;
    let outside = match args.int(3)? {
        0 => PaddingMode::Zeros,
        1 => PaddingMode::Border,
        2 => PaddingMode::Reflection,
        other => return refused(format!("grid_sampler(): an unknown padding mode: {other}")),
    };
    let ([images, channels, space @ ..], [grids, out @ .., axes]) = (input.shape(), grid.shape())
    else {
        return refused(format!("grid_sampler(): {input} with {grid}"));
    };
    if images != grids || *axes != space.len() || out.len() != space.len() || space.contains(&0) {
        return refused(format!("grid_sampler(): {input} with {grid}"));
    }
    if !(0..=2).contains(&mode) || (mode == 2 && space.len() != 2) || !(2..=3).contains(axes) {
        return unsupported(format!("grid_sampler of {axes} dimensions in mode {mode}"));
    }
    let align = args.boolean(4)?;
    let lines: Vec<Line> = space.iter().map(|size| Line { size: *size, outside, align }).collect();
    let shape: Vec<usize> = [*images, *channels].into_iter().chain(out.iter().copied()).collect();
    let count = context.meter.room(&shape)?;
    context.meter.work(count.saturating_mul(if mode == 2 { 16 } else { 1 << axes }))?;
    let (numbers, places) = (input.floats(), grid.floats());
    let (area, points): (usize, usize) = (space.iter().product(), out.iter().product());
    let mut result = Vec::with_capacity(count);
    for image in 0..*images {
        let own = &places[image * points * axes..(image + 1) * points * axes];
        for channel in 0..*channels {
            let plane = &numbers[(image * channels + channel) * area..][..area];
            for point in own.chunks(*axes) {
                // The last dimension stands first in the grid.
                let taps: Vec<_> = lines
                    .iter()
                    .zip(point.iter().rev())
                    .map(|(line, at)| line.taps(*at, mode))
                    .collect();
                result.push(sum(plane, &lines, &taps, 0));
            }
        }
    }
    Ok(Tensor::of_floats(context.meter, dtype, &shape, result)?.into())
}

/// The sum over the taps of this dimension and all behind it.
fn sum(plane: &[f64], lines: &[Line], taps: &[Vec<(Option<usize>, f64)>], place: usize) -> f64 {
    let (Some((line, lines)), Some((own, taps))) = (lines.split_first(), taps.split_first()) else {
        return plane.get(place).copied().unwrap_or(0.0);
    };
    let part = |(at, weight): &(Option<usize>, f64)| match at {
        Some(at) => weight * sum(plane, lines, taps, place * line.size + at),
        None => 0.0,
    };
    own.iter().map(part).sum()
}
