//! Functions of complex numbers, and conjugates.

use super::Arguments;
use super::declaration::{Context, Operator, all, plain};
use super::pointwise::Complex;
use crate::tensor::Elements;
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::conj(Tensor(a) self) -> Tensor(a)", conjugate),
    plain("aten::_conj(Tensor(a) self) -> Tensor(a)", conjugate),
    all("aten::conj_physical(Tensor self) -> Tensor", conjugate),
];

/// The same real parts with the other sign of the imaginary ones. PyTorch has a view for it, which shares memory.
fn conjugate(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if !tensor.dtype().is_complex() {
        return Ok(tensor.clone().into());
    }
    mapped(context, tensor, |(re, im)| (re, -im))
}

/// A function of every element of a complex tensor.
pub(super) fn mapped(
    context: &Context<'_>,
    tensor: &Tensor,
    of: impl Fn(Complex) -> Complex,
) -> Result<ScriptValue, RunProblem> {
    let numbers = tensor.complexes().into_iter().map(of).collect();
    let numbers = Elements::Complex(numbers);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), tensor.shape(), &numbers)?.into())
}

pub(super) fn product(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

pub(super) fn quotient(a: Complex, b: Complex) -> Complex {
    let size = b.0 * b.0 + b.1 * b.1;
    ((a.0 * b.0 + a.1 * b.1) / size, (a.1 * b.0 - a.0 * b.1) / size)
}

pub(super) fn exp((re, im): Complex) -> Complex {
    let size = re.exp();
    (size * im.cos(), size * im.sin())
}

pub(super) fn ln((re, im): Complex) -> Complex {
    (re.hypot(im).ln(), im.atan2(re))
}

pub(super) fn sqrt((re, im): Complex) -> Complex {
    let size = re.hypot(im);
    if size == 0.0 {
        return (0.0, im);
    }
    // Of both parts the one that is calculated without a difference.
    let half = ((size + re.abs()) / 2.0).sqrt();
    if re >= 0.0 { (half, im / (2.0 * half)) } else { (im.abs() / (2.0 * half), half.copysign(im)) }
}

pub(super) fn sin((re, im): Complex) -> Complex {
    (re.sin() * im.cosh(), re.cos() * im.sinh())
}

pub(super) fn cos((re, im): Complex) -> Complex {
    (re.cos() * im.cosh(), -re.sin() * im.sinh())
}

pub(super) fn sinh((re, im): Complex) -> Complex {
    (re.sinh() * im.cos(), re.cosh() * im.sin())
}

pub(super) fn cosh((re, im): Complex) -> Complex {
    (re.cosh() * im.cos(), re.sinh() * im.sin())
}

pub(super) fn tanh((re, im): Complex) -> Complex {
    if re.abs() > 300.0 {
        return (re.signum(), 0.0);
    }
    let bottom = (2.0 * re).cosh() + (2.0 * im).cos();
    ((2.0 * re).sinh() / bottom, (2.0 * im).sin() / bottom)
}

fn turned((re, im): Complex) -> Complex {
    (-im, re)
}

fn back((re, im): Complex) -> Complex {
    (im, -re)
}

pub(super) fn tan(z: Complex) -> Complex {
    back(tanh(turned(z)))
}

pub(super) fn asinh((re, im): Complex) -> Complex {
    if re < 0.0 {
        let (a, b) = asinh((-re, -im));
        return (-a, -b);
    }
    let square = product((re, im), (re, im));
    let root = sqrt((square.0 + 1.0, square.1));
    ln((re + root.0, im + root.1))
}

pub(super) fn asin(z: Complex) -> Complex {
    back(asinh(turned(z)))
}

pub(super) fn acos(z: Complex) -> Complex {
    let (re, im) = asin(z);
    (std::f64::consts::FRAC_PI_2 - re, -im)
}

pub(super) fn acosh((re, im): Complex) -> Complex {
    let (low, high) = (sqrt((re - 1.0, im)), sqrt((re + 1.0, im)));
    let (a, b) = product(low, high);
    ln((re + a, im + b))
}

pub(super) fn atanh((re, im): Complex) -> Complex {
    let (a, b) = (ln((1.0 + re, im)), ln((1.0 - re, -im)));
    ((a.0 - b.0) / 2.0, (a.1 - b.1) / 2.0)
}

pub(super) fn atan(z: Complex) -> Complex {
    back(atanh(turned(z)))
}

pub(super) fn expm1((re, im): Complex) -> Complex {
    let half = (im / 2.0).sin();
    (re.exp_m1() * im.cos() - 2.0 * half * half, re.exp() * im.sin())
}

pub(super) fn ln_1p((re, im): Complex) -> Complex {
    ln((1.0 + re, im))
}

pub(super) fn sigmoid((re, im): Complex) -> Complex {
    let (a, b) = exp((-re, -im));
    quotient((1.0, 0.0), (1.0 + a, b))
}

pub(super) fn reciprocal(z: Complex) -> Complex {
    quotient((1.0, 0.0), z)
}
