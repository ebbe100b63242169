//! Operations whose attributes have names, made of those that have numbers.

use std::sync::Arc;

use unskew_source::ReadError;

use super::{Block, Id, Module, Operation, declared, unsupported};
use crate::bytecode::operations::{RawBlock, RawOperation};
use crate::bytecode::{Cursor, Span};

/// Makes operations of those that have numbers.
pub(super) struct Builder<'m> {
    pub(super) module: &'m mut Module,
    pub(super) names: &'m [(Arc<str>, Arc<str>)],
}

impl Builder<'_> {
    fn attribute(&self, number: u64) -> Result<Id, ReadError> {
        self.module.checked(number, self.module.attributes.len(), "attribute")
    }

    pub(super) fn block(&mut self, raw: RawBlock) -> Result<Block, ReadError> {
        let mut locations = Vec::new();
        for location in raw.locations {
            locations.push(location.map(|number| self.attribute(number)).transpose()?);
        }
        let mut operations = Vec::with_capacity(raw.operations.len());
        for operation in raw.operations {
            operations.push(self.operation(operation)?);
        }
        Ok(Block { arguments: raw.arguments, locations, operations })
    }

    fn operation(&mut self, raw: RawOperation) -> Result<Operation, ReadError> {
        let location = self.attribute(raw.location)?;
        // The reader has seen to it that there is such a name.
        let (dialect, name) =
            self.names.get(raw.name).cloned().unwrap_or_else(|| ("".into(), "".into()));
        let mut attributes = Vec::new();
        if let Some(number) = raw.attributes {
            let dictionary = self.attribute(number)?;
            let pairs = self.module.pairs(dictionary);
            attributes =
                pairs.ok_or_else(|| self.module.error("attributes that are no dictionary"))?;
        }
        if let Some(span) = raw.properties {
            self.properties(&dialect, &name, span, &mut attributes)?;
        }
        let mut regions = Vec::new();
        for region in raw.regions {
            regions
                .push(region.into_iter().map(|block| self.block(block)).collect::<Result<_, _>>()?);
        }
        let RawOperation { results, operands, successors, isolated, .. } = raw;
        Ok(Operation {
            dialect,
            name,
            location,
            attributes,
            results,
            operands,
            successors,
            regions,
            isolated,
        })
    }

    /// The attributes that stand without names.
    fn properties(
        &mut self,
        dialect: &str,
        name: &str,
        span: Span,
        attributes: &mut Vec<(Id, Id)>,
    ) -> Result<(), ReadError> {
        let source = Arc::clone(&self.module.source);
        let mut cursor = Cursor::new(&*source, span);
        let names = declared(dialect, name);
        if names.is_empty() && cursor.left() > 0 {
            let what = format!(
                "properties of {dialect}.{name}, which are not known; it cannot be rewritten"
            );
            return Err(unsupported(&*source, span.start, what));
        }
        for name in names {
            // What a later release added at the end, an artifact of before has not.
            if name.ends_with('?') && cursor.left() == 0 {
                break;
            }
            let number = cursor.varint()?;
            let (name, number) = match name.strip_suffix('?') {
                Some(_) if number & 1 == 0 => continue,
                Some(name) => (name, number >> 1),
                None => (*name, number),
            };
            let attribute = self.attribute(number)?;
            let text = self.module.text(name.as_bytes());
            attributes.push((text, attribute));
        }
        if cursor.left() > 0 {
            return Err(
                cursor.malformed(span.start, &format!("properties that {dialect}.{name} has not"))
            );
        }
        Ok(())
    }
}
