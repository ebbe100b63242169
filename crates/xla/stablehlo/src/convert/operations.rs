//! The operations of a program, in formats 0 and 1: which dictionary of attributes each refers to.

use unskew_source::ReadError;

use super::error::UpgradeError;
use crate::bytecode::{Cursor, Span};

/// How deep regions may nest.
const DEPTH: usize = 256;

/// What the second field of an operation says that it has.
mod has {
    pub(super) const ATTRIBUTES: u8 = 0x01;
    pub(super) const RESULTS: u8 = 0x02;
    pub(super) const OPERANDS: u8 = 0x04;
    pub(super) const SUCCESSORS: u8 = 0x08;
    pub(super) const REGIONS: u8 = 0x10;
    /// What formats up to 1 have.
    pub(super) const KNOWN: u8 = 0x1f;
}

/// What is left to read of the regions of one operation.
#[derive(Default)]
struct Left {
    regions: usize,
    blocks: usize,
    operations: usize,
}

/// Called with the number of an operation's name, the number of its dictionary, and where that number
/// stands.
type Visit<'v> = dyn FnMut(u64, u64, Span) -> Result<(), UpgradeError> + 'v;

/// Walks over all operations that have attributes.
///
/// # Errors
/// If the program is broken or nests too deep, or as `visit` says.
pub(super) fn walk(program: &mut Cursor<'_>, visit: &mut Visit<'_>) -> Result<(), UpgradeError> {
    let mut stack = vec![Left { operations: block(program)?, ..Left::default() }];
    while let Some(left) = stack.last_mut() {
        if left.operations > 0 {
            left.operations -= 1;
            let regions = operation(program, visit)?;
            if regions > 0 {
                if stack.len() >= DEPTH {
                    let what = format!("regions deeper than {DEPTH} levels");
                    return Err(program.malformed(program.position(), &what).into());
                }
                stack.push(Left { regions, ..Left::default() });
            }
        } else if left.blocks > 0 {
            left.blocks -= 1;
            left.operations = block(program)?;
        } else if left.regions > 0 {
            left.regions -= 1;
            left.blocks = program.count("blocks")?;
            if left.blocks > 0 {
                program.varint()?; // how many values the region has
            }
        } else {
            stack.pop();
        }
    }
    Ok(())
}

/// The head of a block; gives how many operations follow.
fn block(program: &mut Cursor<'_>) -> Result<usize, ReadError> {
    let at = program.position();
    let head = program.varint()?;
    if head & 1 == 1 {
        for _ in 0..program.count("arguments")? {
            program.varint()?; // type
            program.varint()?; // place in the source
        }
    }
    let operations = usize::try_from(head >> 1).ok().filter(|n| *n as u64 <= program.left());
    operations.ok_or_else(|| program.malformed(at, "more operations than bytes"))
}

/// One operation without its regions; gives how many regions follow.
fn operation(program: &mut Cursor<'_>, visit: &mut Visit<'_>) -> Result<usize, UpgradeError> {
    let at = program.position();
    let name = program.varint()?;
    let mask = program.byte()?;
    if mask & !has::KNOWN != 0 {
        return Err(program.malformed(at, "an operation of a newer format").into());
    }
    program.varint()?; // place in the source
    if mask & has::ATTRIBUTES != 0 {
        let start = program.position();
        let dictionary = program.varint()?;
        visit(name, dictionary, Span { start, end: program.position() })?;
    }
    for (flag, what) in
        [(has::RESULTS, "results"), (has::OPERANDS, "operands"), (has::SUCCESSORS, "successors")]
    {
        if mask & flag != 0 {
            for _ in 0..program.count(what)? {
                program.varint()?;
            }
        }
    }
    if mask & has::REGIONS == 0 {
        return Ok(0);
    }
    // The lowest bit says that the regions see no values from outside.
    let regions = program.varint()? >> 1;
    let regions = usize::try_from(regions).ok().filter(|n| *n as u64 <= program.left());
    Ok(regions.ok_or_else(|| program.malformed(at, "more regions than bytes"))?)
}
