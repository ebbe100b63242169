//! Shape of a compiled program: read from the optimized program, since the interface has no function
//! for it.
//!
//! | message | field | meaning |
//! | --- | --- | --- |
//! | `HloModuleProtoWithConfig` | 1 | the `HloModuleProto` |
//! | `HloModuleProto` | 4 | the `ProgramShapeProto` |
//! | `ProgramShapeProto` | 1 | the `ShapeProto` of a parameter |
//! | `ShapeProto` | 2 | the `PrimitiveType` |
//! | | 3 | the dimensions |

use unskew_source::ReadError;
use unskew_source::wire::{MessageValue, WireMessage};

use super::hlo_program::LARGEST;
use super::wire::{self, each};
use crate::ElementType;

mod field {
    pub(super) const MODULE: u32 = 1;
    pub(super) const PROGRAM_SHAPE: u32 = 4;
    pub(super) const PARAMETER: u32 = 1;
    pub(super) const ELEMENT_TYPE: u32 = 2;
    pub(super) const DIMENSIONS: u32 = 3;
}

/// The most parameters, and dimensions of one, that are believed.
const MOST: usize = 1 << 20;

/// A parameter of a program, as one device takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The type of its elements; none for tokens, tuples, and types that are not known.
    pub element_type: Option<ElementType>,
    /// Sizes from the outermost dimension to the innermost.
    pub dims: Vec<i64>,
}

/// The parameters of an optimized program in the format
/// [`hlo_with_config`](super::hlo_program::FORMAT).
///
/// # Errors
/// If the bytes are no such message.
pub fn parameters(program: &[u8]) -> Result<Vec<Parameter>, ReadError> {
    let source = wire::source("optimized program", program, LARGEST)?;
    let mut found = Vec::new();
    let mut program = WireMessage::whole(&source);
    each(&mut program, field::MODULE, &mut |module| {
        each(module, field::PROGRAM_SHAPE, &mut |shape| {
            each(shape, field::PARAMETER, &mut |shape| {
                if found.len() < MOST {
                    found.push(parameter(shape)?);
                }
                Ok(())
            })
        })
    })?;
    Ok(found)
}

fn parameter(shape: &mut WireMessage<'_>) -> Result<Parameter, ReadError> {
    let mut parameter = Parameter { element_type: None, dims: Vec::new() };
    while let Some(found) = shape.next()? {
        match (found.number, &found.value) {
            (field::ELEMENT_TYPE, MessageValue::Varint(number)) => {
                parameter.element_type = element_type(*number);
            }
            (field::DIMENSIONS, MessageValue::Varint(dim)) => {
                parameter.dims.push(dim.cast_signed())
            }
            (field::DIMENSIONS, _) => {
                let packed = shape.bytes(&found)?;
                dimensions(&packed, &mut parameter.dims);
            }
            _ => {}
        }
        parameter.dims.truncate(MOST);
    }
    Ok(parameter)
}

/// A block of numbers of seven bits a byte.
fn dimensions(packed: &[u8], dims: &mut Vec<i64>) {
    let (mut number, mut shift) = (0_u64, 0_u32);
    for byte in packed {
        number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift = shift.saturating_add(7);
        if *byte < 0x80 {
            dims.push(number.cast_signed());
            (number, shift) = (0, 0);
        }
    }
}

/// The `PrimitiveType` of XLA, which numbers types otherwise than the interface does.
fn element_type(number: u64) -> Option<ElementType> {
    Some(match number {
        1 => ElementType::PRED,
        2 => ElementType::S8,
        3 => ElementType::S16,
        4 => ElementType::S32,
        5 => ElementType::S64,
        6 => ElementType::U8,
        7 => ElementType::U16,
        8 => ElementType::U32,
        9 => ElementType::U64,
        10 => ElementType::F16,
        11 => ElementType::F32,
        12 => ElementType::F64,
        15 => ElementType::C64,
        16 => ElementType::BF16,
        18 => ElementType::C128,
        19 => ElementType::F8E5M2,
        20 => ElementType::F8E4M3FN,
        21 => ElementType::S4,
        22 => ElementType::U4,
        23 => ElementType::F8E4M3B11FNUZ,
        24 => ElementType::F8E5M2FNUZ,
        25 => ElementType::F8E4M3FNUZ,
        26 => ElementType::S2,
        27 => ElementType::U2,
        28 => ElementType::F8E4M3,
        29 => ElementType::F8E3M4,
        30 => ElementType::S1,
        31 => ElementType::U1,
        32 => ElementType::F4E2M1FN,
        33 => ElementType::F8E8M0FNU,
        35 => ElementType::F6E3M2FN,
        36 => ElementType::F6E2M3FN,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_packed_or_one_by_one() {
        // f32[2,300] packed, s32[] and a token.
        let shapes = [
            vec![0x0a, 0x07, 0x10, 11, 0x1a, 3, 2, 0xac, 0x02],
            vec![0x0a, 0x02, 0x10, 4],
            vec![0x0a, 0x04, 0x10, 17, 0x18, 5],
        ];
        let shape = shapes.concat();
        let module = [&[0x22, shape.len() as u8][..], &shape].concat();
        let program = [&[0x0a, module.len() as u8][..], &module].concat();
        let found = parameters(&program).unwrap();
        let parameter =
            |element_type, dims: &[i64]| Parameter { element_type, dims: dims.to_vec() };
        assert_eq!(
            found,
            [
                parameter(Some(ElementType::F32), &[2, 300]),
                parameter(Some(ElementType::S32), &[]),
                parameter(None, &[5]),
            ]
        );
        assert!(parameters(&program[..5]).is_err());
    }
}
