//! Arrays as text.

use std::fmt;

use crate::Array;

/// Arrays of more elements are shortened.
const MOST: u64 = 1000;

/// How many elements stand at each end of a dimension that is shortened.
const EDGE: u64 = 3;

/// As numpy prints it: nested brackets, long arrays shortened in the middle.
impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arrays without elements still have brackets.
        let outer = self.dims().iter().take_while(|dim| **dim > 0);
        let printed = outer.fold(1_u64, |all, dim| all.saturating_mul(*dim));
        let shorten = printed > MOST;
        level(self, 0, 0, shorten, f)
    }
}

fn level(
    array: &Array,
    depth: usize,
    first: usize,
    shorten: bool,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let Some(&dim) = array.dims().get(depth) else {
        return match array.get(first) {
            Some(scalar) => write!(f, "{scalar}"),
            None => Ok(()),
        };
    };
    // How many elements one step along this dimension skips; an empty array has none to print.
    let below = array.dims()[depth + 1..].iter().map(|dim| *dim as usize);
    let step: usize = below.fold(1, usize::saturating_mul);
    let last = depth + 1 == array.dims().len();
    f.write_str("[")?;
    let mut i = 0;
    while i < dim {
        if i > 0 {
            separate(depth, last, array.dims().len(), f)?;
        }
        if shorten && dim > 2 * EDGE && i == EDGE {
            f.write_str("...")?;
            i = dim - EDGE;
            continue;
        }
        level(array, depth + 1, first + i as usize * step, shorten, f)?;
        i += 1;
    }
    f.write_str("]")
}

/// A comma, and for all but the last dimension a new line.
fn separate(depth: usize, last: bool, dims: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if last {
        return f.write_str(", ");
    }
    f.write_str(",")?;
    // As many empty lines as dimensions end here.
    for _ in depth + 1..dims {
        f.write_str("\n")?;
    }
    (0..=depth).try_for_each(|_| f.write_str(" "))
}
