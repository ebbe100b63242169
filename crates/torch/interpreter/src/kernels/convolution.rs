//! Convolutions: the elements under each tap of the kernel become a row of a matrix, which the weights are
//! multiplied with, some lines of the result at a time. Kernels of one channel are moved over it.

use ndarray::{ArrayView2, ArrayViewMut2, Axis as Along};

use super::product::multiply;
use super::{Geometry, Real, share};

/// How many numbers of the matrix are made at a time, so that they stay in a cache.
const AT_A_TIME: usize = 128 << 10;

/// Fewer columns are not worth packing the weights for.
const LEAST_COLUMNS: usize = 192;

/// Adds the convolution of one image to `result`, which has `result.len() / out_area` channels in `groups`.
pub(crate) fn convolve<T: Real>(
    image: &[T],
    weights: &[T],
    groups: usize,
    geometry: &Geometry,
    result: &mut [T],
    threads: usize,
) {
    let (area, out_area) = (geometry.area(), geometry.out_area());
    let taps = geometry.kernel_area();
    if area == 0 || out_area == 0 || taps == 0 {
        return;
    }
    let (channels, out_channels) = (image.len() / area / groups, result.len() / out_area / groups);
    if channels == 1 {
        let planes: Vec<(usize, &mut [T])> = result.chunks_mut(out_area).enumerate().collect();
        share(planes, threads, |(at, plane)| {
            let image = &image[at / out_channels * area..][..area];
            move_over(image, &weights[at * taps..][..taps], geometry, plane);
        });
        return;
    }
    let (in_group, of_group) = (channels * area, out_channels * channels * taps);
    for (group, result) in result.chunks_mut(out_channels * out_area).enumerate() {
        let image = &image[group * in_group..][..in_group];
        let weights = &weights[group * of_group..][..of_group];
        let shape = (out_channels, channels * taps);
        let Ok(weights) = ArrayView2::from_shape(shape, weights) else { return };
        let Ok(result) = ArrayViewMut2::from_shape((out_channels, out_area), result) else {
            return;
        };
        one_group(image, weights, geometry, result, threads);
    }
}

/// How many columns of the matrix are made at a time, in whole lines of the result.
fn columns_at_a_time(height: usize, line: usize) -> usize {
    (AT_A_TIME / height.max(1)).max(LEAST_COLUMNS).div_ceil(line.max(1)).saturating_mul(line)
}

/// How many numbers a convolution with so many channels in a group keeps besides its result, for each thread.
pub(crate) fn scratch(channels: usize, geometry: &Geometry) -> usize {
    let height = channels.saturating_mul(geometry.kernel_area());
    let columns = columns_at_a_time(height, geometry.0[2].out).min(geometry.out_area());
    height.saturating_mul(columns)
}

fn one_group<T: Real>(
    image: &[T],
    weights: ArrayView2<'_, T>,
    geometry: &Geometry,
    mut result: ArrayViewMut2<'_, T>,
    threads: usize,
) {
    let (height, area) = (weights.ncols(), geometry.area());
    if geometry.is_the_space() {
        if let Ok(columns) = ArrayView2::from_shape((height, area), image) {
            multiply(weights, columns, result, threads);
        }
        return;
    }
    let line = geometry.0[2].out;
    let lines = columns_at_a_time(height, line) / line;
    let parts: Vec<(usize, ArrayViewMut2<'_, T>)> =
        result.axis_chunks_iter_mut(Along(1), lines * line).enumerate().collect();
    share(parts, threads, |(at, part)| {
        let columns = unfolded(image, geometry, at * lines, part.ncols() / line);
        if let Ok(columns) = ArrayView2::from_shape((height, part.ncols()), &columns) {
            multiply(weights, columns, part, 1);
        }
    });
}

/// A row for each channel and tap: the elements under it at the places of some lines of the result.
fn unfolded<T: Real>(image: &[T], geometry: &Geometry, first: usize, lines: usize) -> Vec<T> {
    let (area, taps, line) = (geometry.area(), geometry.kernel_area(), geometry.0[2].out);
    let mut columns = vec![T::zero(); image.len() / area * taps * lines * line];
    let mut rows = columns.chunks_exact_mut(lines * line);
    for channel in image.chunks_exact(area) {
        for tap in geometry.all_taps() {
            let Some(row) = rows.next() else { return columns };
            for (nth, to) in row.chunks_exact_mut(line).enumerate() {
                let Some(from) = source_line(channel, geometry, first + nth, tap) else { continue };
                let (places, start) = geometry.0[2].inside(tap[2]);
                let stride = geometry.0[2].stride;
                let to = &mut to[places];
                if to.is_empty() {
                    continue;
                }
                match stride {
                    1 => to.copy_from_slice(&from[start..start + to.len()]),
                    _ => {
                        let from = from[start..].iter().step_by(stride);
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                    }
                }
            }
        }
    }
    columns
}

/// The line of a channel that a tap lies in at the places of a line of the result; none in the padding.
fn source_line<'c, T>(
    channel: &'c [T],
    Geometry([outer, middle, inner]): &Geometry,
    line: usize,
    tap: [usize; 3],
) -> Option<&'c [T]> {
    let x = outer.source(line / middle.out, tap[0])?;
    let y = middle.source(line % middle.out, tap[1])?;
    channel.get((x * middle.size + y) * inner.size..)?.get(..inner.size)
}

/// Adds one channel under one kernel.
fn move_over<T: Real>(channel: &[T], weights: &[T], geometry: &Geometry, plane: &mut [T]) {
    let inner = &geometry.0[2];
    for (line, to) in plane.chunks_exact_mut(inner.out).enumerate() {
        for (tap, weight) in geometry.all_taps().zip(weights) {
            let Some(from) = source_line(channel, geometry, line, tap) else { continue };
            let (places, start) = inner.inside(tap[2]);
            let to = &mut to[places];
            if to.is_empty() {
                continue;
            }
            match inner.stride {
                1 => {
                    let from = &from[start..start + to.len()];
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += *weight * *from);
                }
                stride => {
                    let from = from[start..].iter().step_by(stride);
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += *weight * *from);
                }
            }
        }
    }
}

/// Adds the transposed convolution of one image to `result`: each element is spread by the kernel. The space of
/// the geometry is that of the result, and its places are the elements of the image. The weights of a channel
/// of the image are those of every channel of the result in its group.
pub(crate) fn spread<T: Real>(
    image: &[T],
    weights: &[T],
    groups: usize,
    geometry: &Geometry,
    result: &mut [T],
    threads: usize,
) {
    let (area, out_area) = (geometry.out_area(), geometry.area());
    let taps = geometry.kernel_area();
    if area == 0 || out_area == 0 || taps == 0 {
        return;
    }
    let (channels, out_channels) = (image.len() / area / groups, result.len() / out_area / groups);
    let (height, line) = (out_channels * taps, geometry.0[2].out);
    for (group, result) in result.chunks_mut(out_channels * out_area).enumerate() {
        let image = &image[group * channels * area..][..channels * area];
        let weights = &weights[group * channels * height..][..channels * height];
        let mut columns = vec![T::zero(); height * area];
        if let (Ok(image), Ok(weights), Ok(columns)) = (
            ArrayView2::from_shape((channels, area), image),
            ArrayView2::from_shape((channels, height), weights),
            ArrayViewMut2::from_shape((height, area), &mut columns),
        ) {
            multiply(weights.t(), image, columns, threads);
        }
        let planes: Vec<_> = result.chunks_mut(out_area).zip(columns.chunks(taps * area)).collect();
        share(planes, threads, |(plane, columns)| {
            for (tap, row) in geometry.all_taps().zip(columns.chunks_exact(area)) {
                for (nth, from) in row.chunks_exact(line).enumerate() {
                    fold_line(plane, geometry, nth, tap, from);
                }
            }
        });
    }
}

/// Adds a line of places to the elements under a tap.
fn fold_line<T: Real>(
    plane: &mut [T],
    Geometry([outer, middle, inner]): &Geometry,
    line: usize,
    tap: [usize; 3],
    from: &[T],
) {
    let Some(x) = outer.source(line / middle.out, tap[0]) else { return };
    let Some(y) = middle.source(line % middle.out, tap[1]) else { return };
    let (places, start) = inner.inside(tap[2]);
    if places.is_empty() {
        return;
    }
    let to = &mut plane[(x * middle.size + y) * inner.size..][start..inner.size];
    let to = to.iter_mut().step_by(inner.stride);
    to.zip(&from[places]).for_each(|(to, from)| *to += *from);
}
