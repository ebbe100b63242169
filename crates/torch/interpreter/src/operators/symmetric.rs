//! Symmetric matrices that are not definite as L D Lᵀ, with blocks of one or two rows in D: the pivots of Bunch and Kaufman.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use super::matrices::{Matrices, Matrix, Number, quotient};
use crate::problem::{refused, unsupported};
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)", |c, a| factored(c, a).map(|[factors, pivots, _]| ScriptValue::tuple(vec![factors.into(), pivots.into()]))),
    plain("aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)", |c, a| factored(c, a).map(|all| ScriptValue::tuple(all.map(ScriptValue::from).to_vec()))),
    plain("aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", solve),
];

fn weight(number: Number) -> f64 {
    number.re.abs() + number.im.abs()
}

/// Which row becomes the next one, and how many rows the block has.
fn pivot(a: &Matrix, k: usize) -> (usize, usize) {
    let own = weight(a[(k, k)]);
    let below = (k + 1..a.nrows()).map(|row| (row, weight(a[(row, k)])));
    let (best, most) = below.fold((k, 0.0), |best, next| if next.1 > best.1 { next } else { best });
    let bound = (1.0 + 17.0_f64.sqrt()) / 8.0;
    if own >= bound * most {
        return (k, 1);
    }
    let left = (k..best).map(|column| weight(a[(best, column)]));
    let down = (best + 1..a.nrows()).map(|row| weight(a[(row, best)]));
    let row = left.chain(down).fold(0.0, f64::max);
    if own >= bound * most * (most / row) {
        (k, 1)
    } else if weight(a[(best, best)]) >= bound * row {
        (best, 1)
    } else {
        (best, 2)
    }
}

/// The factors in the lower triangle, the pivots as LAPACK counts them, the first block of zero.
fn factor(a: &mut Matrix) -> (Vec<i64>, i64) {
    let count = a.nrows();
    let (mut pivots, mut info, mut k) = (vec![0; count], 0, 0);
    while k < count {
        let (other, size) = pivot(a, k);
        let last = k + size - 1;
        if other != last {
            (other + 1..count).for_each(|row| a.swap((row, last), (row, other)));
            (last + 1..other).for_each(|at| a.swap((at, last), (other, at)));
            a.swap((last, last), (other, other));
            if size == 2 {
                a.swap((k + 1, k), (other, k));
            }
        }
        if size == 1 {
            let head = a[(k, k)];
            pivots[k] = other as i64 + 1;
            if head == Number::ZERO {
                info = if info == 0 { k as i64 + 1 } else { info };
            } else {
                let column: Vec<Number> = (0..count).map(|row| a[(row, k)]).collect();
                for j in k + 1..count {
                    let by = quotient(column[j], head);
                    for (row, own) in column.iter().enumerate().skip(j) {
                        a[(row, j)] -= *own * by;
                    }
                    a[(j, k)] = by;
                }
            }
        } else {
            (pivots[k], pivots[k + 1]) = (-(other as i64) - 1, -(other as i64) - 1);
            let (p, q, r) = (a[(k, k)], a[(k + 1, k)], a[(k + 1, k + 1)]);
            let columns: Vec<[Number; 2]> =
                (0..count).map(|row| [a[(row, k)], a[(row, k + 1)]]).collect();
            for j in k + 2..count {
                let [x, y] = block((p, q, r), columns[j]);
                for (row, [u, v]) in columns.iter().enumerate().skip(j) {
                    a[(row, j)] -= *u * x + *v * y;
                }
                a[(j, k)] = x;
                a[(j, k + 1)] = y;
            }
        }
        k += size;
    }
    a.fill_upper_triangle(Number::ZERO, 1);
    (pivots, info)
}

/// What a symmetric block of two rows makes of a vector when it is divided by it.
fn block((p, q, r): (Number, Number, Number), [x, y]: [Number; 2]) -> [Number; 2] {
    let size = p * r - q * q;
    [quotient(r * x - q * y, size), quotient(p * y - q * x, size)]
}

fn refuse_hermitian(tensor: &Tensor, hermitian: bool) -> Result<(), RunProblem> {
    match hermitian && tensor.dtype().is_complex() {
        true => unsupported("L D Lᴴ of complex matrices"),
        false => Ok(()),
    }
}

fn factored(context: &Context<'_>, args: &Arguments<'_>) -> Result<[Tensor; 3], RunProblem> {
    let tensor = args.tensor(0)?;
    refuse_hermitian(tensor, args.boolean(1)?)?;
    let all = Matrices::square(context, tensor)?;
    let (mut factors, mut pivots, mut infos) = (Vec::new(), Vec::new(), Vec::new());
    for matrix in all.each() {
        let mut matrix = matrix.clone();
        let (own, info) = factor(&mut matrix);
        factors.push(matrix);
        pivots.extend(own);
        infos.push(info);
    }
    let factors = all.stacked(context, (all.rows, all.rows), &factors)?;
    let pivots = all.integers(context, &[all.rows], pivots)?;
    Ok([factors, pivots, all.integers(context, &[], infos)?])
}

fn solve(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (factors, pivots, right) = (args.tensor(0)?, args.tensor(1)?, args.tensor(2)?);
    refuse_hermitian(factors, args.boolean(3)?)?;
    let [batch_b @ .., rows, columns] = right.shape() else {
        return refused("matrices are wanted");
    };
    let own = factors.shape();
    let batch_a = &own[..own.len().saturating_sub(2)];
    let batch = crate::tensor::broadcast(batch_a, batch_b)?;
    let full = |inner: &[usize]| batch.iter().chain(inner).copied().collect::<Vec<usize>>();
    if own.len() < 2 || own[own.len() - 2..] != [*rows, *rows] {
        return refused(format!("linalg.ldl_solve: {factors} and {right}"));
    }
    let factors = Matrices::from_tensor(context, &factors.expand(&full(&[*rows, *rows]))?)?;
    let right = Matrices::from_tensor(context, &right.expand(&full(&[*rows, *columns]))?)?;
    let pivots = pivots.expand(&full(&[*rows]))?.ints();
    let mut all = Vec::new();
    for ((a, b), pivots) in factors.each().zip(right.each()).zip(pivots.chunks((*rows).max(1))) {
        if pivots.iter().any(|at| *at == 0 || at.unsigned_abs() as usize > *rows) {
            return refused("linalg.ldl_solve: a pivot is out of range");
        }
        let mut b = b.clone();
        solved(a, pivots, &mut b);
        all.push(b);
    }
    Ok(right.stacked(context, (*rows, *columns), &all)?.into())
}

fn solved(a: &Matrix, pivots: &[i64], b: &mut Matrix) {
    let count = a.nrows();
    // The steps that the factors were made in: where each block begins, and how many rows it has.
    let (mut steps, mut k) = (Vec::new(), 0);
    while k < count {
        let size = if pivots[k] > 0 || k + 1 == count { 1 } else { 2 };
        steps.push((k, size));
        k += size;
    }
    for (k, size) in &steps {
        let last = k + size - 1;
        b.swap_rows(last, pivots[last].unsigned_abs() as usize - 1);
        for column in 0..b.ncols() {
            for row in last + 1..count {
                for at in *k..=last {
                    let part = a[(row, at)] * b[(at, column)];
                    b[(row, column)] -= part;
                }
            }
            if *size == 1 {
                b[(*k, column)] = quotient(b[(*k, column)], a[(*k, *k)]);
            } else {
                let own = (a[(*k, *k)], a[(last, *k)], a[(last, last)]);
                let [x, y] = block(own, [b[(*k, column)], b[(last, column)]]);
                b[(*k, column)] = x;
                b[(last, column)] = y;
            }
        }
    }
    for (k, size) in steps.iter().rev() {
        let last = k + size - 1;
        for column in 0..b.ncols() {
            for at in *k..=last {
                for row in last + 1..count {
                    let part = a[(row, at)] * b[(row, column)];
                    b[(at, column)] -= part;
                }
            }
        }
        b.swap_rows(last, pivots[last].unsigned_abs() as usize - 1);
    }
}
