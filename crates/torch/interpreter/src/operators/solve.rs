//! Systems of linear equations.

use super::Arguments;
use super::declaration::{Context, Operator, plain, with_out};
use super::decompose::default_tolerance;
use super::matrices::{self, Matrices, Matrix, lu, substitute};
use super::matrix::matmul;
use crate::problem::{refused, unsupported};
use crate::tensor::broadcast;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::solve(Tensor self, Tensor A) -> (Tensor solution, Tensor LU)", old_solve),
    plain("aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor", linalg_solve),
    plain("aten::linalg_solve(Tensor input, Tensor other) -> Tensor", linalg_solve),
    with_out("aten::inverse(Tensor self) -> Tensor", |c, a| Ok(inverse(c, a.tensor(0)?)?.into())),
    with_out("aten::linalg_inv(Tensor A) -> Tensor", |c, a| Ok(inverse(c, a.tensor(0)?)?.into())),
    plain("aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)", triangular_solve),
    plain("aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor", solve_triangular),
    plain("aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor", cholesky_solve),
    plain("aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor", cholesky_inverse),
    plain("aten::pinverse(Tensor self, float rcond=1e-15) -> Tensor", |c, a| pinv(c, a, (None, Some(a.float(1)?)), 9)),
    plain("aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", |c, a| pinv(c, a, (a.float_or_none(1)?, a.float_or_none(2)?), 3)),
    plain("aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor", |c, a| pinv(c, a, (None, Some(a.float(1)?)), 2)),
    plain("aten::lstsq(Tensor self, Tensor A) -> (Tensor solution, Tensor QR)", old_lstsq),
    plain("aten::linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)", lstsq),
];

fn solved(matrix: &Matrix, right: &Matrix, nth: usize) -> Result<Matrix, RunProblem> {
    let found = lu(matrix, true);
    if let Some(at) = found.zero {
        return refused(format!(
            "linalg.solve: (Batch element {nth}): The solver failed because the input matrix is \
             singular: the diagonal element {} is zero",
            at + 1
        ));
    }
    let mut result = right.clone();
    for (at, pivot) in found.order.iter().enumerate() {
        result.swap_rows(at, *pivot);
    }
    substitute(&found.lu, &mut result, false, true);
    substitute(&found.lu, &mut result, true, false);
    Ok(result)
}

/// Makes a matrix of each matrix of a batch and its right side, which has as many rows.
fn batched(
    context: &Context<'_>,
    a: &Tensor,
    b: &Tensor,
    solve: impl Fn(&Matrix, &Matrix, usize) -> Result<Matrix, RunProblem>,
) -> Result<Tensor, RunProblem> {
    let ([batch_a @ .., rows, columns], [batch_b @ .., b_rows, b_columns]) = (a.shape(), b.shape())
    else {
        return refused(format!("matrices are wanted: {a} and {b}"));
    };
    if rows != b_rows {
        return refused(format!("Incompatible matrix sizes for linear solve: {a} and {b}"));
    }
    let batch = broadcast(batch_a, batch_b)?;
    let full = |rows: usize, columns: usize| {
        batch.iter().copied().chain([rows, columns]).collect::<Vec<usize>>()
    };
    let left = Matrices::from_tensor(context, &a.expand(&full(*rows, *columns))?)?;
    let right = Matrices::from_tensor(context, &b.expand(&full(*b_rows, *b_columns))?)?;
    context.meter.work(right.numbers().saturating_mul(*rows))?;
    let mut all = Vec::new();
    for (nth, (matrix, right)) in left.each().zip(right.each()).enumerate() {
        all.push(solve(matrix, right, nth)?);
    }
    left.stacked(context, (*columns, *b_columns), &all)
}

/// The same for square matrices, which the systems of equations but those of least squares have.
fn batched_square(
    context: &Context<'_>,
    a: &Tensor,
    b: &Tensor,
    solve: impl Fn(&Matrix, &Matrix, usize) -> Result<Matrix, RunProblem>,
) -> Result<Tensor, RunProblem> {
    match *a.shape() {
        [.., rows, columns] if rows != columns => refused(format!(
            "A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )),
        _ => batched(context, a, b, solve),
    }
}

fn old_solve(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (b, a) = (args.tensor(0)?, args.tensor(1)?);
    let solution = batched_square(context, a, b, solved)?;
    // The factors are of as many matrices as there are solutions.
    let batch = &solution.shape()[..solution.rank() - 2];
    let own = a.shape().iter().rev().take(2).rev();
    let shape: Vec<usize> = batch.iter().chain(own).copied().collect();
    let all = Matrices::square(context, &a.expand(&shape)?)?;
    let factors: Vec<Matrix> = all.each().map(|matrix| lu(matrix, true).lu).collect();
    let factors = all.stacked(context, (all.rows, all.rows), &factors)?;
    Ok(ScriptValue::tuple(vec![solution.into(), factors.into()]))
}

fn linalg_solve(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    if args.len() >= 3 && !args.boolean(2)? {
        let solution = batched_square(context, &a.transposed()?, &b.transposed()?, solved)?;
        return Ok(solution.transposed()?.contiguous()?.into());
    }
    // One vector for each matrix, or one for all.
    let is_vector = b.rank() == 1
        || (a.rank() == b.rank() + 1 && b.shape() == &a.shape()[..a.rank().saturating_sub(1)]);
    if is_vector {
        let shape: Vec<usize> = b.shape().iter().copied().chain([1]).collect();
        let solution = batched_square(context, a, &b.reshape(&shape)?, solved)?;
        let shape = &solution.shape()[..solution.rank() - 1];
        return Ok(solution.reshape(shape)?.into());
    }
    Ok(batched_square(context, a, b, solved)?.into())
}

pub(super) fn inverse(context: &Context<'_>, tensor: &Tensor) -> Result<Tensor, RunProblem> {
    let all = Matrices::square(context, tensor)?;
    let mut inverses = Vec::new();
    for (nth, matrix) in all.each().enumerate() {
        let eye = Matrix::identity(all.rows, all.rows);
        inverses.push(solved(matrix, &eye, nth).or_else(|_| {
            refused(format!(
                "linalg.inv: (Batch element {nth}): The diagonal element is zero, the inversion \
                 could not be completed because the input matrix is singular."
            ))
        })?);
    }
    all.stacked(context, (all.rows, all.rows), &inverses)
}

/// Solves a triangular system with a tensor of matrices that are in the way to be solved.
fn triangular(
    context: &Context<'_>,
    a: &Tensor,
    b: &Tensor,
    (upper, unit): (bool, bool),
) -> Result<Tensor, RunProblem> {
    batched_square(context, a, b, |matrix, right, _| {
        let mut result = right.clone();
        substitute(matrix, &mut result, upper, unit);
        Ok(result)
    })
}

fn triangular_solve(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (b, a) = (args.tensor(0)?, args.tensor(1)?);
    let (upper, transpose, unit) = (args.boolean(2)?, args.boolean(3)?, args.boolean(4)?);
    let given = if transpose { a.transposed()? } else { a.clone() };
    let solution = triangular(context, &given, b, (upper != transpose, unit))?;
    Ok(ScriptValue::tuple(vec![solution.into(), a.copy()?.into()]))
}

fn solve_triangular(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    let (upper, left, unit) = (args.boolean(2)?, args.boolean(3)?, args.boolean(4)?);
    if left {
        return Ok(triangular(context, a, b, (upper, unit))?.into());
    }
    let solution = triangular(context, &a.transposed()?, &b.transposed()?, (!upper, unit))?;
    Ok(solution.transposed()?.contiguous()?.into())
}

/// Solves with the matrix of which this is one factor of Cholesky.
fn solve_factored(factor: &Matrix, upper: bool, mut right: Matrix) -> Matrix {
    let (lower, above) =
        if upper { (factor.adjoint(), factor.clone()) } else { (factor.clone(), factor.adjoint()) };
    substitute(&lower, &mut right, false, false);
    substitute(&above, &mut right, true, false);
    right
}

fn cholesky_solve(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (b, factor, upper) = (args.tensor(0)?, args.tensor(1)?, args.boolean(2)?);
    let solution = batched_square(context, factor, b, |factor, right, _| {
        Ok(solve_factored(factor, upper, right.clone()))
    })?;
    Ok(solution.into())
}

fn cholesky_inverse(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let all = Matrices::square(context, args.tensor(0)?)?;
    let (size, upper) = (all.rows, args.boolean(1)?);
    let invert = |factor| solve_factored(factor, upper, Matrix::identity(size, size));
    let inverses: Vec<Matrix> = all.each().map(invert).collect();
    Ok(all.stacked(context, (size, size), &inverses)?.into())
}

/// With a tolerance, and one as a part of the largest value. Of a matrix that is said to be symmetric the lower triangle counts.
fn pinv(
    context: &Context<'_>,
    args: &Arguments<'_>,
    (absolute, relative): (Option<f64>, Option<f64>),
    symmetric: usize,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    // Before 1.11 there was a number for both.
    let old = context.semantics.has("pinv-takes-1e-15");
    let relative = match (absolute, relative) {
        (None, None) if old => 1e-15,
        // A tolerance alone is all there is.
        (Some(absolute), None) if absolute > 0.0 => 0.0,
        (_, relative) => relative.unwrap_or_else(|| default_tolerance(tensor)),
    };
    let all = Matrices::from_tensor(context, tensor)?;
    let mut inverses = Vec::new();
    for matrix in all.each() {
        let whole = match args.is_set(symmetric) && all.rows == all.columns {
            true => &matrices::hermitian(matrix, false),
            false => matrix,
        };
        inverses.push(matrices::pseudo_inverse(whole, absolute.unwrap_or(0.0), relative)?);
    }
    Ok(all.stacked(context, (all.columns, all.rows), &inverses)?.into())
}

/// The smallest of the solutions with the smallest error.
fn least_squares(context: &Context<'_>, a: &Tensor, b: &Tensor) -> Result<Tensor, RunProblem> {
    let relative = default_tolerance(a);
    batched(context, a, b, |matrix, right, _| {
        Ok(matrices::pseudo_inverse(matrix, 0.0, relative)? * right)
    })
}

fn old_lstsq(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (b, a) = (args.tensor(0)?, args.tensor(1)?);
    let ([rows, columns], [b_rows, b_columns]) = (a.shape(), b.shape()) else {
        return refused("Argument #1: Only 2D tensors are supported");
    };
    if rows < columns {
        return unsupported("least squares with fewer equations than unknowns");
    }
    if rows != b_rows {
        return refused(format!("Expected A and b to have same size at dim 0: {a} and {b}"));
    }
    let (left, right) = (Matrices::from_tensor(context, a)?, Matrices::from_tensor(context, b)?);
    let (Some(matrix), Some(right_side)) = (left.each().next(), right.each().next()) else {
        return refused(format!("least squares of {a} and {b}"));
    };
    // Behind the solution stand the rotated right sides, whose squares are the errors.
    let (factors, scales) = matrices::reflections(matrix);
    let mut rotated = right_side.clone();
    matrices::reflect(&factors, &scales, &mut rotated, true);
    let mut head = rotated.rows(0, *columns).into_owned();
    substitute(&factors.rows(0, *columns).into_owned(), &mut head, true, false);
    rotated.rows_mut(0, *columns).copy_from(&head);
    let solution = right.stacked(context, (*b_rows, *b_columns), &[rotated])?;
    let factors = left.stacked(context, (*rows, *columns), &[factors])?;
    Ok(ScriptValue::tuple(vec![solution.into(), factors.into()]))
}

fn lstsq(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    let solution = least_squares(context, a, b)?;
    let empty = |dtype| Tensor::of_floats(context.meter, dtype, &[0], Vec::new());
    let tensor = |values: &[ScriptValue], name: &str, overload: &str| {
        super::composed::tensor(context, name, overload, values)
    };
    let driver = args.text_or_none(3)?.unwrap_or("gelsy");
    let sides = &a.shape()[a.rank() - 2..];
    let residuals = if sides[0] > sides[1] && driver != "gelsy" {
        let found = matmul(context, a, &solution)?;
        let off = tensor(
            &[found.into(), b.clone().into(), ScriptValue::from(1_i64)],
            "aten::sub",
            "Tensor",
        )?;
        let squares = tensor(&[off.clone().into(), off.into()], "aten::mul", "Tensor")?;
        let given = [squares.into(), ScriptValue::ints([-2]), false.into(), ScriptValue::None];
        tensor(&given, "aten::sum", "dim_IntList")?
    } else {
        empty(a.dtype())?
    };
    let rank = if driver == "gels" {
        empty(Dtype::I64)?
    } else {
        let relative = args.value(2).clone();
        let given = [a.clone().into(), ScriptValue::None, relative, false.into()];
        tensor(&given, "aten::linalg_matrix_rank", "atol_rtol_float")?
    };
    let values = match driver {
        "gelsd" | "gelss" => {
            tensor(&[a.clone().into(), ScriptValue::None], "aten::linalg_svdvals", "")?
        }
        _ => empty(a.dtype())?,
    };
    let all = [solution, residuals, rank, values].into_iter().map(ScriptValue::from).collect();
    Ok(ScriptValue::tuple(all))
}
