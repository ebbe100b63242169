//! Floats of at most 16 bits: sign, exponent, mantissa, and what the odd codes mean.

/// What the codes at the top of a format mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Top {
    /// As IEEE 754 has it: the highest exponent is for infinities and what is no number.
    Ieee,
    /// All ones, but for the sign, are no number; there are no infinities (`FN`).
    OneNan,
    /// The code of minus zero is no number; there are no infinities and no minus zero (`FNUZ`).
    MinusZeroNan,
    /// Every code is a number.
    AllFinite,
    /// Only an exponent, without a sign: powers of two; all ones are no number.
    ExponentOnly,
}

/// A format of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    top: Top,
}

const fn format(exponent: u32, mantissa: u32, bias: i32, top: Top) -> FloatFormat {
    FloatFormat { exponent, mantissa, bias, top }
}

/// IEEE 754 binary16.
pub const F16: FloatFormat = format(5, 10, 15, Top::Ieee);
pub const BF16: FloatFormat = format(8, 7, 127, Top::Ieee);
pub const F8E5M2: FloatFormat = format(5, 2, 15, Top::Ieee);
pub const F8E4M3: FloatFormat = format(4, 3, 7, Top::Ieee);
pub const F8E3M4: FloatFormat = format(3, 4, 3, Top::Ieee);
pub const F8E4M3FN: FloatFormat = format(4, 3, 7, Top::OneNan);
pub const F8E4M3B11FNUZ: FloatFormat = format(4, 3, 11, Top::MinusZeroNan);
pub const F8E4M3FNUZ: FloatFormat = format(4, 3, 8, Top::MinusZeroNan);
pub const F8E5M2FNUZ: FloatFormat = format(5, 2, 16, Top::MinusZeroNan);
pub const F8E8M0FNU: FloatFormat = format(8, 0, 127, Top::ExponentOnly);
pub const F4E2M1FN: FloatFormat = format(2, 1, 1, Top::AllFinite);
pub const F6E2M3FN: FloatFormat = format(2, 3, 1, Top::AllFinite);
pub const F6E3M2FN: FloatFormat = format(3, 2, 3, Top::AllFinite);

impl FloatFormat {
    /// How many bits an element has.
    pub fn bits(self) -> u32 {
        self.exponent + self.mantissa + u32::from(self.top != Top::ExponentOnly)
    }

    /// The number of a code; bits above those of the format do not count.
    pub fn decode(self, code: u16) -> f32 {
        let code = u32::from(code) & ((1 << self.bits()) - 1);
        if self.top == Top::ExponentOnly {
            let nan = code == (1 << self.exponent) - 1;
            return if nan { f32::NAN } else { power(code.cast_signed() - self.bias) };
        }
        let negative = code >> (self.bits() - 1) == 1;
        let magnitude = code & ((1 << (self.bits() - 1)) - 1);
        let exponent = magnitude >> self.mantissa;
        let mantissa = magnitude & ((1 << self.mantissa) - 1);
        let highest = exponent == (1 << self.exponent) - 1;
        let number = match self.top {
            Top::Ieee if highest && mantissa == 0 => f32::INFINITY,
            Top::Ieee if highest => f32::NAN,
            Top::OneNan if magnitude == (1 << (self.bits() - 1)) - 1 => f32::NAN,
            Top::MinusZeroNan if negative && magnitude == 0 => f32::NAN,
            _ => self.finite(exponent, mantissa),
        };
        if negative { -number } else { number }
    }

    fn finite(self, exponent: u32, mantissa: u32) -> f32 {
        // Below 2^14 the fraction is exact in any float.
        let fraction = mantissa as f32 / (1_u32 << self.mantissa) as f32;
        match exponent {
            0 => fraction * power(1 - self.bias),
            _ => (1.0 + fraction) * power(exponent.cast_signed() - self.bias),
        }
    }

    /// The code of the nearest number of the format, of two that are as near the even one. What is larger
    /// than its largest number is infinity if it has one, otherwise the largest; what is no number is 0 if
    /// it has no code for that; without signs, only the size counts.
    pub fn encode(self, number: f64) -> u16 {
        if number.is_nan() {
            return self.nan().unwrap_or(0);
        }
        let code = self.nearest(number.abs());
        let unsigned = self.top == Top::ExponentOnly;
        let no_minus_zero = code == 0 && self.top == Top::MinusZeroNan;
        match number.is_sign_negative() && !unsigned && !no_minus_zero {
            true => code | self.sign(),
            false => code,
        }
    }

    /// The largest finite number.
    pub fn largest(self) -> f32 {
        self.decode(self.largest_code())
    }

    /// The code of infinity, if it has one.
    pub fn infinity(self) -> Option<u16> {
        (self.top == Top::Ieee).then_some(self.largest_code() + 1)
    }

    /// A code for what is no number, if it has one.
    pub fn nan(self) -> Option<u16> {
        match self.top {
            // The quiet one: its mantissa begins with a one.
            Top::Ieee => Some(self.largest_code() + 1 + (1 << (self.mantissa - 1))),
            Top::OneNan | Top::ExponentOnly => Some(self.largest_code() + 1),
            Top::MinusZeroNan => Some(self.sign()),
            Top::AllFinite => None,
        }
    }

    /// Whether it has no signs and no zero.
    pub(crate) fn is_positive(self) -> bool {
        self.top == Top::ExponentOnly
    }

    /// The bit of the sign; for formats that have one.
    fn sign(self) -> u16 {
        1 << (self.bits() - 1)
    }

    /// The code of the largest number. Codes without a sign rise with their numbers up to it.
    fn largest_code(self) -> u16 {
        let magnitudes = 1_u32 << (self.exponent + self.mantissa);
        let above = match self.top {
            Top::Ieee => 1 << self.mantissa,
            Top::OneNan | Top::ExponentOnly => 1,
            Top::MinusZeroNan | Top::AllFinite => 0,
        };
        (magnitudes - 1 - above) as u16
    }

    /// The code of a number that has no sign.
    fn nearest(self, wanted: f64) -> u16 {
        let number = |code: u16| f64::from(self.decode(code));
        let (mut low, mut high) = (0, self.largest_code());
        if wanted >= number(high) {
            // Rounding to what would be the next number is rounding to infinity.
            let step = number(high) - number(high - 1);
            let beyond = wanted >= number(high) + step / 2.0;
            return self.infinity().filter(|_| beyond).unwrap_or(high);
        }
        // `low` is at most what is wanted, but for what is less than the smallest; `high` is more.
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if number(middle) <= wanted { low = middle } else { high = middle }
        }
        let (below, above) = (wanted - number(low), number(high) - wanted);
        // A mantissa without bits is a hidden one, which is odd.
        let odd = low % 2 == 1 || self.mantissa == 0;
        if above < below || (above == below && odd) { high } else { low }
    }
}

/// A power of two, which may be too small for a normal float.
fn power(exponent: i32) -> f32 {
    2.0_f64.powi(exponent) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_codes_are_known_numbers() {
        assert_eq!(F8E4M3FN.decode(0x7e), 448.0);
        assert!(F8E4M3FN.decode(0x7f).is_nan());
        assert_eq!(F8E5M2.decode(0x7c), f32::INFINITY);
        assert_eq!(F8E5M2.decode(0x7b), 57_344.0);
        assert!(F8E4M3FNUZ.decode(0x80).is_nan());
        assert_eq!(F8E4M3FNUZ.decode(0x7f), 240.0);
        assert_eq!(F8E4M3B11FNUZ.decode(0x7f), 30.0);
        assert_eq!(F8E3M4.decode(0x6f), 15.5);
        assert_eq!(F8E8M0FNU.decode(127), 1.0);
        assert_eq!(F4E2M1FN.decode(0b0111), 6.0);
        assert_eq!(F6E2M3FN.decode(0b01_1111), 7.5);
        assert_eq!(F6E3M2FN.decode(0b01_1111), 28.0);
        assert_eq!(F16.decode(0x3c00), 1.0);
        assert_eq!(F16.decode(0x0001), 2.0_f32.powi(-24));
        assert_eq!(BF16.decode(0xc040), -3.0);
    }

    #[test]
    fn every_number_has_the_code_that_means_it() {
        for format in [F16, BF16, F8E5M2, F8E4M3, F8E3M4, F8E4M3FN, F8E4M3B11FNUZ] {
            every_code(format);
        }
        for format in [F8E4M3FNUZ, F8E5M2FNUZ, F8E8M0FNU, F4E2M1FN, F6E2M3FN, F6E3M2FN] {
            every_code(format);
        }
    }

    #[test]
    fn numbers_between_two_go_to_the_nearer_and_halves_to_the_even_one() {
        assert_eq!(F8E4M3FN.decode(F8E4M3FN.encode(17.0)), 16.0);
        assert_eq!(F8E4M3FN.decode(F8E4M3FN.encode(19.0)), 20.0);
        assert_eq!(F8E4M3FN.decode(F8E4M3FN.encode(17.001)), 18.0);
        assert_eq!(BF16.decode(BF16.encode(-1.003_906_25)), -1.0);
        assert_eq!(F4E2M1FN.decode(F4E2M1FN.encode(5.0)), 4.0);
        assert_eq!(F8E8M0FNU.decode(F8E8M0FNU.encode(3.0)), 4.0);
        // Through a float of 32 bits this would be a half, and then go down.
        assert_eq!(F16.encode(1.0 + 2.0_f64.powi(-11) + 2.0_f64.powi(-40)), 0x3c01);
    }

    #[test]
    fn what_is_too_large_is_infinity_or_the_largest_number() {
        assert_eq!(F4E2M1FN.encode(100.0), 0b0111);
        assert_eq!(F4E2M1FN.encode(-7.0), 0b1111);
        assert_eq!(F8E4M3FNUZ.decode(F8E4M3FNUZ.encode(300.0)), 240.0);
        assert_eq!(F8E4M3FN.decode(F8E4M3FN.encode(f64::INFINITY)), 448.0);
        assert_eq!(F8E8M0FNU.decode(F8E8M0FNU.encode(1e300)), F8E8M0FNU.largest());
        assert_eq!(F16.decode(F16.encode(65_519.0)), 65_504.0);
        assert_eq!(F16.decode(F16.encode(65_520.0)), f32::INFINITY);
        assert_eq!(BF16.decode(BF16.encode(f64::NEG_INFINITY)), f32::NEG_INFINITY);
        assert_eq!(F16.encode(f64::NAN), 0x7e00);
    }

    fn every_code(format: FloatFormat) {
        for code in 0..1_u32 << format.bits() {
            let number = format.decode(code as u16);
            let again = format.encode(number.into());
            if number.is_nan() {
                assert!(format.decode(again).is_nan(), "{format:?} {code:#x}");
            } else {
                assert_eq!(u32::from(again), code, "{format:?} {number}");
            }
        }
    }
}
