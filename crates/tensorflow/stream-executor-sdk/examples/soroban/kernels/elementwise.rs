//! Operations that compute every element by itself.

use std::marker::PhantomData;

use unskew_stream_executor_sdk::{Construction, Context, Error, Kernel, Kernels};

use super::float;
use crate::array::{broadcast, positions};
use crate::device::Abacus;
use crate::sys::{elements, elements_mut};

/// A function of one number.
trait UnaryFunction: Send + Sync + 'static {
    fn apply(x: f32) -> f32;
}

trait BinaryFunction: Send + Sync + 'static {
    fn apply(x: f32, y: f32) -> f32;
}

/// The operation of such a function.
struct Unary<F>(PhantomData<F>);

/// The same of two arrays, whose shapes are broadcast.
struct Binary<F>(PhantomData<F>);

impl<F: UnaryFunction> Kernel<Abacus> for Unary<F> {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self(PhantomData))
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let input = context.input(0)?;
        let mut output = context.allocate_output(0, &input.dims())?;
        for (to, from) in elements_mut::<f32>(&mut output)?.iter_mut().zip(elements(&input)?) {
            *to = F::apply(*from);
        }
        Ok(())
    }
}

impl<F: BinaryFunction> Kernel<Abacus> for Binary<F> {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self(PhantomData))
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let (x, y) = (context.input(0)?, context.input(1)?);
        let dims = broadcast(&x.dims(), &y.dims())?;
        let mut output = context.allocate_output(0, &dims)?;
        let (at_x, at_y) = (positions(&dims, &x.dims()), positions(&dims, &y.dims()));
        let (x, y) = (elements::<f32>(&x)?, elements::<f32>(&y)?);
        let places = at_x.into_iter().zip(at_y);
        for (to, (at_x, at_y)) in elements_mut::<f32>(&mut output)?.iter_mut().zip(places) {
            *to = F::apply(x[at_x], y[at_y]);
        }
        Ok(())
    }
}

/// Any number of arrays of one shape.
struct AddN;

impl Kernel<Abacus> for AddN {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self)
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let first = context.input(0)?;
        let mut output = context.allocate_output(0, &first.dims())?;
        let output = elements_mut::<f32>(&mut output)?;
        output.copy_from_slice(elements(&first)?);
        for index in 1..context.inputs() {
            let next = context.input(index)?;
            for (to, from) in output.iter_mut().zip(elements::<f32>(&next)?) {
                *to += from;
            }
        }
        Ok(())
    }
}

macro_rules! functions {
    (one { $($one:ident = |$x:ident| $value:expr;)* } two { $($two:ident = |$a:ident, $b:ident| $of:expr;)* }) => {
        $(
            struct $one;
            impl UnaryFunction for $one {
                fn apply($x: f32) -> f32 {
                    $value
                }
            }
        )*
        $(
            struct $two;
            impl BinaryFunction for $two {
                fn apply($a: f32, $b: f32) -> f32 {
                    $of
                }
            }
        )*

        /// Registers the operations, whose names are those of the functions.
        pub fn register(kernels: &mut Kernels<Abacus>) -> Result<(), Error> {
            $(float::<Unary<$one>>(kernels, stringify!($one))?;)*
            $(float::<Binary<$two>>(kernels, stringify!($two))?;)*
            float::<AddN>(kernels, "AddN")
        }
    };
}

functions! {
    one {
        Relu = |x| x.max(0.0);
        Neg = |x| -x;
        Abs = |x| x.abs();
        Square = |x| x * x;
        Sqrt = |x| x.sqrt();
        Rsqrt = |x| x.sqrt().recip();
        Exp = |x| x.exp();
        Log = |x| x.ln();
        Tanh = |x| x.tanh();
        Sigmoid = |x| 1.0 / (1.0 + (-x).exp());
        ZerosLike = |_x| 0.0;
        OnesLike = |_x| 1.0;
    }
    two {
        Add = |a, b| a + b;
        AddV2 = |a, b| a + b;
        Sub = |a, b| a - b;
        Mul = |a, b| a * b;
        RealDiv = |a, b| a / b;
        DivNoNan = |a, b| if b == 0.0 { 0.0 } else { a / b };
        Maximum = |a, b| a.max(b);
        Minimum = |a, b| a.min(b);
        SquaredDifference = |a, b| (a - b) * (a - b);
        ReluGrad = |gradient, x| if x > 0.0 { gradient } else { 0.0 };
        TanhGrad = |y, gradient| gradient * (1.0 - y * y);
        SigmoidGrad = |y, gradient| gradient * y * (1.0 - y);
    }
}
