//! Optimized programs: `HloModuleProtoWithConfig`, the format `hlo_with_config` of
//! `PJRT_Executable_OptimizedProgram`.
//!
//! In plug-ins of 2026 the id of an instruction has the id of its computation in its upper half, so the
//! first one is 4294967296. A host of 2024 reads ids of 32 bits, and answers "Instruction with id >
//! INT_MAX" to `cost_analysis()`, `as_text()` and whatever else looks at the program. The ids mean
//! nothing but "this one", so they can be others: over a forwarder that narrows them, JAX 0.4.20, 0.4.25,
//! 0.4.28, 0.4.30, 0.4.38, 0.5.0 and 0.5.3 read the programs of the plug-ins 0.106 and 0.115, where they failed
//! before. (The cost analysis is `None` then, and no error: those two have no `GetCostAnalysis`.)
//!
//! A host asks twice, for the size and then for the bytes, and takes the first answer for the length of
//! the second. So who narrows the ids answers the first call with the size of the narrowed program.
//!
//! | message | field | meaning |
//! | --- | --- | --- |
//! | `HloModuleProtoWithConfig` | 1 | the `HloModuleProto` |
//! | `HloModuleProto` | 3 | a computation |
//! | | 7 | the schedule: field 1, a map of computations to lists of instruction ids (2, 1) |
//! | `HloComputationProto` | 2 | an instruction |
//! | | 6 | the id of the root instruction |
//! | `HloInstructionProto` | 35 | its id |
//! | | 36, 37 | the ids of its operands and of those that it waits for |

use std::borrow::Cow;
use std::collections::HashMap;

use unskew_source::ReadError;
use unskew_source::wire::{ByteSpan, MessageField, WireMessage};

use super::wire::{self, Copied, each};

/// The format that `PJRT_Program` calls so.
pub const FORMAT: &str = "hlo_with_config";

/// The largest program that is read, in bytes: a protobuf message is no larger.
pub const LARGEST: usize = i32::MAX as usize;

/// The largest id that a host of 2024 reads.
const LARGEST_ID: u64 = i32::MAX as u64;

mod field {
    pub(super) const MODULE: u32 = 1;
    pub(super) const COMPUTATION: u32 = 3;
    pub(super) const SCHEDULE: u32 = 7;
    pub(super) const SEQUENCE: u32 = 1;
    pub(super) const SEQUENCE_VALUE: u32 = 2;
    pub(super) const SEQUENCE_IDS: u32 = 1;
    pub(super) const INSTRUCTION: u32 = 2;
    pub(super) const ROOT: u32 = 6;
    pub(super) const ID: u32 = 35;
    pub(super) const OPERANDS: u32 = 36;
    pub(super) const PREDECESSORS: u32 = 37;
}

/// Numbers the instructions of an optimized program anew, from 1 on, if one of their ids has more than
/// 31 bits; else the program is given back as it came. All else stays byte for byte.
///
/// A caller that gets an error passes the program on as it is.
///
/// # Errors
/// If the bytes are no such message, or more than [`LARGEST`].
pub fn narrow_instruction_ids(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ReadError> {
    let source = wire::source("optimized program", bytes, LARGEST)?;
    let mut ids = HashMap::new();
    let mut program = WireMessage::whole(&source);
    each(&mut program, field::MODULE, &mut |module| {
        each(module, field::COMPUTATION, &mut |computation| {
            each(computation, field::INSTRUCTION, &mut |instruction| {
                while let Some(found) = instruction.next()? {
                    if let (field::ID, Some(id)) = (found.number, found.varint()) {
                        let new = ids.len() as u64 + 1;
                        ids.entry(id).or_insert(new);
                    }
                }
                Ok(())
            })
        })
    })?;
    if ids.keys().all(|id| *id <= LARGEST_ID) {
        return Ok(Cow::Borrowed(bytes));
    }
    let renumbered = Renumbered { copied: Copied { source: &source, bytes }, ids };
    let whole = ByteSpan { start: 0, len: bytes.len() as u64 };
    renumbered.program(whole).map(Cow::Owned)
}

/// A program on its way to other ids.
struct Renumbered<'m> {
    copied: Copied<'m>,
    ids: HashMap<u64, u64>,
}

impl Renumbered<'_> {
    fn program(&self, span: ByteSpan) -> Result<Vec<u8>, ReadError> {
        self.nested(span, field::MODULE, |module| {
            self.copied.replacing(module, |found, out| {
                let Some(span) = found.span() else { return Ok(false) };
                let new = match found.number {
                    field::COMPUTATION => self.computation(span)?,
                    field::SCHEDULE => self.schedule(span)?,
                    _ => return Ok(false),
                };
                wire::message(out, found.number, &new);
                Ok(true)
            })
        })
    }

    fn computation(&self, span: ByteSpan) -> Result<Vec<u8>, ReadError> {
        self.copied.replacing(span, |found, out| match (found.number, found.span()) {
            (field::INSTRUCTION, Some(span)) => {
                let instruction = self.copied.replacing(span, |found, out| {
                    let refers =
                        matches!(found.number, field::ID | field::OPERANDS | field::PREDECESSORS);
                    Ok(refers && self.renumber(found, out))
                })?;
                wire::message(out, found.number, &instruction);
                Ok(true)
            }
            (field::ROOT, None) => Ok(self.renumber(found, out)),
            _ => Ok(false),
        })
    }

    fn schedule(&self, span: ByteSpan) -> Result<Vec<u8>, ReadError> {
        self.nested(span, field::SEQUENCE, |entry| {
            self.nested(entry, field::SEQUENCE_VALUE, |sequence| {
                self.copied.replacing(sequence, |found, out| {
                    Ok(found.number == field::SEQUENCE_IDS && self.renumber(found, out))
                })
            })
        })
    }

    /// The message at `span`, with what `change` makes of each message in the field `number`.
    fn nested(
        &self,
        span: ByteSpan,
        number: u32,
        mut change: impl FnMut(ByteSpan) -> Result<Vec<u8>, ReadError>,
    ) -> Result<Vec<u8>, ReadError> {
        self.copied.replacing(span, |found, out| {
            let Some(span) = found.span().filter(|_| found.number == number) else {
                return Ok(false);
            };
            wire::message(out, number, &change(span)?);
            Ok(true)
        })
    }

    /// Writes a field of one id or a packed list of them with their new numbers. An id that no
    /// instruction has stays: the reader has to say what it thinks of it.
    fn renumber(&self, found: &MessageField, out: &mut Vec<u8>) -> bool {
        let new = |id: u64| self.ids.get(&id).copied().unwrap_or(id);
        if let Some(id) = found.varint() {
            wire::number(out, found.number, new(id));
            return true;
        }
        let mut list = Vec::new();
        for id in wire::packed(self.copied.payload(found)) {
            let Some(id) = id else { return false };
            wire::varint(&mut list, new(id));
        }
        wire::message(out, found.number, &list);
        found.span().is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(fields: &[(u32, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        fields.iter().for_each(|(field, bytes)| wire::message(&mut out, *field, bytes));
        out
    }

    fn packed(ids: &[u64]) -> Vec<u8> {
        let mut out = Vec::new();
        ids.iter().for_each(|id| wire::varint(&mut out, *id));
        out
    }

    fn instruction(id: u64, operands: &[u64]) -> Vec<u8> {
        let mut out = message(&[(2, b"add")]);
        wire::number(&mut out, 35, id);
        out.extend(message(&[(36, &packed(operands)), (68, b"")]));
        out
    }

    /// A program of two computations, whose instructions have these ids.
    fn program(ids: [u64; 3], stranger: u64) -> Vec<u8> {
        let [a, b, c] = ids;
        let mut fusion = message(&[(1, b"fused"), (2, &instruction(a, &[])), (4, b"shape")]);
        wire::number(&mut fusion, 5, 1 << 40);
        wire::number(&mut fusion, 6, a);
        let mut entry =
            message(&[(2, &instruction(b, &[])), (2, &instruction(c, &[b, b, stranger]))]);
        wire::number(&mut entry, 6, c);
        let sequence =
            [vec![0x08, 1], message(&[(2, &message(&[(1, &packed(&[b, c]))]))])].concat();
        let schedule = message(&[(1, &sequence)]);
        let module = message(&[(3, &fusion), (3, &entry), (7, &schedule), (15, b"devices")]);
        message(&[(1, &module), (2, b"config")])
    }

    #[test]
    fn ids_of_64_bits_become_small_ones_wherever_they_stand() {
        let wide = program([2 << 32, 1 << 32, (1 << 32) + 1], 7 << 32);
        assert_eq!(*narrow_instruction_ids(&wide).unwrap(), program([1, 2, 3], 7 << 32));
    }

    #[test]
    fn small_ids_stay_as_they_are() {
        let small = program([5, 9, LARGEST_ID], 0);
        assert!(matches!(narrow_instruction_ids(&small).unwrap(), Cow::Borrowed(b) if b == small));
        assert!(matches!(narrow_instruction_ids(&[]).unwrap(), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let error = narrow_instruction_ids(&[0x0a, 9]).unwrap_err();
        assert!(error.to_string().starts_with("optimized program, byte 0"), "{error}");
    }

    proptest! {
        #[test]
        fn any_program_is_renumbered_once(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
            let program = program([a, b, c], 1);
            let once = narrow_instruction_ids(&program).unwrap().into_owned();
            prop_assert!(matches!(narrow_instruction_ids(&once).unwrap(), Cow::Borrowed(_)));
        }

        #[test]
        fn any_bytes_are_renumbered_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = narrow_instruction_ids(&bytes);
            let _ = narrow_instruction_ids(&message(&[(1, &message(&[(3, &bytes)]))]));
        }
    }
}
