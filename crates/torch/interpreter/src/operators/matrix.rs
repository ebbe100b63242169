//! Products of matrices.

use ndarray::{ArrayView2, ArrayViewMut2, ShapeBuilder as _};

use super::Arguments;
use super::arithmetic::common;
use super::convolution::places;
use super::declaration::{Context, Operator, all, plain, with_out};
use crate::kernels::{Real, multiply, share};
use crate::problem::refused;
use crate::tensor::{Elements, broadcast, contiguous_strides};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    with_out("aten::matmul(Tensor self, Tensor other) -> Tensor", |c, a| Ok(matmul(c, a.tensor(0)?, a.tensor(1)?)?.into())),
    with_out("aten::linalg_matmul(Tensor self, Tensor other) -> Tensor", |c, a| Ok(matmul(c, a.tensor(0)?, a.tensor(1)?)?.into())),
    with_out("aten::mm(Tensor self, Tensor mat2) -> Tensor", |c, a| ranked(c, a, (2, 2))),
    with_out("aten::bmm(Tensor self, Tensor mat2) -> Tensor", |c, a| ranked(c, a, (3, 3))),
    with_out("aten::mv(Tensor self, Tensor vec) -> Tensor", |c, a| ranked(c, a, (2, 1))),
    with_out("aten::dot(Tensor self, Tensor tensor) -> Tensor", |c, a| ranked(c, a, (1, 1))),
    plain("aten::vdot(Tensor self, Tensor other) -> Tensor", |c, a| ranked(c, a, (1, 1))),
    with_out("aten::ger(Tensor self, Tensor vec2) -> Tensor", outer),
    with_out("aten::outer(Tensor self, Tensor vec2) -> Tensor", outer),
    all("aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addmm),
    all("aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addmm),
    all("aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addmm),
    plain("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", linear),
    plain("aten::chain_matmul(Tensor[] matrices) -> Tensor", chain),
    plain("aten::linalg_multi_dot(Tensor[] tensors) -> Tensor", chain),
    plain("aten::matrix_power(Tensor self, int n) -> Tensor", power),
    plain("aten::linalg_matrix_power(Tensor self, int n) -> Tensor", power),
];

fn ranked(
    context: &Context<'_>,
    args: &Arguments<'_>,
    ranks: (usize, usize),
) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    if (a.rank(), b.rank()) != ranks {
        return refused(format!(
            "tensors of {} and {} dimensions are wanted: {a} and {b}",
            ranks.0, ranks.1
        ));
    }
    if ranks == (3, 3) && a.shape()[0] != b.shape()[0] {
        return refused(format!(
            "Expected size for first two dimensions of batch2 tensor: {a} and {b}"
        ));
    }
    Ok(matmul(context, a, b)?.into())
}

/// The product, with the rules for vectors and stacks of matrices.
pub(super) fn matmul(context: &Context<'_>, a: &Tensor, b: &Tensor) -> Result<Tensor, RunProblem> {
    if a.rank() == 0 || b.rank() == 0 {
        return refused(format!(
            "both arguments to matmul need to be at least 1D, but they are {}D and {}D",
            a.rank(),
            b.rank()
        ));
    }
    if a.dtype() != b.dtype() {
        return refused(format!(
            "expected m1 and m2 to have the same dtype, but got: {} != {}",
            a.dtype().storage_name(),
            b.dtype().storage_name()
        ));
    }
    let (left, right) = (a.rank() == 1, b.rank() == 1);
    let a = if left { a.reshape(&[1, a.count()])? } else { a.clone() };
    let b = if right { b.reshape(&[b.count(), 1])? } else { b.clone() };
    let ([batch_a @ .., rows, inner], [batch_b @ .., other, columns]) = (a.shape(), b.shape())
    else {
        return refused("matrices are wanted");
    };
    if inner != other {
        return refused(format!("mat1 and mat2 shapes cannot be multiplied ({a} and {b})"));
    }
    let batch = broadcast(batch_a, batch_b)?;
    let full = |rows: usize, columns: usize| {
        batch.iter().copied().chain([rows, columns]).collect::<Vec<_>>()
    };
    let shape = full(*rows, *columns);
    let size = context.meter.room(&shape)?.saturating_mul(*inner);
    let (x, y) = (a.expand(&full(*rows, *inner))?, b.expand(&full(*inner, *columns))?);
    let result = match exactly(a.dtype(), size) {
        // A sum of nothing.
        _ if *inner == 0 => Tensor::filled(context.meter, a.dtype(), &shape, ScalarValue::Int(0))?,
        true => {
            context.meter.work(size)?;
            let elements = products(&x.elements(), &y.elements(), *rows, *inner, *columns);
            Tensor::from_elements(context.meter, a.dtype(), &shape, &elements)?
        }
        false => {
            context.meter.work(size / FAST)?;
            fast_products(context, &x, &y, &shape)?
        }
    };
    let mut shape = batch.clone();
    if !left {
        shape.push(*rows);
    }
    if !right {
        shape.push(*columns);
    }
    result.reshape(&shape)
}

/// Whether sums of so many products are calculated with more bits than the type has: integers, complex numbers, and
/// floats where it costs next to nothing.
pub(super) fn exactly(dtype: Dtype, size: usize) -> bool {
    !dtype.is_float() || size <= 1 << 17
}

/// How much faster than others the kernels calculate: their work counts for less.
pub(super) const FAST: usize = 8;

/// Stacks of matrices, each with each, in 32 or 64 bits.
fn fast_products(
    context: &Context<'_>,
    a: &Tensor,
    b: &Tensor,
    shape: &[usize],
) -> Result<Tensor, RunProblem> {
    let [batch @ .., rows, columns] = shape else { return refused("matrices are wanted") };
    let stacks: Vec<Vec<usize>> = places(batch).collect();
    let threads = context.threads;
    if let (Some(x), Some(y)) = (a.raw_singles(), b.raw_singles()) {
        let (x, y) = (Matrices::from_tensor(&x, a), Matrices::from_tensor(&y, b));
        return Tensor::of_singles(context.meter, shape, |sums| {
            each_matrix(&stacks, &x, &y, (sums, *rows, *columns), threads);
        });
    }
    let (dense_a, dense_b) = (a.floats(), b.floats());
    let (x, y) = (Matrices::dense(&dense_a, a), Matrices::dense(&dense_b, b));
    let mut sums = vec![0.0; rows * columns * stacks.len()];
    each_matrix(&stacks, &x, &y, (&mut sums, *rows, *columns), threads);
    Tensor::of_floats(context.meter, a.dtype(), shape, sums)
}

fn each_matrix<T: Real>(
    stacks: &[Vec<usize>],
    a: &Matrices<'_, T>,
    b: &Matrices<'_, T>,
    (sums, rows, columns): (&mut [T], usize, usize),
    threads: usize,
) {
    let sums = sums.chunks_exact_mut((rows * columns).max(1));
    // Either each product in several threads, or several products at a time.
    let (outer, inner) = if stacks.len() >= threads { (threads, 1) } else { (1, threads) };
    share(stacks.iter().zip(sums).collect(), outer, |(stack, sums)| {
        let sums = ArrayViewMut2::from_shape((rows, columns), sums);
        if let (Some(a), Some(b), Ok(sums)) = (a.at(stack), b.at(stack), sums) {
            multiply(a, b, sums, inner);
        }
    });
}

/// The matrices of a stack, over memory of any strides.
struct Matrices<'m, T> {
    numbers: &'m [T],
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl<'m, T> Matrices<'m, T> {
    fn from_tensor(numbers: &'m [T], tensor: &Tensor) -> Self {
        Self { numbers, shape: tensor.shape().to_vec(), strides: tensor.strides().to_vec() }
    }

    fn dense(numbers: &'m [T], tensor: &Tensor) -> Self {
        let strides = contiguous_strides(tensor.shape());
        Self { numbers, shape: tensor.shape().to_vec(), strides }
    }

    fn at(&self, stack: &[usize]) -> Option<ArrayView2<'m, T>> {
        let offset: usize = stack.iter().zip(&self.strides).map(|(at, stride)| at * stride).sum();
        let ([.., rows, columns], [.., down, right]) = (&*self.shape, &*self.strides) else {
            return None;
        };
        let shape = (*rows, *columns).strides((*down, *right));
        ArrayView2::from_shape(shape, self.numbers.get(offset..)?).ok()
    }
}

fn products(a: &Elements, b: &Elements, rows: usize, inner: usize, columns: usize) -> Elements {
    match (a, b) {
        (Elements::Int(a), Elements::Int(b)) => {
            Elements::Int(product((a, b, 0), (rows, inner, columns), |sum, a, b| {
                sum.wrapping_add(a.wrapping_mul(b))
            }))
        }
        (Elements::Float(a), Elements::Float(b)) => {
            Elements::Float(product((a, b, 0.0), (rows, inner, columns), |sum, a, b| sum + a * b))
        }
        (Elements::Complex(a), Elements::Complex(b)) => Elements::Complex(product(
            (a, b, (0.0, 0.0)),
            (rows, inner, columns),
            |sum, a: (f64, f64), b: (f64, f64)| {
                (sum.0 + a.0 * b.0 - a.1 * b.1, sum.1 + a.0 * b.1 + a.1 * b.0)
            },
        )),
        _ => Elements::Float(Vec::new()),
    }
}

fn product<T: Copy>(
    (a, b, zero): (&[T], &[T], T),
    (rows, inner, columns): (usize, usize, usize),
    add: impl Fn(T, T, T) -> T,
) -> Vec<T> {
    let (size_a, size_b) = (rows * inner, inner * columns);
    let batches = a.len().checked_div(size_a).or(b.len().checked_div(size_b)).unwrap_or(0);
    let mut result = Vec::with_capacity(batches * rows * columns);
    for batch in 0..batches {
        let (a, b) =
            (&a[batch * size_a..(batch + 1) * size_a], &b[batch * size_b..(batch + 1) * size_b]);
        for row in 0..rows {
            let mut sums = vec![zero; columns];
            for (at, factor) in a[row * inner..(row + 1) * inner].iter().enumerate() {
                let line = &b[at * columns..(at + 1) * columns];
                for (sum, other) in sums.iter_mut().zip(line) {
                    *sum = add(*sum, *factor, *other);
                }
            }
            result.extend(sums);
        }
    }
    result
}

fn outer(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    if (a.rank(), b.rank()) != (1, 1) {
        return refused(format!("outer: Expected 1-D arguments: {a} and {b}"));
    }
    let dtype = common(args.value(0), args.value(1));
    let (a, b) = (
        a.to_dtype(dtype)?.reshape(&[a.count(), 1])?,
        b.to_dtype(dtype)?.reshape(&[1, b.count()])?,
    );
    Ok(matmul(context, &a, &b)?.into())
}

/// `beta * self + alpha * (a @ b)`; of a `beta` of zero nothing of `self` comes through.
fn addmm(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, beta, alpha) = (args.tensor(0)?, args.number(3)?, args.number(4)?);
    let (a, b) = (args.tensor(1)?, args.tensor(2)?);
    let product = matmul(context, a, b)?;
    let dtype = product.dtype();
    let start = tensor.expand(product.shape())?;
    let elements = match (start.elements_as(dtype), product.elements()) {
        (Elements::Int(a), Elements::Int(b)) => {
            let (beta, alpha) = (beta.int(), alpha.int());
            Elements::Int(
                a.into_iter()
                    .zip(b)
                    .map(|(a, b)| beta.wrapping_mul(a).wrapping_add(alpha.wrapping_mul(b)))
                    .collect(),
            )
        }
        (Elements::Float(a), Elements::Float(b)) => {
            let (beta, alpha) = (beta.float(), alpha.float());
            let scaled = |a: f64| if beta == 0.0 { 0.0 } else { beta * a };
            Elements::Float(a.into_iter().zip(b).map(|(a, b)| scaled(a) + alpha * b).collect())
        }
        (Elements::Complex(a), Elements::Complex(b)) => {
            use super::complex::product;
            let (beta, alpha) = (beta.complex(), alpha.complex());
            let scaled = |a| if beta == (0.0, 0.0) { beta } else { product(beta, a) };
            let sum = |(a, b)| {
                let (a, b) = (scaled(a), product(alpha, b));
                (a.0 + b.0, a.1 + b.1)
            };
            Elements::Complex(a.into_iter().zip(b).map(sum).collect())
        }
        _ => return crate::problem::unsupported("addmm of elements of two kinds"),
    };
    Ok(Tensor::from_elements(context.meter, dtype, product.shape(), &elements)?.into())
}

fn linear(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let product = matmul(context, args.tensor(0)?, &args.tensor(1)?.transposed()?)?;
    match args.tensor_or_none(2)? {
        None => Ok(product.into()),
        Some(bias) => add(context, product, bias.clone()),
    }
}

pub(super) fn add(context: &Context<'_>, a: Tensor, b: Tensor) -> Result<ScriptValue, RunProblem> {
    let values = [a.into(), b.into(), ScriptValue::from(1_i64)];
    match context.overload("aten::add", "Tensor") {
        Some(entry) => entry.run(context, &values),
        None => refused("no add"),
    }
}

fn chain(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = args.tensors(0)?;
    let mut rest = all.into_iter();
    let Some(first) = rest.next() else { return refused("expected at least one tensor") };
    Ok(rest.try_fold(first, |product, next| matmul(context, &product, &next))?.into())
}

fn power(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, exponent) = (args.tensor(0)?, args.int(1)?);
    let [.., rows, columns] = *tensor.shape() else {
        return refused("matrix_power needs square matrices");
    };
    if rows != columns {
        return refused("matrix_power needs square matrices");
    }
    let mut base =
        if exponent < 0 { super::solve::inverse(context, tensor)? } else { tensor.clone() };
    let eye = identity(context, rows, tensor.dtype())?;
    let mut result = eye.expand(tensor.shape())?.contiguous()?;
    let mut left = exponent.unsigned_abs();
    while left > 0 {
        if left % 2 == 1 {
            result = matmul(context, &result, &base)?;
        }
        left /= 2;
        if left > 0 {
            base = matmul(context, &base, &base)?;
        }
    }
    Ok(result.into())
}

fn identity(context: &Context<'_>, size: usize, dtype: Dtype) -> Result<Tensor, RunProblem> {
    let eye = Tensor::filled(context.meter, dtype, &[size, size], ScalarValue::Int(0))?;
    super::shape::diagonal_of(&eye, 0, 0, 1)?.copy_from(&Tensor::scalar(
        context.meter,
        dtype,
        ScalarValue::Int(1),
    )?)?;
    Ok(eye)
}
