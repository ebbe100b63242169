//! Factors of matrices: Cholesky, QR, eigenvalues of symmetric ones, singular values, determinants.
//!
//! Each is calculated with 64 bits and rounded at the end. Where the result is not unique, the signs are
//! those of LAPACK for QR; for eigenvectors and singular vectors there is no rule, and a program that
//! depends on them depends on the machine.

use super::declaration::{Context, Operator, plain, with_out};
use super::solve::factored;
use super::{Arguments, complex};
use crate::problem::{refused, unsupported};
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    with_out("aten::cholesky(Tensor self, bool upper=False) -> Tensor", cholesky),
    with_out("aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor", cholesky),
    plain("aten::linalg_cholesky(Tensor self) -> Tensor", cholesky),
    plain("aten::qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)", |c, a| qr(c, a.tensor(0)?, a.boolean(1)?)),
    plain("aten::linalg_qr(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)", linalg_qr),
    plain("aten::symeig(Tensor self, bool eigenvectors=False, bool upper=True) -> (Tensor eigenvalues, Tensor eigenvectors)", symeig),
    plain("aten::linalg_eigh(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)", |c, a| eigen(c, a.tensor(0)?, a.text(1)? == "U").map(|(values, vectors)| ScriptValue::tuple(vec![values.into(), vectors.into()]))),
    plain("aten::linalg_eigvalsh(Tensor self, str UPLO=\"L\") -> Tensor", eigenvalues),
    plain("aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)", svd),
    plain("aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)", linalg_svd),
    plain("aten::linalg_svd(Tensor self, bool full_matrices=True) -> (Tensor U, Tensor S, Tensor V)", linalg_svd),
    plain("aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", singular_values),
    plain("aten::matrix_rank(Tensor self, bool symmetric=False) -> Tensor", |c, a| rank(c, a.tensor(0)?, None)),
    plain("aten::matrix_rank.tol(Tensor self, float tol, bool symmetric=False) -> Tensor", |c, a| rank(c, a.tensor(0)?, Some(a.float(1)?))),
    plain("aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor", |c, a| rank(c, a.tensor(0)?, Some(a.float(1)?))),
    plain("aten::linalg_matrix_rank(Tensor self, float? tol=None, bool hermitian=False) -> Tensor", |c, a| rank(c, a.tensor(0)?, a.float_or_none(1)?)),
    plain("aten::linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", rank_of_two),
    plain("aten::det(Tensor self) -> Tensor", det),
    plain("aten::linalg_det(Tensor A) -> Tensor", det),
    plain("aten::logdet(Tensor self) -> Tensor", logdet),
    plain("aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", slogdet),
    plain("aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", slogdet),
];

/// Matrices of one shape, one after the other, row by row.
pub(super) struct Stack {
    pub(super) batch: Vec<usize>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) numbers: Vec<f64>,
    pub(super) dtype: Dtype,
}

impl Stack {
    pub(super) fn from_tensor(tensor: &Tensor) -> Result<Self, RunProblem> {
        let [batch @ .., rows, columns] = tensor.shape() else {
            return refused(format!("The input tensor must have at least 2 dimensions: {tensor}"));
        };
        if tensor.dtype().is_integral() {
            return refused(format!(
                "Expected a floating point or complex tensor as input. Got {}",
                tensor.dtype()
            ));
        }
        if tensor.dtype().is_complex() {
            return unsupported("factors of complex matrices");
        }
        let (batch, rows, columns) = (batch.to_vec(), *rows, *columns);
        Ok(Self { batch, rows, columns, numbers: tensor.floats(), dtype: tensor.dtype() })
    }

    pub(super) fn square(tensor: &Tensor) -> Result<Self, RunProblem> {
        let stack = Self::from_tensor(tensor)?;
        if stack.rows != stack.columns {
            return refused(format!(
                "A must be batches of square matrices, but they are {} by {} matrices",
                stack.rows, stack.columns
            ));
        }
        Ok(stack)
    }

    pub(super) fn each(&self) -> impl Iterator<Item = Matrix> + '_ {
        let size = self.rows * self.columns;
        let count: usize = self.batch.iter().product();
        (0..count).map(move |at| Matrix {
            rows: self.rows,
            columns: self.columns,
            numbers: self.numbers[at * size..(at + 1) * size].to_vec(),
        })
    }

    /// A tensor of matrices, or of vectors, one for each of these.
    pub(super) fn tensor(
        &self,
        context: &Context<'_>,
        shape: &[usize],
        numbers: Vec<f64>,
    ) -> Result<Tensor, RunProblem> {
        let shape: Vec<usize> = self.batch.iter().chain(shape).copied().collect();
        Tensor::of_floats(context.meter, self.dtype, &shape, numbers)
    }

    pub(super) fn charge(&self, context: &Context<'_>) -> Result<(), RunProblem> {
        let size = self.rows.max(self.columns);
        // A factor may be square where the matrix is not.
        let matrices = self.numbers.len() / self.rows.saturating_mul(self.columns).max(1);
        context.meter.room(&[matrices, size, size])?;
        context.meter.work(self.numbers.len().saturating_mul(size).saturating_mul(4))
    }
}

/// One matrix, row by row.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) numbers: Vec<f64>,
}

impl Matrix {
    pub(super) fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, numbers: vec![0.0; rows * columns] }
    }

    pub(super) fn identity(size: usize) -> Self {
        let mut eye = Self::zeros(size, size);
        (0..size).for_each(|at| eye.set(at, at, 1.0));
        eye
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.numbers[row * self.columns + column]
    }

    pub(super) fn set(&mut self, row: usize, column: usize, number: f64) {
        self.numbers[row * self.columns + column] = number;
    }

    pub(super) fn transposed(&self) -> Self {
        let mut other = Self::zeros(self.columns, self.rows);
        for row in 0..self.rows {
            (0..self.columns).for_each(|column| other.set(column, row, self.at(row, column)));
        }
        other
    }
}

fn cholesky(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if args.tensor(0)?.dtype().is_complex() {
        return Ok(super::factors::cholesky(context, args.tensor(0)?, args.is_set(1))?.into());
    }
    let stack = Stack::square(args.tensor(0)?)?;
    stack.charge(context)?;
    let upper = args.is_set(1);
    let (size, mut all) = (stack.rows, Vec::new());
    for (nth, matrix) in stack.each().enumerate() {
        let mut factor = Matrix::zeros(size, size);
        for row in 0..size {
            for column in 0..=row {
                let sum: f64 = (0..column).map(|k| factor.at(row, k) * factor.at(column, k)).sum();
                let given = if upper { matrix.at(column, row) } else { matrix.at(row, column) };
                let rest = given - sum;
                if row == column && rest.is_nan() | (rest <= 0.0) {
                    return refused(format!(
                        "cholesky: (Batch element {nth}): The factorization could not be completed \
                         because the input is not positive-definite (the leading minor of order {} \
                         is not positive-definite).",
                        row + 1
                    ));
                }
                let value =
                    if row == column { rest.sqrt() } else { rest / factor.at(column, column) };
                factor.set(row, column, value);
            }
        }
        all.extend(if upper { factor.transposed() } else { factor }.numbers);
    }
    Ok(stack.tensor(context, &[size, size], all)?.into())
}

/// Orthogonal and triangular factor by reflections, with the signs of LAPACK.
fn householder(matrix: &Matrix) -> (Matrix, Matrix) {
    let mut r = matrix.clone();
    let mut q = Matrix::identity(matrix.rows);
    for column in 0..matrix.columns.min(matrix.rows) {
        let below: f64 = (column + 1..r.rows).map(|row| r.at(row, column).powi(2)).sum();
        let head = r.at(column, column);
        if below == 0.0 {
            continue;
        }
        let beta = -(head * head + below).sqrt().copysign(head);
        let tau = (beta - head) / beta;
        let mut v = vec![0.0; r.rows];
        v[column] = 1.0;
        (column + 1..r.rows).for_each(|row| v[row] = r.at(row, column) / (head - beta));
        for other in 0..r.columns {
            let sum: f64 = (column..r.rows).map(|row| v[row] * r.at(row, other)).sum();
            (column..r.rows)
                .for_each(|row| r.set(row, other, r.at(row, other) - tau * v[row] * sum));
        }
        for row in 0..q.rows {
            let sum: f64 = (column..q.columns).map(|at| q.at(row, at) * v[at]).sum();
            (column..q.columns).for_each(|at| q.set(row, at, q.at(row, at) - tau * sum * v[at]));
        }
        (column + 1..r.rows).for_each(|row| r.set(row, column, 0.0));
    }
    (q, r)
}

fn qr(context: &Context<'_>, tensor: &Tensor, reduced: bool) -> Result<ScriptValue, RunProblem> {
    if tensor.dtype().is_complex() {
        let (q, r) = super::factors::qr(context, tensor, reduced)?;
        return Ok(ScriptValue::tuple(vec![q.into(), r.into()]));
    }
    let stack = Stack::from_tensor(tensor)?;
    stack.charge(context)?;
    context
        .meter
        .work(stack.batch.iter().product::<usize>().saturating_mul(stack.rows * stack.rows))?;
    let inner = if reduced { stack.rows.min(stack.columns) } else { stack.rows };
    let (mut qs, mut rs) = (Vec::new(), Vec::new());
    for matrix in stack.each() {
        let (q, r) = householder(&matrix);
        for row in 0..stack.rows {
            qs.extend((0..inner).map(|column| q.at(row, column)));
        }
        for row in 0..inner {
            rs.extend((0..stack.columns).map(|column| r.at(row, column)));
        }
    }
    let q = stack.tensor(context, &[stack.rows, inner], qs)?;
    let r = stack.tensor(context, &[inner, stack.columns], rs)?;
    Ok(ScriptValue::tuple(vec![q.into(), r.into()]))
}

fn linalg_qr(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    match args.text(1)? {
        "reduced" => qr(context, args.tensor(0)?, true),
        "complete" => qr(context, args.tensor(0)?, false),
        "r" => {
            let both = qr(context, args.tensor(0)?, true)?.items().unwrap_or_default();
            let empty =
                Tensor::of_floats(context.meter, args.tensor(0)?.dtype(), &[0], Vec::new())?;
            Ok(ScriptValue::tuple(vec![
                empty.into(),
                both.last().cloned().unwrap_or(ScriptValue::None),
            ]))
        }
        other => refused(format!("qr received unrecognized mode '{other}'")),
    }
}

/// Both factors in one matrix: the triangle, and below it the reflections, with the scale of each.
pub(super) fn reflections(matrix: &Matrix) -> (Matrix, Vec<f64>) {
    let (mut r, mut scales) = (matrix.clone(), Vec::new());
    for column in 0..matrix.columns.min(matrix.rows) {
        let below: f64 = (column + 1..r.rows).map(|row| r.at(row, column).powi(2)).sum();
        let head = r.at(column, column);
        if below == 0.0 {
            scales.push(0.0);
            continue;
        }
        let beta = -(head * head + below).sqrt().copysign(head);
        let tau = (beta - head) / beta;
        (column + 1..r.rows).for_each(|row| r.set(row, column, r.at(row, column) / (head - beta)));
        for other in column + 1..r.columns {
            let rest: f64 =
                (column + 1..r.rows).map(|row| r.at(row, column) * r.at(row, other)).sum();
            let sum = r.at(column, other) + rest;
            r.set(column, other, r.at(column, other) - tau * sum);
            for row in column + 1..r.rows {
                r.set(row, other, r.at(row, other) - tau * r.at(row, column) * sum);
            }
        }
        r.set(column, column, beta);
        scales.push(tau);
    }
    (r, scales)
}

/// Multiplies by the orthogonal factor, or by its transpose, from the left.
pub(super) fn reflect(factors: &Matrix, scales: &[f64], right: &mut Matrix, transpose: bool) {
    let mut order: Vec<usize> = (0..scales.len()).collect();
    if !transpose {
        order.reverse();
    }
    for at in order {
        for column in 0..right.columns {
            let rest: f64 =
                (at + 1..right.rows).map(|row| factors.at(row, at) * right.at(row, column)).sum();
            let sum = scales[at] * (right.at(at, column) + rest);
            right.set(at, column, right.at(at, column) - sum);
            for row in at + 1..right.rows {
                right.set(row, column, right.at(row, column) - sum * factors.at(row, at));
            }
        }
    }
}

/// Eigenvalues, rising, and eigenvectors as columns, of a symmetric matrix: Jacobi's rotations.
fn jacobi(matrix: &Matrix) -> (Vec<f64>, Matrix) {
    let size = matrix.rows;
    let (mut a, mut vectors) = (matrix.clone(), Matrix::identity(size));
    for _ in 0..100 {
        let mut off = 0.0;
        for row in 0..size {
            off += (0..row).map(|column| a.at(row, column).powi(2)).sum::<f64>();
        }
        let scale: f64 = a.numbers.iter().map(|n| n * n).sum();
        if off <= scale * 1e-32 || !scale.is_finite() {
            break;
        }
        for p in 0..size {
            for q in p + 1..size {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|x, y| a.at(*x, *x).total_cmp(&a.at(*y, *y)));
    let mut sorted = Matrix::zeros(size, size);
    for (to, from) in order.iter().enumerate() {
        (0..size).for_each(|row| sorted.set(row, to, vectors.at(row, *from)));
    }
    (order.iter().map(|at| a.at(*at, *at)).collect(), sorted)
}

fn rotate(a: &mut Matrix, vectors: &mut Matrix, p: usize, q: usize) {
    if a.at(p, q) == 0.0 {
        return;
    }
    let theta = (a.at(q, q) - a.at(p, p)) / (2.0 * a.at(p, q));
    let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..a.rows {
        let (x, y) = (a.at(k, p), a.at(k, q));
        a.set(k, p, c * x - s * y);
        a.set(k, q, s * x + c * y);
    }
    for k in 0..a.rows {
        let (x, y) = (a.at(p, k), a.at(q, k));
        a.set(p, k, c * x - s * y);
        a.set(q, k, s * x + c * y);
        let (x, y) = (vectors.at(k, p), vectors.at(k, q));
        vectors.set(k, p, c * x - s * y);
        vectors.set(k, q, s * x + c * y);
    }
}

/// Of one triangle of a symmetric matrix.
fn eigen(
    context: &Context<'_>,
    tensor: &Tensor,
    upper: bool,
) -> Result<(Tensor, Tensor), RunProblem> {
    let stack = Stack::square(tensor)?;
    stack.charge(context)?;
    let (mut values, mut vectors) = (Vec::new(), Vec::new());
    for mut matrix in stack.each() {
        for row in 0..stack.rows {
            for column in 0..row {
                let number = if upper { matrix.at(column, row) } else { matrix.at(row, column) };
                matrix.set(row, column, number);
                matrix.set(column, row, number);
            }
        }
        let (own, columns) = jacobi(&matrix);
        values.extend(own);
        vectors.extend(columns.numbers);
    }
    let values = stack.tensor(context, &[stack.rows], values)?;
    Ok((values, stack.tensor(context, &[stack.rows, stack.rows], vectors)?))
}

fn eigenvalues(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, upper) = (args.tensor(0)?, args.text(1)? == "U");
    if tensor.dtype().is_complex() {
        let given = [tensor.clone().into(), upper.into()];
        return (context.compose)(context, "complex_eigenvalues", &given);
    }
    Ok(eigen(context, tensor, upper)?.0.into())
}

fn singular_values(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(values_of(context, args.tensor(0)?)?.into())
}

/// The singular values alone, of complex matrices too.
fn values_of(context: &Context<'_>, tensor: &Tensor) -> Result<Tensor, RunProblem> {
    if tensor.dtype().is_complex() {
        return match (context.compose)(context, "complex_singular", &[tensor.clone().into()])? {
            ScriptValue::Tensor(values) => Ok(values),
            _ => unsupported("singular values that are no tensor"),
        };
    }
    Ok(singular(context, tensor)?.1)
}

fn symeig(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (values, vectors) = eigen(context, args.tensor(0)?, args.boolean(2)?)?;
    let vectors = if args.boolean(1)? {
        vectors
    } else {
        Tensor::of_floats(context.meter, values.dtype(), &[0], Vec::new())?
    };
    Ok(ScriptValue::tuple(vec![values.into(), vectors.into()]))
}

/// `U`, singular values, `V`: rotations of the columns until they are orthogonal to each other.
fn one_sided(matrix: &Matrix) -> (Matrix, Vec<f64>, Matrix) {
    if matrix.rows < matrix.columns {
        let (u, s, v) = one_sided(&matrix.transposed());
        return (v, s, u);
    }
    let (rows, columns) = (matrix.rows, matrix.columns);
    let (mut u, mut v) = (matrix.clone(), Matrix::identity(columns));
    for _ in 0..60 {
        let mut changed = false;
        for p in 0..columns {
            for q in p + 1..columns {
                let (mut alpha, mut beta, mut gamma) = (0.0, 0.0, 0.0);
                for row in 0..rows {
                    alpha += u.at(row, p).powi(2);
                    beta += u.at(row, q).powi(2);
                    gamma += u.at(row, p) * u.at(row, q);
                }
                if gamma.abs() <= 1e-15 * (alpha * beta).sqrt() || gamma == 0.0 || gamma.is_nan() {
                    continue;
                }
                changed = true;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let t = 1.0_f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                turn(&mut u, p, q, c, c * t);
                turn(&mut v, p, q, c, c * t);
            }
        }
        if !changed {
            break;
        }
    }
    let size = |column: usize| (0..rows).map(|row| u.at(row, column).powi(2)).sum::<f64>().sqrt();
    let sizes: Vec<f64> = (0..columns).map(size).collect();
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by(|a, b| sizes[*b].total_cmp(&sizes[*a]));
    let (mut left, mut right) = (Matrix::zeros(rows, columns), Matrix::zeros(columns, columns));
    for (to, from) in order.iter().enumerate() {
        let scale = if sizes[*from] == 0.0 { 0.0 } else { 1.0 / sizes[*from] };
        (0..rows).for_each(|row| left.set(row, to, u.at(row, *from) * scale));
        (0..columns).for_each(|row| right.set(row, to, v.at(row, *from)));
    }
    (left, order.iter().map(|at| sizes[*at]).collect(), right)
}

fn turn(matrix: &mut Matrix, p: usize, q: usize, c: f64, s: f64) {
    for row in 0..matrix.rows {
        let (x, y) = (matrix.at(row, p), matrix.at(row, q));
        matrix.set(row, p, c * x - s * y);
        matrix.set(row, q, s * x + c * y);
    }
}

/// `U`, singular values, `V`, as narrow as they may be.
pub(super) fn singular(
    context: &Context<'_>,
    tensor: &Tensor,
) -> Result<(Tensor, Tensor, Tensor), RunProblem> {
    let stack = Stack::from_tensor(tensor)?;
    stack.charge(context)?;
    let inner = stack.rows.min(stack.columns);
    let (mut us, mut sizes, mut vs) = (Vec::new(), Vec::new(), Vec::new());
    for matrix in stack.each() {
        let (u, s, v) = one_sided(&matrix);
        us.extend(u.numbers);
        sizes.extend(s);
        vs.extend(v.numbers);
    }
    Ok((
        stack.tensor(context, &[stack.rows, inner], us)?,
        stack.tensor(context, &[inner], sizes)?,
        stack.tensor(context, &[stack.columns, inner], vs)?,
    ))
}

fn svd(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if !args.boolean(1)? && tensor.shape().last() != tensor.shape().iter().rev().nth(1) {
        return unsupported("all singular vectors of a matrix that is not square");
    }
    let (u, s, v) = singular(context, tensor)?;
    Ok(ScriptValue::tuple(vec![u.into(), s.into(), v.into()]))
}

fn linalg_svd(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if args.boolean(1)? && tensor.shape().last() != tensor.shape().iter().rev().nth(1) {
        return unsupported("all singular vectors of a matrix that is not square");
    }
    let (u, s, v) = singular(context, tensor)?;
    Ok(ScriptValue::tuple(vec![u.into(), s.into(), v.transposed()?.into()]))
}

/// How many singular values are above a tolerance.
fn rank(
    context: &Context<'_>,
    tensor: &Tensor,
    tolerance: Option<f64>,
) -> Result<ScriptValue, RunProblem> {
    let (values, size) = (values_of(context, tensor)?, largest_side(tensor));
    if values.shape().last() == Some(&0) {
        return no_rank(context, &values);
    }
    let numbers = values.floats();
    let ranks = runs_of(&values, &numbers).map(|run| {
        let largest = run.iter().copied().fold(0.0, f64::max);
        let bound = tolerance.unwrap_or(largest * size * epsilon(tensor.dtype()));
        run.iter().filter(|value| **value > bound).count() as i64
    });
    let batch = &values.shape()[..values.rank() - 1];
    Ok(Tensor::of_ints(context.meter, Dtype::I64, batch, ranks.collect())?.into())
}

/// Of matrices without elements.
fn no_rank(context: &Context<'_>, values: &Tensor) -> Result<ScriptValue, RunProblem> {
    let batch = &values.shape()[..values.rank() - 1];
    Ok(Tensor::filled(context.meter, Dtype::I64, batch, crate::ScalarValue::Int(0))?.into())
}

fn largest_side(tensor: &Tensor) -> f64 {
    tensor.shape().iter().rev().take(2).copied().max().unwrap_or(0) as f64
}

fn runs_of<'n>(values: &Tensor, numbers: &'n [f64]) -> impl Iterator<Item = &'n [f64]> + use<'n> {
    numbers.chunks(values.shape().last().copied().unwrap_or(1).max(1))
}

fn epsilon(dtype: Dtype) -> f64 {
    if matches!(dtype, Dtype::F64 | Dtype::C128) { f64::EPSILON } else { f64::from(f32::EPSILON) }
}

fn rank_of_two(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (absolute, relative) = (args.float_or_none(1)?, args.float_or_none(2)?);
    let size = largest_side(tensor);
    let default =
        if absolute.is_some_and(|a| a > 0.0) { 0.0 } else { size * epsilon(tensor.dtype()) };
    let relative = relative.unwrap_or(default);
    let values = values_of(context, tensor)?;
    if values.shape().last() == Some(&0) {
        return no_rank(context, &values);
    }
    let numbers = values.floats();
    let ranks = runs_of(&values, &numbers).map(|run| {
        let largest = run.iter().copied().fold(0.0, f64::max);
        let bound = absolute.unwrap_or(0.0).max(relative * largest);
        run.iter().filter(|value| **value > bound).count() as i64
    });
    let batch = &values.shape()[..values.rank() - 1];
    Ok(Tensor::of_ints(context.meter, Dtype::I64, batch, ranks.collect())?.into())
}

/// Sign and logarithm of the size of each determinant.
fn determinants(stack: &Stack) -> Vec<(f64, f64)> {
    let of = |matrix: Matrix| {
        let (lu, order) = factored(&matrix);
        let swaps: usize = order.iter().enumerate().filter(|(at, row)| at != *row).count();
        let mut sign = if swaps.is_multiple_of(2) { 1.0 } else { -1.0 };
        let mut log = 0.0;
        for at in 0..lu.rows {
            let pivot = lu.at(at, at);
            sign *= if pivot == 0.0 { 0.0 } else { pivot.signum() };
            log += pivot.abs().ln();
        }
        (sign, log)
    };
    stack.each().map(of).collect()
}

fn determinant(
    context: &Context<'_>,
    args: &Arguments<'_>,
    of: fn(f64, f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let stack = Stack::square(args.tensor(0)?)?;
    stack.charge(context)?;
    let numbers = determinants(&stack).into_iter().map(|(sign, log)| of(sign, log)).collect();
    Ok(stack.tensor(context, &[], numbers)?.into())
}

fn det(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if args.tensor(0)?.dtype().is_complex() {
        return Ok(super::factors::determinants(context, args.tensor(0)?)?.into());
    }
    determinant(context, args, |sign, log| sign * log.exp())
}

fn logdet(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if args.tensor(0)?.dtype().is_complex() {
        let all = super::factors::determinants(context, args.tensor(0)?)?;
        return complex::mapped(context, &all, complex::ln);
    }
    determinant(context, args, |sign, log| if sign < 0.0 { f64::NAN } else { log })
}

fn slogdet(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if args.tensor(0)?.dtype().is_complex() {
        let all = super::factors::determinants(context, args.tensor(0)?)?;
        let sign = |(re, im): (f64, f64)| match re.hypot(im) {
            0.0 => (0.0, 0.0),
            size => (re / size, im / size),
        };
        let logs = all.complexes().into_iter().map(|(re, im)| re.hypot(im).ln()).collect();
        let logs = Tensor::of_floats(context.meter, all.dtype().part(), all.shape(), logs)?;
        return Ok(ScriptValue::tuple(vec![complex::mapped(context, &all, sign)?, logs.into()]));
    }
    let stack = Stack::square(args.tensor(0)?)?;
    stack.charge(context)?;
    let (signs, logs) = determinants(&stack).into_iter().unzip();
    let signs = stack.tensor(context, &[], signs)?;
    Ok(ScriptValue::tuple(vec![signs.into(), stack.tensor(context, &[], logs)?.into()]))
}
