//! Batches of matrices. All are of complex numbers with 64 bits, so that each algorithm stands here once: the imaginary
//! parts of real ones are zero and stay it. Results are rounded to the type of the tensor at the end.

use nalgebra::{Complex, DMatrix};

use super::declaration::Context;
use crate::problem::{refused, unsupported};
use crate::tensor::Elements;
use crate::{Dtype, RunProblem, Tensor};

pub(super) type Number = Complex<f64>;
pub(super) type Matrix = DMatrix<Number>;

/// How many steps singular values and eigenvalues may take.
const STEPS: usize = 10_000;

/// Matrices of one shape, one after the other.
pub(super) struct Matrices {
    pub(super) batch: Vec<usize>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    dtype: Dtype,
    all: Vec<Matrix>,
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
        let (batch, rows, columns) = (batch.to_vec(), *rows, *columns);
        // A factor may be square where the matrix is not.
        let (count, size) = (crate::tensor::count(&batch)?, rows.max(columns));
        context.meter.room(&[count, size.max(1), size.max(1), 4])?;
        context.meter.work(tensor.count().saturating_mul(size).saturating_mul(8))?;
        let mut numbers = tensor.complexes().into_iter().map(|(re, im)| Number::new(re, im));
        let read =
            |_| Matrix::from_row_iterator(rows, columns, numbers.by_ref().take(rows * columns));
        let all = (0..count).map(read).collect();
        Ok(Self { batch, rows, columns, dtype: tensor.dtype(), all })
    }

    pub(super) fn square(context: &Context<'_>, tensor: &Tensor) -> Result<Self, RunProblem> {
        let matrices = Self::from_tensor(context, tensor)?;
        if matrices.rows != matrices.columns {
            return refused(format!(
                "A must be batches of square matrices, but they are {} by {} matrices",
                matrices.rows, matrices.columns
            ));
        }
        Ok(matrices)
    }

    pub(super) fn each(&self) -> std::slice::Iter<'_, Matrix> {
        self.all.iter()
    }

    /// How many numbers they have together.
    pub(super) fn numbers(&self) -> usize {
        self.all.len() * self.rows * self.columns
    }

    fn shape(&self, inner: &[usize]) -> Vec<usize> {
        self.batch.iter().chain(inner).copied().collect()
    }

    /// A tensor of the type of these: of shape `inner` for each matrix.
    pub(super) fn tensor(
        &self,
        context: &Context<'_>,
        inner: &[usize],
        numbers: impl Iterator<Item = Number>,
    ) -> Result<Tensor, RunProblem> {
        let elements = match self.dtype.is_complex() {
            true => Elements::Complex(numbers.map(|n| (n.re, n.im)).collect()),
            false => Elements::Float(numbers.map(|n| n.re).collect()),
        };
        Tensor::from_elements(context.meter, self.dtype, &self.shape(inner), &elements)
    }

    /// A tensor of matrices, one for each of these.
    pub(super) fn stacked(
        &self,
        context: &Context<'_>,
        (rows, columns): (usize, usize),
        all: &[Matrix],
    ) -> Result<Tensor, RunProblem> {
        let numbers =
            all.iter().flat_map(|matrix| matrix.transpose().iter().copied().collect::<Vec<_>>());
        self.tensor(context, &[rows, columns], numbers)
    }

    /// A tensor of real numbers, of as many bits as the parts of these.
    pub(super) fn reals(
        &self,
        context: &Context<'_>,
        inner: &[usize],
        numbers: Vec<f64>,
    ) -> Result<Tensor, RunProblem> {
        Tensor::of_floats(context.meter, self.dtype.part(), &self.shape(inner), numbers)
    }

    /// A tensor of `int32`.
    pub(super) fn integers(
        &self,
        context: &Context<'_>,
        inner: &[usize],
        numbers: Vec<i64>,
    ) -> Result<Tensor, RunProblem> {
        Tensor::of_ints(context.meter, Dtype::I32, &self.shape(inner), numbers)
    }
}

/// The quotient without a loss at real numbers, whose squares may not be numbers any more.
pub(super) fn quotient(a: Number, b: Number) -> Number {
    if b.im == 0.0 { Number::new(a.re / b.re, a.im / b.re) } else { a / b }
}

/// The matrix of which only one triangle counts: equal to its adjoint.
pub(super) fn hermitian(matrix: &Matrix, upper: bool) -> Matrix {
    Matrix::from_fn(matrix.nrows(), matrix.ncols(), |row, column| match row == column {
        true => matrix[(row, row)].re.into(),
        false if (row < column) == upper => matrix[(row, column)],
        false => matrix[(column, row)].conj(),
    })
}

/// Both triangular factors of a matrix.
pub(super) struct LuFactors {
    /// The upper one, and below it the lower one, whose diagonal is of ones.
    pub(super) lu: Matrix,
    /// With which row each was exchanged.
    pub(super) order: Vec<usize>,
    /// The first pivot of zero.
    pub(super) zero: Option<usize>,
}

/// Factors with the pivots of LAPACK, which compares the sums of both parts.
pub(super) fn lu(matrix: &Matrix, pivots: bool) -> LuFactors {
    let (mut lu, mut order, mut zero) = (matrix.clone(), Vec::new(), None);
    for column in 0..lu.nrows().min(lu.ncols()) {
        let weight = |row: usize| lu[(row, column)].re.abs() + lu[(row, column)].im.abs();
        let rows = if pivots { column + 1..lu.nrows() } else { 0..0 };
        let best =
            rows.fold(column, |best, row| if weight(row) > weight(best) { row } else { best });
        order.push(best);
        lu.swap_rows(column, best);
        let head = lu[(column, column)];
        if head == Number::ZERO {
            zero = zero.or(Some(column));
            continue;
        }
        for row in column + 1..lu.nrows() {
            let factor = quotient(lu[(row, column)], head);
            lu[(row, column)] = factor;
            for at in column + 1..lu.ncols() {
                let part = factor * lu[(column, at)];
                lu[(row, at)] -= part;
            }
        }
    }
    LuFactors { lu, order, zero }
}

/// The solution of a triangular system, in place; an upper one is solved from below.
pub(super) fn substitute(matrix: &Matrix, right: &mut Matrix, upper: bool, unit: bool) {
    let size = matrix.nrows();
    for nth in 0..size {
        let row = if upper { size - 1 - nth } else { nth };
        let known = if upper { row + 1..size } else { 0..row };
        for column in 0..right.ncols() {
            let sum: Number = known.clone().map(|at| matrix[(row, at)] * right[(at, column)]).sum();
            let rest = right[(row, column)] - sum;
            right[(row, column)] = if unit { rest } else { quotient(rest, matrix[(row, row)]) };
        }
    }
}

/// The lower factor of a Hermitian matrix, or the first leading minor that is not positive-definite.
pub(super) fn cholesky(matrix: &Matrix) -> Result<Matrix, usize> {
    let size = matrix.nrows();
    let mut factor = Matrix::zeros(size, size);
    for row in 0..size {
        for column in 0..=row {
            let known = (0..column).map(|k| factor[(row, k)] * factor[(column, k)].conj());
            let rest = matrix[(row, column)] - known.sum::<Number>();
            if row == column && (rest.re.is_nan() || rest.re <= 0.0) {
                return Err(row + 1);
            }
            factor[(row, column)] = match row == column {
                true => rest.re.sqrt().into(),
                false => quotient(rest, factor[(column, column)]),
            };
        }
    }
    Ok(factor)
}

/// Reflections that make a matrix triangular, with the signs of LAPACK, which nalgebra's have not: the triangle with the
/// reflections below it, and the scale of each.
pub(super) fn reflections(matrix: &Matrix) -> (Matrix, Vec<Number>) {
    let (mut r, mut scales) = (matrix.clone(), Vec::new());
    let rows = r.nrows();
    for at in 0..rows.min(r.ncols()) {
        let head = r[(at, at)];
        let below: f64 = (at + 1..rows).map(|row| r[(row, at)].norm_sqr()).sum();
        if below == 0.0 && head.im == 0.0 {
            scales.push(Number::ZERO);
            continue;
        }
        let beta = -(head.norm_sqr() + below).sqrt().copysign(head.re);
        let tau = Number::new((beta - head.re) / beta, -head.im / beta);
        (at + 1..rows).for_each(|row| r[(row, at)] = quotient(r[(row, at)], head - beta));
        r[(at, at)] = beta.into();
        for other in at + 1..r.ncols() {
            let rest: Number =
                (at + 1..rows).map(|row| r[(row, at)].conj() * r[(row, other)]).sum();
            let step = tau.conj() * (r[(at, other)] + rest);
            r[(at, other)] -= step;
            for row in at + 1..rows {
                let part = r[(row, at)] * step;
                r[(row, other)] -= part;
            }
        }
        scales.push(tau);
    }
    (r, scales)
}

/// Multiplies by the unitary factor, or by its adjoint, from the left.
pub(super) fn reflect(factors: &Matrix, scales: &[Number], right: &mut Matrix, adjoint: bool) {
    let mut order: Vec<usize> = (0..scales.len()).collect();
    if !adjoint {
        order.reverse();
    }
    for at in order {
        let tau = if adjoint { scales[at].conj() } else { scales[at] };
        for column in 0..right.ncols() {
            let below = at + 1..right.nrows();
            let rest = below.clone().map(|row| factors[(row, at)].conj() * right[(row, column)]);
            let step = tau * (right[(at, column)] + rest.sum::<Number>());
            right[(at, column)] -= step;
            for row in below {
                right[(row, column)] -= factors[(row, at)] * step;
            }
        }
    }
}

/// Eigenvalues, rising, and eigenvectors as columns, of a Hermitian matrix.
pub(super) fn hermitian_eigen(matrix: Matrix) -> Result<(Vec<f64>, Matrix), RunProblem> {
    let Some(found) = nalgebra::SymmetricEigen::try_new(matrix, f64::EPSILON, STEPS) else {
        return unsupported("eigenvalues that do not converge");
    };
    let mut order: Vec<usize> = (0..found.eigenvalues.len()).collect();
    order.sort_by(|a, b| found.eigenvalues[*a].total_cmp(&found.eigenvalues[*b]));
    let values = order.iter().map(|at| found.eigenvalues[*at]).collect();
    Ok((values, found.eigenvectors.select_columns(&order)))
}

/// `U`, singular values, falling, and `Vᴴ`, as narrow as they may be.
pub(super) fn singular(matrix: &Matrix) -> Result<(Matrix, Vec<f64>, Matrix), RunProblem> {
    let inner = matrix.nrows().min(matrix.ncols());
    if inner == 0 {
        return Ok((
            Matrix::zeros(matrix.nrows(), 0),
            Vec::new(),
            Matrix::zeros(0, matrix.ncols()),
        ));
    }
    let found = nalgebra::SVD::try_new(matrix.clone(), true, true, f64::EPSILON, STEPS);
    match found.map(|found| (found.u, found.singular_values, found.v_t)) {
        Some((Some(u), values, Some(v))) => Ok((u, values.iter().copied().collect(), v)),
        _ => unsupported("singular values that do not converge"),
    }
}

/// By singular values; what is not above both tolerances, the second a part of the largest, counts as zero.
pub(super) fn pseudo_inverse(
    matrix: &Matrix,
    absolute: f64,
    relative: f64,
) -> Result<Matrix, RunProblem> {
    let (u, values, v) = singular(matrix)?;
    let bound = absolute.max(relative * values.first().copied().unwrap_or(0.0));
    let mut scaled = v.adjoint();
    for (mut column, value) in scaled.column_iter_mut().zip(values) {
        column *= Number::from(if value > bound { 1.0 / value } else { 0.0 });
    }
    Ok(scaled * u.adjoint())
}

/// Eigenvalues, and eigenvectors as columns: of length one, with the largest part real.
pub(super) fn eigen(matrix: &Matrix) -> Result<(Vec<Number>, Matrix), RunProblem> {
    let count = matrix.nrows();
    if count == 0 {
        return Ok((Vec::new(), matrix.clone()));
    }
    let Some(found) = nalgebra::Schur::try_new(matrix.clone(), f64::EPSILON, STEPS) else {
        return unsupported("eigenvalues that do not converge");
    };
    let (unitary, triangle) = found.unpack();
    let least = triangle.camax().max(1e-300) * 1e-16;
    let mut vectors = Matrix::identity(count, count);
    for own in 0..count {
        for row in (0..own).rev() {
            let known: Number =
                (row + 1..=own).map(|at| triangle[(row, at)] * vectors[(at, own)]).sum();
            let apart = triangle[(own, own)] - triangle[(row, row)];
            let apart = if apart.norm() < least { least.into() } else { apart };
            vectors[(row, own)] = known / apart;
        }
    }
    let mut vectors = unitary * vectors;
    for mut column in vectors.column_iter_mut() {
        let largest = column.iter().fold(Number::ZERO, |best, n| {
            if n.norm() > best.norm() * (1.0 + 1e-12) { *n } else { best }
        });
        let scale = largest.conj() / (largest.norm() * column.norm());
        column *= scale;
    }
    Ok((triangle.diagonal().iter().copied().collect(), vectors))
}
