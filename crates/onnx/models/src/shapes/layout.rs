//! Operators that lay values out anew: other dimensions, parts, several in one.

use super::conflict::{ShapeConflict, both, count, differ, shown, size, together};
use super::node_inputs::{NodeInputs, ValueFacts, axis, place};
use crate::Dim;

/// The most dimensions, and elements that are followed.
pub(super) const MOST: usize = 64;

/// What an operator makes; none if nothing is known of it.
pub(super) type OutputFacts = Result<Option<ValueFacts>, ShapeConflict>;

fn made(dims: Vec<Dim>) -> OutputFacts {
    Ok(Some(ValueFacts::from_dims(dims)))
}

fn unknown(rank: usize) -> OutputFacts {
    made(vec![Dim::Unknown; rank])
}

pub(super) fn concat(seen: &NodeInputs<'_>) -> OutputFacts {
    let all: Option<Vec<&[Dim]>> = (0..seen.inputs.len()).map(|at| seen.dims(at)).collect();
    let first = seen.dims(0);
    let (Some(all), Some(first)) = (all, first) else {
        return first.map_or(Ok(None), |dims| unknown(dims.len()));
    };
    let rank = first.len();
    if let Some(other) = all.iter().find(|dims| dims.len() != rank) {
        let what =
            format!("{} and {} have other numbers of dimensions", shown(first), shown(other));
        return Err(ShapeConflict::at_load(what));
    }
    let along = axis(seen.int("axis").unwrap_or(1), rank)?;
    let mut out = first.to_vec();
    let mut sum = Some(0_i64);
    for dims in &all {
        for (at, (known, dim)) in out.iter_mut().zip(*dims).enumerate() {
            if at == along {
                sum = sum.zip(size(dim)).and_then(|(sum, size)| sum.checked_add(size));
            } else if differ(known, dim) {
                let what = format!("{} and {} along axis {along}", shown(first), shown(dims));
                return Err(ShapeConflict::at_load(what));
            } else {
                *known = both(known, dim);
            }
        }
    }
    if let Some(dim) = out.get_mut(along) {
        *dim = sum.map_or(Dim::Unknown, Dim::Size);
    }
    let data: Option<Vec<&[Dim]>> = (0..seen.inputs.len()).map(|at| seen.data(at)).collect();
    let data = data.map(|all| all.concat()).filter(|all| rank == 1 && all.len() <= MOST);
    Ok(Some(ValueFacts { dims: Some(out), data }))
}

pub(super) fn reshape(seen: &NodeInputs<'_>) -> OutputFacts {
    let shape = match (seen.data(1), seen.ints("shape")) {
        (Some(data), _) => data.to_vec(),
        (None, Some(ints)) if !seen.has(1) => ints.iter().copied().map(Dim::Size).collect(),
        _ => {
            // How many numbers there are is how many dimensions there will be.
            return match seen.dims(1) {
                Some([Dim::Size(count)]) if (0..=MOST as i64).contains(count) => {
                    unknown(*count as usize)
                }
                _ => Ok(None),
            };
        }
    };
    let zero = seen.int("allowzero").unwrap_or(0) != 0;
    let from = seen.dims(0);
    let rest = shape.iter().filter(|dim| **dim == Dim::Size(-1)).count();
    if rest > 1 {
        return Err(ShapeConflict::at_load(format!("{} has -1 twice", shown(&shape))));
    }
    let mut out = Vec::with_capacity(shape.len());
    for (at, dim) in shape.iter().enumerate() {
        out.push(match dim {
            Dim::Size(0) if !zero => match from.map(|from| from.get(at)) {
                Some(None) => {
                    let what = format!("{} has 0 where the input has no dimension", shown(&shape));
                    return Err(ShapeConflict::at_load(what));
                }
                Some(Some(dim)) => dim.clone(),
                None => Dim::Unknown,
            },
            Dim::Size(size) if *size < -1 => Dim::Unknown,
            dim => dim.clone(),
        });
    }
    let Some(all) = from.and_then(count) else {
        out.iter_mut().filter(|dim| **dim == Dim::Size(-1)).for_each(|dim| *dim = Dim::Unknown);
        return made(out);
    };
    let said: Vec<Dim> = out.iter().filter(|dim| **dim != Dim::Size(-1)).cloned().collect();
    if let Some(known) = count(&said) {
        let fits = if rest > 0 { known != 0 && all % known == 0 } else { known == all };
        let empty = rest > 0 && known == 0;
        if !fits && !empty {
            let what = format!(
                "{all} elements of {} for {}",
                shown(from.unwrap_or_default()),
                shown(&shape)
            );
            return Err(if rest > 0 {
                ShapeConflict::at_load(what)
            } else {
                ShapeConflict::in_run(what)
            });
        }
        let left = if known != 0 { Dim::Size(all / known) } else { Dim::Unknown };
        out.iter_mut().filter(|dim| **dim == Dim::Size(-1)).for_each(|dim| *dim = left.clone());
    }
    out.iter_mut().filter(|dim| **dim == Dim::Size(-1)).for_each(|dim| *dim = Dim::Unknown);
    made(out)
}

pub(super) fn transpose(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else {
        return match seen.ints("perm") {
            Some(perm) => unknown(perm.len()),
            None => Ok(None),
        };
    };
    let Some(perm) = seen.ints("perm") else { return made(dims.iter().rev().cloned().collect()) };
    let mut used = vec![false; dims.len()];
    let mut out = Vec::with_capacity(dims.len());
    for at in perm {
        let at = usize::try_from(*at).ok().filter(|at| used.get(*at) == Some(&false));
        let Some((at, dim)) = at.and_then(|at| Some((at, dims.get(at)?))) else { break };
        used[at] = true;
        out.push(dim.clone());
    }
    if out.len() != perm.len() || out.len() != dims.len() {
        let what = format!("`perm` {perm:?} for {} dimensions", dims.len());
        return Err(ShapeConflict::at_load(what));
    }
    made(out)
}

pub(super) fn squeeze(seen: &NodeInputs<'_>) -> OutputFacts {
    let (Some(dims), Some(axes)) = (seen.dims(0), seen.either("axes", 1)) else { return Ok(None) };
    let data = seen.data(0).filter(|data| data.len() == 1 && dims.len() == 1).map(<[Dim]>::to_vec);
    let Some(axes) = axes else {
        let known = dims.iter().all(|dim| size(dim).is_some());
        let left: Vec<Dim> = dims.iter().filter(|dim| **dim != Dim::Size(1)).cloned().collect();
        return Ok(known.then_some(ValueFacts { dims: Some(left), data }));
    };
    let mut gone = vec![false; dims.len()];
    for one in &axes {
        let at = axis(*one, dims.len())?;
        gone[at] = true;
        if dims.get(at).and_then(size).is_some_and(|size| size != 1) {
            return Err(ShapeConflict::at_load(format!("axis {one} of {} is not 1", shown(dims))));
        }
    }
    let left = dims.iter().zip(&gone).filter(|(_, gone)| !**gone);
    let dims = left.map(|(dim, _)| dim.clone()).collect();
    Ok(Some(ValueFacts { dims: Some(dims), data }))
}

pub(super) fn unsqueeze(seen: &NodeInputs<'_>) -> OutputFacts {
    let (Some(dims), Some(Some(axes))) = (seen.dims(0), seen.either("axes", 1)) else {
        return Ok(None);
    };
    let rank = dims.len() + axes.len();
    if rank > MOST {
        return Ok(None);
    }
    let mut new = vec![false; rank];
    for one in &axes {
        let at = axis(*one, rank)?;
        if std::mem::replace(&mut new[at], true) {
            return Err(ShapeConflict::at_load(format!("axis {one} stands twice in {axes:?}")));
        }
    }
    let mut old = dims.iter();
    let one =
        |new: &bool| if *new { Dim::Size(1) } else { old.next().cloned().unwrap_or_default() };
    let out = new.iter().map(one).collect();
    let data = seen.data(0).filter(|_| rank == 1).map(<[Dim]>::to_vec);
    Ok(Some(ValueFacts { dims: Some(out), data }))
}

/// Each output of `Split`.
pub(super) fn split(seen: &NodeInputs<'_>) -> Result<Vec<ValueFacts>, ShapeConflict> {
    let outputs = seen.node.outputs.len();
    let Some(dims) = seen.dims(0) else { return Ok(Vec::new()) };
    let along = axis(seen.int("axis").unwrap_or(0), dims.len())?;
    let whole = dims.get(along).and_then(size);
    let with = |size: Dim| {
        let mut dims = dims.to_vec();
        dims[along] = size;
        ValueFacts::from_dims(dims)
    };
    let Some(sizes) = seen.either("split", 1) else {
        return Ok(vec![with(Dim::Unknown); outputs]);
    };
    let Some(sizes) = sizes else {
        let parts = outputs as i64;
        return match whole {
            Some(whole) if parts > 0 && whole % parts != 0 && !seen.says("num_outputs") => {
                Err(ShapeConflict::at_load(format!(
                    "axis {along} of {} in {parts} equal parts",
                    shown(dims)
                )))
            }
            Some(whole) if parts > 0 && whole % parts == 0 => {
                Ok(vec![with(Dim::Size(whole / parts)); outputs])
            }
            _ => Ok(vec![with(Dim::Unknown); outputs]),
        };
    };
    if sizes.len() != outputs {
        return Err(ShapeConflict::at_load(format!("{} sizes for {outputs} outputs", sizes.len())));
    }
    let sum = sizes.iter().try_fold(0_i64, |sum, one| sum.checked_add(*one));
    if let (Some(sum), Some(whole)) = (sum, whole)
        && sum != whole
    {
        let what = format!("axis {along} of {} in parts of {sizes:?}", shown(dims));
        return Err(ShapeConflict::at_load(what));
    }
    let mut rest = seen.data(0).filter(|data| dims.len() == 1 && whole == Some(data.len() as i64));
    let part = |size: i64| {
        let parts = usize::try_from(size).ok().and_then(|size| rest?.split_at_checked(size));
        rest = parts.map(|(_, behind)| behind);
        ValueFacts { data: parts.map(|(part, _)| part.to_vec()), ..with(Dim::Size(size)) }
    };
    Ok(sizes.into_iter().map(part).collect())
}

pub(super) fn gather(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return Ok(None) };
    let along = axis(seen.int("axis").unwrap_or(0), dims.len())?;
    let Some(indices) = seen.dims(1) else { return Ok(None) };
    let (before, behind) = (dims.get(..along), dims.get(along + 1..));
    let out = [before.unwrap_or_default(), indices, behind.unwrap_or_default()].concat();
    let picked = seen.data(0).zip(seen.values(1)).and_then(|(data, at)| {
        at.iter().map(|at| data.get(place(*at, data.len())?).cloned()).collect()
    });
    Ok(Some(ValueFacts { dims: Some(out), data: picked.filter(|_| dims.len() == 1) }))
}

pub(super) fn expand(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return Ok(None) };
    match (seen.data(1), seen.dims(1)) {
        (Some(shape), _) => {
            let data = match (seen.data(0), shape) {
                (Some([one]), [Dim::Size(count)]) if (1..=MOST as i64).contains(count) => {
                    Some((0..*count).map(|_| one.clone()).collect())
                }
                _ => None,
            };
            Ok(Some(ValueFacts { dims: Some(together(&[dims, shape])?), data }))
        }
        (None, Some([Dim::Size(count)])) if (0..=MOST as i64).contains(count) => {
            unknown(dims.len().max(*count as usize))
        }
        _ => Ok(None),
    }
}

pub(super) fn flatten(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return unknown(2) };
    let said = seen.int("axis").unwrap_or(1);
    let at = if said < 0 { said.saturating_add(dims.len() as i64) } else { said };
    let parts = usize::try_from(at).ok().and_then(|at| dims.split_at_checked(at));
    let Some((rows, columns)) = parts else {
        return Err(ShapeConflict::at_load(format!("axis {said} of {} dimensions", dims.len())));
    };
    let product = |dims: &[Dim]| match dims {
        [one] => one.clone(),
        dims => count(dims).map_or(Dim::Unknown, Dim::Size),
    };
    made(vec![product(rows), product(columns)])
}

pub(super) fn slice(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return Ok(None) };
    let (Some(Some(starts)), Some(Some(ends))) = (seen.either("starts", 1), seen.either("ends", 2))
    else {
        return unknown(dims.len());
    };
    if starts.len() != ends.len() {
        return Err(ShapeConflict::at_load(format!(
            "{} starts and {} ends",
            starts.len(),
            ends.len()
        )));
    }
    let axes = match seen.either("axes", 3) {
        Some(Some(axes)) => axes,
        Some(None) => (0..starts.len() as i64).collect(),
        None => return unknown(dims.len()),
    };
    let steps = match seen.has(4).then(|| seen.values(4)) {
        None => vec![1; starts.len()],
        Some(Some(steps)) => steps,
        Some(None) => return unknown(dims.len()),
    };
    let mut out = dims.to_vec();
    let mut picked =
        seen.data(0).filter(|data| dims.len() == 1 && data.len() <= MOST).map(<[Dim]>::to_vec);
    for (at, one) in axes.iter().enumerate() {
        let along = axis(*one, dims.len())?;
        let (Some(start), Some(end), Some(step)) = (starts.get(at), ends.get(at), steps.get(at))
        else {
            return unknown(dims.len());
        };
        let part = dims.get(along).and_then(size).and_then(|size| cut(size, *start, *end, *step));
        picked = picked.zip(part.clone()).filter(|_| axes.len() == 1).and_then(|(data, part)| {
            part.into_iter().map(|at| data.get(at as usize).cloned()).collect()
        });
        out[along] = part.map_or(Dim::Unknown, |part| Dim::Size(part.len() as i64));
    }
    Ok(Some(ValueFacts { dims: Some(out), data: picked }))
}

/// Which elements a part has; none if there are too many to be listed.
fn cut(size: i64, start: i64, end: i64, step: i64) -> Option<Vec<i64>> {
    let from_end = |at: i64| if at < 0 { at.saturating_add(size) } else { at };
    let (start, end) = match step {
        0 => return None,
        1.. => (from_end(start).clamp(0, size), from_end(end).clamp(0, size)),
        _ => (from_end(start).clamp(0, size - 1), from_end(end).clamp(-1, size - 1)),
    };
    let span = if step > 0 { end - start } else { start - end };
    if span / step.unsigned_abs().min(i64::MAX as u64) as i64 > 1 << 20 {
        return None;
    }
    let mut all = Vec::new();
    let mut at = start;
    while if step > 0 { at < end } else { at > end } {
        all.push(at);
        at = at.checked_add(step)?;
    }
    Some(all)
}

pub(super) fn pad(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return Ok(None) };
    let Some(Some(pads)) = seen.either("pads", 1) else { return unknown(dims.len()) };
    if seen.has(3) {
        return unknown(dims.len());
    }
    if pads.len() != dims.len() * 2 {
        return Err(ShapeConflict::at_load(format!(
            "{} pads for {} dimensions",
            pads.len(),
            dims.len()
        )));
    }
    let one = |(at, dim): (usize, &Dim)| -> Option<i64> {
        size(dim)?.checked_add(*pads.get(at)?)?.checked_add(*pads.get(at + dims.len())?)
    };
    made(dims.iter().enumerate().map(|dim| one(dim).map_or(Dim::Unknown, Dim::Size)).collect())
}

pub(super) fn tile(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return Ok(None) };
    let Some(times) = seen.values(1).filter(|_| seen.opset >= 6) else {
        return unknown(dims.len());
    };
    if times.len() != dims.len() {
        return Err(ShapeConflict::at_load(format!(
            "{} repeats for {} dimensions",
            times.len(),
            dims.len()
        )));
    }
    let one = |(dim, times): (&Dim, &i64)| size(dim)?.checked_mul(*times);
    made(dims.iter().zip(&times).map(|both| one(both).map_or(Dim::Unknown, Dim::Size)).collect())
}

pub(super) fn top(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return Ok(None) };
    let along = axis(seen.int("axis").unwrap_or(-1), dims.len())?;
    let k = match seen.has(1) {
        true => seen.values(1).and_then(|all| all.first().copied()),
        false => seen.int("k"),
    };
    if let (Some(k), Some(size)) = (k, dims.get(along).and_then(size))
        && k > size
    {
        return Err(ShapeConflict::at_load(format!("the {k} largest of {size}")));
    }
    let mut out = dims.to_vec();
    out[along] = k.map_or(Dim::Unknown, Dim::Size);
    made(out)
}

/// `DepthToSpace` and `SpaceToDepth`.
pub(super) fn blocks(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return unknown(4) };
    let [n, c, h, w] = dims else {
        return Err(ShapeConflict::at_load(format!("{}: four dimensions are needed", shown(dims))));
    };
    let Some(block) = seen.int("blocksize").filter(|block| *block > 0) else { return unknown(4) };
    let square = block.saturating_mul(block);
    let deep = &*seen.node.op == "DepthToSpace";
    let divided: &[(&Dim, i64)] = if deep { &[(c, square)] } else { &[(h, block), (w, block)] };
    if let Some((dim, by)) =
        divided.iter().find(|(dim, by)| size(dim).is_some_and(|size| size % by != 0))
    {
        let dim = size(dim).unwrap_or_default();
        return Err(ShapeConflict::in_run(format!(
            "{}: {dim} is not divided by {by}",
            shown(dims)
        )));
    }
    let over = |dim: &Dim, by: i64| size(dim).map_or(Dim::Unknown, |size| Dim::Size(size / by));
    let times = |dim: &Dim, by: i64| {
        size(dim).and_then(|size| size.checked_mul(by)).map_or(Dim::Unknown, Dim::Size)
    };
    made(match deep {
        true => vec![n.clone(), over(c, square), times(h, block), times(w, block)],
        false => vec![n.clone(), times(c, square), over(h, block), over(w, block)],
    })
}

pub(super) fn one_hot(seen: &NodeInputs<'_>) -> OutputFacts {
    if let Some([Dim::Size(count)]) = seen.dims(2)
        && *count != 2
    {
        return Err(ShapeConflict::at_load(format!(
            "{count} values, not one for off and one for on"
        )));
    }
    let Some(dims) = seen.dims(0) else { return Ok(None) };
    let rank = dims.len() + 1;
    let along = axis(seen.int("axis").unwrap_or(-1), rank)?;
    let depth = seen.values(1).and_then(|all| all.first().copied());
    let mut out = dims.to_vec();
    out.insert(along, depth.map_or(Dim::Unknown, Dim::Size));
    made(out)
}

pub(super) fn gather_nd(seen: &NodeInputs<'_>) -> OutputFacts {
    let (Some(dims), Some(indices)) = (seen.dims(0), seen.dims(1)) else { return Ok(None) };
    let batch = seen.int("batch_dims").unwrap_or(0);
    let (Some(last), Ok(batch)) = (indices.last().and_then(size), usize::try_from(batch)) else {
        return Ok(None);
    };
    let deep = usize::try_from(last).ok().map(|last| last.saturating_add(batch));
    match deep.and_then(|deep| dims.get(deep..)) {
        Some(rest) => {
            let head = indices.get(..indices.len().saturating_sub(1)).unwrap_or_default();
            made([head, rest].concat())
        }
        None => {
            let what = format!("indices {} into {}", shown(indices), shown(dims));
            Err(ShapeConflict::at_load(what))
        }
    }
}

/// Those that take as many dimensions of two inputs: `GatherElements`, `ScatterElements`.
pub(super) fn elements(seen: &NodeInputs<'_>) -> OutputFacts {
    let (Some(dims), Some(indices)) = (seen.dims(0), seen.dims(1)) else { return Ok(None) };
    if dims.len() != indices.len() {
        let what = format!("indices {} into {}", shown(indices), shown(dims));
        return Err(ShapeConflict::in_run(what));
    }
    made(if &*seen.node.op == "GatherElements" { indices.to_vec() } else { dims.to_vec() })
}

pub(super) fn scatter_nd(seen: &NodeInputs<'_>) -> OutputFacts {
    let (Some(dims), Some(indices)) = (seen.dims(0), seen.dims(1)) else {
        return Ok(seen.dims(0).map(|dims| ValueFacts::from_dims(dims.to_vec())));
    };
    if indices.last().and_then(size).is_some_and(|last| last > dims.len() as i64) {
        let what = format!("indices {} into {}", shown(indices), shown(dims));
        return Err(ShapeConflict::in_run(what));
    }
    made(dims.to_vec())
}

pub(super) fn resize(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return Ok(None) };
    let (scales, sizes) = if seen.opset >= 11 { (2, 3) } else { (1, usize::MAX) };
    // With `axes` there are fewer.
    if seen.says("axes") || seen.opset >= 18 {
        return unknown(dims.len());
    }
    if let Some([Dim::Size(count)]) = seen.dims(scales)
        && *count != dims.len() as i64
        && *count != 0
    {
        return Err(ShapeConflict::at_load(format!(
            "{count} scales for {} dimensions",
            dims.len()
        )));
    }
    match seen.data(sizes).filter(|data| data.len() == dims.len()) {
        Some(data) => made(data.to_vec()),
        None => unknown(dims.len()),
    }
}

/// What is left when some axes are taken together. `axes`: none where they are not known.
pub(super) fn reduced(seen: &NodeInputs<'_>, axes: Option<Option<Vec<i64>>>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return Ok(None) };
    let keep = seen.int("keepdims").unwrap_or(1) != 0;
    let Some(axes) = axes else { return if keep { unknown(dims.len()) } else { Ok(None) } };
    let axes = match axes {
        Some(axes) if !axes.is_empty() => axes,
        _ if seen.int("noop_with_empty_axes").unwrap_or(0) != 0 => return made(dims.to_vec()),
        _ => (0..dims.len() as i64).collect(),
    };
    let mut gone = vec![false; dims.len()];
    for one in &axes {
        gone[axis(*one, dims.len())?] = true;
    }
    let one = |(dim, gone): (&Dim, &bool)| match (gone, keep) {
        (false, _) => Some(dim.clone()),
        (true, true) => Some(Dim::Size(1)),
        (true, false) => None,
    };
    made(dims.iter().zip(&gone).filter_map(one).collect())
}
