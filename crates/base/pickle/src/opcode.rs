//! The instructions of pickle protocols 0 to 5, and how their operands are written.

/// How an operand is written behind its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Nothing,
    /// A number of this many bytes, little-endian.
    Number(usize),
    /// A text up to the end of the line.
    Line,
    TwoLines,
    /// A length of this many bytes, then as many bytes.
    Sized(usize),
}

/// The operand of an instruction; none if there is no such instruction.
pub(super) fn operand(opcode: u8) -> Option<Operand> {
    Some(match opcode {
        b'('
        | b'.'
        | b'0'
        | b'1'
        | b'2'
        | b'N'
        | b'R'
        | b'Q'
        | b'a'
        | b'b'
        | b'd'
        | b'}'
        | b'e'
        | b'l'
        | b']'
        | b'o'
        | b's'
        | b't'
        | b')'
        | b'u'
        | 0x81
        | 0x85..=0x89
        | 0x8f..=0x94
        | 0x97
        | 0x98 => Operand::Nothing,
        b'K' | b'h' | b'q' | 0x80 | 0x82 => Operand::Number(1),
        b'M' | 0x83 => Operand::Number(2),
        b'J' | b'j' | b'r' | 0x84 => Operand::Number(4),
        b'G' | 0x95 => Operand::Number(8),
        b'F' | b'I' | b'L' | b'P' | b'S' | b'V' | b'g' | b'p' => Operand::Line,
        b'c' | b'i' => Operand::TwoLines,
        b'U' | b'C' | 0x8a | 0x8c => Operand::Sized(1),
        b'T' | b'X' | b'B' | 0x8b => Operand::Sized(4),
        0x8d | 0x8e | 0x96 => Operand::Sized(8),
        _ => return None,
    })
}
