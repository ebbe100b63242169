//! Systems of linear equations.

use super::Arguments;
use super::declaration::{Context, Operator, plain, with_out};
use super::decompose::{Matrix, Stack, reflect, reflections, singular};
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

/// Both triangular factors in one matrix, and with which row each was exchanged.
pub(super) fn factored(matrix: &Matrix) -> (Matrix, Vec<usize>) {
    let size = matrix.rows;
    let (mut lu, mut order) = (matrix.clone(), Vec::new());
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|a, b| lu.at(*a, column).abs().total_cmp(&lu.at(*b, column).abs()))
            .unwrap_or(column);
        order.push(pivot);
        if pivot != column {
            for at in 0..size {
                let (x, y) = (lu.at(column, at), lu.at(pivot, at));
                lu.set(column, at, y);
                lu.set(pivot, at, x);
            }
        }
        let head = lu.at(column, column);
        if head == 0.0 {
            continue;
        }
        for row in column + 1..size {
            let factor = lu.at(row, column) / head;
            lu.set(row, column, factor);
            for at in column + 1..size {
                lu.set(row, at, lu.at(row, at) - factor * lu.at(column, at));
            }
        }
    }
    (lu, order)
}

/// The solution of a triangular system, in place; an upper one is solved from below.
fn substitute(matrix: &Matrix, right: &mut Matrix, upper: bool, unit: bool) {
    let size = matrix.rows;
    for nth in 0..size {
        let row = if upper { size - 1 - nth } else { nth };
        let known = if upper { row + 1..size } else { 0..row };
        for column in 0..right.columns {
            let sum: f64 = known.clone().map(|at| matrix.at(row, at) * right.at(at, column)).sum();
            let rest = right.at(row, column) - sum;
            right.set(row, column, if unit { rest } else { rest / matrix.at(row, row) });
        }
    }
}

fn solved(matrix: &Matrix, right: &Matrix, nth: usize) -> Result<Matrix, RunProblem> {
    let (lu, order) = factored(matrix);
    if let Some(at) = (0..lu.rows).find(|at| lu.at(*at, *at) == 0.0) {
        return refused(format!(
            "linalg.solve: (Batch element {nth}): The solver failed because the input matrix is \
             singular: the diagonal element {} is zero",
            at + 1
        ));
    }
    let mut result = right.clone();
    for (at, pivot) in order.iter().enumerate() {
        for column in 0..result.columns {
            let (x, y) = (result.at(at, column), result.at(*pivot, column));
            result.set(at, column, y);
            result.set(*pivot, column, x);
        }
    }
    substitute(&lu, &mut result, false, true);
    substitute(&lu, &mut result, true, false);
    Ok(result)
}

/// Solves for each matrix of a batch with its right side.
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
    if columns != b_rows {
        return refused(format!("Incompatible matrix sizes for linear solve: {a} and {b}"));
    }
    let batch = broadcast(batch_a, batch_b)?;
    let full = |rows: usize, columns: usize| {
        batch.iter().copied().chain([rows, columns]).collect::<Vec<usize>>()
    };
    let left = Stack::square(&a.expand(&full(*rows, *columns))?)?;
    let right = Stack::from_tensor(&b.expand(&full(*b_rows, *b_columns))?)?;
    left.charge(context)?;
    context.meter.room(&full(*rows, *b_columns))?;
    context.meter.work(right.numbers.len().saturating_mul(*rows))?;
    let mut all = Vec::new();
    for (nth, (matrix, right)) in left.each().zip(right.each()).enumerate() {
        all.extend(solve(&matrix, &right, nth)?.numbers);
    }
    left.tensor(context, &[*b_rows, *b_columns], all)
}

fn old_solve(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (b, a) = (args.tensor(0)?, args.tensor(1)?);
    let solution = batched(context, a, b, solved)?;
    // The factors are of as many matrices as there are solutions.
    let batch = &solution.shape()[..solution.rank() - 2];
    let own = a.shape().iter().rev().take(2).rev();
    let shape: Vec<usize> = batch.iter().chain(own).copied().collect();
    let stack = Stack::square(&a.expand(&shape)?)?;
    let factors = stack.each().flat_map(|matrix| factored(&matrix).0.numbers).collect();
    let factors = stack.tensor(context, &[stack.rows, stack.columns], factors)?;
    Ok(ScriptValue::tuple(vec![solution.into(), factors.into()]))
}

fn linalg_solve(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    let left = args.len() < 3 || args.boolean(2)?;
    if a.dtype().is_complex() {
        return (context.compose)(
            context,
            "complex_solve",
            &[a.clone().into(), b.clone().into(), left.into()],
        );
    }
    if !left {
        let solution = batched(context, &a.transposed()?, &b.transposed()?, solved)?;
        return Ok(solution.transposed()?.contiguous()?.into());
    }
    // One vector for each matrix, or one for all.
    let is_vector = b.rank() == 1
        || (a.rank() == b.rank() + 1 && b.shape() == &a.shape()[..a.rank().saturating_sub(1)]);
    if is_vector {
        let shape: Vec<usize> = b.shape().iter().copied().chain([1]).collect();
        let solution = batched(context, a, &b.reshape(&shape)?, solved)?;
        let shape = &solution.shape()[..solution.rank() - 1];
        return Ok(solution.reshape(shape)?.into());
    }
    Ok(batched(context, a, b, solved)?.into())
}

pub(super) fn inverse(context: &Context<'_>, tensor: &Tensor) -> Result<Tensor, RunProblem> {
    if tensor.dtype().is_complex() {
        return match (context.compose)(context, "complex_inverse", &[tensor.clone().into()])? {
            ScriptValue::Tensor(inverse) => Ok(inverse),
            _ => unsupported("an inverse that is no tensor"),
        };
    }
    let stack = Stack::square(tensor)?;
    stack.charge(context)?;
    let mut all = Vec::new();
    for (nth, matrix) in stack.each().enumerate() {
        let eye = Matrix::identity(stack.rows);
        match solved(&matrix, &eye, nth) {
            Ok(inverse) => all.extend(inverse.numbers),
            Err(_) => {
                return refused(format!(
                    "linalg.inv: (Batch element {nth}): The diagonal element is zero, the inversion \
                     could not be completed because the input matrix is singular."
                ));
            }
        }
    }
    stack.tensor(context, &[stack.rows, stack.rows], all)
}

fn complex_triangular(
    context: &Context<'_>,
    a: &Tensor,
    b: &Tensor,
    [upper, left, unit]: [bool; 3],
) -> Result<ScriptValue, RunProblem> {
    let given = [a.clone().into(), b.clone().into(), upper.into(), left.into(), unit.into()];
    (context.compose)(context, "complex_triangular", &given)
}

fn triangular_solve(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (b, a) = (args.tensor(0)?, args.tensor(1)?);
    let (upper, transpose, unit) = (args.boolean(2)?, args.boolean(3)?, args.boolean(4)?);
    let given = if transpose { a.transposed()? } else { a.clone() };
    if a.dtype().is_complex() {
        let solution = complex_triangular(context, &given, b, [upper != transpose, true, unit])?;
        return Ok(ScriptValue::tuple(vec![solution, a.copy()?.into()]));
    }
    let solution = batched(context, &given, b, |matrix, right, _| {
        let mut result = right.clone();
        substitute(matrix, &mut result, upper != transpose, unit);
        Ok(result)
    })?;
    Ok(ScriptValue::tuple(vec![solution.into(), a.copy()?.into()]))
}

fn solve_triangular(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    let (upper, left, unit) = (args.boolean(2)?, args.boolean(3)?, args.boolean(4)?);
    if a.dtype().is_complex() {
        return complex_triangular(context, a, b, [upper, left, unit]);
    }
    let solve = |matrix: &Matrix, right: &Matrix, upper: bool| {
        let mut result = right.clone();
        substitute(matrix, &mut result, upper, unit);
        Ok(result)
    };
    if left {
        return Ok(batched(context, a, b, |a, b, _| solve(a, b, upper))?.into());
    }
    let solution =
        batched(context, &a.transposed()?, &b.transposed()?, |a, b, _| solve(a, b, !upper))?;
    Ok(solution.transposed()?.contiguous()?.into())
}

fn cholesky_solve(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (b, factor, upper) = (args.tensor(0)?, args.tensor(1)?, args.boolean(2)?);
    if factor.dtype().is_complex() {
        let given = [b.clone().into(), factor.clone().into(), upper.into()];
        return (context.compose)(context, "complex_cholesky_solve", &given);
    }
    let lower = if upper { factor.transposed()? } else { factor.clone() };
    let solution = batched(context, &lower, b, |lower, right, _| {
        let mut result = right.clone();
        substitute(lower, &mut result, false, false);
        substitute(&lower.transposed(), &mut result, true, false);
        Ok(result)
    })?;
    Ok(solution.into())
}

fn cholesky_inverse(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (factor, upper) = (args.tensor(0)?, args.boolean(1)?);
    if factor.dtype().is_complex() {
        let given = [factor.clone().into(), upper.into()];
        return (context.compose)(context, "complex_cholesky_inverse", &given);
    }
    let lower = if upper { factor.transposed()? } else { factor.clone() };
    let stack = Stack::square(&lower)?;
    stack.charge(context)?;
    let invert = |lower: Matrix| {
        let mut result = Matrix::identity(stack.rows);
        substitute(&lower, &mut result, false, false);
        substitute(&lower.transposed(), &mut result, true, false);
        result.numbers
    };
    let all = stack.each().flat_map(invert).collect();
    Ok(stack.tensor(context, &[stack.rows, stack.rows], all)?.into())
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
        (None, None) if old => Some(1e-15),
        // A tolerance alone is all there is.
        (Some(absolute), None) if absolute > 0.0 => Some(0.0),
        (_, relative) => relative,
    };
    let absolute = absolute.unwrap_or(0.0);
    if tensor.dtype().is_complex() {
        let size = tensor.shape().iter().rev().take(2).copied().max().unwrap_or(0) as f64;
        let epsilon =
            if tensor.dtype() == Dtype::C128 { f64::EPSILON } else { f64::from(f32::EPSILON) };
        let relative = relative.unwrap_or(size * epsilon);
        let given = [
            tensor.clone().into(),
            absolute.into(),
            relative.into(),
            args.is_set(symmetric).into(),
        ];
        return (context.compose)(context, "complex_pinv", &given);
    }
    if !args.is_set(symmetric) {
        return pseudo_inverse(context, tensor, absolute, relative);
    }
    let mut numbers = tensor.floats();
    let size = tensor.shape().last().copied().unwrap_or(0).max(1);
    for matrix in numbers.chunks_mut(size * size) {
        for (row, column) in (0..size).flat_map(|row| (0..row).map(move |column| (row, column))) {
            if row * size + column < matrix.len() {
                matrix[column * size + row] = matrix[row * size + column];
            }
        }
    }
    let whole = Tensor::of_floats(context.meter, tensor.dtype(), tensor.shape(), numbers)?;
    pseudo_inverse(context, &whole, absolute, relative)
}

/// By singular values; what is below a part of the largest counts as zero.
fn pseudo_inverse(
    context: &Context<'_>,
    tensor: &Tensor,
    absolute: f64,
    relative: Option<f64>,
) -> Result<ScriptValue, RunProblem> {
    let (u, s, v) = singular(context, tensor)?;
    let [.., rows, columns] = *tensor.shape() else { return refused("matrices are wanted") };
    let epsilon = if tensor.dtype() == Dtype::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let relative = relative.unwrap_or(rows.max(columns) as f64 * epsilon);
    let inner = rows.min(columns).max(1);
    let mut inverted = s.floats();
    inverted.chunks_mut(inner).for_each(|run| {
        let largest = run.iter().copied().fold(0.0, f64::max);
        run.iter_mut()
            .for_each(|n| *n = if *n > absolute.max(relative * largest) { 1.0 / *n } else { 0.0 });
    });
    let shape = s.shape().to_vec();
    let mut row = shape.clone();
    row.insert(shape.len() - 1, 1);
    let scale = Tensor::of_floats(context.meter, s.dtype(), &row, inverted)?;
    let scale = scale.expand(v.shape())?;
    let numbers = v.floats().into_iter().zip(scale.floats()).map(|(a, b)| a * b).collect();
    let scaled = Tensor::of_floats(context.meter, v.dtype(), v.shape(), numbers)?;
    Ok(matmul(context, &scaled, &u.transposed()?)?.into())
}

/// The solution with the smallest error, of a matrix of full rank.
fn least_squares(context: &Context<'_>, a: &Tensor, b: &Tensor) -> Result<Tensor, RunProblem> {
    let [.., rows, columns] = *a.shape() else { return refused("matrices are wanted") };
    if rows < columns {
        // The smallest of the solutions.
        if a.dtype().is_complex() {
            return unsupported(
                "least squares of complex numbers with fewer equations than unknowns",
            );
        }
        return match pseudo_inverse(context, a, 0.0, None)? {
            ScriptValue::Tensor(inverse) => matmul(context, &inverse, b),
            _ => unsupported("least squares without a pseudo-inverse"),
        };
    }
    if a.dtype().is_complex() {
        let given = [a.clone().into(), 0.0.into(), 0.0.into(), false.into()];
        return match (context.compose)(context, "complex_pinv", &given)? {
            ScriptValue::Tensor(inverse) => matmul(context, &inverse, b),
            _ => unsupported("least squares without a pseudo-inverse"),
        };
    }
    // With 64 bits: the product squares what is lost.
    let (wide_a, wide_b) = (a.to_dtype(Dtype::F64)?, b.to_dtype(Dtype::F64)?);
    let transposed = wide_a.transposed()?;
    let (left, right) =
        (matmul(context, &transposed, &wide_a)?, matmul(context, &transposed, &wide_b)?);
    batched(context, &left, &right, solved)?.to_dtype(a.dtype())
}

fn old_lstsq(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (b, a) = (args.tensor(0)?, args.tensor(1)?);
    if (a.rank(), b.rank()) != (2, 2) {
        return refused("Argument #1: Only 2D tensors are supported");
    }
    let (rows, columns) = (a.shape()[0], a.shape()[1]);
    if rows < columns {
        return unsupported("least squares with fewer equations than unknowns");
    }
    let (stack, right) = (Stack::from_tensor(a)?, Stack::from_tensor(b)?);
    stack.charge(context)?;
    let (Some(matrix), Some(mut right)) = (stack.each().next(), right.each().next()) else {
        return refused(format!("least squares of {a} and {b}"));
    };
    if right.rows != rows {
        return refused(format!("Expected A and b to have same size at dim 0: {a} and {b}"));
    }
    // Behind the solution stand the rotated right sides, whose squares are the errors.
    let (factors, scales) = reflections(&matrix);
    reflect(&factors, &scales, &mut right, true);
    let mut head = Matrix::zeros(columns, right.columns);
    head.numbers.copy_from_slice(&right.numbers[..columns * right.columns]);
    let mut triangle = Matrix::zeros(columns, columns);
    triangle.numbers.copy_from_slice(&factors.numbers[..columns * columns]);
    substitute(&triangle, &mut head, true, false);
    right.numbers[..columns * right.columns].copy_from_slice(&head.numbers);
    let shape = [right.rows, right.columns];
    let solution = Tensor::of_floats(context.meter, b.dtype(), &shape, right.numbers)?;
    let factors = Tensor::of_floats(context.meter, a.dtype(), a.shape(), factors.numbers)?;
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
