//! Attributes of dialects beside VHLO as text: shardings, enumerations of CHLO, bounds of StableHLO.

use std::fmt::Write as _;

use super::Words;
use super::attributes::{COMPARED, DIRECTIONS, PRECISIONS, bounds, bytes, quoted, reference};
use crate::module::{Field, Id, Item};
use crate::parse::FACTORS;
use crate::rewrite::values::{unzigzag, varint_of};

/// The attribute; none if it has no words here.
pub(super) fn text(module: &Words<'_>, item: &Item) -> Option<String> {
    let Field::Number(code) = item.fields.first()? else { return None };
    match (&*item.dialect, code) {
        ("stablehlo", 13) => bounds(&numbers(module, item.fields.get(1)?)),
        ("chlo", 0..=2) => {
            let (name, choices): (_, &[&str]) = match code {
                0 => ("comparison_direction", &DIRECTIONS),
                1 => ("comparison_type", &COMPARED),
                _ => ("precision", &PRECISIONS),
            };
            let number = *numbers(module, item.fields.get(1)?).first()?;
            Some(format!("#chlo<{name} {}>", choices.get(usize::try_from(number).ok()?)?))
        }
        ("sdy", 0) => {
            Some(format!("#sdy<manual_axes{{{}}}>", texts(module, lists(item, 1).first()?)?))
        }
        ("sdy", 2) => Some(format!("#sdy.mesh<{}>", mesh(module, item)?)),
        ("sdy", 6) => Some(format!("#sdy.sharding<{}>", sharding(module, item)?)),
        ("sdy", 7) => {
            let all = lists(item, 1);
            let one = |id: &Id| {
                sharding(module, module.attributes.get(*id)?).map(|text| format!("<{text}>"))
            };
            let all: Vec<String> = all.first()?.iter().map(one).collect::<Option<_>>()?;
            Some(format!("#sdy.sharding_per_value<[{}]>", all.join(", ")))
        }
        ("sdy", 10) => rule(module, item),
        _ => None,
    }
}

/// All numbers in a row.
fn numbers(module: &Words<'_>, field: &Field) -> Vec<u64> {
    let Field::Raw(raw) = field else { return Vec::new() };
    let raw = bytes(module, raw);
    let (mut rest, mut all) = (&raw[..], Vec::new());
    while let Some((number, behind)) = varint_of(rest) {
        all.push(number);
        rest = behind;
    }
    all
}

/// The lists of attributes of an item, from this field on.
fn lists(item: &Item, first: usize) -> Vec<Vec<Id>> {
    let mut all = Vec::new();
    let mut fields = item.fields.iter().skip(first);
    while let Some(Field::Number(count)) = fields.next() {
        let count = usize::try_from(*count).unwrap_or_default();
        let ids = fields.by_ref().take(count).filter_map(|field| match field {
            Field::Attribute(id) => Some(*id),
            _ => None,
        });
        all.push(ids.collect());
    }
    all
}

fn texts(module: &Words<'_>, ids: &[Id]) -> Option<String> {
    let all: Vec<String> =
        ids.iter().map(|id| module.text_of(*id).map(quoted)).collect::<Option<_>>()?;
    Some(all.join(", "))
}

fn mesh(module: &Words<'_>, item: &Item) -> Option<String> {
    let axes = lists(item, 1);
    let axis = |id: &Id| {
        let item = module.attributes.get(*id)?;
        let [_, Field::Text(name), size] = &item.fields[..] else { return None };
        let size = unzigzag(*numbers(module, size).first()?);
        Some(format!("{}={size}", quoted(module.bytes(*name))))
    };
    let axes: Vec<String> = axes.first()?.iter().map(axis).collect::<Option<_>>()?;
    let devices: Vec<String> = numbers(module, item.fields.last()?)
        .iter()
        .skip(1)
        .map(|id| unzigzag(*id).to_string())
        .collect();
    Some(match devices.is_empty() {
        true => format!("[{}]", axes.join(", ")),
        false => format!("[{}], device_ids=[{}]", axes.join(", "), devices.join(", ")),
    })
}

/// What stands between the brackets of a sharding.
fn sharding(module: &Words<'_>, item: &Item) -> Option<String> {
    let Field::Attribute(first) = item.fields.get(1)? else { return None };
    let own = module.attributes.get(*first)?;
    let mesh = match own.code("sdy") {
        Some(_) => format!("mesh<{}>", mesh(module, own)?),
        None => match own.fields.get(1)? {
            Field::Attribute(name) => reference(module.text_of(*name)?),
            _ => return None,
        },
    };
    let lists = lists(item, 2);
    let (dims, replicated) = (lists.first()?, lists.get(1)?);
    let dims: Vec<String> = dims.iter().map(|id| dimension(module, *id)).collect::<Option<_>>()?;
    let axes: Vec<String> = replicated.iter().map(|id| axis(module, *id)).collect::<Option<_>>()?;
    let more = match axes.is_empty() {
        true => String::new(),
        false => format!(", replicated={{{}}}", axes.join(", ")),
    };
    Some(format!("{mesh}, [{}]{more}", dims.join(", ")))
}

/// The axes along which a dimension is cut: `{"x", ?}`.
fn dimension(module: &Words<'_>, id: Id) -> Option<String> {
    let item = module.attributes.get(id)?;
    let axes = lists(item, 1);
    let mut axes: Vec<String> =
        axes.first()?.iter().map(|id| axis(module, *id)).collect::<Option<_>>()?;
    let Field::Raw(rest) = item.fields.last()? else { return None };
    let rest = bytes(module, rest);
    let (closed, rest) = rest.split_first()?;
    if *closed == 0 {
        axes.push("?".to_owned());
    }
    let priority = match varint_of(rest) {
        Some((priority, _)) if priority > 0 => format!("p{}", priority - 1),
        _ => String::new(),
    };
    Some(format!("{{{}}}{priority}", axes.join(", ")))
}

fn axis(module: &Words<'_>, id: Id) -> Option<String> {
    let item = module.attributes.get(id)?;
    let [_, Field::Text(name), part] = &item.fields[..] else { return None };
    let name = quoted(module.bytes(*name));
    let Field::Optional(Some(part)) = part else { return Some(name) };
    let part = numbers(module, module.attributes.get(*part)?.fields.get(1)?);
    let [before, size] = part[..] else { return None };
    Some(format!("{name}:({}){}", unzigzag(before), unzigzag(size)))
}

/// How the dimensions of operands and results belong together: `<([i, j])->([i, j]) {i=2, j=4}>`.
fn rule(module: &Words<'_>, item: &Item) -> Option<String> {
    let Field::Number(count) = item.fields.get(1)? else { return None };
    let count = usize::try_from(*count).ok()?;
    let sizes = item.fields.get(2..2 + count)?.iter().enumerate().map(|(at, field)| match field {
        Field::Number(size) => Some(format!("{}={}", factor(at as u64), unzigzag(*size))),
        _ => None,
    });
    let sizes: Vec<String> = sizes.collect::<Option<_>>()?;
    let lists = lists(item, 2 + count);
    let side = |ids: &[Id]| {
        let all: Option<Vec<String>> = ids.iter().map(|id| mapping(module, *id)).collect();
        Some(format!("({})", all?.join(", ")))
    };
    let Field::Raw(rest) = item.fields.last()? else { return None };
    let more = kinds(&bytes(module, rest))?;
    let (operands, results) = (side(lists.first()?)?, side(lists.get(1)?)?);
    Some(format!("#sdy.op_sharding_rule<{operands}->{results} {{{}}}{more}>", sizes.join(", ")))
}

/// Which factors are of which kind, and behind them a byte: whether somebody wrote the rule by hand. None if it is written
/// otherwise.
fn kinds(mut rest: &[u8]) -> Option<String> {
    let mut text = String::new();
    for name in FACTORS {
        let (count, behind) = varint_of(rest)?;
        rest = behind;
        let mut all = Vec::new();
        for _ in 0..count {
            let (number, behind) = varint_of(rest)?;
            rest = behind;
            all.push(factor(unzigzag(number).cast_unsigned()));
        }
        if !all.is_empty() {
            let _ = write!(text, " {name}={{{}}}", all.join(", "));
        }
    }
    match rest {
        [0] => Some(text),
        [1] => Some(text + ", custom"),
        _ => None,
    }
}

fn mapping(module: &Words<'_>, id: Id) -> Option<String> {
    let all = lists(module.attributes.get(id)?, 1);
    let dim = |id: &Id| {
        let item = module.attributes.get(*id)?;
        let factors = numbers(module, item.fields.get(1)?);
        Some(
            factors
                .iter()
                .skip(1)
                .map(|one| factor(unzigzag(*one).cast_unsigned()))
                .collect::<String>(),
        )
    };
    let all: Vec<String> = all.first()?.iter().map(dim).collect::<Option<_>>()?;
    Some(format!("[{}]", all.join(", ")))
}

/// The name of a factor: `i` to `z`, then `z_1`.
fn factor(at: u64) -> String {
    match u8::try_from(at).ok().filter(|at| *at < 18) {
        Some(at) => char::from(b'i' + at).to_string(),
        None => format!("z_{}", at - 17),
    }
}
