//! The functions of Bessel, and that of Airy.
//!
//! The integrands of their integrals are periodic or fall off doubly exponentially, so a plain sum over equal steps is exact
//! as soon as the steps are small enough.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

const EULER: f64 = 0.577_215_664_901_532_9;

/// Beyond this, series in 1/x are exact to the last digits.
const LARGE: f64 = 60.0;

/// The mean of a function over half a turn; `count` steps.
fn mean(count: usize, of: impl Fn(f64) -> f64) -> f64 {
    let step = PI / count as f64;
    let inner: f64 = (1..count).map(|at| of(at as f64 * step)).sum();
    (inner + 0.5 * (of(0.0) + of(PI))) / count as f64
}

/// The function of the first kind.
pub(super) fn j(order: u32, x: f64) -> f64 {
    if x.is_infinite() {
        return 0.0;
    }
    if x.abs() > LARGE {
        let sign = if order % 2 == 1 && x < 0.0 { -1.0 } else { 1.0 };
        return sign * wave(order, x.abs()).0;
    }
    let n = f64::from(order);
    mean(steps(order, x), |turn| (n * turn - x * turn.sin()).cos())
}

fn steps(order: u32, x: f64) -> usize {
    (x.abs() as usize + order as usize) + 40
}

/// Both kinds far out: an amplitude and a phase.
fn wave(order: u32, x: f64) -> (f64, f64) {
    let mu = 4.0 * f64::from(order) * f64::from(order);
    let (mut p, mut q, mut term) = (1.0, 0.0, 1.0_f64);
    for k in 1..30 {
        let odd = 2.0 * f64::from(k) - 1.0;
        let next = term * (mu - odd * odd) / (f64::from(k) * 8.0 * x);
        if next.abs() > term.abs() && k > 2 {
            break;
        }
        term = next;
        match k % 4 {
            1 => q += term,
            2 => p -= term,
            3 => q -= term,
            _ => p += term,
        }
    }
    let turn = x - f64::from(order) * FRAC_PI_2 - FRAC_PI_4;
    let size = (FRAC_2_PI / x).sqrt();
    (size * (p * turn.cos() - q * turn.sin()), size * (p * turn.sin() + q * turn.cos()))
}

/// The function of the second kind where no series is needed: at zero and below, and far out.
fn y_at_the_ends(order: u32, x: f64) -> Option<f64> {
    match x {
        0.0 => Some(f64::NEG_INFINITY),
        _ if x < 0.0 || x.is_nan() => Some(f64::NAN),
        f64::INFINITY => Some(0.0),
        _ => (x > LARGE).then(|| wave(order, x).1),
    }
}

/// The function of the second kind, of order 0: the series of Neumann in those of the first kind.
pub(super) fn y0(x: f64) -> f64 {
    if let Some(known) = y_at_the_ends(0, x) {
        return known;
    }
    let sum: f64 = (1..terms(x))
        .map(|k| if k.is_multiple_of(2) { 1.0 } else { -1.0 } * j(2 * k, x) / f64::from(k))
        .sum();
    FRAC_2_PI * ((x / 2.0).ln() + EULER) * j(0, x) - 2.0 * FRAC_2_PI * sum
}

/// The same of order 1.
pub(super) fn y1(x: f64) -> f64 {
    if let Some(known) = y_at_the_ends(1, x) {
        return known;
    }
    let term = |k: u32| {
        let weight = f64::from(2 * k + 1) / (f64::from(k) * f64::from(k + 1));
        (if k.is_multiple_of(2) { weight } else { -weight }) * j(2 * k + 1, x)
    };
    let sum: f64 = (1..terms(x)).map(term).sum();
    FRAC_2_PI * (((x / 2.0).ln() + EULER - 1.0) * j(1, x) - j(0, x) / x - sum)
}

/// Behind as many terms those of the first kind are nothing.
fn terms(x: f64) -> u32 {
    x as u32 / 2 + 25
}

/// The modified function of the first kind, times e^-|x|.
pub(super) fn scaled_i(order: u32, x: f64) -> f64 {
    let (size, n) = (x.abs(), f64::from(order));
    if x.is_nan() {
        return x;
    }
    let sign = if order % 2 == 1 && x < 0.0 { -1.0 } else { 1.0 };
    if size > 500.0 {
        let mu = 4.0 * n * n;
        let (mut sum, mut term) = (1.0, 1.0);
        for k in 1..12 {
            let odd = 2.0 * f64::from(k) - 1.0;
            term *= -(mu - odd * odd) / (f64::from(k) * 8.0 * size);
            sum += term;
        }
        return sign * sum / (2.0 * PI * size).sqrt();
    }
    if size < 1.0 && order > 0 {
        // A sum of differences has no digits left near zero.
        let (mut term, mut sum) = (size / 2.0, size / 2.0);
        for k in 1..20 {
            term *= size * size / 4.0 / (f64::from(k) * f64::from(k + 1));
            sum += term;
        }
        return sign * sum * (-size).exp();
    }
    sign * mean(60 + size as usize, |turn| (size * (turn.cos() - 1.0)).exp() * (n * turn).cos())
}

/// The modified function of the first kind.
pub(super) fn i(order: u32, x: f64) -> f64 {
    scaled_i(order, x) * x.abs().exp()
}

/// The modified function of the second kind; times e^x if it is scaled.
pub(super) fn k(order: f64, x: f64, scaled: bool) -> f64 {
    if x == 0.0 {
        return f64::INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f64::NAN;
    }
    let step = 1.0 / 64.0;
    let mut sum = 0.5;
    for at in 1..64 * 800 {
        let t = f64::from(at) * step;
        let power = x * (t.cosh() - 1.0);
        let term = (-power).exp() * (order * t).cosh();
        sum += term;
        if power > 50.0 && term < sum * 1e-18 {
            break;
        }
    }
    sum * step * if scaled { 1.0 } else { (-x).exp() }
}

pub(super) fn spherical(x: f64) -> f64 {
    if x.is_infinite() {
        return 0.0;
    }
    if x == 0.0 { 1.0 } else { x.sin() / x }
}

/// The function of Airy: for positive numbers a modified function of order 1/3, its series near zero, waves far below.
pub(super) fn airy(x: f64) -> f64 {
    if x.is_infinite() {
        return if x > 0.0 { 0.0 } else { f64::NAN };
    }
    let zeta = 2.0 / 3.0 * x.abs().powf(1.5);
    if x > 1.0 {
        return (x / 3.0).sqrt() / PI * k(1.0 / 3.0, zeta, false);
    }
    if x < -7.0 {
        // The coefficients of its expansion, each from the one before.
        let (mut p, mut q, mut term) = (1.0, 0.0, 1.0);
        for at in 1..40_u32 {
            let n = f64::from(at);
            let factor = (6.0 * n - 5.0) * (6.0 * n - 3.0) * (6.0 * n - 1.0)
                / (216.0 * n * (2.0 * n - 1.0) * zeta);
            // From here on the terms grow.
            if factor > 1.0 {
                break;
            }
            term *= factor;
            match at % 4 {
                1 => q += term,
                2 => p -= term,
                3 => q -= term,
                _ => p += term,
            }
        }
        let turn = zeta - FRAC_PI_4;
        return (turn.cos() * p + turn.sin() * q) / (PI.sqrt() * (-x).powf(0.25));
    }
    // Both series, and their weights: the value and the slope at zero.
    let (weight, slope) = (0.355_028_053_887_817_2, 0.258_819_403_792_806_8);
    let cube = x * x * x;
    let (mut f, mut g, mut a, mut b) = (1.0, x, 1.0, x);
    for n in 1..60 {
        let n = 3.0 * f64::from(n);
        a *= cube / (n * (n - 1.0));
        b *= cube / (n * (n + 1.0));
        f += a;
        g += b;
    }
    weight * f - slope * g
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-11 * wanted.abs().max(0.1), "{found} {wanted}");
    }

    #[test]
    fn the_kinds_hold_together() {
        // Differences of products that are known: the determinants of Wronski.
        for x in [0.1, 0.7, 2.0, 9.5, 33.0, 59.9, 60.1, 400.0] {
            near(j(1, x) * y0(x) - j(0, x) * y1(x), FRAC_2_PI / x);
            near(scaled_i(0, x) * k(1.0, x, true) + scaled_i(1, x) * k(0.0, x, true), 1.0 / x);
        }
        near(j(0, 1.0), 0.765_197_686_557_966_6);
        near(y0(1.0), 0.088_256_964_215_676_96);
        near(k(0.0, 1.0, false), 0.421_024_438_240_708_34);
        near(i(0, 1.0), 1.266_065_877_752_008_4);
        near(airy(0.0), 0.355_028_053_887_817_2);
        near(airy(1.0), 0.135_292_416_312_881_43);
        near(airy(1.0 + 1e-12), 0.135_292_416_312_722_3);
        assert!((airy(-7.0 - 1e-13) - airy(-7.0)).abs() < 1e-10);
    }
}
