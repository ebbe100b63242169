//! Attributes and types of other dialects on operations of VHLO: readers refuse them before other dialects came in.

use std::collections::HashMap;

use unskew_core::Version;

use super::values::code;
use crate::bytecode::entries::builtin;
use crate::bytecode::operations::Value;
use crate::module::{Field, Id, Item, Module, Operation, Sort, VHLO};

/// Since when other dialects may stand in artifacts.
pub(super) const SINCE: Version = Version::triple(1, 11, 0);
/// A list of MLIR itself.
const LIST: u64 = 0;
/// How deep attributes may nest.
const DEPTH: usize = 64;

/// The result of a cast, and the operand that is it: what stands between two dialects that both go is a cast to the types of
/// the other one and a cast back. None for a cast that makes another type of VHLO.
pub(super) fn passed_on(module: &Module, cast: &Operation) -> Option<(Value, Value)> {
    let ([operand], [result]) = (&cast.operands[..], &cast.results[..]) else { return None };
    let (from, to) = (*module.values.get(*operand)?, *module.values.get(*result)?);
    let is_own = |id: Id| module.types.get(id).is_some_and(|item| *item.dialect == *VHLO);
    (from == to || !(is_own(from) && is_own(to))).then_some((*result, *operand))
}

/// What each attribute and type is in VHLO; none if it is nothing there.
#[derive(Default)]
pub(super) struct Foreign {
    known: HashMap<(bool, Id), Option<Id>>,
}

impl Foreign {
    /// Makes the attributes of an operation those of VHLO.
    ///
    /// # Errors
    /// With the first that is of another dialect and has no form in VHLO.
    pub(super) fn translate(
        &mut self,
        module: &mut Module,
        operation: &mut Operation,
        target: Version,
    ) -> Result<(), String> {
        if target >= SINCE || *operation.dialect != *VHLO {
            return Ok(());
        }
        for (name, value) in &mut operation.attributes {
            let Some(own) = self.attribute(module, *value, 0) else {
                let name = String::from_utf8_lossy(module.bytes(*name)).into_owned();
                return Err(format!("the attribute `{name}` of another dialect"));
            };
            *value = own;
        }
        let arguments = operation.regions.iter().flatten().flat_map(|block| &block.arguments);
        let values = operation.operands.iter().chain(&operation.results).chain(arguments);
        for value in values {
            let kind = module.values.get(*value).copied();
            if kind.and_then(|kind| self.lower(module, Sort::Type, kind, 0)).is_none() {
                return Err("a value of a type of another dialect".to_owned());
            }
        }
        Ok(())
    }

    fn attribute(&mut self, module: &mut Module, id: Id, depth: usize) -> Option<Id> {
        self.lower(module, Sort::Attribute, id, depth)
    }

    fn lower(&mut self, module: &mut Module, sort: Sort, id: Id, depth: usize) -> Option<Id> {
        let key = (sort == Sort::Type, id);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let found = if depth < DEPTH { self.made(module, sort, id, depth + 1) } else { None };
        self.known.insert(key, found);
        found
    }

    fn made(&mut self, module: &mut Module, sort: Sort, id: Id, depth: usize) -> Option<Id> {
        let pool = if sort == Sort::Type { &module.types } else { &module.attributes };
        let item: Item = pool.get(id)?.clone();
        let mut fields = match item.code(builtin::NAME) {
            Some(builtin::attribute::DICTIONARY) if sort == Sort::Attribute => {
                vec![Field::Number(code::DICTIONARY)]
            }
            Some(builtin::attribute::TEXT) if sort == Sort::Attribute => {
                vec![Field::Number(code::TEXT)]
            }
            Some(LIST) if sort == Sort::Attribute => vec![Field::Number(code::ARRAY)],
            _ if *item.dialect == *VHLO && item.encoded => {
                item.fields.first().cloned().into_iter().collect()
            }
            _ => return None,
        };
        for field in item.fields.iter().skip(1) {
            fields.push(match field {
                Field::Attribute(inner) => Field::Attribute(self.attribute(module, *inner, depth)?),
                Field::Optional(Some(inner)) => {
                    Field::Optional(Some(self.attribute(module, *inner, depth)?))
                }
                Field::Type(inner) => Field::Type(self.lower(module, Sort::Type, *inner, depth)?),
                other => other.clone(),
            });
        }
        if fields == item.fields && *item.dialect == *VHLO {
            return Some(id);
        }
        Some(module.vhlo(sort, fields))
    }
}
