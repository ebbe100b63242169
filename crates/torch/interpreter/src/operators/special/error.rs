//! Functions around the error function, and products with logarithms.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI, SQRT_2};

use super::super::unary::{erf, erfc};

/// The number whose error function this is: a first guess, and steps of Halley.
pub(super) fn erf_inverse(y: f64) -> f64 {
    if y.is_nan() || y.abs() > 1.0 {
        return f64::NAN;
    }
    if y.abs() == 1.0 {
        return f64::INFINITY.copysign(y);
    }
    if y == 0.0 {
        return y;
    }
    let log = ((1.0 - y) * (1.0 + y)).ln();
    let part = 2.0 / (PI * 0.147) + log / 2.0;
    let mut x = ((part * part - log / 0.147).sqrt() - part).sqrt().copysign(y);
    for _ in 0..4 {
        let off = if y.abs() < 0.5 {
            erf(x) - y
        } else {
            // Near one only the complement has digits.
            ((1.0 - y.abs()) - erfc(x.abs())) * y.signum()
        };
        let step = off / (FRAC_2_SQRT_PI * (-x * x).exp());
        x -= step / (1.0 + x * step);
    }
    x
}

/// e^(x²) times the complement of the error function.
pub(super) fn scaled_erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < 2.0 {
        return (x * x).exp() * erfc(x);
    }
    let mut fraction = 0.0;
    for n in (1..=80).rev() {
        fraction = f64::from(n) / 2.0 / (x + fraction);
    }
    FRAC_2_SQRT_PI / 2.0 / (x + fraction)
}

/// The normal distribution: how much lies below x.
pub(super) fn normal(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

pub(super) fn log_normal(x: f64) -> f64 {
    if x < -1.0 {
        let scaled = scaled_erfc(-x * FRAC_1_SQRT_2);
        return (scaled / 2.0).ln() - x * x / 2.0;
    }
    (-0.5 * erfc(x * FRAC_1_SQRT_2)).ln_1p()
}

/// Below which number so much lies.
pub(super) fn normal_inverse(p: f64) -> f64 {
    if p.is_nan() || !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p < 0.1 {
        // 2p - 1 has no digits left of a small p: steps of Newton on the logarithm.
        let mut x = -(-2.0 * p.ln()).sqrt();
        for _ in 0..30 {
            let slope = (-x * x / 2.0 - log_normal(x)).exp() / (2.0 * PI).sqrt();
            x -= (log_normal(x) - p.ln()) / slope;
        }
        return x;
    }
    SQRT_2 * erf_inverse(2.0 * p - 1.0)
}

/// -x ln(x).
pub(super) fn entropy(x: f64) -> f64 {
    if x.is_nan() {
        x
    } else if x > 0.0 {
        -x * x.ln()
    } else if x == 0.0 {
        0.0
    } else {
        f64::NEG_INFINITY
    }
}

pub(super) fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

pub(super) fn x_log_y(x: f64, y: f64) -> f64 {
    match (x, y) {
        (_, y) if y.is_nan() => f64::NAN,
        (0.0, _) => 0.0,
        _ => x * y.ln(),
    }
}

pub(super) fn x_log1p_y(x: f64, y: f64) -> f64 {
    match (x, y) {
        (_, y) if y.is_nan() => f64::NAN,
        (0.0, _) => 0.0,
        _ => x * y.ln_1p(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_lead_back() {
        for y in [-0.999_999, -0.7, -0.2, 1e-9, 0.3, 0.5, 0.95, 1.0 - 1e-12] {
            assert!((erf(erf_inverse(y)) - y).abs() < 1e-14, "{y}");
        }
        for p in [1e-200, 1e-12, 0.05, 0.1, 0.4, 0.5, 0.99] {
            let back = normal(normal_inverse(p));
            assert!((back - p).abs() <= 1e-12 * p, "{p}: {back}");
        }
        assert!((scaled_erfc(1.999_999_9) - scaled_erfc(2.000_000_1)).abs() < 1e-7);
        assert!((log_normal(-1.000_001) - log_normal(-0.999_999)).abs() < 1e-5);
    }
}
