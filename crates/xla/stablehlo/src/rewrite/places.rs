//! Places in the source: ranges of lines, which readers before MLIR of early 2025 do not know.

use unskew_core::Version;

use super::values::varint_of;
use crate::bytecode::entries::builtin;
use crate::convert::numbers::varint;
use crate::module::{Field, Module, Raw};

/// Since when readers know ranges: some patches of 1.8 do not.
const SINCE: Version = Version::triple(1, 9, 0);
/// A range, and a place of one line and column.
const RANGE: u64 = 22;
const PLACE: u64 = 11;

/// Makes every range the place where it begins. Says whether there were any.
pub(super) fn narrow(module: &mut Module, target: Version) -> bool {
    let mut changed = false;
    if target >= SINCE {
        return false;
    }
    for item in module.attributes.items_mut() {
        if item.code(builtin::NAME) != Some(RANGE) {
            continue;
        }
        let Some(Field::Raw(Raw::Bytes(numbers))) = item.fields.get(2) else { continue };
        let begins = varint_of(numbers).map(|(count, rest)| {
            let line = varint_of(rest).filter(|_| count > 0);
            let column = line.and_then(|(_, rest)| varint_of(rest)).filter(|_| count > 1);
            (line.map_or(0, |(line, _)| line), column.map_or(0, |(column, _)| column))
        });
        let Some((line, column)) = begins else { continue };
        let mut place = Vec::new();
        varint(&mut place, line);
        varint(&mut place, column);
        if let [code, _, raw] = &mut item.fields[..] {
            *code = Field::Number(PLACE);
            *raw = Field::Raw(Raw::Bytes(place));
            changed = true;
        }
    }
    changed
}
