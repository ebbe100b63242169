//! Constants as text: `dense<[1, 2]> : tensor<2xi32>`.

use std::fmt::Write as _;

use super::{Words, types};
use crate::module::Id;
use crate::program;
use crate::rewrite::values;

/// With more elements than this, constants are written as bytes.
const LISTED: usize = 16;

/// A number with a point, which text of MLIR has in floats.
pub(super) fn float(value: f64) -> String {
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

/// A constant of this type, whose elements are these bytes: all of them, or one for all.
pub(super) fn dense(module: &Words<'_>, kind: Id, bytes: &[u8], elide: Option<usize>) -> String {
    let text = types::text(module, kind);
    let shape = values::tensor(module, kind);
    let Some((dims, element)) = shape.or_else(|| plain(module, kind)) else {
        return format!("/* a constant of {text} */");
    };
    let count =
        dims.iter().try_fold(1_usize, |all, dim| all.checked_mul(usize::try_from(*dim).ok()?));
    let Some(count) = count else { return format!("/* a constant of {text} */") };
    let name = types::text(module, element);
    if count == 0 {
        // Some files have an element for all, of which there are none.
        return format!("dense<> : {text}");
    }
    let width = width(&name);
    let splat = match width {
        Some(0) => {
            bytes.len() == 1 && (count > 8 || count == 1 || bytes[0] == 0xff || bytes[0] == 0)
        }
        Some(width) => bytes.len() == width,
        None => false,
    };
    if splat && let Some(one) = one(&name, bytes, 0) {
        return format!("dense<{one}> : {text}");
    }
    if elide.is_some_and(|most| count > most) {
        return format!("dense<__elided__> : {text}");
    }
    if count <= LISTED || name == "i1" {
        let all: Option<Vec<String>> = (0..count).map(|at| one(&name, bytes, at)).collect();
        if let Some(all) = all {
            return format!("dense<{}> : {text}", nested(&dims, &all));
        }
    }
    let mut hex = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(hex, "{byte:02X}");
    }
    format!("dense<\"0x{hex}\"> : {text}")
}

/// The shape of a tensor of MLIR itself.
fn plain(module: &Words<'_>, kind: Id) -> Option<(Vec<i64>, Id)> {
    use crate::bytecode::entries::builtin;
    use crate::module::Field;
    let item = module.types.get(kind)?;
    matches!(item.code(builtin::NAME)?, 13 | 19).then_some(())?;
    let (Field::Type(element), dims) =
        item.fields.split_last().map(|(last, all)| (last, all.get(2..)))?
    else {
        return None;
    };
    let dim = |field: &Field| match field {
        Field::Number(number) => Some(values::unzigzag(*number)),
        _ => None,
    };
    Some((dims?.iter().map(dim).collect::<Option<_>>()?, *element))
}

/// Elements in brackets, by their dimensions.
fn nested(dims: &[i64], all: &[String]) -> String {
    let Some((first, rest)) = dims.split_first() else {
        return all.first().cloned().unwrap_or_default();
    };
    let step = all.len() / usize::try_from(*first).unwrap_or(1).max(1);
    let parts: Vec<String> = all.chunks(step.max(1)).map(|part| nested(rest, part)).collect();
    format!("[{}]", parts.join(", "))
}

/// How many bytes an element has; 0 for truth values, which are bits.
fn width(name: &str) -> Option<usize> {
    Some(match name {
        "i1" => 0,
        "index" => 8,
        "complex<f32>" => 8,
        "complex<f64>" => 16,
        _ => {
            let bits = program::bits_of(name)?;
            (bits as usize).div_ceil(8)
        }
    })
}

fn one(name: &str, bytes: &[u8], at: usize) -> Option<String> {
    if let Some(part) = name.strip_prefix("complex<").and_then(|rest| rest.strip_suffix('>')) {
        let real = one(part, bytes, at * 2)?;
        return Some(format!("({real}, {})", one(part, bytes, at * 2 + 1)?));
    }
    if name == "i1" {
        let byte = *bytes.get(at / 8)?;
        return Some((byte >> (at % 8) & 1 == 1).to_string());
    }
    let width = width(name)?;
    let own = bytes.get(at * width..(at + 1) * width)?;
    let mut word = [0; 8];
    word.get_mut(..width)?.copy_from_slice(own);
    let bits = u64::from_le_bytes(word);
    Some(match name {
        "f32" => real(f64::from(f32::from_bits(bits as u32)), bits, 8, || {
            float32(f32::from_bits(bits as u32))
        }),
        "f64" => real(f64::from_bits(bits), bits, 16, || float(f64::from_bits(bits))),
        _ if name.starts_with('f') || name.starts_with("bf") || name == "tf32" => {
            hexadecimal(bits, width * 2)
        }
        "index" => bits.cast_signed().to_string(),
        _ if name.starts_with("ui") => bits.to_string(),
        _ => {
            let bits_of = program::bits_of(name)?;
            let unused = 64 - bits_of;
            ((bits << unused).cast_signed() >> unused).to_string()
        }
    })
}

fn float32(value: f32) -> String {
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

/// A finite number in decimals, another by its bits.
fn real(value: f64, bits: u64, digits: usize, decimal: impl Fn() -> String) -> String {
    if value.is_finite() { decimal() } else { hexadecimal(bits, digits) }
}

/// The last digits of the bits.
fn hexadecimal(bits: u64, digits: usize) -> String {
    let all = format!("{bits:016X}");
    format!("0x{}", &all[all.len().saturating_sub(digits)..])
}

/// A number of this type that stands alone, with its type.
pub(super) fn number(name: &str, bits: u64) -> String {
    let one = one(name, &bits.to_le_bytes(), 0).unwrap_or_else(|| bits.to_string());
    format!("{one} : {name}")
}
