//! Polynomials of a degree, by the recurrences that define them.

/// The most steps of a recurrence; what needs more is not finite or not there.
const MOST: i64 = 1 << 20;

/// How many steps a degree takes at most.
pub(super) fn steps(degree: f64) -> f64 {
    if degree > 0.0 { degree.min(MOST as f64) } else { 1.0 }
}

/// P(n + 1) from the two before: `next(n, P(n), P(n - 1))`.
fn recurrence(degree: f64, first: f64, second: f64, next: impl Fn(f64, f64, f64) -> f64) -> f64 {
    // A degree is cut to an integer.
    let degree = degree as i64;
    match degree {
        ..0 => 0.0,
        0 => first,
        1 => second,
        _ => {
            let (mut before, mut here) = (first, second);
            for n in 1..degree.min(MOST) {
                (before, here) = (here, next(n as f64, here, before));
                if here.is_nan() {
                    break;
                }
            }
            here
        }
    }
}

pub(super) fn chebyshev_t(x: f64, degree: f64) -> f64 {
    if degree >= 0.0 && x.abs() == 1.0 {
        return if x > 0.0 || degree as i64 % 2 == 0 { 1.0 } else { -1.0 };
    }
    if degree > 6.0 && x.abs() < 1.0 {
        return (degree.trunc() * x.acos()).cos();
    }
    recurrence(degree, 1.0, x, |_, p, q| 2.0 * x * p - q)
}

pub(super) fn chebyshev_u(x: f64, degree: f64) -> f64 {
    if degree > 8.0 && x.abs() < 1.0 {
        let turn = x.acos();
        return ((degree.trunc() + 1.0) * turn).sin() / turn.sin();
    }
    recurrence(degree, 1.0, 2.0 * x, |_, p, q| 2.0 * x * p - q)
}

pub(super) fn chebyshev_v(x: f64, degree: f64) -> f64 {
    recurrence(degree, 1.0, 2.0 * x - 1.0, |_, p, q| 2.0 * x * p - q)
}

pub(super) fn chebyshev_w(x: f64, degree: f64) -> f64 {
    recurrence(degree, 1.0, 2.0 * x + 1.0, |_, p, q| 2.0 * x * p - q)
}

pub(super) fn hermite_h(x: f64, degree: f64) -> f64 {
    recurrence(degree, 1.0, 2.0 * x, |n, p, q| 2.0 * x * p - 2.0 * n * q)
}

pub(super) fn hermite_he(x: f64, degree: f64) -> f64 {
    recurrence(degree, 1.0, x, |n, p, q| x * p - n * q)
}

pub(super) fn laguerre(x: f64, degree: f64) -> f64 {
    if degree >= 0.0 && x == 0.0 {
        return 1.0;
    }
    recurrence(degree, 1.0, 1.0 - x, |n, p, q| ((2.0 * n + 1.0 - x) * p - n * q) / (n + 1.0))
}

pub(super) fn legendre(x: f64, degree: f64) -> f64 {
    if degree >= 0.0 && x.abs() == 1.0 {
        return if x > 0.0 || degree as i64 % 2 == 0 { 1.0 } else { -1.0 };
    }
    recurrence(degree, 1.0, x, |n, p, q| ((2.0 * n + 1.0) * x * p - n * q) / (n + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recurrences_and_closed_forms_agree() {
        let x: f64 = 0.3;
        for n in 7..20_i32 {
            let by_steps = recurrence(n.into(), 1.0, x, |_, p, q| 2.0 * x * p - q);
            assert!((chebyshev_t(x, n.into()) - by_steps).abs() < 1e-12);
        }
        assert_eq!(hermite_h(2.0, 3.0), 40.0);
        assert_eq!(hermite_he(2.0, 3.0), 2.0);
        assert!((legendre(0.5, 2.0) + 0.125).abs() < 1e-15);
        assert!((laguerre(2.0, 2.0) + 1.0).abs() < 1e-15);
    }
}
