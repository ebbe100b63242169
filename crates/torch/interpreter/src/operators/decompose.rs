//! Factors of matrices: LU, Cholesky, QR, eigenvalues, singular values, determinants.
//!
//! Each is calculated with 64 bits and rounded at the end. Where the result is not unique, the signs are
//! those of LAPACK for QR; for eigenvectors and singular vectors there is no rule, and a program that
//! depends on them depends on the machine.

use super::Arguments;
use super::declaration::{Context, Operator, plain, with_out};
use super::matrices::{self, Matrices, Matrix, Number};
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
    plain("aten::linalg_eigh(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)", eigh),
    plain("aten::linalg_eigvalsh(Tensor self, str UPLO=\"L\") -> Tensor", eigenvalues),
    plain("aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)", |c, a| svd(c, a.tensor(0)?, !a.boolean(1)?, false)),
    plain("aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)", |c, a| svd(c, a.tensor(0)?, a.boolean(1)?, true)),
    plain("aten::linalg_svd(Tensor self, bool full_matrices=True) -> (Tensor U, Tensor S, Tensor V)", |c, a| svd(c, a.tensor(0)?, a.boolean(1)?, true)),
    plain("aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", |c, a| Ok(singular_values(c, a.tensor(0)?)?.into())),
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
    plain("aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)", lu),
    plain("aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)", reflected),
    plain("aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)", |c, a| eigen(c, a, true)),
    plain("aten::linalg_eigvals(Tensor self) -> Tensor", |c, a| eigen(c, a, false)),
];

fn pair(first: Tensor, second: Tensor) -> ScriptValue {
    ScriptValue::tuple(vec![first.into(), second.into()])
}

fn lu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = Matrices::from_tensor(context, args.tensor(0)?)?;
    let (mut factors, mut orders, mut infos) = (Vec::new(), Vec::new(), Vec::new());
    for matrix in all.each() {
        let found = matrices::lu(matrix, args.boolean(1)?);
        // LAPACK counts from 1.
        orders.extend(found.order.iter().map(|row| *row as i64 + 1));
        infos.push(found.zero.map_or(0, |at| at as i64 + 1));
        factors.push(found.lu);
    }
    let factors = all.stacked(context, (all.rows, all.columns), &factors)?;
    let orders = all.integers(context, &[all.rows.min(all.columns)], orders)?;
    let infos = all.integers(context, &[], infos)?;
    Ok(ScriptValue::tuple(vec![factors.into(), orders.into(), infos.into()]))
}

fn cholesky(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = Matrices::square(context, args.tensor(0)?)?;
    let upper = args.is_set(1);
    let mut factors = Vec::new();
    for (nth, matrix) in all.each().enumerate() {
        let factor = matrices::cholesky(&matrices::hermitian(matrix, upper)).or_else(|minor| {
            refused(format!(
                "cholesky: (Batch element {nth}): The factorization could not be completed \
                 because the input is not positive-definite (the leading minor of order {minor} \
                 is not positive-definite)."
            ))
        })?;
        factors.push(if upper { factor.adjoint() } else { factor });
    }
    Ok(all.stacked(context, (all.rows, all.rows), &factors)?.into())
}

fn qr(context: &Context<'_>, tensor: &Tensor, reduced: bool) -> Result<ScriptValue, RunProblem> {
    let all = Matrices::from_tensor(context, tensor)?;
    let (rows, columns) = (all.rows, all.columns);
    let inner = if reduced { rows.min(columns) } else { rows };
    let (mut qs, mut rs) = (Vec::new(), Vec::new());
    for matrix in all.each() {
        let (factors, scales) = matrices::reflections(matrix);
        let mut q = Matrix::identity(rows, inner);
        matrices::reflect(&factors, &scales, &mut q, false);
        qs.push(q);
        rs.push(factors.upper_triangle().rows(0, inner).into_owned());
    }
    let q = all.stacked(context, (rows, inner), &qs)?;
    Ok(pair(q, all.stacked(context, (inner, columns), &rs)?))
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

fn reflected(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = Matrices::from_tensor(context, args.tensor(0)?)?;
    let (factors, scales): (Vec<_>, Vec<_>) = all.each().map(matrices::reflections).unzip();
    let factors = all.stacked(context, (all.rows, all.columns), &factors)?;
    let inner = all.rows.min(all.columns);
    Ok(pair(factors, all.tensor(context, &[inner], scales.into_iter().flatten())?))
}

/// Of one triangle of a matrix that is equal to its adjoint.
fn hermitian(
    context: &Context<'_>,
    tensor: &Tensor,
    upper: bool,
) -> Result<(Tensor, Tensor), RunProblem> {
    let all = Matrices::square(context, tensor)?;
    let (mut values, mut vectors) = (Vec::new(), Vec::new());
    for matrix in all.each() {
        let (own, columns) = matrices::hermitian_eigen(matrices::hermitian(matrix, upper))?;
        values.extend(own);
        vectors.push(columns);
    }
    let vectors = all.stacked(context, (all.rows, all.rows), &vectors)?;
    Ok((all.reals(context, &[all.rows], values)?, vectors))
}

/// The phase of each vector of a complex matrix is the machine's own.
fn refuse_complex_vectors(tensor: &Tensor) -> Result<(), RunProblem> {
    match tensor.dtype().is_complex() {
        true => unsupported("eigenvectors and singular vectors of complex matrices"),
        false => Ok(()),
    }
}

fn eigh(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    refuse_complex_vectors(args.tensor(0)?)?;
    let (values, vectors) = hermitian(context, args.tensor(0)?, args.text(1)? == "U")?;
    Ok(pair(values, vectors))
}

fn eigenvalues(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(hermitian(context, args.tensor(0)?, args.text(1)? == "U")?.0.into())
}

fn symeig(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    refuse_complex_vectors(args.tensor(0)?)?;
    let (values, vectors) = hermitian(context, args.tensor(0)?, args.boolean(2)?)?;
    let vectors = if args.boolean(1)? {
        vectors
    } else {
        Tensor::of_floats(context.meter, values.dtype(), &[0], Vec::new())?
    };
    Ok(pair(values, vectors))
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
    let all = Matrices::square(context, tensor)?;
    context.meter.work(tensor.count().saturating_mul(all.rows).saturating_mul(60))?;
    let (mut values, mut columns) = (Vec::new(), Vec::new());
    for matrix in all.each() {
        let (own, own_columns) = matrices::eigen(matrix)?;
        values.extend(own);
        columns.push(own_columns);
    }
    let values = all.tensor(context, &[all.rows], values.into_iter())?;
    match vectors {
        true => Ok(pair(values, all.stacked(context, (all.rows, all.rows), &columns)?)),
        false => Ok(values.into()),
    }
}

fn singular_values(context: &Context<'_>, tensor: &Tensor) -> Result<Tensor, RunProblem> {
    let all = Matrices::from_tensor(context, tensor)?;
    let mut values = Vec::new();
    for matrix in all.each() {
        values.extend(matrices::singular(matrix)?.1);
    }
    all.reals(context, &[all.rows.min(all.columns)], values)
}

/// `U`, singular values, and `V` or its adjoint. `full` asks for square ones.
fn svd(
    context: &Context<'_>,
    tensor: &Tensor,
    full: bool,
    adjoint: bool,
) -> Result<ScriptValue, RunProblem> {
    refuse_complex_vectors(tensor)?;
    let all = Matrices::from_tensor(context, tensor)?;
    if full && all.rows != all.columns {
        return unsupported("all singular vectors of a matrix that is not square");
    }
    let inner = all.rows.min(all.columns);
    let (mut us, mut values, mut vs) = (Vec::new(), Vec::new(), Vec::new());
    for matrix in all.each() {
        let (u, own, v) = matrices::singular(matrix)?;
        us.push(u);
        values.extend(own);
        vs.push(if adjoint { v } else { v.adjoint() });
    }
    let shape = if adjoint { (inner, all.columns) } else { (all.columns, inner) };
    Ok(ScriptValue::tuple(vec![
        all.stacked(context, (all.rows, inner), &us)?.into(),
        all.reals(context, &[inner], values)?.into(),
        all.stacked(context, shape, &vs)?.into(),
    ]))
}

/// How many singular values are above a tolerance, which `bound` makes of the largest.
fn rank_above(
    context: &Context<'_>,
    tensor: &Tensor,
    bound: impl Fn(f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let values = singular_values(context, tensor)?;
    let [batch @ .., size] = values.shape() else { return refused("matrices are wanted") };
    if *size == 0 {
        let zero = crate::ScalarValue::Int(0);
        return Ok(Tensor::filled(context.meter, Dtype::I64, batch, zero)?.into());
    }
    let rank = |run: &[f64]| {
        let bound = bound(run.iter().copied().fold(0.0, f64::max));
        run.iter().filter(|value| **value > bound).count() as i64
    };
    let ranks = values.floats().chunks(*size).map(rank).collect();
    Ok(Tensor::of_ints(context.meter, Dtype::I64, batch, ranks)?.into())
}

/// What counts as zero, as a part of the largest singular value, if nobody says it.
pub(super) fn default_tolerance(tensor: &Tensor) -> f64 {
    let size = tensor.shape().iter().rev().take(2).copied().max().unwrap_or(0) as f64;
    let wide = matches!(tensor.dtype(), Dtype::F64 | Dtype::C128);
    size * if wide { f64::EPSILON } else { f64::from(f32::EPSILON) }
}

fn rank(
    context: &Context<'_>,
    tensor: &Tensor,
    tolerance: Option<f64>,
) -> Result<ScriptValue, RunProblem> {
    let relative = default_tolerance(tensor);
    rank_above(context, tensor, |largest| tolerance.unwrap_or(largest * relative))
}

fn rank_of_two(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (absolute, relative) = (args.float_or_none(1)?, args.float_or_none(2)?);
    let default = if absolute.is_some_and(|a| a > 0.0) { 0.0 } else { default_tolerance(tensor) };
    let relative = relative.unwrap_or(default);
    rank_above(context, tensor, |largest| absolute.unwrap_or(0.0).max(relative * largest))
}

/// The phase of each determinant, zero if it is zero, and the logarithm of its size.
fn determinants(all: &Matrices) -> impl Iterator<Item = (Number, f64)> {
    all.each().map(|matrix| {
        let found = matrices::lu(matrix, true);
        let swaps = found.order.iter().enumerate().filter(|(at, row)| at != *row).count();
        let start = Number::from(if swaps % 2 == 0 { 1.0 } else { -1.0 });
        found.lu.diagonal().iter().fold((start, 0.0), |(phase, log), pivot| {
            let own = match pivot.norm() {
                0.0 => Number::ZERO,
                size => *pivot / size,
            };
            (phase * own, log + pivot.norm().ln())
        })
    })
}

fn det(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = Matrices::square(context, args.tensor(0)?)?;
    let numbers = determinants(&all).map(|(phase, log)| phase * log.exp());
    Ok(all.tensor(context, &[], numbers)?.into())
}

fn logdet(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let all = Matrices::square(context, tensor)?;
    let numbers = determinants(&all).map(|(phase, log)| match tensor.dtype().is_complex() {
        true => Number::new(log, phase.arg()),
        false => Number::from(if phase.re < 0.0 { f64::NAN } else { log }),
    });
    Ok(all.tensor(context, &[], numbers)?.into())
}

fn slogdet(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = Matrices::square(context, args.tensor(0)?)?;
    let (phases, logs): (Vec<_>, Vec<_>) = determinants(&all).unzip();
    let phases = all.tensor(context, &[], phases.into_iter())?;
    Ok(pair(phases, all.reals(context, &[], logs)?))
}
