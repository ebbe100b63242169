//! Operations with all that they name, made from those that have numbers.

use std::sync::Arc;

use unskew_source::{ReadError, Source};

use super::contents::{Contents, VHLO};
use super::{Block, Operation, Region, Type, properties};
use crate::Dialect;
use crate::bytecode::Cursor;
use crate::bytecode::dialects::OperationIndex;
use crate::bytecode::operations::{RawBlock, RawOperation, RawRegion};

/// The name of an operation.
struct Name {
    dialect: Arc<str>,
    name: Arc<str>,
    version: u32,
    properties: &'static [&'static str],
}

/// The names of operations, by the numbers of the file.
pub(super) struct Names(Vec<Name>);

impl Names {
    pub(super) fn new(dialects: &[Dialect], order: &[OperationIndex]) -> Self {
        let shared: Vec<Arc<str>> =
            dialects.iter().map(|dialect| (&*dialect.name).into()).collect();
        let name = |(dialect, operation): &OperationIndex| {
            let own = dialects.get(*dialect)?;
            let written = own.operations.get(*operation)?;
            let short = written.strip_prefix(&*own.name).and_then(|rest| rest.strip_prefix('.'));
            let short = short.unwrap_or(written);
            let (name, version) = versioned(short);
            let (dialect, name) = (Arc::clone(shared.get(*dialect)?), name.into());
            Some(Name { dialect, name, version, properties: properties::attribute_names(short) })
        };
        Self(order.iter().filter_map(name).collect())
    }
}

pub(super) struct Resolver<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) contents: Contents<'a>,
    pub(super) names: Names,
}

impl Resolver<'_> {
    pub(super) fn block(&mut self, raw: RawBlock) -> Result<Block, ReadError> {
        let operations = raw.operations.into_iter().map(|operation| self.operation(operation));
        Ok(Block { arguments: raw.arguments, operations: operations.collect::<Result<_, _>>()? })
    }

    /// The types of all values, from their numbers.
    pub(super) fn values(&mut self, kinds: &[Option<u64>]) -> Result<Vec<Arc<Type>>, ReadError> {
        let missing = Arc::new(Type::Other(None));
        let kind = |kind: &Option<u64>| match kind {
            Some(kind) => self.contents.r#type(*kind),
            None => Ok(Arc::clone(&missing)),
        };
        kinds.iter().map(kind).collect()
    }

    fn operation(&mut self, raw: RawOperation) -> Result<Operation, ReadError> {
        let RawOperation { operands, results, .. } = raw;
        // The reader has seen to it that there is such a name.
        let Some(name) = self.names.0.get(raw.name) else { return Ok(Operation::default()) };
        let (dialect, version) = (Arc::clone(&name.dialect), name.version);
        let (name, names) = (Arc::clone(&name.name), name.properties);
        let mut attributes = match raw.attributes {
            Some(number) => Some(self.contents.attribute(number)?),
            None => None,
        };
        // Only VHLO's are known.
        if let Some(span) = raw.properties
            && &*dialect == VHLO
        {
            let mut cursor = Cursor::new(self.source, span);
            attributes = properties::named(&mut cursor, names, &mut self.contents)?.or(attributes);
        }
        let regions = raw.regions.into_iter().map(|region| self.region(region));
        let regions = regions.collect::<Result<_, _>>()?;
        Ok(Operation { dialect, name, version, operands, results, attributes, regions })
    }

    fn region(&mut self, raw: RawRegion) -> Result<Region, ReadError> {
        raw.into_iter().map(|block| self.block(block)).collect()
    }
}

/// `add_v1` is `add` of version 1.
fn versioned(name: &str) -> (&str, u32) {
    let split =
        name.rsplit_once("_v").and_then(|(name, version)| Some((name, version.parse().ok()?)));
    split.unwrap_or((name, 0))
}
