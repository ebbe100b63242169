//! The section of operations: blocks of operations with regions of blocks.

use std::sync::Arc;

use unskew_source::ReadError;

use super::contents::{Contents, VHLO};
use super::{Block, Operation, Region, Type, Value, properties};
use crate::Dialect;
use crate::bytecode::dialects::Place;
use crate::bytecode::{Cursor, Span, aligned_section, section};

/// How deep regions may nest. JAX nests a loop in a loop in a branch; nobody nests 64.
const DEPTH: usize = 64;

/// The versions of the format in which something changed here.
mod since {
    /// The regions of an operation that see nothing from outside are a section of their own.
    pub(super) const LAZY: u64 = 2;
    /// The order of the uses of a value is written where it is not that of the file.
    pub(super) const USES: u64 = 3;
    /// The place in the source of a block's argument may be left out.
    pub(super) const NO_LOCATION: u64 = 4;
}

/// What the second field of an operation says that it has.
mod has {
    pub(super) const ATTRIBUTES: u8 = 0x01;
    pub(super) const RESULTS: u8 = 0x02;
    pub(super) const OPERANDS: u8 = 0x04;
    pub(super) const SUCCESSORS: u8 = 0x08;
    pub(super) const REGIONS: u8 = 0x10;
    pub(super) const USES: u8 = 0x20;
    pub(super) const PROPERTIES: u8 = 0x40;
    pub(super) const KNOWN: u8 = 0x7f;
}

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
    pub(super) fn new(dialects: &[Dialect], order: &[Place]) -> Self {
        let shared: Vec<Arc<str>> =
            dialects.iter().map(|dialect| (&*dialect.name).into()).collect();
        let name = |(dialect, operation): &Place| {
            let own = dialects.get(*dialect)?;
            let written = own.operations.get(*operation)?;
            let short = written.strip_prefix(&*own.name).and_then(|rest| rest.strip_prefix('.'));
            let short = short.unwrap_or(written);
            let (name, version) = versioned(short);
            let (dialect, name) = (Arc::clone(shared.get(*dialect)?), name.into());
            Some(Name { dialect, name, version, properties: properties::of(short) })
        };
        Self(order.iter().filter_map(name).collect())
    }
}

/// The values that operations of a region can name, by the numbers of the file. Numbers are used again
/// once a region has ended; values are not.
#[derive(Default)]
struct Scope {
    values: Vec<Value>,
    /// The number of the next value of the region that is being read.
    next: usize,
}

pub(super) struct Reader<'a> {
    version: u64,
    contents: Contents<'a>,
    names: Names,
    properties: Vec<Span>,
    /// The types of the values so far; none where a value was announced and is not yet there.
    types: Vec<Option<Arc<Type>>>,
    /// How many values there can be: each takes a byte.
    most: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        version: u64,
        contents: Contents<'a>,
        names: Names,
        properties: Vec<Span>,
        program: &Cursor<'_>,
    ) -> Self {
        let most = program.left();
        Self { version, contents, names, properties, types: Vec::new(), most }
    }

    /// The block of the file, which has the module.
    pub(super) fn top(&mut self, program: &mut Cursor<'_>) -> Result<Block, ReadError> {
        self.block(program, &mut Scope::default(), 0)
    }

    /// The types of all values.
    pub(super) fn values(self) -> Vec<Arc<Type>> {
        let missing = Arc::new(Type::Other(None));
        let kind = |kind: Option<Arc<Type>>| kind.unwrap_or_else(|| Arc::clone(&missing));
        self.types.into_iter().map(kind).collect()
    }

    fn block(
        &mut self,
        program: &mut Cursor<'_>,
        scope: &mut Scope,
        depth: usize,
    ) -> Result<Block, ReadError> {
        let at = program.position();
        let head = program.varint()?;
        let mut block = Block::default();
        if head & 1 == 1 {
            for _ in 0..program.count("arguments")? {
                let kind = self.argument(program)?;
                block.arguments.push(self.define(program, scope, kind)?);
            }
            if self.version >= since::USES && program.byte()? != 0 {
                uses(program, block.arguments.len())?;
            }
        }
        let count = usize::try_from(head >> 1).ok().filter(|n| *n as u64 <= program.left());
        let count = count.ok_or_else(|| program.malformed(at, "more operations than bytes"))?;
        for _ in 0..count {
            block.operations.push(self.operation(program, scope, depth)?);
        }
        Ok(block)
    }

    /// The number of the type of an argument.
    fn argument(&self, program: &mut Cursor<'_>) -> Result<u64, ReadError> {
        let kind = program.varint()?;
        if self.version < since::NO_LOCATION {
            program.varint()?; // place in the source
            return Ok(kind);
        }
        if kind & 1 == 1 {
            program.varint()?; // place in the source
        }
        Ok(kind >> 1)
    }

    fn operation(
        &mut self,
        program: &mut Cursor<'_>,
        scope: &mut Scope,
        depth: usize,
    ) -> Result<Operation, ReadError> {
        let at = program.position();
        let number = program.varint()?;
        let name = usize::try_from(number).ok().and_then(|number| self.names.0.get(number));
        let name = name.ok_or_else(|| program.malformed(at, &format!("no operation {number}")))?;
        let (dialect, version) = (Arc::clone(&name.dialect), name.version);
        let (name, names) = (Arc::clone(&name.name), name.properties);
        let mask = program.byte()?;
        if mask & !has::KNOWN != 0 {
            return Err(program.malformed(at, "an operation of a newer format"));
        }
        program.varint()?; // place in the source
        let mut attributes = None;
        if mask & has::ATTRIBUTES != 0 {
            attributes = Some(self.contents.attribute(program.varint()?)?);
        }
        if mask & has::PROPERTIES != 0 {
            let number = program.varint()?;
            let span = usize::try_from(number).ok().and_then(|at| self.properties.get(at)).copied();
            let span =
                span.ok_or_else(|| program.malformed(at, &format!("no properties {number}")))?;
            // Only VHLO's are known.
            if &*dialect == VHLO {
                let (mut span, written) = (program.elsewhere(span), names);
                attributes =
                    properties::named(&mut span, written, &mut self.contents)?.or(attributes);
            }
        }
        let mut results = Vec::new();
        if mask & has::RESULTS != 0 {
            for _ in 0..program.count("results")? {
                let kind = program.varint()?;
                results.push(self.define(program, scope, kind)?);
            }
        }
        let mut operands = Vec::new();
        if mask & has::OPERANDS != 0 {
            for _ in 0..program.count("operands")? {
                operands.push(operand(program, scope)?);
            }
        }
        if mask & has::SUCCESSORS != 0 {
            for _ in 0..program.count("successors")? {
                program.varint()?;
            }
        }
        if self.version >= since::USES && mask & has::USES != 0 {
            uses(program, results.len())?;
        }
        let mut regions = Vec::new();
        if mask & has::REGIONS != 0 {
            regions = self.regions(program, scope, depth)?;
        }
        program.made(1)?;
        Ok(Operation { dialect, name, version, operands, results, attributes, regions })
    }

    fn regions(
        &mut self,
        program: &mut Cursor<'_>,
        scope: &mut Scope,
        depth: usize,
    ) -> Result<Vec<Region>, ReadError> {
        let at = program.position();
        if depth >= DEPTH {
            return Err(program.malformed(at, &format!("regions deeper than {DEPTH} levels")));
        }
        let head = program.varint()?;
        let isolated = head & 1 == 1;
        if head >> 1 > program.left() {
            return Err(program.malformed(at, "more regions than bytes"));
        }
        let mut regions = Vec::new();
        if !isolated {
            for _ in 0..head >> 1 {
                regions.push(self.region(program, scope, depth + 1)?);
            }
            return Ok(regions);
        }
        let mut inside = None;
        if self.version >= since::LAZY {
            let (id, _, span) = aligned_section(program)?;
            if id != section::PROGRAM {
                return Err(program.malformed(span.start, &format!("a section {id}")));
            }
            inside = Some(program.within(span));
        }
        let program = inside.as_mut().unwrap_or(program);
        for _ in 0..head >> 1 {
            regions.push(self.region(program, &mut Scope::default(), depth + 1)?);
        }
        Ok(regions)
    }

    fn region(
        &mut self,
        program: &mut Cursor<'_>,
        scope: &mut Scope,
        depth: usize,
    ) -> Result<Region, ReadError> {
        let blocks = program.count("blocks")?;
        if blocks == 0 {
            return Ok(Vec::new());
        }
        let at = program.position();
        let announced = program.varint()?;
        let room = self.most.saturating_sub(self.types.len() as u64);
        let announced = usize::try_from(announced).ok().filter(|n| *n as u64 <= room);
        let announced = announced.ok_or_else(|| program.malformed(at, "more values than bytes"))?;
        // The region's values come behind those that it sees from outside.
        let (before, outer) = (scope.values.len(), scope.next);
        let first = self.types.len();
        self.types.resize(first + announced, None);
        scope.values.extend(first..first + announced);
        scope.next = before;
        let region = (0..blocks).map(|_| self.block(program, scope, depth)).collect();
        scope.values.truncate(before);
        scope.next = outer;
        region
    }

    /// The next value of the region.
    fn define(
        &mut self,
        program: &Cursor<'_>,
        scope: &mut Scope,
        kind: u64,
    ) -> Result<Value, ReadError> {
        let missing = || program.malformed(program.position(), "more values than announced");
        let value = *scope.values.get(scope.next).ok_or_else(missing)?;
        scope.next += 1;
        *self.types.get_mut(value).ok_or_else(missing)? = Some(self.contents.r#type(kind)?);
        Ok(value)
    }
}

fn operand(program: &mut Cursor<'_>, scope: &Scope) -> Result<Value, ReadError> {
    let at = program.position();
    let number = program.varint()?;
    let value = usize::try_from(number).ok().and_then(|number| scope.values.get(number));
    value.copied().ok_or_else(|| program.malformed(at, &format!("no value {number}")))
}

/// Passes over the order of the uses of some of so many values.
fn uses(program: &mut Cursor<'_>, values: usize) -> Result<(), ReadError> {
    let ordered = if values > 1 { program.count("values")? } else { 1 };
    for _ in 0..ordered {
        if values > 1 {
            program.varint()?;
        }
        let at = program.position();
        let head = program.varint()?;
        if head >> 1 > program.left() {
            return Err(program.malformed(at, "more uses than bytes"));
        }
        for _ in 0..head >> 1 {
            program.varint()?;
        }
    }
    Ok(())
}

/// `add_v1` is `add` of version 1.
fn versioned(name: &str) -> (&str, u32) {
    let split =
        name.rsplit_once("_v").and_then(|(name, version)| Some((name, version.parse().ok()?)));
    split.unwrap_or((name, 0))
}
