//! Factors of matrices of any shape, of real and of complex numbers: LU, QR, Cholesky, and eigenvalues without symmetry.

use super::Arguments;
use super::complex::{product, quotient, sqrt};
use super::declaration::{Context, Operator, plain};
use super::decompose::{Stack, reflections};
use super::pointwise::Complex;
use crate::problem::{refused, unsupported};
use crate::tensor::Elements;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)", lu),
    plain("aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)", reflected),
    plain("aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)", |c, a| eigen(c, a, true)),
    plain("aten::linalg_eigvals(Tensor self) -> Tensor", |c, a| eigen(c, a, false)),
];

/// Matrices of complex numbers, one after the other, row by row.
pub(super) struct Matrices {
    tensor: Tensor,
    pub(super) batch: Vec<usize>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    all: Vec<Complex>,
}

impl Matrices {
    pub(super) fn from_tensor(context: &Context<'_>, tensor: &Tensor) -> Result<Self, RunProblem> {
        let [batch @ .., rows, columns] = tensor.shape() else {
            return refused(format!("The input tensor must have at least 2 dimensions: {tensor}"));
        };
        if tensor.dtype().is_integral() {
            return refused(format!(
                "Expected a floating point or complex tensor as input. Got {}",
                tensor.dtype()
            ));
        }
        let size = *rows.max(columns);
        context.meter.room(&[tensor.count(), 4])?;
        context.meter.work(tensor.count().saturating_mul(size).saturating_mul(8))?;
        let (batch, rows, columns) = (batch.to_vec(), *rows, *columns);
        Ok(Self { tensor: tensor.clone(), batch, rows, columns, all: tensor.complexes() })
    }

    pub(super) fn each(&self) -> impl Iterator<Item = Matrix> + '_ {
        let count: usize = self.batch.iter().product();
        let size = self.rows * self.columns;
        (0..count).map(move |at| Matrix {
            rows: self.rows,
            columns: self.columns,
            numbers: self.all[at * size..(at + 1) * size].to_vec(),
        })
    }

    /// A tensor of the type of these: of shape `inner` for each matrix.
    pub(super) fn tensor(
        &self,
        context: &Context<'_>,
        inner: &[usize],
        numbers: Vec<Complex>,
    ) -> Result<Tensor, RunProblem> {
        let shape: Vec<usize> = self.batch.iter().chain(inner).copied().collect();
        let dtype = self.tensor.dtype();
        let elements = match dtype.is_complex() {
            true => Elements::Complex(numbers),
            false => Elements::Float(numbers.into_iter().map(|(re, _)| re).collect()),
        };
        Tensor::from_elements(context.meter, dtype, &shape, &elements)
    }
}

/// One matrix, row by row.
#[derive(Clone)]
pub(super) struct Matrix {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) numbers: Vec<Complex>,
}

impl Matrix {
    fn identity(size: usize) -> Self {
        let mut numbers = vec![(0.0, 0.0); size * size];
        (0..size).for_each(|at| numbers[at * size + at].0 = 1.0);
        Self { rows: size, columns: size, numbers }
    }

    pub(super) fn at(&self, row: usize, column: usize) -> Complex {
        self.numbers[row * self.columns + column]
    }

    pub(super) fn set(&mut self, row: usize, column: usize, number: Complex) {
        self.numbers[row * self.columns + column] = number;
    }
}

fn sum(a: Complex, b: Complex) -> Complex {
    (a.0 + b.0, a.1 + b.1)
}

pub(super) fn difference(a: Complex, b: Complex) -> Complex {
    (a.0 - b.0, a.1 - b.1)
}

fn conjugate(a: Complex) -> Complex {
    (a.0, -a.1)
}

fn size(a: Complex) -> f64 {
    a.0.hypot(a.1)
}

/// Both triangular factors in place; with which row each was exchanged, counted from 1; the first pivot of zero.
fn lu_of(matrix: &mut Matrix, pivot: bool) -> (Vec<i64>, i64) {
    let (mut order, mut info) = (Vec::new(), 0);
    for column in 0..matrix.rows.min(matrix.columns) {
        let mut best = column;
        for row in column + 1..matrix.rows {
            // LAPACK compares the sums of both parts.
            let weight = |row: usize| {
                let (re, im) = matrix.at(row, column);
                re.abs() + im.abs()
            };
            if pivot && weight(row) > weight(best) {
                best = row;
            }
        }
        order.push(best as i64 + 1);
        if best != column {
            for at in 0..matrix.columns {
                let (x, y) = (matrix.at(column, at), matrix.at(best, at));
                matrix.set(column, at, y);
                matrix.set(best, at, x);
            }
        }
        let head = matrix.at(column, column);
        if head == (0.0, 0.0) {
            info = if info == 0 { column as i64 + 1 } else { info };
            continue;
        }
        for row in column + 1..matrix.rows {
            let factor = quotient(matrix.at(row, column), head);
            matrix.set(row, column, factor);
            for at in column + 1..matrix.columns {
                let rest = difference(matrix.at(row, at), product(factor, matrix.at(column, at)));
                matrix.set(row, at, rest);
            }
        }
    }
    (order, info)
}

fn lu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = Matrices::from_tensor(context, args.tensor(0)?)?;
    let pivot = args.boolean(1)?;
    let (mut factors, mut orders, mut infos) = (Vec::new(), Vec::new(), Vec::new());
    for mut matrix in all.each() {
        let (order, info) = lu_of(&mut matrix, pivot);
        factors.extend(matrix.numbers);
        orders.extend(order);
        infos.push(info);
    }
    let (rows, columns) = (all.rows, all.columns);
    let factors = all.tensor(context, &[rows, columns], factors)?;
    let ints = |inner: &[usize], numbers| {
        let shape: Vec<usize> = all.batch.iter().chain(inner).copied().collect();
        Tensor::of_ints(context.meter, Dtype::I32, &shape, numbers)
    };
    let orders = ints(&[rows.min(columns)], orders)?;
    Ok(ScriptValue::tuple(vec![factors.into(), orders.into(), ints(&[], infos)?.into()]))
}

pub(super) fn determinants(context: &Context<'_>, tensor: &Tensor) -> Result<Tensor, RunProblem> {
    let all = Matrices::from_tensor(context, tensor)?;
    if all.rows != all.columns {
        return refused("A must be batches of square matrices");
    }
    let of = |mut matrix: Matrix| {
        let (order, _) = lu_of(&mut matrix, true);
        let moved = order.iter().enumerate().filter(|(at, own)| **own != *at as i64 + 1).count();
        let start = if moved % 2 == 0 { (1.0, 0.0) } else { (-1.0, 0.0) };
        (0..matrix.rows).fold(start, |all, at| product(all, matrix.at(at, at)))
    };
    all.tensor(context, &[], all.each().map(of).collect())
}

/// The factor of Cholesky of complex matrices, of which the lower or the upper triangle counts.
pub(super) fn cholesky(
    context: &Context<'_>,
    tensor: &Tensor,
    upper: bool,
) -> Result<Tensor, RunProblem> {
    let all = Matrices::from_tensor(context, tensor)?;
    let size = all.rows;
    if all.rows != all.columns {
        return refused("A must be batches of square matrices");
    }
    let mut numbers = Vec::new();
    for (nth, matrix) in all.each().enumerate() {
        let mut factor =
            Matrix { rows: size, columns: size, numbers: vec![(0.0, 0.0); size * size] };
        for row in 0..size {
            for column in 0..=row {
                let given =
                    if upper { conjugate(matrix.at(column, row)) } else { matrix.at(row, column) };
                let known = (0..column).fold((0.0, 0.0), |all, k| {
                    sum(all, product(factor.at(row, k), conjugate(factor.at(column, k))))
                });
                let rest = difference(given, known);
                if row == column && (rest.0.is_nan() || rest.0 <= 0.0) {
                    return refused(format!(
                        "cholesky: (Batch element {nth}): The factorization could not be completed \
                         because the input is not positive-definite (the leading minor of order {} \
                         is not positive-definite).",
                        row + 1
                    ));
                }
                let value = match row == column {
                    true => (rest.0.sqrt(), 0.0),
                    false => quotient(rest, factor.at(column, column)),
                };
                factor.set(row, column, value);
            }
        }
        for row in 0..size {
            numbers.extend((0..size).map(|column| match upper {
                true => conjugate(factor.at(column, row)),
                false => factor.at(row, column),
            }));
        }
    }
    all.tensor(context, &[size, size], numbers)
}

/// Reflections that make a matrix triangular, with the signs of LAPACK: the triangle with the reflections below, and scales.
fn reflect(matrix: &mut Matrix) -> Vec<Complex> {
    let mut scales = Vec::new();
    for column in 0..matrix.rows.min(matrix.columns) {
        let below: f64 =
            (column + 1..matrix.rows).map(|row| size(matrix.at(row, column)).powi(2)).sum();
        let head = matrix.at(column, column);
        if below == 0.0 && head.1 == 0.0 {
            scales.push((0.0, 0.0));
            continue;
        }
        let beta = -(head.0 * head.0 + head.1 * head.1 + below).sqrt().copysign(head.0);
        let tau = ((beta - head.0) / beta, -head.1 / beta);
        let divisor = (head.0 - beta, head.1);
        for row in column + 1..matrix.rows {
            matrix.set(row, column, quotient(matrix.at(row, column), divisor));
        }
        matrix.set(column, column, (beta, 0.0));
        for other in column + 1..matrix.columns {
            let mut known = matrix.at(column, other);
            for row in column + 1..matrix.rows {
                let part = product(conjugate(matrix.at(row, column)), matrix.at(row, other));
                known = sum(known, part);
            }
            let step = product(conjugate(tau), known);
            matrix.set(column, other, difference(matrix.at(column, other), step));
            for row in column + 1..matrix.rows {
                let part = product(matrix.at(row, column), step);
                matrix.set(row, other, difference(matrix.at(row, other), part));
            }
        }
        scales.push(tau);
    }
    scales
}

pub(super) fn qr(
    context: &Context<'_>,
    tensor: &Tensor,
    reduced: bool,
) -> Result<(Tensor, Tensor), RunProblem> {
    let all = Matrices::from_tensor(context, tensor)?;
    let (rows, columns) = (all.rows, all.columns);
    context.meter.room(&[all.batch.iter().product::<usize>(), rows, rows])?;
    let inner = if reduced { rows.min(columns) } else { rows };
    let (mut qs, mut rs) = (Vec::new(), Vec::new());
    for mut matrix in all.each() {
        let scales = reflect(&mut matrix);
        let mut q = Matrix::identity(rows);
        for (column, tau) in scales.iter().enumerate().rev() {
            for other in 0..rows {
                let mut known = q.at(column, other);
                for row in column + 1..rows {
                    known =
                        sum(known, product(conjugate(matrix.at(row, column)), q.at(row, other)));
                }
                let step = product(*tau, known);
                q.set(column, other, difference(q.at(column, other), step));
                for row in column + 1..rows {
                    let part = product(matrix.at(row, column), step);
                    q.set(row, other, difference(q.at(row, other), part));
                }
            }
        }
        for row in 0..rows {
            qs.extend((0..inner).map(|column| q.at(row, column)));
        }
        for row in 0..inner {
            rs.extend((0..columns).map(|column| match row <= column {
                true => matrix.at(row, column),
                false => (0.0, 0.0),
            }));
        }
    }
    Ok((all.tensor(context, &[rows, inner], qs)?, all.tensor(context, &[inner, columns], rs)?))
}

fn reflected(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if tensor.dtype().is_complex() {
        let all = Matrices::from_tensor(context, tensor)?;
        let (mut factors, mut scales) = (Vec::new(), Vec::new());
        for mut matrix in all.each() {
            scales.extend(reflect(&mut matrix));
            factors.extend(matrix.numbers);
        }
        let factors = all.tensor(context, &[all.rows, all.columns], factors)?;
        let scales = all.tensor(context, &[all.rows.min(all.columns)], scales)?;
        return Ok(ScriptValue::tuple(vec![factors.into(), scales.into()]));
    }
    let stack = Stack::from_tensor(tensor)?;
    stack.charge(context)?;
    let (mut factors, mut scales) = (Vec::new(), Vec::new());
    for matrix in stack.each() {
        let (own, taus) = reflections(&matrix);
        factors.extend(own.numbers);
        scales.extend(taus);
    }
    let factors = stack.tensor(context, &[stack.rows, stack.columns], factors)?;
    let scales = stack.tensor(context, &[stack.rows.min(stack.columns)], scales)?;
    Ok(ScriptValue::tuple(vec![factors.into(), scales.into()]))
}

/// How many steps an eigenvalue may take.
const STEPS: usize = 300;

/// An upper triangle that is similar to the matrix, and the unitary one between both: steps of QR with shifts.
fn schur(mut a: Matrix) -> Option<(Matrix, Matrix)> {
    let count = a.rows;
    let mut vectors = Matrix::identity(count);
    let (mut end, mut steps) = (count, 0);
    // Zeros below the first diagonal under the main one, by rotations.
    for column in 0..count.saturating_sub(2) {
        for row in (column + 2..count).rev() {
            let turn = rotation(a.at(row - 1, column), a.at(row, column));
            rotate(&mut a, &mut vectors, row - 1, turn);
        }
    }
    let scale = a.numbers.iter().map(|n| size(*n)).fold(0.0, f64::max);
    while end > 1 {
        let small = |a: &Matrix, at: usize| {
            let around = size(a.at(at, at)) + size(a.at(at - 1, at - 1));
            let around = if around == 0.0 { scale } else { around };
            size(a.at(at, at - 1)) <= around * 1e-16
        };
        if small(&a, end - 1) {
            a.set(end - 1, end - 2, (0.0, 0.0));
            end -= 1;
            steps = 0;
            continue;
        }
        steps += 1;
        if steps > STEPS {
            return None;
        }
        let start = (1..end).rev().find(|at| small(&a, *at)).unwrap_or(0);
        let shift =
            if steps % 11 == 10 { (size(a.at(end - 1, end - 2)), 0.0) } else { wilkinson(&a, end) };
        let head = difference(a.at(start, start), shift);
        let mut pair = (head, a.at(start + 1, start));
        for at in start..end - 1 {
            rotate(&mut a, &mut vectors, at, rotation(pair.0, pair.1));
            if at + 2 < end {
                pair = (a.at(at + 1, at), a.at(at + 2, at));
            }
        }
    }
    Some((a, vectors))
}

/// The eigenvalue of the last two rows that is nearer to the last number.
fn wilkinson(a: &Matrix, end: usize) -> Complex {
    let (p, q) = (a.at(end - 2, end - 2), a.at(end - 2, end - 1));
    let (r, s) = (a.at(end - 1, end - 2), a.at(end - 1, end - 1));
    let half = ((p.0 + s.0) / 2.0, (p.1 + s.1) / 2.0);
    let off = difference(half, s);
    let root = sqrt(sum(product(off, off), product(q, r)));
    let (x, y) = (sum(half, root), difference(half, root));
    if size(difference(x, s)) < size(difference(y, s)) { x } else { y }
}

/// A rotation that makes the second of two numbers zero: a cosine and a sine.
fn rotation(a: Complex, b: Complex) -> (f64, Complex) {
    if b == (0.0, 0.0) {
        return (1.0, b);
    }
    if a == (0.0, 0.0) {
        return (0.0, (1.0, 0.0));
    }
    let length = size(a).hypot(size(b));
    let phase = (a.0 / size(a), a.1 / size(a));
    let sine = product(phase, conjugate(b));
    (size(a) / length, (sine.0 / length, sine.1 / length))
}

/// Turns two rows, and the same columns back.
fn rotate(a: &mut Matrix, vectors: &mut Matrix, at: usize, (cos, sin): (f64, Complex)) {
    let times = |n: Complex| (n.0 * cos, n.1 * cos);
    for column in 0..a.columns {
        let (x, y) = (a.at(at, column), a.at(at + 1, column));
        a.set(at, column, sum(times(x), product(sin, y)));
        a.set(at + 1, column, difference(times(y), product(conjugate(sin), x)));
    }
    for matrix in [a, vectors] {
        for row in 0..matrix.rows {
            let (x, y) = (matrix.at(row, at), matrix.at(row, at + 1));
            matrix.set(row, at, sum(times(x), product(conjugate(sin), y)));
            matrix.set(row, at + 1, difference(times(y), product(sin, x)));
        }
    }
}

/// The eigenvectors of a triangle, turned back; of length one, with the largest part real.
fn eigenvectors(triangle: &Matrix, vectors: &Matrix) -> Matrix {
    let count = triangle.rows;
    let mut all = Matrix::identity(count);
    let scale = triangle.numbers.iter().map(|n| size(*n)).fold(0.0, f64::max).max(1e-300);
    for own in 0..count {
        let mut part = vec![(0.0, 0.0); count];
        part[own] = (1.0, 0.0);
        for row in (0..own).rev() {
            let known = (row + 1..=own)
                .fold((0.0, 0.0), |all, at| sum(all, product(triangle.at(row, at), part[at])));
            let mut apart = difference(triangle.at(own, own), triangle.at(row, row));
            if size(apart) < scale * 1e-16 {
                apart = (scale * 1e-16, 0.0);
            }
            part[row] = quotient(known, apart);
        }
        let turned: Vec<Complex> = (0..count)
            .map(|row| {
                (0..=own)
                    .fold((0.0, 0.0), |all, at| sum(all, product(vectors.at(row, at), part[at])))
            })
            .collect();
        let length = turned.iter().map(|n| size(*n).powi(2)).sum::<f64>().sqrt();
        let largest = turned.iter().copied().fold((0.0, 0.0), |best, n| {
            if size(n) > size(best) * (1.0 + 1e-12) { n } else { best }
        });
        let phase = conjugate((largest.0 / size(largest), largest.1 / size(largest)));
        for (row, number) in turned.into_iter().enumerate() {
            let number = product(number, phase);
            all.set(row, own, (number.0 / length, number.1 / length));
        }
    }
    all
}

fn eigen(
    context: &Context<'_>,
    args: &Arguments<'_>,
    vectors: bool,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if tensor.dtype().is_float() {
        return unsupported("eigenvalues of real matrices in the order of LAPACK");
    }
    let all = Matrices::from_tensor(context, tensor)?;
    let count = all.rows;
    if all.rows != all.columns {
        return refused("A must be batches of square matrices");
    }
    context.meter.work(tensor.count().saturating_mul(count).saturating_mul(60))?;
    let (mut values, mut columns) = (Vec::new(), Vec::new());
    for matrix in all.each() {
        let Some((triangle, turned)) = schur(matrix) else {
            return unsupported("eigenvalues that do not converge");
        };
        values.extend((0..count).map(|at| triangle.at(at, at)));
        if vectors {
            columns.extend(eigenvectors(&triangle, &turned).numbers);
        }
    }
    let dtype = tensor.dtype();
    let tensor = |inner: &[usize], numbers| {
        let shape: Vec<usize> = all.batch.iter().chain(inner).copied().collect();
        Tensor::from_elements(context.meter, dtype, &shape, &Elements::Complex(numbers))
    };
    let values = tensor(&[count], values)?;
    match vectors {
        true => {
            Ok(ScriptValue::tuple(vec![values.into(), tensor(&[count, count], columns)?.into()]))
        }
        false => Ok(values.into()),
    }
}
