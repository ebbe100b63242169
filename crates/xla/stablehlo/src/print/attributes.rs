//! Attributes as text.

use unskew_source::SourceExt as _;

use super::{Words, constants, types};
use crate::bytecode::Span;
use crate::bytecode::entries::builtin;
use crate::module::{Field, Id, Item, Raw, VHLO};
use crate::rewrite::values::{self, unzigzag, varint_of};

/// How deep attributes are printed.
const DEPTH: usize = 64;

pub(crate) const DIRECTIONS: [&str; 6] = ["EQ", "NE", "GE", "GT", "LE", "LT"];
pub(crate) const COMPARED: [&str; 5] = ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"];
/// How exact products are.
pub(crate) const PRECISIONS: [&str; 3] = ["DEFAULT", "HIGH", "HIGHEST"];
/// How the accuracy of a result is said.
pub(crate) const MODES: [&str; 3] = ["DEFAULT", "HIGHEST", "TOLERANCE"];

/// What the numbers of enumerations of VHLO are called in StableHLO, by the code of the attribute.
pub(crate) const CHOICES: [(u64, &str, &[&str]); 7] = [
    (3, "comparison_direction", &DIRECTIONS),
    (4, "comparison_type", &COMPARED),
    (7, "fft_type", &["FFT", "IFFT", "RFFT", "IRFFT"]),
    (11, "precision", &PRECISIONS),
    (12, "rng_algorithm", &["DEFAULT", "THREE_FRY", "PHILOX"]),
    (13, "rng_distribution", &["", "UNIFORM", "NORMAL"]),
    (16, "transpose", &["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]),
];

/// The attribute as text, with all of its elements.
pub(super) fn text(module: &Words<'_>, id: Id) -> String {
    elided(module, id, None)
}

/// The same, without the elements of constants that have more than this.
pub(super) fn elided(module: &Words<'_>, id: Id, elide: Option<usize>) -> String {
    within(module, id, elide, 0)
}

fn within(module: &Words<'_>, id: Id, elide: Option<usize>, depth: usize) -> String {
    let Some(item) = module.attributes.get(id).filter(|_| depth < DEPTH && module.takes(1)) else {
        return unknown(None);
    };
    if !item.encoded {
        return raw_text(module, item);
    }
    let inner = |field: &Field| match field {
        Field::Attribute(id) => within(module, *id, elide, depth + 1),
        Field::Type(id) => types::text(module, *id),
        Field::Text(id) => quoted(module.bytes(*id)),
        _ => unknown(Some(item)),
    };
    let all = |fields: &[Field]| fields.iter().map(inner).collect::<Vec<_>>().join(", ");
    let rest = item.fields.get(2..).unwrap_or_default();
    let made = match (item.code(VHLO), item.code(builtin::NAME)) {
        (Some(values::code::ARRAY), _) | (_, Some(0)) => Some(format!("[{}]", all(rest))),
        (Some(values::code::BOOL), _) => number(item, 1).map(|value| (value != 0).to_string()),
        (Some(values::code::DICTIONARY), _) | (_, Some(builtin::attribute::DICTIONARY)) => {
            let pairs = rest.chunks_exact(2).map(|pair| match pair {
                [Field::Attribute(name), value] => {
                    let name = module.text_of(*name).unwrap_or_default();
                    format!("{} = {}", bare(name), inner(value))
                }
                _ => unknown(Some(item)),
            });
            Some(format!("{{{}}}", pairs.collect::<Vec<_>>().join(", ")))
        }
        (Some(values::code::TEXT), _) | (_, Some(2 | 3)) => item.fields.get(1).map(inner),
        (Some(values::code::TYPE), _) | (_, Some(6)) => item.fields.get(1).map(inner),
        (Some(8 | 9), _) | (_, Some(8 | 9)) => scalar(module, item),
        (Some(values::code::TENSOR), _) | (_, Some(18)) => tensor(module, item, elide),
        (_, Some(17)) => array(module, item),
        (_, Some(4)) => item.fields.get(1).and_then(|field| symbol(module, field)),
        (_, Some(5)) => {
            let first = item.fields.get(1).and_then(|field| symbol(module, field));
            let inner = item.fields.get(3..).unwrap_or_default().iter();
            let inner: Option<Vec<String>> = inner
                .map(|field| match field {
                    Field::Attribute(id) => Some(within(module, *id, elide, depth + 1)),
                    _ => None,
                })
                .collect();
            first.zip(inner).map(|(first, rest)| [vec![first], rest].concat().join("::"))
        }
        (_, Some(7)) => Some("unit".to_owned()),
        (Some(5), _) => number(item, 1).map(|value| format!("{value} : i32")),
        (Some(10), _) => alias(item),
        (Some(18), _) => bounds(&varints(item)),
        (Some(19), _) => number(item, 1).map(mode),
        (Some(20), _) => accuracy(module, item),
        (Some(values::code::SUB_AXIS..=values::code::MESH), _) => {
            super::meshes::of_vhlo(module, item)
        }
        (Some(code), _) => {
            let found = CHOICES.iter().find(|(own, ..)| *own == code);
            found.zip(number(item, 1)).and_then(|((_, name, choices), value)| {
                let choice = choices.get(usize::try_from(value).ok()?)?;
                Some(format!("#stablehlo<{name} {choice}>"))
            })
        }
        _ => super::shardings::text(module, item),
    };
    made.unwrap_or_else(|| unknown(Some(item)))
}

fn unknown(item: Option<&Item>) -> String {
    match item {
        Some(item) => format!("/* an attribute of {} */", item.dialect),
        None => "/* an attribute that is not known */".to_owned(),
    }
}

/// What stands in the file as text.
pub(super) fn raw_text(module: &Words<'_>, item: &Item) -> String {
    let bytes = match item.fields.first() {
        Some(Field::Raw(raw)) => bytes(module, raw),
        _ => Vec::new(),
    };
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
}

/// The bytes of what names nothing.
pub(super) fn bytes(module: &Words<'_>, raw: &Raw) -> Vec<u8> {
    match raw {
        Raw::Bytes(bytes) => bytes.clone(),
        Raw::Copied(Span { start, end }) => {
            module.source.bytes(*start, end - start).unwrap_or_default()
        }
    }
}

/// The numbers behind the code of an attribute that has nothing but numbers.
pub(super) fn varints(item: &Item) -> Vec<u64> {
    let Some(Field::Raw(Raw::Bytes(rest))) = item.fields.get(1) else { return Vec::new() };
    let (mut rest, mut all) = (&rest[..], Vec::new());
    while let Some((number, behind)) = varint_of(rest) {
        all.push(number);
        rest = behind;
    }
    all
}

pub(super) fn number(item: &Item, at: usize) -> Option<u64> {
    match item.fields.get(at)? {
        Field::Raw(Raw::Bytes(bytes)) => varint_of(bytes).map(|(number, _)| number),
        Field::Number(number) => Some(*number),
        _ => None,
    }
}

/// A whole number or one with a fraction, with its type.
fn scalar(module: &Words<'_>, item: &Item) -> Option<String> {
    let (Field::Type(kind), Field::Raw(raw)) = (item.fields.get(1)?, item.fields.get(2)?) else {
        return None;
    };
    let name = types::text(module, *kind);
    let raw = bytes(module, raw);
    let narrow = crate::program::bits_of(&name).is_some_and(|bits| bits <= 8);
    let bits = match narrow {
        true => u64::from(*raw.first()?),
        false => unzigzag(varint_of(&raw)?.0).cast_unsigned(),
    };
    if name == "i1" {
        return Some((bits & 1 == 1).to_string());
    }
    Some(constants::number(&name, bits))
}

fn tensor(module: &Words<'_>, item: &Item, elide: Option<usize>) -> Option<String> {
    let (Field::Type(kind), Field::Raw(raw)) = (item.fields.get(1)?, item.fields.get(2)?) else {
        return None;
    };
    let bytes = blob(module, raw)?;
    module.takes(bytes.len() as u64).then_some(())?;
    Some(constants::dense(module, *kind, &bytes, elide))
}

/// The bytes behind the length that stands in front of them.
fn blob(module: &Words<'_>, raw: &Raw) -> Option<Vec<u8>> {
    let mut all = bytes(module, raw);
    let more = all.first()?.trailing_zeros() as usize;
    Some(all.split_off((more + 1).min(all.len())))
}

/// An array of MLIR itself: its type, how many elements, and their bytes.
fn array(module: &Words<'_>, item: &Item) -> Option<String> {
    let (Field::Type(kind), Field::Raw(raw)) = (item.fields.get(1)?, item.fields.get(2)?) else {
        return None;
    };
    let raw = bytes(module, raw);
    let (_, rest) = varint_of(&raw)?;
    let (_, rest) = varint_of(rest)?;
    let name = types::text(module, *kind);
    let width = (crate::program::bits_of(&name)? as usize).div_ceil(8);
    let all = rest.chunks_exact(width).map(|bytes| {
        let mut word = [0; 8];
        word.get_mut(..width)?.copy_from_slice(bytes);
        let unused = 64 - 8 * width as u32;
        let value = (u64::from_le_bytes(word) << unused).cast_signed() >> unused;
        Some(if name == "i1" { (value != 0).to_string() } else { value.to_string() })
    });
    let all: Vec<String> = all.collect::<Option<_>>()?;
    Some(match all.is_empty() {
        true => format!("array<{name}>"),
        false => format!("array<{name}: {}>", all.join(", ")),
    })
}

/// A reference to what has this name.
fn symbol(module: &Words<'_>, field: &Field) -> Option<String> {
    let Field::Attribute(name) = field else { return None };
    Some(reference(module.text_of(*name)?))
}

/// `@main`, in quotes where it is no word.
pub(super) fn reference(name: &[u8]) -> String {
    match is_word(name) {
        true => format!("@{}", String::from_utf8_lossy(name)),
        false => format!("@{}", quoted(name)),
    }
}

pub(super) fn bare(name: &[u8]) -> String {
    if is_word(name) { String::from_utf8_lossy(name).into_owned() } else { quoted(name) }
}

fn is_word(name: &[u8]) -> bool {
    let first = name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    first && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_$.".contains(byte))
}

/// A text in quotes. In a log no runner of GitHub takes it for one of its commands, which begin with `##[`.
pub(super) fn quoted(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for byte in text {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => out.push_str(&format!("\\{byte:02X}")),
            b'[' if out.ends_with("##") => out.push_str("\\5B"),
            _ => out.push(char::from(*byte)),
        }
    }
    out + "\""
}

/// Dimensions: a tensor of 64-bit integers.
pub(super) fn dimensions(module: &Words<'_>, id: Id) -> Option<String> {
    let item = module.attributes.get(id)?;
    (item.code(VHLO)? == values::code::TENSOR).then_some(())?;
    let Field::Type(kind) = item.fields.get(1)? else { return None };
    let (dims, element) = values::tensor(module, *kind)?;
    let name = types::text(module, element);
    let Field::Raw(raw) = item.fields.get(2)? else { return None };
    let bytes = blob(module, raw)?;
    let count =
        usize::try_from(dims.iter().product::<i64>()).ok().filter(|count| *count <= 1024)?;
    let numbers: Vec<String> = match &*name {
        "i1" => {
            let bit = |at: usize| match bytes.len() {
                1 if bytes[0] == 0xff => Some(true),
                _ => bytes.get(at / 8).map(|byte| byte >> (at % 8) & 1 == 1),
            };
            (0..count).map(|at| bit(at).map(|bit| bit.to_string())).collect::<Option<_>>()?
        }
        _ => {
            let (numbers, []) = bytes.as_chunks::<8>() else { return None };
            let read = numbers.iter().map(|bytes| i64::from_le_bytes(*bytes).to_string());
            let read: Vec<String> = read.collect();
            match &read[..] {
                [one] => vec![one.clone(); count],
                _ => read,
            }
        }
    };
    (dims.len() == 1 && numbers.len() == count).then(|| numbers.join(", "))
}

fn alias(item: &Item) -> Option<String> {
    let numbers = varints(item);
    let mut rest = numbers.iter().map(|number| unzigzag(*number));
    let list = |rest: &mut dyn Iterator<Item = i64>, first: u64| {
        let all: Vec<String> = rest.take(first as usize).map(|one| one.to_string()).collect();
        all.join(", ")
    };
    let first = *numbers.first()?;
    rest.next();
    let outputs = list(&mut rest, first);
    let at = usize::try_from(first).ok()? + 1;
    let operand = rest.next()?;
    let count = *numbers.get(at + 1)?;
    rest.next();
    let inner = list(&mut rest, count);
    Some(format!(
        "#stablehlo.output_operand_alias<output_tuple_indices = [{outputs}], operand_index = {operand}, \
         operand_tuple_indices = [{inner}]>"
    ))
}

/// How large dimensions get at most, behind how many there are.
pub(super) fn bounds(numbers: &[u64]) -> Option<String> {
    let bounds = numbers.iter().skip(1).map(|number| match unzigzag(*number) {
        bound if bound >= 0 => bound.to_string(),
        _ => "?".to_owned(),
    });
    let bounds: Vec<String> = bounds.collect();
    Some(format!("#stablehlo.bounds<{}>", bounds.join(", ")))
}

fn mode(value: u64) -> String {
    let name = MODES.get(value as usize).copied().unwrap_or("DEFAULT");
    format!("#stablehlo.result_accuracy_mode<{name}>")
}

fn accuracy(module: &Words<'_>, item: &Item) -> Option<String> {
    let [_, Field::Number(atol), Field::Number(rtol), Field::Number(ulps), Field::Attribute(mode)] =
        item.fields[..]
    else {
        return None;
    };
    let real = |number: u64| constants::float(f64::from_bits(unzigzag(number).cast_unsigned()));
    Some(format!(
        "#stablehlo.result_accuracy<atol = {}, rtol = {}, ulps = {}, mode = {}>",
        real(atol),
        real(rtol),
        unzigzag(ulps),
        text(module, mode),
    ))
}
