//! Factors of `Resize` and `Upsample`, which each mode takes along some dimensions only.

use super::condition::LimitedNode;
use crate::infer::attribute;
use crate::{Dim, OnnxAttribute};

/// A factor along one dimension: whether it is exactly 1; none if that is not known.
type IsOne = Option<bool>;

/// Whether a node resizes along dimensions that its mode does not take; unknown factors count as those that it takes.
/// `linear-outer`: as the first releases took them, where channels do not stand last.
pub(super) fn are_refused(site: &LimitedNode<'_, '_>, mode: &str) -> bool {
    let said = match attribute(site.node, "mode") {
        Some(OnnxAttribute::Text(text)) => &**text,
        _ => "nearest",
    };
    let (mode, turned) = match mode.strip_suffix("-outer") {
        Some(mode) => (mode, false),
        None => (mode, true),
    };
    let Some(all) = factors(site).filter(|_| said == mode) else { return false };
    let is_one = |at: usize| all.get(at).is_some_and(|one| *one != Some(false));
    let last = all.len().saturating_sub(1);
    let (outer, ends) = (is_one(0) && is_one(1), turned && is_one(0) && is_one(last));
    !match (mode, all.len()) {
        ("linear", 2 | 3) | ("cubic", 2) => true,
        ("linear" | "cubic", 4) => outer || ends,
        ("linear", 5) => outer,
        _ => false,
    }
}

/// A factor for each dimension of the first input; none if its number of dimensions is not known.
fn factors(site: &LimitedNode<'_, '_>) -> Option<Vec<IsOne>> {
    let dims = site.shape(0)?;
    let name =
        |at: usize| site.node.inputs.get(at).map(|name| &**name).filter(|one| !one.is_empty());
    let since = site.schema.since;
    let floats = |at: usize| name(at).and_then(|name| site.around.floats(name));
    let scales = match attribute(site.node, "scales") {
        Some(OnnxAttribute::Floats(all)) => Some(&**all),
        _ => floats(if since < 11 { 1 } else { 2 }),
    };
    let given: Option<Vec<IsOne>> = match (scales, name(3).and_then(|name| site.around.ints(name)))
    {
        (Some(all), _) => Some(all.iter().map(|one| Some(*one == 1.0)).collect()),
        (None, Some(sizes)) => {
            let axes = axes(site, dims.len());
            let same = |(at, size): (usize, &i64)| match dims.get(*axes.get(at)?)? {
                Dim::Size(known) => Some(known == size),
                _ => None,
            };
            Some(sizes.iter().enumerate().map(same).collect())
        }
        (None, None) => None,
    };
    let mut all: Vec<IsOne> = vec![Some(true); dims.len()];
    let axes = axes(site, dims.len());
    for (at, axis) in axes.iter().enumerate() {
        let slot = all.get_mut(*axis)?;
        *slot = given.as_ref().and_then(|given| *given.get(at)?);
    }
    Some(all)
}

/// The dimensions that are resized: those that the node names, else all.
fn axes(site: &LimitedNode<'_, '_>, rank: usize) -> Vec<usize> {
    let place = |axis: &i64| {
        let axis = if *axis < 0 { axis.checked_add(rank as i64)? } else { *axis };
        usize::try_from(axis).ok().filter(|axis| *axis < rank)
    };
    match attribute(site.node, "axes") {
        Some(OnnxAttribute::Ints(all)) => all.iter().filter_map(place).collect(),
        _ => (0..rank).collect(),
    }
}
