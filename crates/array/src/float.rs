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
pub struct Format {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    top: Top,
}

const fn format(exponent: u32, mantissa: u32, bias: i32, top: Top) -> Format {
    Format { exponent, mantissa, bias, top }
}

pub const F16: Format = format(5, 10, 15, Top::Ieee);
pub const BF16: Format = format(8, 7, 127, Top::Ieee);
pub const F8E5M2: Format = format(5, 2, 15, Top::Ieee);
pub const F8E4M3: Format = format(4, 3, 7, Top::Ieee);
pub const F8E3M4: Format = format(3, 4, 3, Top::Ieee);
pub const F8E4M3FN: Format = format(4, 3, 7, Top::OneNan);
pub const F8E4M3B11FNUZ: Format = format(4, 3, 11, Top::MinusZeroNan);
pub const F8E4M3FNUZ: Format = format(4, 3, 8, Top::MinusZeroNan);
pub const F8E5M2FNUZ: Format = format(5, 2, 16, Top::MinusZeroNan);
pub const F8E8M0FNU: Format = format(8, 0, 127, Top::ExponentOnly);
pub const F4E2M1FN: Format = format(2, 1, 1, Top::AllFinite);
pub const F6E2M3FN: Format = format(2, 3, 1, Top::AllFinite);
pub const F6E3M2FN: Format = format(3, 2, 3, Top::AllFinite);

impl Format {
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

    /// The code of the number of the format that is nearest; the largest finite one for what is larger.
    pub fn encode(self, number: f32) -> u16 {
        let sign_bit = match self.top {
            Top::ExponentOnly => 0,
            _ => 1_u16 << (self.bits() - 1),
        };
        let codes = 1_u32 << (self.bits() - u32::from(sign_bit != 0));
        let wanted = number.abs();
        // Codes without a sign rise with their numbers, up to those that are none.
        let (mut low, mut high) = (0_u32, codes - 1);
        while !self.decode(high as u16).is_finite() && high > 0 {
            high -= 1;
        }
        while low < high {
            let middle = (low + high).div_ceil(2);
            if self.decode(middle as u16) <= wanted { low = middle } else { high = middle - 1 }
        }
        let above = self.decode((low + 1).min(codes - 1) as u16);
        let up = above.is_finite() && above - wanted < wanted - self.decode(low as u16);
        let code = (low + u32::from(up)) as u16;
        let negative = number < 0.0 && !(code == 0 && self.top == Top::MinusZeroNan);
        if negative { code | sign_bit } else { code }
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
    fn every_finite_code_is_the_nearest_to_its_own_number() {
        for format in [F16, BF16, F8E5M2, F8E4M3, F8E3M4, F8E4M3FN, F8E4M3B11FNUZ] {
            every_code(format);
        }
        for format in [F8E4M3FNUZ, F8E5M2FNUZ, F8E8M0FNU, F4E2M1FN, F6E2M3FN, F6E3M2FN] {
            every_code(format);
        }
    }

    fn every_code(format: Format) {
        for code in 0..1_u32 << format.bits() {
            let number = format.decode(code as u16);
            if number.is_finite() {
                assert_eq!(format.decode(format.encode(number)), number, "{format:?} {code:#x}");
            }
        }
    }
}
