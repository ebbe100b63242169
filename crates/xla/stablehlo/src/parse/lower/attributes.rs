//! Attributes of a file.

use std::sync::Arc;

use super::{Lowering, World, counted, raw};
use crate::bytecode::entries::builtin;
use crate::convert::numbers::varint;
use crate::module::{Field, Id, Item, Raw, Sort};
use crate::parse::attributes::Attr;
use crate::parse::types::Type;
use crate::program;
use crate::rewrite::values::{self, code, zigzag};

/// The numbers of attributes of MLIR itself beside those that everybody needs.
mod plain {
    pub(super) const ARRAY: u64 = 0;
    pub(super) const SYMBOL: u64 = 4;
    pub(super) const NESTED_SYMBOL: u64 = 5;
    pub(super) const TYPE: u64 = 6;
    pub(super) const UNIT: u64 = 7;
    pub(super) const INTEGER: u64 = 8;
    pub(super) const FLOAT: u64 = 9;
}

/// The numbers of attributes of VHLO that nothing else needs.
const FLOAT: u64 = 8;
const ALIAS: u64 = 10;
const BOUNDS: u64 = 18;
/// The number of bounds of a type among the attributes of StableHLO.
const PLAIN_BOUNDS: u64 = 13;

impl Lowering {
    pub(in crate::parse) fn attribute(&mut self, world: World, attr: &Attr) -> Result<Id, String> {
        if let Some(shared) = self.shared(attr)? {
            return Ok(shared);
        }
        match world {
            World::Vhlo => self.of_vhlo(attr),
            World::Plain => self.of_mlir(attr),
        }
    }

    fn shared(&mut self, attr: &Attr) -> Result<Option<Id>, String> {
        Ok(Some(match attr {
            Attr::Unit => self.plain(vec![Field::Number(plain::UNIT)]),
            Attr::Sharded(sharded) => self.sharded(sharded),
            Attr::Choice("chlo", code, value) => {
                self.item("chlo", vec![Field::Number(*code), raw([*value])])
            }
            Attr::Raw(dialect, text) => {
                let bytes = [text.as_bytes(), &[0]].concat();
                let fields = vec![Field::Raw(Raw::Bytes(bytes))];
                self.module.attributes.add(Item {
                    dialect: (*dialect).into(),
                    encoded: false,
                    fields,
                })
            }
            Attr::Convolution(_) => return Err("dimensions of a convolution elsewhere".to_owned()),
            _ => return Ok(None),
        }))
    }

    fn of_vhlo(&mut self, attr: &Attr) -> Result<Id, String> {
        let world = World::Vhlo;
        let fields = match attr {
            Attr::Bool(value) => return Ok(values::truth(&mut self.module, *value)),
            Attr::Number(bits, kind) if is_truth(kind) => {
                return Ok(values::truth(&mut self.module, bits & 1 == 1));
            }
            Attr::Number(bits, kind) => {
                let code = if is_float(kind) { FLOAT } else { code::INTEGER };
                let own = self.r#type(world, kind)?;
                vec![Field::Number(code), Field::Type(own), number(*bits, kind)?]
            }
            Attr::Text(text) => return Ok(values::text(&mut self.module, text)),
            Attr::Symbol(path) => {
                let [name] = &path[..] else { return Err(nested()) };
                return Ok(values::text(&mut self.module, name));
            }
            Attr::Array(all) => {
                let all = all.iter().map(|one| self.attribute(world, one));
                let all: Vec<Id> = all.collect::<Result<_, _>>()?;
                return Ok(self.array(all));
            }
            Attr::Dictionary(pairs) => {
                let mut sorted: Vec<&(Vec<u8>, Attr)> = pairs.iter().collect();
                sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
                let mut fields =
                    vec![Field::Number(code::DICTIONARY), Field::Number(pairs.len() as u64)];
                for (name, value) in sorted {
                    let name = values::text(&mut self.module, name);
                    let value = self.attribute(world, value)?;
                    fields.extend([Field::Attribute(name), Field::Attribute(value)]);
                }
                fields
            }
            Attr::Type(kind) => {
                vec![Field::Number(code::TYPE), Field::Type(self.r#type(world, kind)?)]
            }
            Attr::Dense(kind, bytes) => {
                vec![
                    Field::Number(code::TENSOR),
                    Field::Type(self.r#type(world, kind)?),
                    blob(bytes),
                ]
            }
            Attr::Numbers(kind, numbers) if **kind == Type::Scalar("i64".into()) => {
                return Ok(values::integers(&mut self.module, &[numbers.len() as i64], numbers));
            }
            Attr::Choice(_, code, value) => vec![Field::Number(*code), raw([*value])],
            Attr::Bounds(bounds) => vec![Field::Number(BOUNDS), of_bounds(bounds)],
            Attr::Group(name, parts) => match &**name {
                "stablehlo.output_operand_alias" => alias(parts)?,
                "stablehlo.result_accuracy" => self.accuracy(parts)?,
                _ => self
                    .of_mesh(name, parts)?
                    .ok_or_else(|| format!("`#{name}` elsewhere than on its operation"))?,
            },
            _ => return Err("an attribute that no artifact has".to_owned()),
        };
        Ok(self.module.vhlo(Sort::Attribute, fields))
    }

    fn of_mlir(&mut self, attr: &Attr) -> Result<Id, String> {
        let world = World::Plain;
        let fields = match attr {
            Attr::Bool(value) => {
                let kind = self.r#type(world, &Type::scalar("i1"))?;
                let bits = Field::Raw(Raw::Bytes(vec![u8::from(*value)]));
                vec![Field::Number(plain::INTEGER), Field::Type(kind), bits]
            }
            Attr::Number(bits, kind) => {
                let code = if is_float(kind) { plain::FLOAT } else { plain::INTEGER };
                let own = self.r#type(world, kind)?;
                vec![Field::Number(code), Field::Type(own), number(*bits, kind)?]
            }
            Attr::Text(text) => return Ok(self.plain_text(text)),
            Attr::Symbol(path) => return Ok(self.symbol(path)),
            Attr::Array(all) => {
                let all = all.iter().map(|one| self.attribute(world, one));
                let all: Vec<Id> = all.collect::<Result<_, _>>()?;
                let mut fields = vec![Field::Number(plain::ARRAY)];
                counted(&mut fields, all.into_iter().map(Field::Attribute));
                fields
            }
            Attr::Dictionary(pairs) => {
                let mut named = Vec::new();
                for (name, value) in pairs {
                    let value = self.attribute(world, value)?;
                    named.push((self.module.text(name), value));
                }
                named.sort_by(|(a, _), (b, _)| self.module.bytes(*a).cmp(self.module.bytes(*b)));
                return Ok(self.module.builtin_dictionary(&named));
            }
            Attr::Type(kind) => {
                vec![Field::Number(plain::TYPE), Field::Type(self.r#type(world, kind)?)]
            }
            Attr::Dense(kind, bytes) => {
                let kind = self.r#type(world, kind)?;
                vec![Field::Number(builtin::attribute::ELEMENTS), Field::Type(kind), blob(bytes)]
            }
            Attr::Numbers(kind, numbers) => {
                let width = width(kind).ok_or("an array of what are no numbers")? as usize;
                let own = self.r#type(world, kind)?;
                let count = numbers.len() as u64;
                let bytes = width.div_ceil(8);
                let mut all = Vec::new();
                varint(&mut all, count);
                varint(&mut all, count * bytes as u64);
                for number in numbers {
                    all.extend(number.to_le_bytes().iter().take(bytes));
                }
                let all = Field::Raw(Raw::Bytes(all));
                vec![Field::Number(builtin::attribute::ARRAY), Field::Type(own), all]
            }
            Attr::Bounds(bounds) => {
                let fields = vec![Field::Number(PLAIN_BOUNDS), of_bounds(bounds)];
                return Ok(self.item("stablehlo", fields));
            }
            _ => return Err("such an attribute outside of operations of StableHLO".to_owned()),
        };
        Ok(self.plain(fields))
    }

    pub(super) fn plain_text(&mut self, text: &[u8]) -> Id {
        let text = self.module.text(text);
        self.plain(vec![Field::Number(builtin::attribute::TEXT), Field::Text(text)])
    }

    pub(super) fn symbol(&mut self, path: &[Vec<u8>]) -> Id {
        let mut names =
            path.iter().map(|name| self.plain_text(name)).collect::<Vec<_>>().into_iter();
        // A name has at least one part.
        let first = names.next().unwrap_or_default();
        if names.len() == 0 {
            return self.plain(vec![Field::Number(plain::SYMBOL), Field::Attribute(first)]);
        }
        let mut fields = vec![Field::Number(plain::NESTED_SYMBOL), Field::Attribute(first)];
        let rest: Vec<Id> = names
            .map(|name| self.plain(vec![Field::Number(plain::SYMBOL), Field::Attribute(name)]))
            .collect();
        counted(&mut fields, rest.into_iter().map(Field::Attribute));
        self.plain(fields)
    }

    pub(super) fn array(&mut self, all: Vec<Id>) -> Id {
        let mut fields = vec![Field::Number(code::ARRAY)];
        counted(&mut fields, all.into_iter().map(Field::Attribute));
        self.module.vhlo(Sort::Attribute, fields)
    }

    /// How exact a result has to be.
    fn accuracy(&mut self, parts: &[(String, Attr)]) -> Result<Vec<Field>, String> {
        let mut fields = vec![Field::Number(code::ACCURACY)];
        for part in ["atol", "rtol", "ulps"] {
            let bits = match find(parts, part) {
                Some(Attr::Number(bits, _)) => *bits,
                None => 0,
                _ => return Err(format!("`{part}` is a number")),
            };
            fields.push(Field::Number(zigzag(bits.cast_signed())));
        }
        let mode = find(parts, "mode").ok_or("an accuracy without a mode")?;
        fields.push(Field::Attribute(self.attribute(World::Vhlo, mode)?));
        Ok(fields)
    }
}

pub(super) fn find<'a>(parts: &'a [(String, Attr)], name: &str) -> Option<&'a Attr> {
    parts.iter().find(|(own, _)| own == name).map(|(_, value)| value)
}

/// The numbers of a list of whole numbers.
pub(super) fn integers(attr: &Attr) -> Option<Vec<i64>> {
    match attr {
        Attr::Array(all) => all.iter().map(Attr::integer).collect(),
        Attr::Numbers(_, numbers) => Some(numbers.clone()),
        _ => None,
    }
}

fn nested() -> String {
    "a name within a name".to_owned()
}

/// Which result may have the memory of which operand.
fn alias(parts: &[(String, Attr)]) -> Result<Vec<Field>, String> {
    let list = |name: &str| {
        let all = find(parts, name).map_or(Some(Vec::new()), integers);
        all.ok_or_else(|| format!("`{name}` is a list of whole numbers"))
    };
    let operand = find(parts, "operand_index").and_then(Attr::integer);
    let operand = operand.ok_or("an alias without an operand")?;
    let (outputs, inner) = (list("output_tuple_indices")?, list("operand_tuple_indices")?);
    let mut all = vec![outputs.len() as u64];
    all.extend(outputs.into_iter().map(zigzag));
    all.extend([zigzag(operand), inner.len() as u64]);
    all.extend(inner.into_iter().map(zigzag));
    Ok(vec![Field::Number(ALIAS), raw(all)])
}

fn of_bounds(bounds: &[Option<i64>]) -> Field {
    let count = bounds.len() as u64;
    raw([count].into_iter().chain(bounds.iter().map(|one| zigzag(one.unwrap_or(i64::MIN)))))
}

fn is_truth(kind: &Type) -> bool {
    matches!(kind, Type::Scalar(name) if &**name == "i1")
}

fn is_float(kind: &Type) -> bool {
    matches!(kind, Type::Scalar(name) if name.starts_with(['f', 'b', 't']))
}

/// How many bits the numbers of a type have.
fn width(kind: &Type) -> Option<u32> {
    let Type::Scalar(name) = kind else { return None };
    let plain = name.strip_prefix('s').filter(|rest| rest.starts_with('i')).unwrap_or(name);
    program::bits_of(plain)
}

/// A number: up to eight bits are a byte, more are a signed number of variable length.
fn number(bits: u64, kind: &Arc<Type>) -> Result<Field, String> {
    let width = width(kind).ok_or("a number of a type that has none")?;
    Ok(match width {
        0..=8 => Field::Raw(Raw::Bytes(vec![bits as u8])),
        _ => raw([zigzag(bits.cast_signed())]),
    })
}

/// Bytes behind their number.
fn blob(bytes: &[u8]) -> Field {
    let mut all = Vec::with_capacity(bytes.len() + 9);
    varint(&mut all, bytes.len() as u64);
    all.extend_from_slice(bytes);
    Field::Raw(Raw::Bytes(all))
}
