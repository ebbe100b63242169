//! The section of operations: blocks of operations with regions of blocks, all by the numbers of the file.

use unskew_source::ReadError;

use super::{Cursor, Span, aligned_section, section};

/// How deep regions may nest. JAX nests a loop in a loop in a branch; nobody nests 64.
const DEPTH: usize = 64;

/// The versions of the format in which something changed here.
pub(crate) mod since {
    /// The regions of an operation that see nothing from outside are a section of their own.
    pub(crate) const LAZY: u64 = 2;
    /// The order of the uses of a value is written where it is not that of the file.
    pub(crate) const USES: u64 = 3;
    /// The place in the source of a block's argument may be left out.
    pub(crate) const NO_LOCATION: u64 = 4;
}

/// What the second field of an operation says that it has.
pub(crate) mod has {
    pub(crate) const ATTRIBUTES: u8 = 0x01;
    pub(crate) const RESULTS: u8 = 0x02;
    pub(crate) const OPERANDS: u8 = 0x04;
    pub(crate) const SUCCESSORS: u8 = 0x08;
    pub(crate) const REGIONS: u8 = 0x10;
    pub(crate) const USES: u8 = 0x20;
    pub(crate) const PROPERTIES: u8 = 0x40;
    pub(crate) const KNOWN: u8 = 0x7f;
}

/// A value: its place among the values of the file.
pub(crate) type Value = usize;

/// An operation, whose name, attributes and types are numbers of the file.
#[derive(Debug)]
pub(crate) struct RawOperation {
    /// Its name among those of the dialects.
    pub(crate) name: usize,
    /// The attribute that says where it stands in the source.
    pub(crate) location: u64,
    /// The dictionary of its attributes.
    pub(crate) attributes: Option<u64>,
    /// Where its properties lie.
    pub(crate) properties: Option<Span>,
    pub(crate) results: Vec<Value>,
    pub(crate) operands: Vec<Value>,
    pub(crate) successors: Vec<u64>,
    pub(crate) regions: Vec<RawRegion>,
    /// Whether its regions see nothing from outside.
    pub(crate) isolated: bool,
}

pub(crate) type RawRegion = Vec<RawBlock>;

#[derive(Debug, Default)]
pub(crate) struct RawBlock {
    pub(crate) arguments: Vec<Value>,
    /// Where each argument stands in the source, if that is written.
    pub(crate) locations: Vec<Option<u64>>,
    pub(crate) operations: Vec<RawOperation>,
}

/// The block of the file, which has the module, and the number of the type of each value; none where a value
/// was announced and is not there.
pub(crate) fn read(
    program: &mut Cursor<'_>,
    version: u64,
    names: usize,
    properties: &[Span],
) -> Result<(RawBlock, Vec<Option<u64>>), ReadError> {
    let most = program.left();
    let mut reader = OperationReader { version, names, properties, types: Vec::new(), most };
    let top = reader.block(program, &mut Scope::default(), 0)?;
    Ok((top, reader.types))
}

/// The values that operations of a region can name, by the numbers of the file. Numbers are used again
/// once a region has ended; values are not.
#[derive(Default)]
struct Scope {
    values: Vec<Value>,
    /// The number of the next value of the region that is being read.
    next: usize,
}

struct OperationReader<'a> {
    version: u64,
    /// How many names of operations there are.
    names: usize,
    properties: &'a [Span],
    types: Vec<Option<u64>>,
    /// How many values there can be: each takes a byte.
    most: u64,
}

impl OperationReader<'_> {
    fn block(
        &mut self,
        program: &mut Cursor<'_>,
        scope: &mut Scope,
        depth: usize,
    ) -> Result<RawBlock, ReadError> {
        let at = program.position();
        let head = program.varint()?;
        let mut block = RawBlock::default();
        if head & 1 == 1 {
            for _ in 0..program.count("arguments")? {
                let (kind, location) = self.argument(program)?;
                block.arguments.push(self.define(program, scope, kind)?);
                block.locations.push(location);
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

    /// The number of the type of an argument, and that of its place in the source.
    fn argument(&self, program: &mut Cursor<'_>) -> Result<(u64, Option<u64>), ReadError> {
        let kind = program.varint()?;
        if self.version < since::NO_LOCATION {
            return Ok((kind, Some(program.varint()?)));
        }
        let location = if kind & 1 == 1 { Some(program.varint()?) } else { None };
        Ok((kind >> 1, location))
    }

    fn operation(
        &mut self,
        program: &mut Cursor<'_>,
        scope: &mut Scope,
        depth: usize,
    ) -> Result<RawOperation, ReadError> {
        let at = program.position();
        let number = program.varint()?;
        let name = usize::try_from(number).ok().filter(|number| *number < self.names);
        let name = name.ok_or_else(|| program.malformed(at, &format!("no operation {number}")))?;
        let mask = program.byte()?;
        if mask & !has::KNOWN != 0 {
            return Err(program.malformed(at, "an operation of a newer format"));
        }
        let location = program.varint()?;
        let attributes = (mask & has::ATTRIBUTES != 0).then(|| program.varint()).transpose()?;
        let mut properties = None;
        if mask & has::PROPERTIES != 0 {
            let number = program.varint()?;
            let span = usize::try_from(number).ok().and_then(|at| self.properties.get(at)).copied();
            let missing = || program.malformed(at, &format!("no properties {number}"));
            properties = Some(span.ok_or_else(missing)?);
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
        let mut successors = Vec::new();
        if mask & has::SUCCESSORS != 0 {
            for _ in 0..program.count("successors")? {
                successors.push(program.varint()?);
            }
        }
        if self.version >= since::USES && mask & has::USES != 0 {
            uses(program, results.len())?;
        }
        let (mut regions, mut isolated) = (Vec::new(), false);
        if mask & has::REGIONS != 0 {
            (regions, isolated) = self.regions(program, scope, depth)?;
        }
        program.made(1)?;
        Ok(RawOperation {
            name,
            location,
            attributes,
            properties,
            results,
            operands,
            successors,
            regions,
            isolated,
        })
    }

    fn regions(
        &mut self,
        program: &mut Cursor<'_>,
        scope: &mut Scope,
        depth: usize,
    ) -> Result<(Vec<RawRegion>, bool), ReadError> {
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
            return Ok((regions, isolated));
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
        Ok((regions, isolated))
    }

    fn region(
        &mut self,
        program: &mut Cursor<'_>,
        scope: &mut Scope,
        depth: usize,
    ) -> Result<RawRegion, ReadError> {
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
        *self.types.get_mut(value).ok_or_else(missing)? = Some(kind);
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
