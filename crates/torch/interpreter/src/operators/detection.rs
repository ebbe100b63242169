//! Operators of torchvision that detectors call.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use crate::problem::refused;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", nms),
    plain("torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, int pooled_width, int sampling_ratio, bool aligned) -> Tensor", roi_align),
];

/// The boxes, best first, that no better one overlaps by more than a threshold.
fn nms(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (boxes, scores, threshold) = (args.tensor(0)?, args.tensor(1)?, args.float(2)?);
    let [count, 4] = *boxes.shape() else {
        return refused(format!("boxes should be a 2d tensor of four columns: {boxes}"));
    };
    if scores.shape() != [count] {
        return refused(format!("a score for each of {count} boxes is wanted: {scores}"));
    }
    context.meter.work(count.saturating_mul(count))?;
    let (corners, scores) = (boxes.floats(), scores.floats());
    let boxes: Vec<&[f64; 4]> = corners.as_chunks::<4>().0.iter().collect();
    // The areas are numbers of the type of the boxes.
    let single = args.tensor(0)?.dtype() == Dtype::F32;
    let round = |number: f64| if single { f64::from(number as f32) } else { number };
    let area = |[x1, y1, x2, y2]: &[f64; 4]| round(round(x2 - x1) * round(y2 - y1));
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let (mut kept, mut hidden) = (Vec::new(), vec![false; count]);
    for (nth, at) in order.iter().enumerate() {
        if hidden[*at] {
            continue;
        }
        kept.push(*at as i64);
        let own = boxes[*at];
        for other in &order[nth + 1..] {
            let box_of = boxes[*other];
            let width = round(own[2].min(box_of[2]) - own[0].max(box_of[0])).max(0.0);
            let height = round(own[3].min(box_of[3]) - own[1].max(box_of[1])).max(0.0);
            let shared = round(width * height);
            let all = round(round(area(own) + area(box_of)) - shared);
            if round(shared / all) > threshold {
                hidden[*other] = true;
            }
        }
    }
    Ok(Tensor::of_ints(context.meter, Dtype::I64, &[kept.len()], kept)?.into())
}

/// What lies in each box, as so many bins: the mean of points between the pixels.
fn roi_align(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (input, rois) = (args.tensor(0)?, args.tensor(1)?);
    let (scale, ratio, aligned) = (args.float(2)?, args.int(5)?, args.boolean(6)?);
    let ([batches, channels, height, width], [count, 5]) = (input.shape(), rois.shape()) else {
        return refused(format!("roi_align of {input} and {rois}"));
    };
    let (rows, columns) = (args.int(3)?, args.int(4)?);
    let (Ok(rows), Ok(columns)) = (usize::try_from(rows), usize::try_from(columns)) else {
        return refused(format!("roi_align to {rows} times {columns}"));
    };
    let (batches, channels, height, width) = (*batches, *channels, *height, *width);
    let shape = [*count, channels, rows, columns];
    context.meter.room(&shape)?;
    let (image, corners) = (input.floats(), rois.floats());
    let shift = if aligned { 0.5 } else { 0.0 };
    let mut result = Vec::new();
    for roi in corners.as_chunks::<5>().0 {
        let Some(batch) = Some(roi[0] as usize).filter(|batch| *batch < batches) else {
            return refused(format!("roi_align of the image {} of {batches}", roi[0]));
        };
        let [x1, y1, x2, y2] = [roi[1], roi[2], roi[3], roi[4]].map(|at| at * scale - shift);
        let least = |size: f64| if aligned { size } else { size.max(1.0) };
        let steps = |start: f64, size: f64, bins: usize| -> (Vec<f64>, usize) {
            let bin = size / bins as f64;
            let points = if ratio > 0 { ratio as usize } else { bin.ceil().max(0.0) as usize };
            let at = move |nth: usize| {
                let (bin_nth, point) = (nth / points.max(1), nth % points.max(1));
                start + bin_nth as f64 * bin + (point as f64 + 0.5) * bin / points as f64
            };
            ((0..bins * points).map(at).collect(), points)
        };
        let (across, down) = (least(x2 - x1), least(y2 - y1));
        // The points of a box, whose number is given or goes by its size.
        let points = match usize::try_from(ratio) {
            Ok(ratio) if ratio > 0 => ratio.saturating_mul(rows.saturating_add(columns)),
            _ => (across.abs() + down.abs()) as usize,
        };
        context.meter.room(&[points.saturating_add(rows).saturating_add(columns)])?;
        let (ys, per_row) = steps(y1, down, rows);
        let (xs, per_column) = steps(x1, across, columns);
        context.meter.work(channels.saturating_mul(ys.len()).saturating_mul(xs.len()))?;
        let (ys, xs): (Vec<_>, Vec<_>) = (
            ys.iter().map(|y| between(*y, height)).collect(),
            xs.iter().map(|x| between(*x, width)).collect(),
        );
        let points = (per_row * per_column).max(1) as f64;
        for channel in 0..channels {
            let plane = &image[(batch * channels + channel) * height * width..][..height * width];
            for row in 0..rows {
                for column in 0..columns {
                    let mut sum = 0.0;
                    for y in ys[row * per_row..(row + 1) * per_row].iter().flatten() {
                        for x in xs[column * per_column..(column + 1) * per_column].iter().flatten()
                        {
                            for (at_y, weight_y) in y {
                                for (at_x, weight_x) in x {
                                    sum += weight_y * weight_x * plane[at_y * width + at_x];
                                }
                            }
                        }
                    }
                    result.push(sum / points);
                }
            }
        }
    }
    Ok(Tensor::of_floats(context.meter, input.dtype(), &shape, result)?.into())
}

/// The two pixels around a point with their weights; none if it lies outside.
fn between(at: f64, size: usize) -> Option<[(usize, f64); 2]> {
    if at < -1.0 || at > size as f64 || size == 0 {
        return None;
    }
    let at = at.max(0.0);
    let low = at as usize;
    if low >= size - 1 {
        return Some([(size - 1, 1.0), (size - 1, 0.0)]);
    }
    let part = at - low as f64;
    Some([(low, 1.0 - part), (low + 1, part)])
}
