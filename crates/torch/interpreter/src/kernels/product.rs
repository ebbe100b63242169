//! Products of matrices.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView1, ArrayView2, ArrayViewMut2, Axis};

use super::{Real, share};

/// With so few rows it takes longer to pack the other matrix than to read it once.
const FEW_ROWS: usize = 3;

/// How many multiplications are worth a thread.
const WORTH_A_THREAD: usize = 1 << 18;

/// Adds the product of `a` and `b` to `sums`.
pub(crate) fn multiply<T: Real>(
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    mut sums: ArrayViewMut2<'_, T>,
    threads: usize,
) {
    let (rows, columns) = sums.dim();
    let size = rows.saturating_mul(columns).saturating_mul(a.ncols());
    let threads = threads.min(size / WORTH_A_THREAD).max(1);
    let by_rows = rows >= columns;
    let along = if by_rows { Axis(0) } else { Axis(1) };
    let chunk = sums.len_of(along).div_ceil(threads).max(1);
    let parts = sums.axis_chunks_iter_mut(along, chunk).enumerate().collect();
    share(parts, threads, |(at, part): (usize, ArrayViewMut2<'_, T>)| {
        let range = at * chunk..at * chunk + part.len_of(along);
        let (a, b) = match by_rows {
            true => (a.slice_axis(Axis(0), range.into()), b),
            false => (a, b.slice_axis(Axis(1), range.into())),
        };
        one_thread(a, b, part, rows <= FEW_ROWS);
    });
}

fn one_thread<T: Real>(
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    mut sums: ArrayViewMut2<'_, T>,
    few_rows: bool,
) {
    if !few_rows {
        general_mat_mul(T::one(), &a, &b, T::one(), &mut sums);
        return;
    }
    for (row, mut sums) in a.outer_iter().zip(sums.outer_iter_mut()) {
        if b.strides().first() == Some(&1) {
            for (column, sum) in b.columns().into_iter().zip(sums.iter_mut()) {
                *sum += dot(row, column);
            }
        } else {
            for (factor, line) in row.iter().zip(b.outer_iter()) {
                sums.iter_mut().zip(line).for_each(|(sum, other)| *sum += *factor * *other);
            }
        }
    }
}

/// The sum of the products, in lanes as vector instructions have them.
fn dot<T: Real>(a: ArrayView1<'_, T>, b: ArrayView1<'_, T>) -> T {
    const LANES: usize = 16;
    let (Some(a), Some(b)) = (a.as_slice(), b.as_slice()) else { return a.dot(&b) };
    let mut lanes = [T::zero(); LANES];
    let (whole_a, rest_a) = a.as_chunks::<LANES>();
    let (whole_b, rest_b) = b.as_chunks::<LANES>();
    for (a, b) in whole_a.iter().zip(whole_b) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += *a * *b;
        }
    }
    let rest = rest_a.iter().zip(rest_b).fold(T::zero(), |sum, (a, b)| sum + *a * *b);
    lanes.into_iter().fold(rest, |sum, lane| sum + lane)
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    fn product(rows: usize, inner: usize, columns: usize, threads: usize) -> Vec<f32> {
        let number = |at: usize| ((at * 7919) % 1009) as f32 / 1009.0 - 0.5;
        let a = Array2::from_shape_fn((rows, inner), |(i, j)| number(i * inner + j));
        // Turned around, as the weights of a layer are.
        let b = Array2::from_shape_fn((columns, inner), |(i, j)| number(i * inner + j + 5));
        let mut sums = Array2::zeros((rows, columns));
        multiply(a.view(), b.t(), sums.view_mut(), threads);
        let plain = a.dot(&b.t());
        for (a, b) in sums.iter().zip(&plain) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
        sums.into_raw_vec_and_offset().0
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        for (rows, inner, columns) in
            [(1, 700, 1000), (3, 512, 999), (130, 257, 65), (64, 576, 784)]
        {
            let one = product(rows, inner, columns, 1);
            for threads in [2, 3, 7] {
                assert_eq!(
                    one,
                    product(rows, inner, columns, threads),
                    "{rows} {columns} {threads}"
                );
            }
        }
    }
}
