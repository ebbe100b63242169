//! Special functions: of the gamma family, of Bessel, around the error function, and polynomials by their recurrences.
//!
//! Each is calculated with 64 bits by what defines it: a series, an integral whose sum converges faster than any power, a
//! recurrence.

mod bessel;
mod error;
mod gamma;
mod polynomials;

use super::Arguments;
use super::declaration::{Context, Operator, all, with_out};
use super::pointwise::{Binary, binary};
use super::unary::float;
use crate::problem::refused;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    all("aten::lgamma(Tensor self) -> Tensor", |c, a| float(c, a, gamma::log_gamma)),
    with_out("aten::special_gammaln(Tensor self) -> Tensor", |c, a| float(c, a, gamma::log_gamma)),
    all("aten::digamma(Tensor self) -> Tensor", |c, a| float(c, a, gamma::digamma)),
    with_out("aten::special_psi(Tensor self) -> Tensor", |c, a| float(c, a, gamma::digamma)),
    with_out("aten::special_digamma(Tensor self) -> Tensor", |c, a| float(c, a, gamma::digamma)),
    with_out("aten::polygamma(int n, Tensor self) -> Tensor", |c, a| polygamma(c, a, 0, 1)),
    with_out("aten::special_polygamma(int n, Tensor self) -> Tensor", |c, a| polygamma(c, a, 0, 1)),
    all("aten::mvlgamma(Tensor self, int p) -> Tensor", mvlgamma),
    with_out("aten::special_multigammaln(Tensor self, int p) -> Tensor", mvlgamma),
    all("aten::igamma(Tensor self, Tensor other) -> Tensor", |c, a| series(c, a, gamma::lower)),
    all("aten::igammac(Tensor self, Tensor other) -> Tensor", |c, a| series(c, a, gamma::upper)),
    with_out("aten::special_gammainc(Tensor self, Tensor other) -> Tensor", |c, a| series(c, a, gamma::lower)),
    with_out("aten::special_gammaincc(Tensor self, Tensor other) -> Tensor", |c, a| series(c, a, gamma::upper)),
    with_out("aten::special_zeta(Tensor self, Tensor other) -> Tensor", |c, a| pair(c, a, gamma::zeta)),
    with_out("aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor", |c, a| pair(c, a, gamma::zeta)),
    with_out("aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor", |c, a| pair(c, a, gamma::zeta)),
    all("aten::i0(Tensor self) -> Tensor", |c, a| costly(c, a, 100, |x| bessel::i(0, x))),
    with_out("aten::special_i0(Tensor self) -> Tensor", |c, a| costly(c, a, 100, |x| bessel::i(0, x))),
    with_out("aten::special_i0e(Tensor self) -> Tensor", |c, a| costly(c, a, 100, |x| bessel::scaled_i(0, x))),
    with_out("aten::special_i1(Tensor self) -> Tensor", |c, a| costly(c, a, 100, |x| bessel::i(1, x))),
    with_out("aten::special_i1e(Tensor self) -> Tensor", |c, a| costly(c, a, 100, |x| bessel::scaled_i(1, x))),
    with_out("aten::special_modified_bessel_i0(Tensor self) -> Tensor", |c, a| costly(c, a, 100, |x| bessel::i(0, x))),
    with_out("aten::special_modified_bessel_i1(Tensor self) -> Tensor", |c, a| costly(c, a, 100, |x| bessel::i(1, x))),
    with_out("aten::special_modified_bessel_k0(Tensor self) -> Tensor", |c, a| costly(c, a, 2000, |x| bessel::k(0.0, x, false))),
    with_out("aten::special_modified_bessel_k1(Tensor self) -> Tensor", |c, a| costly(c, a, 2000, |x| bessel::k(1.0, x, false))),
    with_out("aten::special_scaled_modified_bessel_k0(Tensor x) -> Tensor", |c, a| costly(c, a, 2000, |x| bessel::k(0.0, x, true))),
    with_out("aten::special_scaled_modified_bessel_k1(Tensor x) -> Tensor", |c, a| costly(c, a, 2000, |x| bessel::k(1.0, x, true))),
    with_out("aten::special_bessel_j0(Tensor self) -> Tensor", |c, a| costly(c, a, 100, |x| bessel::j(0, x))),
    with_out("aten::special_bessel_j1(Tensor self) -> Tensor", |c, a| costly(c, a, 100, |x| bessel::j(1, x))),
    with_out("aten::special_bessel_y0(Tensor self) -> Tensor", |c, a| costly(c, a, 5000, bessel::y0)),
    with_out("aten::special_bessel_y1(Tensor self) -> Tensor", |c, a| costly(c, a, 5000, bessel::y1)),
    with_out("aten::special_spherical_bessel_j0(Tensor x) -> Tensor", |c, a| float(c, a, bessel::spherical)),
    with_out("aten::special_airy_ai(Tensor x) -> Tensor", |c, a| costly(c, a, 2000, bessel::airy)),
    all("aten::erfinv(Tensor self) -> Tensor", |c, a| costly(c, a, 100, error::erf_inverse)),
    with_out("aten::special_erfinv(Tensor self) -> Tensor", |c, a| costly(c, a, 100, error::erf_inverse)),
    with_out("aten::special_erf(Tensor self) -> Tensor", |c, a| float(c, a, super::unary::erf)),
    with_out("aten::special_erfc(Tensor self) -> Tensor", |c, a| float(c, a, super::unary::erfc)),
    with_out("aten::special_erfcx(Tensor self) -> Tensor", |c, a| costly(c, a, 100, error::scaled_erfc)),
    with_out("aten::special_ndtr(Tensor self) -> Tensor", |c, a| costly(c, a, 100, error::normal)),
    with_out("aten::special_log_ndtr(Tensor self) -> Tensor", |c, a| costly(c, a, 100, error::log_normal)),
    with_out("aten::special_ndtri(Tensor self) -> Tensor", |c, a| costly(c, a, 100, error::normal_inverse)),
    with_out("aten::special_entr(Tensor self) -> Tensor", |c, a| costly(c, a, 100, error::entropy)),
    all("aten::sinc(Tensor self) -> Tensor", |c, a| costly(c, a, 100, error::sinc)),
    with_out("aten::special_sinc(Tensor self) -> Tensor", |c, a| costly(c, a, 100, error::sinc)),
    all("aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor", |c, a| pair(c, a, error::x_log_y)),
    all("aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor", |c, a| pair(c, a, error::x_log_y)),
    with_out("aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor", |c, a| pair(c, a, error::x_log_y)),
    with_out("aten::special_xlogy(Tensor self, Tensor other) -> Tensor", |c, a| pair(c, a, error::x_log_y)),
    with_out("aten::special_xlog1py(Tensor self, Tensor other) -> Tensor", |c, a| pair(c, a, error::x_log1p_y)),
    with_out("aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor", |c, a| pair(c, a, error::x_log1p_y)),
    with_out("aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor", |c, a| pair(c, a, error::x_log1p_y)),
    with_out("aten::special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_t)),
    with_out("aten::special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_t)),
    with_out("aten::special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_t)),
    with_out("aten::special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_u)),
    with_out("aten::special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_u)),
    with_out("aten::special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_u)),
    with_out("aten::special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_v)),
    with_out("aten::special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_v)),
    with_out("aten::special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_v)),
    with_out("aten::special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_w)),
    with_out("aten::special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_w)),
    with_out("aten::special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, polynomials::chebyshev_w)),
    with_out("aten::special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_t(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_t(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_t(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_u(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_u(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_u(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_v(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_v(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_v(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_w(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_w(x + x - 1.0, n))),
    with_out("aten::special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, |x, n| polynomials::chebyshev_w(x + x - 1.0, n))),
    with_out("aten::special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::hermite_h)),
    with_out("aten::special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::hermite_h)),
    with_out("aten::special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, polynomials::hermite_h)),
    with_out("aten::special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::hermite_he)),
    with_out("aten::special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::hermite_he)),
    with_out("aten::special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, polynomials::hermite_he)),
    with_out("aten::special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::laguerre)),
    with_out("aten::special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::laguerre)),
    with_out("aten::special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, polynomials::laguerre)),
    with_out("aten::special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::legendre)),
    with_out("aten::special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor", |c, a| steps(c, a, polynomials::legendre)),
    with_out("aten::special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor", |c, a| steps(c, a, polynomials::legendre)),
];

/// The type of a function that gives floats for integers too.
pub(super) fn floating(dtype: Dtype) -> Dtype {
    if dtype.is_integral() { Dtype::F32 } else { dtype }
}

/// A function of two operands that gives floats.
pub(super) fn pair(
    context: &Context<'_>,
    args: &Arguments<'_>,
    function: impl Fn(f64, f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let dtype = floating(super::pointwise::common(&[args.value(0), args.value(1)]));
    let int = |_, _| refused("this function is one of floats");
    let rule = Binary { int: &int, float: &function, complex: None };
    binary(context, args.value(0), args.value(1), dtype, dtype, &rule)
}

/// A function of each number that takes so many steps at most, counted.
fn costly(
    context: &Context<'_>,
    args: &Arguments<'_>,
    cost: usize,
    function: impl Fn(f64) -> f64 + Sync,
) -> Result<ScriptValue, RunProblem> {
    context.meter.work(args.tensor(0)?.count().saturating_mul(cost))?;
    float(context, args, function)
}

/// Sums that take the more steps the larger their numbers are.
fn series(
    context: &Context<'_>,
    args: &Arguments<'_>,
    function: fn(f64, f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let root = |n: f64| if n.is_finite() { n.abs().sqrt() as usize } else { 0 };
    let steps: usize =
        args.tensor(0)?.floats().into_iter().map(root).fold(0, usize::saturating_add);
    context.meter.work(steps.saturating_mul(16))?;
    pair(context, args, function)
}

/// A recurrence of as many steps as the second operand says.
fn steps(
    context: &Context<'_>,
    args: &Arguments<'_>,
    function: fn(f64, f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let many = |at: usize| args.value(at).tensor().map_or(1, Tensor::count);
    let steps: f64 = match args.value(1) {
        ScriptValue::Tensor(degrees) => degrees.floats().into_iter().map(polynomials::steps).sum(),
        _ => polynomials::steps(args.float(1)?),
    };
    context.meter.work((steps as usize).saturating_mul(many(0)))?;
    pair(context, args, function)
}

fn polygamma(
    context: &Context<'_>,
    args: &Arguments<'_>,
    order: usize,
    tensor: usize,
) -> Result<ScriptValue, RunProblem> {
    let order = args.int(order)?;
    if order < 0 {
        return refused("polygamma(n, x) does not support negative n.");
    }
    let own = [args.value(tensor).clone()];
    float(context, &Arguments::new(&own), move |x| gamma::polygamma(order, x))
}

fn mvlgamma(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let order = args.int(1)?;
    if !(1..=1 << 20).contains(&order) {
        return refused("p has to be greater than or equal to 1");
    }
    context.meter.work(args.tensor(0)?.count().saturating_mul(order as usize))?;
    let head = (order * (order - 1)) as f64 / 4.0 * std::f64::consts::PI.ln();
    float(context, args, move |x| {
        head + (0..order).map(|at| gamma::log_gamma(x - at as f64 / 2.0)).sum::<f64>()
    })
}
