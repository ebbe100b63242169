//! Shapes: where an element of a smaller array stands for those of a larger one.

use unskew_stream_executor_sdk::Error;

/// The shape that two shapes broadcast to.
pub fn broadcast(a: &[i64], b: &[i64]) -> Result<Vec<i64>, Error> {
    let rank = a.len().max(b.len());
    let at = |dims: &[i64], index: usize| {
        (index + dims.len()).checked_sub(rank).map_or(1, |index| dims[index])
    };
    let joined = (0..rank).map(|index| match (at(a, index), at(b, index)) {
        (a, b) if a == b => Ok(a),
        (1, other) | (other, 1) => Ok(other),
        _ => Err(Error::invalid(format!("shapes that do not fit: {a:?} and {b:?}"))),
    });
    joined.collect()
}

/// For every element of an array of the shape `whole`, in row-major order, where the element of an array of
/// the shape `part` lies that stands for it.
pub fn positions(whole: &[i64], part: &[i64]) -> Vec<usize> {
    let size = |dims: &[i64]| -> usize { dims.iter().map(|dim| count(*dim)).product() };
    if whole == part {
        return (0..size(whole)).collect();
    }
    let mut steps = vec![0_usize; whole.len()];
    let mut step = 1;
    for (index, dim) in part.iter().enumerate().rev() {
        let place = index + whole.len() - part.len();
        steps[place] = if *dim == 1 { 0 } else { step };
        step *= count(*dim);
    }
    let mut found = Vec::with_capacity(size(whole));
    let mut index = vec![0_usize; whole.len()];
    for _ in 0..size(whole) {
        found.push(index.iter().zip(&steps).map(|(index, step)| index * step).sum());
        for place in (0..whole.len()).rev() {
            index[place] += 1;
            if index[place] < count(whole[place]) {
                break;
            }
            index[place] = 0;
        }
    }
    found
}

/// A dimension as a number of elements.
pub fn count(dim: i64) -> usize {
    usize::try_from(dim).unwrap_or(0)
}

/// Rows and columns of an array whose last dimension is the columns.
pub fn rows(dims: &[i64]) -> Result<(usize, usize), Error> {
    let (last, others) = dims.split_last().ok_or_else(|| Error::invalid("a scalar has no rows"))?;
    Ok((others.iter().map(|dim| count(*dim)).product(), count(*last)))
}
