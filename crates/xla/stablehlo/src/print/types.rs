//! Types as text.

use std::fmt::Write as _;

use super::Words;
use crate::bytecode::entries::builtin;
use crate::module::{Field, Id, Raw, VHLO};
use crate::program;
use crate::rewrite::values::{unzigzag, varint_of};

/// How deep types are printed.
const DEPTH: usize = 64;

/// Integers and floats of MLIR itself, by code.
pub(crate) const PLAIN: [(u64, &str); 19] = [
    (1, "index"),
    (3, "bf16"),
    (4, "f16"),
    (5, "f32"),
    (6, "f64"),
    (12, "none"),
    (21, "tf32"),
    (22, "f8E5M2"),
    (23, "f8E4M3"),
    (24, "f8E4M3FN"),
    (25, "f8E5M2FNUZ"),
    (26, "f8E4M3FNUZ"),
    (27, "f8E4M3B11FNUZ"),
    (28, "f8E3M4"),
    (29, "f4E2M1FN"),
    (30, "f6E2M3FN"),
    (31, "f6E3M2FN"),
    (32, "f8E8M0FNU"),
    (7, "f80"),
];

pub(super) fn text(module: &Words<'_>, id: Id) -> String {
    within(module, id, 0)
}

fn within(module: &Words<'_>, id: Id, depth: usize) -> String {
    let unknown = || "/* a type that is not known */".to_owned();
    let Some(item) = module.types.get(id).filter(|_| depth < DEPTH && module.takes(1)) else {
        return unknown();
    };
    if !item.encoded {
        return super::attributes::raw_text(module, item);
    }
    let inner = |field: Option<&Field>| match field {
        Some(Field::Type(id)) => within(module, *id, depth + 1),
        _ => unknown(),
    };
    let vhlo = item.code(VHLO);
    match (vhlo, item.code(builtin::NAME)) {
        (Some(1), _) | (_, Some(9)) => format!("complex<{}>", inner(item.fields.get(1))),
        (Some(8), _) | (_, Some(2)) => {
            let (inputs, outputs) = function(module, id).unwrap_or_default();
            let all = |ids: &[Id]| {
                let all: Vec<String> =
                    ids.iter().map(|id| within(module, *id, depth + 1)).collect();
                all.join(", ")
            };
            format!("({}) -> ({})", all(&inputs), all(&outputs))
        }
        (Some(20), _) | (_, Some(13)) => {
            format!("tensor<{}{}>", dims(&item.fields[1..]), inner(item.fields.last()))
        }
        (Some(21), _) | (_, Some(14)) => {
            let encoding = match item.fields.get(1) {
                Some(Field::Attribute(id)) => super::attributes::text(module, *id),
                _ => unknown(),
            };
            let dims = dims(item.fields.get(2..).unwrap_or_default());
            format!("tensor<{dims}{}, {encoding}>", inner(item.fields.last()))
        }
        (Some(41), _) => {
            format!("memref<{}{}>", dims(&item.fields[1..]), inner(item.fields.last()))
        }
        (_, Some(18)) => format!("tensor<*x{}>", inner(item.fields.last())),
        (Some(22), _) => "!stablehlo.token".to_owned(),
        (Some(26), _) => "!shape.witness".to_owned(),
        (Some(23 | 42), _) | (_, Some(15)) => {
            let all: Vec<String> =
                item.fields.iter().skip(2).map(|field| inner(Some(field))).collect();
            let name = if vhlo == Some(42) { "!stablehlo.future" } else { "tuple" };
            format!("{name}<{}>", all.join(", "))
        }
        (Some(25), _) => format!("tensor<*x{}>", inner(item.fields.get(1))),
        (Some(24), _) => quantized(&item.fields, &inner),
        (Some(30), _) => quantized_by_axis(module, &item.fields, &inner),
        (Some(code), _) => program::name_of(code).map_or_else(unknown, str::to_owned),
        (_, Some(0)) => {
            let Some(Field::Raw(Raw::Bytes(bytes))) = item.fields.get(1) else { return unknown() };
            let Some((number, _)) = varint_of(bytes) else { return unknown() };
            let sign = ["i", "si", "ui"].get((number & 3) as usize).copied().unwrap_or("i");
            format!("{sign}{}", number >> 2)
        }
        (_, Some(code)) => {
            let found = PLAIN.iter().find(|(own, _)| *own == code);
            found.map_or_else(unknown, |(_, name)| (*name).to_owned())
        }
        _ if *item.dialect == *"stablehlo" => "!stablehlo.token".to_owned(),
        _ => unknown(),
    }
}

pub(super) fn function(module: &Words<'_>, id: Id) -> Option<(Vec<Id>, Vec<Id>)> {
    let item = module.types.get(id)?;
    let mut lists = Vec::new();
    let mut fields = item.fields.iter().skip(1);
    for _ in 0..2 {
        let Some(Field::Number(count)) = fields.next() else { return None };
        let count = usize::try_from(*count).ok()?;
        let ids = fields.by_ref().take(count).map(|field| match field {
            Field::Type(id) => Some(*id),
            _ => None,
        });
        lists.push(ids.collect::<Option<Vec<Id>>>()?);
    }
    let outputs = lists.pop()?;
    Some((lists.pop()?, outputs))
}

/// The dimensions behind their number: `4x?x`.
fn dims(fields: &[Field]) -> String {
    let mut text = String::new();
    for field in fields.iter().skip(1) {
        let Field::Number(number) = field else { break };
        match unzigzag(*number) {
            dim if dim >= 0 => drop(write!(text, "{dim}x")),
            _ => text.push_str("?x"),
        }
    }
    text
}

/// Integers that stand for numbers, all by one scale.
fn quantized(fields: &[Field], inner: &dyn Fn(Option<&Field>) -> String) -> String {
    let [_, Field::Number(flags), storage, expressed, Field::Raw(Raw::Bytes(rest))] = fields else {
        return "/* a quantized type */".to_owned();
    };
    let scale = varint_of(rest);
    let zero = scale.and_then(|(_, rest)| varint_of(rest));
    let low = zero.and_then(|(_, rest)| varint_of(rest));
    let high = low.and_then(|(_, rest)| varint_of(rest));
    let (Some((scale, _)), Some((zero, _)), Some((low, _)), Some((high, _))) =
        (scale, zero, low, high)
    else {
        return "/* a quantized type */".to_owned();
    };
    let scale = super::constants::float(f64::from_bits(unzigzag(scale).cast_unsigned()));
    format!(
        "!quant.uniform<{}<{}:{}>:{}, {scale}:{}>",
        stored(*flags, inner(Some(storage))),
        unzigzag(low),
        unzigzag(high),
        inner(Some(expressed)),
        unzigzag(zero),
    )
}

/// Integers that stand for numbers, each part of a dimension by its own scale.
fn quantized_by_axis(
    module: &Words<'_>,
    fields: &[Field],
    inner: &dyn Fn(Option<&Field>) -> String,
) -> String {
    let [_, Field::Number(flags), storage, expressed, Field::Raw(rest)] = fields else {
        return "/* a quantized type */".to_owned();
    };
    let bytes = super::attributes::bytes(module, rest);
    let mut rest = &bytes[..];
    let mut next = || {
        let (number, behind) = varint_of(rest)?;
        rest = behind;
        Some(number)
    };
    let mut read = || {
        let (axis, low, high) = (next()?, next()?, next()?);
        let mut lists = Vec::new();
        for _ in 0..2 {
            let count = usize::try_from(next()?).ok().filter(|count| *count <= bytes.len())?;
            lists.push((0..count).map(|_| next()).collect::<Option<Vec<u64>>>()?);
        }
        Some((axis, unzigzag(low), unzigzag(high), lists))
    };
    let Some((axis, low, high, lists)) = read() else {
        return "/* a quantized type */".to_owned();
    };
    let [scales, zeros] = &lists[..] else { return "/* a quantized type */".to_owned() };
    let pairs = scales.iter().zip(zeros).map(|(scale, zero)| {
        let scale = f64::from_bits(unzigzag(*scale).cast_unsigned());
        format!("{}:{}", super::constants::float(scale), unzigzag(*zero))
    });
    let pairs: Vec<String> = pairs.collect();
    let (storage, expressed) = (stored(*flags, inner(Some(storage))), inner(Some(expressed)));
    format!("!quant.uniform<{storage}<{low}:{high}>:{expressed}:{axis}, {{{}}}>", pairs.join(", "))
}

/// The integers of a quantized type: a flag says whether plain ones have a sign.
fn stored(flags: u64, storage: String) -> String {
    match storage.strip_prefix('i') {
        Some(bits) if flags & 1 == 0 => format!("u{bits}"),
        _ => storage,
    }
}
