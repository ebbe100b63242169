//! The gamma function's logarithm, its derivatives, its incomplete forms, and the zeta function of Hurwitz.

use std::f64::consts::PI;

/// Above this the series in 1/x are exact to the last digits.
const LARGE: f64 = 20.0;

/// The coefficients of the series of Stirling: B(2k) / (2k (2k - 1)).
const STIRLING: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
];

/// The numbers of Bernoulli with even places, from the second on.
const BERNOULLI: [f64; 10] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174_611.0 / 330.0,
];

/// The logarithm of the size of the gamma function.
pub(super) fn log_gamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x <= 0.0 {
        if x == x.floor() {
            return f64::INFINITY;
        }
        return (PI / (PI * x).sin().abs()).ln() - log_gamma(1.0 - x);
    }
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    let (mut shift, mut large) = (0.0, x);
    // Near its zeros the logarithms cancel, so it is a product.
    let mut product = 1.0;
    while large < LARGE {
        product *= large;
        large += 1.0;
        if product > 1e200 {
            shift += product.ln();
            product = 1.0;
        }
    }
    shift += product.ln();
    let square = 1.0 / (large * large);
    let series = STIRLING.iter().rev().fold(0.0, |sum, one| sum * square + one) / large;
    (large - 0.5) * large.ln() - large + 0.5 * (2.0 * PI).ln() + series - shift
}

pub(super) fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return -f64::INFINITY.copysign(x);
    }
    if x < 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        return digamma(1.0 - x) - PI / (PI * x).tan();
    }
    let (mut shift, mut large) = (0.0, x);
    while large < LARGE {
        shift += 1.0 / large;
        large += 1.0;
    }
    let square = 1.0 / (large * large);
    let terms = BERNOULLI.iter().enumerate().rev();
    let series = terms.fold(0.0, |sum, (at, b)| (sum + b / (2.0 * (at as f64 + 1.0))) * square);
    large.ln() - 0.5 / large - series - shift
}

/// The n-th derivative of the digamma function.
pub(super) fn polygamma(order: i64, x: f64) -> f64 {
    if order == 0 {
        return digamma(x);
    }
    if order == 1 {
        return trigamma(x);
    }
    let sign = if order % 2 == 0 { -1.0 } else { 1.0 };
    sign * log_gamma(order as f64 + 1.0).exp() * zeta(order as f64 + 1.0, x)
}

fn trigamma(x: f64) -> f64 {
    if x < 0.5 {
        let sin = (PI * x).sin();
        return PI * PI / (sin * sin) - trigamma(1.0 - x);
    }
    zeta(2.0, x)
}

/// The sum of (q + k)^-x over all k: the first terms, and what the formula of Euler and Maclaurin has for the rest.
pub(super) fn zeta(x: f64, q: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x < 1.0 || x.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return f64::INFINITY;
        }
        if x != x.floor() {
            return f64::NAN;
        }
    }
    let (mut sum, mut at) = (0.0, q);
    while at < LARGE {
        let term = at.powf(-x);
        sum += term;
        at += 1.0;
    }
    let mut term = at.powf(-x);
    sum += term * at / (x - 1.0) + 0.5 * term;
    let mut factor = x;
    for (nth, b) in BERNOULLI.iter().enumerate() {
        let place = 2.0 * nth as f64;
        term /= at;
        // B / (2k)! times the falling product.
        let divisor: f64 = (1..=2 * nth + 2).map(|n| n as f64).product();
        sum += b / divisor * factor * term;
        factor *= (x + place + 1.0) * (x + place + 2.0);
        term /= at;
    }
    sum
}

/// The part of the gamma function below x, of the whole.
pub(super) fn lower(a: f64, x: f64) -> f64 {
    if x < 0.0 || a < 0.0 || a.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    if a == 0.0 {
        return if x > 0.0 { 1.0 } else { f64::NAN };
    }
    if x == 0.0 {
        return 0.0;
    }
    if a.is_infinite() {
        return if x.is_infinite() { f64::NAN } else { 0.0 };
    }
    if x.is_infinite() {
        return 1.0;
    }
    if x < a + 1.0 { series(a, x) } else { 1.0 - fraction(a, x) }
}

pub(super) fn upper(a: f64, x: f64) -> f64 {
    if x < 0.0 || a < 0.0 || a.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    if a == 0.0 {
        return if x > 0.0 { 0.0 } else { f64::NAN };
    }
    if x == 0.0 {
        return 1.0;
    }
    if a.is_infinite() {
        return if x.is_infinite() { f64::NAN } else { 1.0 };
    }
    if x.is_infinite() {
        return 0.0;
    }
    if x < a + 1.0 { 1.0 - series(a, x) } else { fraction(a, x) }
}

/// What stands before the sums: x^a e^-x over the gamma function.
fn weight(a: f64, x: f64) -> f64 {
    (a * x.ln() - x - log_gamma(a)).exp()
}

/// How many terms are taken at most; near `a` a large x needs some times its root.
const TERMS: usize = 100_000;

fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut at) = (1.0 / a, 1.0 / a, a);
    for _ in 0..TERMS {
        at += 1.0;
        term *= x / at;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    sum * weight(a, x)
}

/// A continued fraction, by the method of Lentz.
fn fraction(a: f64, x: f64) -> f64 {
    let tiny = 1e-300;
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / tiny, 1.0 / b);
    let mut product = d;
    for n in 1..TERMS {
        let n = n as f64;
        let own = -n * (n - a);
        b += 2.0;
        let non_zero = |value: f64| if value.abs() < tiny { tiny } else { value };
        d = 1.0 / non_zero(own * d + b);
        c = non_zero(b + own / c);
        product *= d * c;
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    product * weight(a, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(0.1), "{found} {wanted}");
    }

    #[test]
    fn the_family_of_gamma_has_its_known_values() {
        near(log_gamma(0.5), PI.sqrt().ln());
        near(log_gamma(6.0), 120.0_f64.ln());
        near(log_gamma(-0.5), (2.0 * PI.sqrt()).ln());
        near(digamma(1.0), -0.577_215_664_901_532_9);
        near(digamma(0.5), -1.963_510_026_021_423_5);
        near(zeta(2.0, 1.0), PI * PI / 6.0);
        near(zeta(4.0, 1.0), PI.powi(4) / 90.0);
        near(polygamma(1, 0.25), 17.197_329_154_507_11);
        near(polygamma(2, 1.0), -2.404_113_806_319_188_6);
        for (a, x) in [(1.0, 0.5), (1.0, 3.0)] {
            near(lower(a, x), 1.0 - (-x).exp());
            near(upper(a, x), (-x).exp());
        }
        near(lower(0.5, 2.0), super::super::super::unary::erf(2.0_f64.sqrt()));
    }
}
