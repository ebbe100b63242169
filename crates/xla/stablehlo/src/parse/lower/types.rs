//! Types of a file.

use std::sync::Arc;

use super::{Lowering, World, counted, raw};
use crate::bytecode::entries::builtin;
use crate::module::{Field, Id, Item, VHLO};
use crate::parse::types::{Quantized, Type};
use crate::print::PLAIN;
use crate::program;
use crate::rewrite::values::zigzag;

/// What stands for a dimension that is not known.
const DYNAMIC: i64 = i64::MIN;

/// The numbers of types: in VHLO, and in MLIR itself where it has them.
const TENSOR: (u64, u64) = (20, 13);
const ENCODED: (u64, u64) = (21, 14);
const UNRANKED: (u64, u64) = (25, 18);
const FUNCTION: (u64, u64) = (8, 2);
const COMPLEX: (u64, u64) = (1, 9);
const TUPLE: (u64, u64) = (23, 15);
const BUFFER: u64 = 41;
const FUTURE: u64 = 42;
const TOKEN: u64 = 22;
const WITNESS: u64 = 26;
const QUANTIZED: u64 = 24;
const QUANTIZED_PARTS: u64 = 30;

impl Lowering {
    /// The number of a type.
    pub(in crate::parse) fn r#type(
        &mut self,
        world: World,
        kind: &Arc<Type>,
    ) -> Result<Id, String> {
        let key = (world, Arc::as_ptr(kind));
        if let Some((_, known)) = self.types.get(&key) {
            return Ok(*known);
        }
        let (dialect, fields) = self.fields(world, kind)?;
        let id = self.module.types.add(Item { dialect: dialect.into(), encoded: true, fields });
        self.types.insert(key, (Arc::clone(kind), id));
        Ok(id)
    }

    fn fields(&mut self, world: World, kind: &Type) -> Result<(&'static str, Vec<Field>), String> {
        let pick = |codes: (u64, u64)| match world {
            World::Vhlo => Field::Number(codes.0),
            World::Plain => Field::Number(codes.1),
        };
        let own = match world {
            World::Vhlo => VHLO,
            World::Plain => builtin::NAME,
        };
        let fields = match kind {
            Type::Scalar(name) => return scalar(world, name),
            Type::Complex(part) => vec![pick(COMPLEX), Field::Type(self.r#type(world, part)?)],
            Type::Tensor { dims: Some(dims), element, encoding } => {
                let mut fields = Vec::new();
                match encoding {
                    Some(encoding) => {
                        let encoding = self.attribute(world, encoding)?;
                        fields.extend([pick(ENCODED), Field::Attribute(encoding)]);
                    }
                    None => fields.push(pick(TENSOR)),
                }
                shape(&mut fields, dims);
                fields.push(Field::Type(self.r#type(world, element)?));
                fields
            }
            Type::Tensor { dims: None, element, .. } => {
                vec![pick(UNRANKED), Field::Type(self.r#type(world, element)?)]
            }
            Type::Function(inputs, outputs) => {
                let mut fields = vec![pick(FUNCTION)];
                self.several(world, &mut fields, inputs)?;
                self.several(world, &mut fields, outputs)?;
                fields
            }
            Type::Tuple(parts) => {
                let mut fields = vec![pick(TUPLE)];
                self.several(world, &mut fields, parts)?;
                fields
            }
            Type::Token if world == World::Plain => {
                return Ok(("stablehlo", vec![Field::Number(0)]));
            }
            _ if world == World::Plain => {
                return Err("a type that operations of other dialects are not read with".to_owned());
            }
            Type::Token => vec![Field::Number(TOKEN)],
            Type::Witness => vec![Field::Number(WITNESS)],
            Type::Future(parts) => {
                let mut fields = vec![Field::Number(FUTURE)];
                self.several(world, &mut fields, parts)?;
                fields
            }
            Type::Buffer { dims, element } => {
                let mut fields = vec![Field::Number(BUFFER)];
                shape(&mut fields, dims);
                fields.push(Field::Type(self.r#type(world, element)?));
                fields
            }
            Type::Quantized(quantized) => self.quantized(quantized)?,
        };
        Ok((own, fields))
    }

    fn several(
        &mut self,
        world: World,
        fields: &mut Vec<Field>,
        kinds: &[Arc<Type>],
    ) -> Result<(), String> {
        let ids = kinds.iter().map(|kind| self.r#type(world, kind));
        let ids: Vec<Id> = ids.collect::<Result<_, _>>()?;
        counted(fields, ids.into_iter().map(Field::Type));
        Ok(())
    }

    fn quantized(&mut self, quantized: &Quantized) -> Result<Vec<Field>, String> {
        let Quantized { signed, storage, range: (low, high), expressed, axis, scales } = quantized;
        let storage = self.r#type(World::Vhlo, storage)?;
        let expressed = self.r#type(World::Vhlo, expressed)?;
        let code = if axis.is_some() { QUANTIZED_PARTS } else { QUANTIZED };
        let mut fields = vec![
            Field::Number(code),
            Field::Number(u64::from(*signed)),
            Field::Type(storage),
            Field::Type(expressed),
        ];
        let real = |bits: &u64| zigzag(bits.cast_signed());
        let range = [zigzag(*low), zigzag(*high)];
        fields.push(match axis {
            None => {
                let (scale, zero) = scales.first().ok_or("a quantized type without a scale")?;
                raw([real(scale), zigzag(*zero)].into_iter().chain(range))
            }
            Some(axis) => {
                let count = scales.len() as u64;
                let all = scales.iter().map(|(scale, _)| real(scale));
                let zeros = scales.iter().map(|(_, zero)| zigzag(*zero));
                // The dimension is the one number here that has no sign.
                let front = [axis.cast_unsigned()].into_iter().chain(range).chain([count]);
                raw(front.chain(all).chain([count]).chain(zeros))
            }
        });
        Ok(fields)
    }
}

/// The dimensions, behind their number.
fn shape(fields: &mut Vec<Field>, dims: &[Option<i64>]) {
    let dims = dims.iter().map(|dim| Field::Number(zigzag(dim.unwrap_or(DYNAMIC))));
    counted(fields, dims);
}

fn scalar(world: World, name: &str) -> Result<(&'static str, Vec<Field>), String> {
    let unknown = || format!("the type `{name}` is not read here");
    match world {
        World::Vhlo => {
            let signed = name.strip_prefix('s').filter(|rest| rest.starts_with('i'));
            let code = program::code_of(signed.unwrap_or(name)).ok_or_else(unknown)?;
            Ok((VHLO, vec![Field::Number(code)]))
        }
        World::Plain => {
            if let Some((code, _)) = PLAIN.iter().find(|(_, own)| *own == name) {
                return Ok((builtin::NAME, vec![Field::Number(*code)]));
            }
            let digits = name.trim_start_matches(['s', 'u']).strip_prefix('i');
            let bits: u64 = digits.and_then(|bits| bits.parse().ok()).ok_or_else(unknown)?;
            let sign = match name.as_bytes().first() {
                Some(b's') => 1,
                Some(b'u') => 2,
                _ => 0,
            };
            let fields = vec![Field::Number(builtin::types::INTEGER), raw([bits << 2 | sign])];
            Ok((builtin::NAME, fields))
        }
    }
}
