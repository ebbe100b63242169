//! Symmetric matrices that are not definite as L D Lᵀ, with blocks of one or two rows in D: the pivots of Bunch and Kaufman.

use super::Arguments;
use super::complex::{product, quotient};
use super::declaration::{Context, Operator, plain};
use super::factors::{Matrices, Matrix, difference};
use super::pointwise::Complex;
use crate::problem::{refused, unsupported};
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)", |c, a| factored(c, a).map(|[factors, pivots, _]| ScriptValue::tuple(vec![factors.into(), pivots.into()]))),
    plain("aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)", |c, a| factored(c, a).map(|all| ScriptValue::tuple(all.map(ScriptValue::from).to_vec()))),
    plain("aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", solve),
];

fn weight((re, im): Complex) -> f64 {
    re.abs() + im.abs()
}

fn exchange(a: &mut Matrix, first: (usize, usize), second: (usize, usize)) {
    let (x, y) = (a.at(first.0, first.1), a.at(second.0, second.1));
    a.set(first.0, first.1, y);
    a.set(second.0, second.1, x);
}

/// Which row becomes the next one, and how many rows the block has.
fn pivot(a: &Matrix, k: usize) -> (usize, usize) {
    let own = weight(a.at(k, k));
    let below = (k + 1..a.rows).map(|row| (row, weight(a.at(row, k))));
    let (best, most) = below.fold((k, 0.0), |best, next| if next.1 > best.1 { next } else { best });
    let bound = (1.0 + 17.0_f64.sqrt()) / 8.0;
    if own >= bound * most {
        return (k, 1);
    }
    let left = (k..best).map(|column| weight(a.at(best, column)));
    let down = (best + 1..a.rows).map(|row| weight(a.at(row, best)));
    let row = left.chain(down).fold(0.0, f64::max);
    if own >= bound * most * (most / row) {
        (k, 1)
    } else if weight(a.at(best, best)) >= bound * row {
        (best, 1)
    } else {
        (best, 2)
    }
}

/// The factors in the lower triangle, the pivots as LAPACK counts them, the first block of zero.
fn factor(a: &mut Matrix) -> (Vec<i64>, i64) {
    let count = a.rows;
    let (mut pivots, mut info, mut k) = (vec![0; count], 0, 0);
    while k < count {
        let (other, size) = pivot(a, k);
        let last = k + size - 1;
        if other != last {
            (other + 1..count).for_each(|row| exchange(a, (row, last), (row, other)));
            (last + 1..other).for_each(|at| exchange(a, (at, last), (other, at)));
            exchange(a, (last, last), (other, other));
            if size == 2 {
                exchange(a, (k + 1, k), (other, k));
            }
        }
        if size == 1 {
            let head = a.at(k, k);
            pivots[k] = other as i64 + 1;
            if head == (0.0, 0.0) {
                info = if info == 0 { k as i64 + 1 } else { info };
            } else {
                let column: Vec<Complex> = (0..count).map(|row| a.at(row, k)).collect();
                for j in k + 1..count {
                    let by = quotient(column[j], head);
                    for (row, own) in column.iter().enumerate().skip(j) {
                        let rest = difference(a.at(row, j), product(*own, by));
                        a.set(row, j, rest);
                    }
                    a.set(j, k, by);
                }
            }
        } else {
            (pivots[k], pivots[k + 1]) = (-(other as i64) - 1, -(other as i64) - 1);
            let (p, q, r) = (a.at(k, k), a.at(k + 1, k), a.at(k + 1, k + 1));
            let columns: Vec<[Complex; 2]> =
                (0..count).map(|row| [a.at(row, k), a.at(row, k + 1)]).collect();
            for j in k + 2..count {
                let [x, y] = block((p, q, r), columns[j]);
                for (row, [u, v]) in columns.iter().enumerate().skip(j) {
                    let rest = difference(a.at(row, j), product(*u, x));
                    a.set(row, j, difference(rest, product(*v, y)));
                }
                a.set(j, k, x);
                a.set(j, k + 1, y);
            }
        }
        k += size;
    }
    for row in 0..count {
        (row + 1..count).for_each(|column| a.set(row, column, (0.0, 0.0)));
    }
    (pivots, info)
}

/// What a symmetric block of two rows makes of a vector when it is divided by it.
fn block((p, q, r): (Complex, Complex, Complex), [x, y]: [Complex; 2]) -> [Complex; 2] {
    let size = difference(product(p, r), product(q, q));
    [
        quotient(difference(product(r, x), product(q, y)), size),
        quotient(difference(product(p, y), product(q, x)), size),
    ]
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
    let all = Matrices::from_tensor(context, tensor)?;
    if all.rows != all.columns {
        return refused("A must be batches of square matrices");
    }
    let (mut factors, mut pivots, mut infos) = (Vec::new(), Vec::new(), Vec::new());
    for mut matrix in all.each() {
        let (own, info) = factor(&mut matrix);
        factors.extend(matrix.numbers);
        pivots.extend(own);
        infos.push(info);
    }
    let ints = |inner: &[usize], numbers| {
        let shape: Vec<usize> = all.batch.iter().chain(inner).copied().collect();
        Tensor::of_ints(context.meter, Dtype::I32, &shape, numbers)
    };
    let factors = all.tensor(context, &[all.rows, all.rows], factors)?;
    Ok([factors, ints(&[all.rows], pivots)?, ints(&[], infos)?])
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
    for ((a, mut b), pivots) in factors.each().zip(right.each()).zip(pivots.chunks((*rows).max(1)))
    {
        if pivots.iter().any(|at| *at == 0 || at.unsigned_abs() as usize > *rows) {
            return refused("linalg.ldl_solve: a pivot is out of range");
        }
        solved(&a, pivots, &mut b);
        all.extend(b.numbers);
    }
    Ok(right.tensor(context, &[*rows, *columns], all)?.into())
}

fn solved(a: &Matrix, pivots: &[i64], b: &mut Matrix) {
    let count = a.rows;
    let swap = |b: &mut Matrix, row: usize, other: usize| {
        (0..b.columns).for_each(|column| exchange(b, (row, column), (other, column)));
    };
    // The steps that the factors were made in: where each block begins, and how many rows it has.
    let (mut steps, mut k) = (Vec::new(), 0);
    while k < count {
        let size = if pivots[k] > 0 || k + 1 == count { 1 } else { 2 };
        steps.push((k, size));
        k += size;
    }
    for (k, size) in &steps {
        let last = k + size - 1;
        swap(b, last, pivots[last].unsigned_abs() as usize - 1);
        for column in 0..b.columns {
            for row in last + 1..count {
                for at in *k..=last {
                    let part = product(a.at(row, at), b.at(at, column));
                    b.set(row, column, difference(b.at(row, column), part));
                }
            }
            if *size == 1 {
                b.set(*k, column, quotient(b.at(*k, column), a.at(*k, *k)));
            } else {
                let own = (a.at(*k, *k), a.at(last, *k), a.at(last, last));
                let [x, y] = block(own, [b.at(*k, column), b.at(last, column)]);
                b.set(*k, column, x);
                b.set(last, column, y);
            }
        }
    }
    for (k, size) in steps.iter().rev() {
        let last = k + size - 1;
        for column in 0..b.columns {
            for at in *k..=last {
                for row in last + 1..count {
                    let part = product(a.at(row, at), b.at(row, column));
                    b.set(at, column, difference(b.at(at, column), part));
                }
            }
        }
        swap(b, last, pivots[last].unsigned_abs() as usize - 1);
    }
}
