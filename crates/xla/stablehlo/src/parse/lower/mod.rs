//! Lowering of what was read to the attributes, types and operations of a file.

mod attributes;
mod meshes;
mod operations;
mod shardings;
mod types;

pub(super) use operations::{Written, form, is_known};

use std::collections::HashMap;
use std::sync::Arc;

use super::types::Type;
use crate::bytecode::entries::builtin;
use crate::module::{Field, Id, Item, Module, Raw};

/// Whose types and attributes they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum World {
    /// The dialect of portable artifacts.
    Vhlo,
    /// Of MLIR itself, which operations of other dialects have.
    Plain,
}

pub(super) struct Lowering {
    pub(super) module: Module,
    /// By where each lies, which it keeps: to compare types goes through all that they are made of.
    types: HashMap<(World, *const Type), (Arc<Type>, Id)>,
    pub(super) location: Id,
}

/// The number of a place that is not known.
const UNKNOWN_LOCATION: u64 = 15;

impl Lowering {
    pub(super) fn new(mut module: Module) -> Self {
        let location = Item {
            dialect: builtin::NAME.into(),
            encoded: true,
            fields: vec![Field::Number(UNKNOWN_LOCATION)],
        };
        let location = module.attributes.add(location);
        Self { module, types: HashMap::new(), location }
    }

    /// An attribute of MLIR itself.
    fn plain(&mut self, fields: Vec<Field>) -> Id {
        self.item(builtin::NAME, fields)
    }

    /// An attribute of a dialect.
    fn item(&mut self, dialect: &str, fields: Vec<Field>) -> Id {
        let dialect = dialect.into();
        self.module.attributes.add(Item { dialect, encoded: true, fields })
    }
}

/// Numbers that stand one behind the other.
fn raw(numbers: impl IntoIterator<Item = u64>) -> Field {
    let mut bytes = Vec::new();
    for number in numbers {
        crate::convert::numbers::varint(&mut bytes, number);
    }
    Field::Raw(Raw::Bytes(bytes))
}

/// A count and what it counts.
fn counted(fields: &mut Vec<Field>, all: impl ExactSizeIterator<Item = Field>) {
    fields.push(Field::Number(all.len() as u64));
    fields.extend(all);
}
