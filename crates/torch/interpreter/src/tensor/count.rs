//! Element count of a shape.

use crate::RunProblem;
use crate::problem::refused;

/// How many elements a shape has.
pub(crate) fn count(shape: &[usize]) -> Result<usize, RunProblem> {
    if shape.contains(&0) {
        return Ok(0);
    }
    let count = shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
    match count.filter(|count| isize::try_from(*count).is_ok()) {
        Some(count) => Ok(count),
        None => refused(format!("no tensor can be so large: {shape:?}")),
    }
}
