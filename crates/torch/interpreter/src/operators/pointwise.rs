//! Element by element: the machinery of one and of two operands.

use super::declaration::Context;
use crate::dtype::ResultType;
use crate::kernels::share;
use crate::problem::{refused, unsupported};
use crate::tensor::{Elements, Singles, broadcast, cast};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

/// Real and imaginary part.
pub(super) type Complex = (f64, f64);

/// What is done with two elements, in each kind of number.
pub(super) struct Binary<'r> {
    pub(super) int: &'r dyn Fn(i64, i64) -> Result<i64, RunProblem>,
    pub(super) float: &'r dyn Fn(f64, f64) -> f64,
    pub(super) complex: Option<&'r dyn Fn(Complex, Complex) -> Complex>,
}

/// The type of an operation on these values.
pub(super) fn common(values: &[&ScriptValue]) -> Dtype {
    let mut result = ResultType::default();
    for value in values {
        match value {
            ScriptValue::Tensor(tensor) if tensor.is_number() => {
                result.number(tensor.dtype().of_number());
            }
            ScriptValue::Tensor(tensor) => result.tensor(tensor.dtype(), tensor.rank()),
            ScriptValue::Number(number) => result.number(number.dtype()),
            _ => {}
        }
    }
    result.get()
}

/// Elements of both operands in one type and one shape.
pub(super) fn aligned(
    a: &ScriptValue,
    b: &ScriptValue,
    dtype: Dtype,
) -> Result<(Vec<usize>, Elements, Elements), RunProblem> {
    let shape_of = |value: &ScriptValue| value.tensor().map_or(Vec::new(), |t| t.shape().to_vec());
    let shape = broadcast(&shape_of(a), &shape_of(b))?;
    let count = crate::tensor::count(&shape)?;
    let elements = |value: &ScriptValue| match value {
        ScriptValue::Tensor(tensor) => Ok(tensor.expand(&shape)?.elements_as(dtype)),
        ScriptValue::Number(number) => {
            Ok(Elements::of_numbers(dtype, &vec![cast(dtype, *number); count]))
        }
        other => refused(format!("a number or a tensor is wanted: {}", other.type_name())),
    };
    let elements = (elements(a)?, elements(b)?);
    Ok((shape, elements.0, elements.1))
}

/// Calculates in `dtype` and gives a tensor of `out`.
pub(super) fn binary(
    context: &Context<'_>,
    a: &ScriptValue,
    b: &ScriptValue,
    dtype: Dtype,
    out: Dtype,
    rule: &Binary<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (shape, a, b) = aligned(a, b, dtype)?;
    let elements = match (a, b) {
        (Elements::Int(a), Elements::Int(b)) => {
            let pairs = a.into_iter().zip(b);
            Elements::Int(pairs.map(|(a, b)| (rule.int)(a, b)).collect::<Result<_, _>>()?)
        }
        (Elements::Float(a), Elements::Float(b)) => {
            Elements::Float(a.into_iter().zip(b).map(|(a, b)| (rule.float)(a, b)).collect())
        }
        (Elements::Complex(a), Elements::Complex(b)) => match rule.complex {
            Some(complex) => {
                Elements::Complex(a.into_iter().zip(b).map(|(a, b)| complex(a, b)).collect())
            }
            None => return unsupported("this operation on complex numbers"),
        },
        _ => return unsupported("elements of two kinds"),
    };
    Ok(Tensor::from_elements(context.meter, out, &shape, &elements)?.into())
}

/// How many elements are worth a thread.
const WORTH_A_THREAD: usize = 1 << 15;

/// A tensor of `float32` whose elements are a function of these.
pub(super) fn mapped(
    context: &Context<'_>,
    shape: &[usize],
    numbers: &[f32],
    function: impl Fn(f32) -> f32 + Sync,
) -> Result<ScriptValue, RunProblem> {
    let result = Tensor::of_singles(context.meter, shape, |result| {
        let parts = result.chunks_mut(WORTH_A_THREAD).zip(numbers.chunks(WORTH_A_THREAD));
        share(parts.collect(), context.threads, |(to, from)| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = function(*from));
        });
    });
    Ok(result?.into())
}

/// Operations that give the same rounded number whether they are calculated with 32 bits or with more.
#[derive(Clone, Copy)]
pub(super) enum Basic {
    Sum,
    Difference,
    Product,
    Quotient,
}

/// Such an operation on tensors of `float32`, or one of them and a number; none if the operands are others.
pub(super) fn basic(
    context: &Context<'_>,
    a: &ScriptValue,
    b: &ScriptValue,
    operation: Basic,
) -> Result<Option<ScriptValue>, RunProblem> {
    let single = |value: &ScriptValue| match value {
        ScriptValue::Tensor(tensor) => tensor.dtype() == Dtype::F32,
        ScriptValue::Number(number) => !matches!(number, ScalarValue::Complex(..)),
        _ => false,
    };
    if !(single(a) && single(b)) || common(&[a, b]) != Dtype::F32 {
        return Ok(None);
    }
    let shape = match (a, b) {
        (ScriptValue::Tensor(a), ScriptValue::Tensor(b)) => broadcast(a.shape(), b.shape())?,
        (ScriptValue::Tensor(tensor), _) | (_, ScriptValue::Tensor(tensor)) => {
            tensor.shape().to_vec()
        }
        _ => return Ok(None),
    };
    let (a, b) = (Operand::from_value(a, &shape)?, Operand::from_value(b, &shape)?);
    let result = Tensor::of_singles(context.meter, &shape, |result| match operation {
        Basic::Sum => pairs(&a.numbers(), &b.numbers(), result, context.threads, |a, b| a + b),
        Basic::Difference => {
            pairs(&a.numbers(), &b.numbers(), result, context.threads, |a, b| a - b);
        }
        Basic::Product => pairs(&a.numbers(), &b.numbers(), result, context.threads, |a, b| a * b),
        Basic::Quotient => {
            pairs(&a.numbers(), &b.numbers(), result, context.threads, |a, b| a / b);
        }
    });
    Ok(Some(result?.into()))
}

/// One side of an operation.
enum Operand {
    One(f32),
    Many(Tensor),
}

enum Numbers<'n> {
    One(f32),
    Many(Singles<'n>),
}

impl Operand {
    fn from_value(value: &ScriptValue, shape: &[usize]) -> Result<Self, RunProblem> {
        Ok(match value {
            ScriptValue::Tensor(tensor) if tensor.count() == 1 => {
                Self::One(tensor.item()?.float() as f32)
            }
            ScriptValue::Tensor(tensor) => Self::Many(tensor.expand(shape)?),
            other => {
                let number = other.number().unwrap_or(ScalarValue::Float(f64::NAN));
                Self::One(cast(Dtype::F32, number).float() as f32)
            }
        })
    }

    fn numbers(&self) -> Numbers<'_> {
        match self {
            Self::One(number) => Numbers::One(*number),
            Self::Many(tensor) => match tensor.singles() {
                Some(numbers) => Numbers::Many(numbers),
                None => Numbers::One(f32::NAN),
            },
        }
    }
}

fn pairs(
    a: &Numbers<'_>,
    b: &Numbers<'_>,
    result: &mut [f32],
    threads: usize,
    of: impl Fn(f32, f32) -> f32 + Sync,
) {
    const SIZE: usize = WORTH_A_THREAD;
    match (a, b) {
        (Numbers::Many(a), Numbers::Many(b)) => {
            let parts = result.chunks_mut(SIZE).zip(a.chunks(SIZE).zip(b.chunks(SIZE)));
            share(parts.collect(), threads, |(to, (a, b))| {
                to.iter_mut().zip(a.iter().zip(b)).for_each(|(to, (a, b))| *to = of(*a, *b));
            });
        }
        (Numbers::Many(a), Numbers::One(b)) => {
            result.iter_mut().zip(a.iter()).for_each(|(to, a)| *to = of(*a, *b));
        }
        (Numbers::One(a), Numbers::Many(b)) => {
            result.iter_mut().zip(b.iter()).for_each(|(to, b)| *to = of(*a, *b));
        }
        (Numbers::One(a), Numbers::One(b)) => result.fill(of(*a, *b)),
    }
}
