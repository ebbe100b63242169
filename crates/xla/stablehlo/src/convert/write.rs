//! Writing the sections of a file again.

use super::ledger::Ledger;
use super::numbers::{slice, varint};
use crate::bytecode::{Span, section};

/// What fills the gap in front of an aligned section, by the public description of the format.
const PADDING: u8 = 0xcb;

/// A section as it was read.
pub(super) struct Part {
    pub(super) id: u8,
    pub(super) alignment: Option<u64>,
    pub(super) contents: Span,
    pub(super) whole: Span,
}

/// All sections of a file, and where the first begins.
pub(super) struct Sections {
    pub(super) head: u64,
    pub(super) parts: Vec<Part>,
}

impl Sections {
    /// The file with what `ledger` has of changes. A section that is neither changed nor aligned stays
    /// byte for byte with its head.
    pub(super) fn write(&self, bytes: &[u8], ledger: &Ledger<'_>) -> Vec<u8> {
        let mut out = slice(bytes, Span { start: 0, end: self.head }).to_vec();
        for part in &self.parts {
            let contents = slice(bytes, part.contents);
            let changed = match part.id {
                section::KINDS => Some(ledger.values(bytes)),
                section::KIND_SIZES => Some(ledger.sizes()),
                section::PROGRAM => Some(ledger.program(bytes, part.contents)),
                _ => None,
            };
            match (changed, part.alignment) {
                (None, None) => out.extend_from_slice(slice(bytes, part.whole)),
                (None, Some(_)) => put(&mut out, part, contents),
                (Some(changed), _) => put(&mut out, part, &changed),
            }
        }
        out
    }
}

fn put(out: &mut Vec<u8>, part: &Part, contents: &[u8]) {
    out.push(part.id | if part.alignment.is_some() { 0x80 } else { 0 });
    varint(out, contents.len() as u64);
    if let Some(alignment) = part.alignment {
        varint(out, alignment);
        let alignment = usize::try_from(alignment).unwrap_or(1).max(1);
        let padded = out.len().checked_next_multiple_of(alignment).unwrap_or(out.len());
        out.resize(padded, PADDING);
    }
    out.extend_from_slice(contents);
}
