//! Elements of constants: `dense<[[1, 2], [3, 4]]>` as the bytes that a file has.

use unskew_source::ReadError;

use super::scanner::Scanner;
use super::types::Type;
use crate::program;

/// An element as it is written.
enum Written<'s> {
    Number(&'s str),
    Truth(bool),
    /// Real and imaginary part.
    Pair(&'s str, &'s str),
}

/// Elements before their type is known, which stands behind them: how they are arranged. Their bytes are made when it is
/// known, so that they take no more room than that.
pub(super) struct Elements {
    start: usize,
    /// Bytes as they are, in base 16.
    raw: Option<Vec<u8>>,
    count: usize,
    /// How many elements each level of brackets has.
    shape: Vec<usize>,
}

impl Elements {
    /// Reads what stands between `dense<` and `>`.
    pub(super) fn read(scanner: &mut Scanner<'_>) -> Result<Self, ReadError> {
        let start = scanner.place();
        let mut made = Self { start, raw: None, count: 0, shape: Vec::new() };
        if scanner.starts(">") {
            return Ok(made);
        }
        if scanner.starts("__elided__") {
            let what = "the constants were left out of this text; print it with all of them (`unskew inspect --text=whole`)";
            return Err(scanner.unknown_at(start, what));
        }
        if scanner.starts("\"") {
            let text = scanner.text()?;
            let digits = text.strip_prefix(b"0x").filter(|digits| digits.len() % 2 == 0);
            let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
            let bytes = digits.and_then(|digits| {
                digits
                    .chunks_exact(2)
                    .map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?))
                    .collect::<Option<Vec<u8>>>()
            });
            let bytes = bytes.ok_or_else(|| {
                scanner.error_at(start, "elements in quotes are bytes in base 16: \"0x0A1B\"")
            })?;
            made.raw = Some(bytes);
            return Ok(made);
        }
        made.level(scanner, 0)?;
        Ok(made)
    }

    fn level(&mut self, scanner: &mut Scanner<'_>, depth: usize) -> Result<(), ReadError> {
        if !scanner.starts("[") {
            let at = scanner.place();
            if depth != self.shape.len() {
                return Err(scanner
                    .error_at(at, "an element on another level of brackets than the one before"));
            }
            element(scanner)?;
            self.count += 1;
            return Ok(());
        }
        let at = scanner.place();
        let first = self.shape.len() == depth && self.count == 0;
        if first {
            self.shape.push(0);
        }
        let count = scanner.deeper(|scanner| {
            let all = scanner.list("[", "]", |scanner| self.level(scanner, depth + 1))?;
            Ok(all.len())
        })?;
        match self.shape.get_mut(depth) {
            Some(own) if first => *own = count,
            Some(own) if *own == count => {}
            _ => return Err(scanner.error_at(at, "rows of different length")),
        }
        Ok(())
    }

    /// The bytes, by a type of tensors.
    pub(super) fn bytes(
        self,
        scanner: &mut Scanner<'_>,
        kind: &Type,
    ) -> Result<Vec<u8>, ReadError> {
        let start = self.start;
        let wrong = |what: &str| scanner.error_at(start, what);
        let (Type::Tensor { element, .. }, Some(count)) = (kind, kind.count()) else {
            return Err(wrong("constants are tensors of a known shape"));
        };
        let name = Name::from_type(element)
            .ok_or_else(|| scanner.unknown_at(start, "constants of such elements are not read"))?;
        if let Some(raw) = self.raw {
            let packed = count.div_ceil(8);
            let width = name.width();
            let whole = match name.scalar {
                "i1" if !name.pair => packed,
                _ => count.saturating_mul(width),
            };
            let one = if name.scalar == "i1" { 1 } else { width };
            let len = raw.len() as u64;
            if name.scalar == "i1" && len == count && len > one {
                // Newer printers of MLIR have a byte for each.
                return Ok(packed_bits(&raw));
            }
            if len != whole && len != one {
                return Err(wrong(&format!("{len} bytes for {count} elements of {width}")));
            }
            return Ok(raw);
        }
        if count == 0 {
            return match self.count == 0 {
                true => Ok(Vec::new()),
                false if self.shape.is_empty() => Ok(Vec::new()),
                false => Err(wrong("elements of a tensor that has none")),
            };
        }
        let Type::Tensor { dims: Some(dims), .. } = kind else { return Ok(Vec::new()) };
        let fits = self.shape.len() == dims.len()
            && self.shape.iter().zip(dims).all(|(own, dim)| *dim == i64::try_from(*own).ok());
        let splat = self.shape.is_empty() && self.count == 1;
        if !fits && !splat {
            return Err(wrong("the elements have another shape than their type"));
        }
        self.packed(scanner, name, splat)
    }

    /// One element for all, or each of them.
    fn packed(
        &self,
        scanner: &mut Scanner<'_>,
        name: Name,
        splat: bool,
    ) -> Result<Vec<u8>, ReadError> {
        let mut out = Vec::with_capacity(self.count * name.width() as usize);
        let behind = scanner.place();
        scanner.back(self.start);
        for _ in 0..self.count {
            while scanner.takes("[") || scanner.takes("]") || scanner.takes(",") {}
            let at = scanner.place();
            let one = element(scanner)?;
            name.push(&one, &mut out).map_err(|what| scanner.error_at(at, &what))?;
        }
        scanner.back(behind);
        let width = name.width() as usize;
        let same =
            out.len() > width && out.chunks_exact(width).all(|one| Some(one) == out.get(..width));
        if splat || same || out.len() == width {
            out.truncate(width);
            if name.scalar == "i1" {
                return Ok(vec![if out.first() == Some(&1) { 0xff } else { 0 }]);
            }
            return Ok(out);
        }
        if name.scalar != "i1" {
            return Ok(out);
        }
        Ok(packed_bits(&out))
    }
}

/// Truth values, eight to a byte.
fn packed_bits(bytes: &[u8]) -> Vec<u8> {
    let byte = |bits: &[u8]| {
        let bits = bits.iter().enumerate();
        bits.fold(0, |byte, (at, bit)| byte | u8::from(*bit != 0) << at)
    };
    bytes.chunks(8).map(byte).collect()
}

fn element<'s>(scanner: &mut Scanner<'s>) -> Result<Written<'s>, ReadError> {
    if scanner.takes_word("true") {
        return Ok(Written::Truth(true));
    }
    if scanner.takes_word("false") {
        return Ok(Written::Truth(false));
    }
    if scanner.takes("(") {
        let real = scanner.number()?;
        scanner.needs(",")?;
        let imaginary = scanner.number()?;
        scanner.needs(")")?;
        return Ok(Written::Pair(real, imaginary));
    }
    Ok(Written::Number(scanner.number()?))
}

/// What an element is: a number of this name, or a pair of them.
#[derive(Clone, Copy)]
struct Name {
    scalar: &'static str,
    bits: u32,
    pair: bool,
}

impl Name {
    fn from_type(kind: &Type) -> Option<Self> {
        let (kind, pair) = match kind {
            Type::Complex(part) => (&**part, true),
            Type::Quantized(quantized) => (&*quantized.storage, false),
            other => (other, false),
        };
        let Type::Scalar(name) = kind else { return None };
        let scalar = program::name_of(program::code_of(name)?)?;
        Some(Self { scalar, bits: program::bits_of(scalar)?, pair })
    }

    /// Bytes of an element before truth values are packed.
    fn width(self) -> u64 {
        u64::from(self.bits.div_ceil(8)) * if self.pair { 2 } else { 1 }
    }

    fn push(self, one: &Written<'_>, out: &mut Vec<u8>) -> Result<(), String> {
        match one {
            Written::Pair(real, imaginary) if self.pair => {
                number(self.scalar, self.bits, real, out)?;
                number(self.scalar, self.bits, imaginary, out)
            }
            Written::Truth(yes) if self.scalar == "i1" => {
                out.push(u8::from(*yes));
                Ok(())
            }
            Written::Number(text) if !self.pair => number(self.scalar, self.bits, text, out),
            _ => Err(format!("this is no element of type {}", self.scalar)),
        }
    }
}

/// Adds a number as an element of a type: a whole number, one with a fraction, or its bits in base 16.
fn number(name: &str, bits: u32, text: &str, out: &mut Vec<u8>) -> Result<(), String> {
    let width = bits.div_ceil(8) as usize;
    let floats = name.starts_with(['f', 'b', 't']);
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    if let Some(hex) = digits.strip_prefix("0x") {
        let value =
            u64::from_str_radix(hex, 16).map_err(|_| format!("{text} has more than 64 bits"))?;
        if bits < 64 && value >> bits != 0 {
            return Err(format!("{text} has more than {bits} bits"));
        }
        let value = if negative { value.wrapping_neg() } else { value };
        out.extend(value.to_le_bytes().iter().take(width));
        return Ok(());
    }
    if floats {
        let number: f64 = text.parse().map_err(|_| format!("no number: {text}"))?;
        match name {
            // Rounded once, from the decimals.
            "f32" => {
                let number: f32 = text.parse().map_err(|_| format!("no number: {text}"))?;
                out.extend_from_slice(&number.to_le_bytes());
            }
            "f64" => out.extend_from_slice(&number.to_le_bytes()),
            _ => {
                let element = unskew_array::ArrayElementType::named(&name.to_ascii_lowercase());
                let element =
                    element.ok_or_else(|| format!("numbers of {name} are written in base 16"))?;
                element.encode(number, out);
            }
        }
        return Ok(());
    }
    let number: i128 = text.parse().map_err(|_| format!("no whole number: {text}"))?;
    let (lowest, highest) = match (bits, name.starts_with('u')) {
        (1, _) => (-1, 1),
        (bits, true) => (0, (1_i128 << bits) - 1),
        // MLIR takes the bits of numbers without a sign too.
        (bits, false) => (-(1_i128 << (bits - 1)), (1_i128 << bits) - 1),
    };
    if number < lowest || number > highest {
        return Err(format!("{text} is no number of {name}"));
    }
    match bits {
        1 => out.push(u8::from(number != 0)),
        _ => out.extend(number.to_le_bytes().iter().take(width)),
    }
    Ok(())
}

pub(super) fn bits(name: &str, text: &str) -> Result<u64, String> {
    let code = program::code_of(name).ok_or_else(|| format!("numbers of {name} are not read"))?;
    let own = program::name_of(code).unwrap_or_default();
    let mut out = Vec::new();
    number(own, program::bits_of(own).unwrap_or(64), text, &mut out)?;
    out.resize(8, 0);
    Ok(out.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
}
