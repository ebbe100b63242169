//! Numbers, and lists of them.

use std::fmt::{Display, Write as _};

use unskew_array::{ArrayElementType, ElementClass, Scalar};

/// A list without spaces in braces: `{0,1}`.
pub(crate) fn braced<T: Display>(list: impl IntoIterator<Item = T>) -> String {
    format!("{{{}}}", joined(list, ","))
}

/// A list with something between its members.
pub(crate) fn joined<T: Display>(list: impl IntoIterator<Item = T>, between: &str) -> String {
    let mut out = String::new();
    for (at, member) in list.into_iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        _ = write!(out, "{member}");
    }
    out
}

/// A list in which every fifth member says which it is: `a, b, c, d, e, /*index=5*/f`.
pub(crate) fn counted<T: Display>(list: impl IntoIterator<Item = T>) -> String {
    let mut out = String::new();
    for (at, member) in list.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
            if at % 5 == 0 {
                _ = write!(out, "/*index={at}*/");
            }
        }
        _ = write!(out, "{member}");
    }
    out
}

/// An element. A truth is a word by itself, and a digit among others.
pub(crate) fn element(scalar: Scalar, of: ArrayElementType, among_others: bool) -> String {
    match scalar {
        Scalar::Bool(is) if among_others => u8::from(is).to_string(),
        Scalar::Bool(is) => is.to_string(),
        Scalar::Int(number) => number.to_string(),
        Scalar::Single(number) => match of.kind() {
            ElementClass::Small(_) => general(number.into(), digits(of)),
            _ => single(number),
        },
        Scalar::Double(number) => double(number),
        Scalar::ComplexSingle(real, imaginary) => {
            format!("({}, {})", single(real), single(imaginary))
        }
        Scalar::ComplexDouble(real, imaginary) => {
            format!("({}, {})", double(real), double(imaginary))
        }
    }
}

/// A float of 32 bits: with six digits if it is that one, else with nine.
pub(crate) fn single(number: f32) -> String {
    let short = general(number.into(), 6);
    if short.parse() == Ok(number) { short } else { general(number.into(), 9) }
}

/// A float of 64 bits: with fifteen digits if it is that one, else with seventeen.
pub(crate) fn double(number: f64) -> String {
    let short = general(number, 15);
    if short.parse() == Ok(number) { short } else { general(number, 17) }
}

/// How many digits tell each float of a small type from all others.
fn digits(of: ArrayElementType) -> usize {
    match of {
        ArrayElementType::F16 => 5,
        ArrayElementType::BF16 => 4,
        ArrayElementType::F8E4M3
        | ArrayElementType::F8E4M3FN
        | ArrayElementType::F8E4M3B11FNUZ
        | ArrayElementType::F8E4M3FNUZ => 3,
        ArrayElementType::F8E3M4 | ArrayElementType::F6E2M3FN => 3,
        _ => 2,
    }
}

/// A number as C prints it with `%.*g`.
fn general(number: f64, digits: usize) -> String {
    if number.is_nan() {
        return if number.is_sign_negative() { "-nan" } else { "nan" }.to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let digits = digits.max(1);
    let scientific = format!("{number:.*e}", digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let precision = i32::try_from(digits).unwrap_or(i32::MAX);
    if exponent < -4 || exponent >= precision {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.unsigned_abs());
    }
    let places = usize::try_from(precision - 1 - exponent).unwrap_or_default();
    trimmed(&format!("{number:.places$}")).to_owned()
}

/// Without zeros that say nothing.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_as_many_digits_as_they_need() {
        assert_eq!(single(0.1), "0.1");
        assert_eq!(single(1.0 / 3.0), "0.333333343");
        assert_eq!(single(1e-7), "1e-07");
        assert_eq!(single(-1_259.139_2), "-1259.13916");
        assert_eq!(single(1e10), "1e+10");
        assert_eq!(single(123_456.0), "123456");
        assert_eq!(single(f32::NEG_INFINITY), "-inf");
        assert_eq!(single(f32::NAN), "nan");
        assert_eq!(single(-0.0), "-0");
        assert_eq!(double(0.1), "0.1");
        assert_eq!(double(1.0 / 3.0), "0.33333333333333331");
        assert_eq!(general(0.300_781_25, 4), "0.3008");
    }

    #[test]
    fn lists_say_where_they_are() {
        assert_eq!(counted(0..6), "0, 1, 2, 3, 4, /*index=5*/5");
        assert_eq!(braced([1, 2]), "{1,2}");
        assert_eq!(braced::<i64>([]), "{}");
    }
}
