//! Types of elements.

use unskew_serdes::proto::{Enumeration, Message};

use super::Ifrt;

/// The type of the elements of an array.
///
/// Kinds were added without a version: an older reader takes such a kind for an invalid one, without
/// an error. So they have a version here, the first whose readers all know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.DTypeProto", version = 2)]
pub struct DType {
    /// Which type it is.
    #[field(1, enumeration)]
    pub kind: DTypeKind,
}

impl From<DTypeKind> for DType {
    fn from(kind: DTypeKind) -> Self {
        Self { kind }
    }
}

/// The kinds of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Enumeration)]
#[enumeration(
    name = "xla.ifrt.DTypeProto.Kind",
    prefix = "KIND_",
    unspecified = "KIND_UNSPECIFIED"
)]
pub enum DTypeKind {
    /// A boolean, one byte in memory.
    #[value(1)]
    Pred,
    /// Signed numbers of 1 bit.
    #[value(32, silent_since = 1)]
    S1,
    /// Signed numbers of 2 bits.
    #[value(26)]
    S2,
    /// Signed numbers of 4 bits.
    #[value(21)]
    S4,
    /// Signed numbers of 8 bits.
    #[value(2)]
    S8,
    /// Signed numbers of 16 bits.
    #[value(3)]
    S16,
    /// Signed numbers of 32 bits.
    #[value(4)]
    S32,
    /// Signed numbers of 64 bits.
    #[value(5)]
    S64,
    /// Unsigned numbers of 1 bit.
    #[value(33, silent_since = 1)]
    U1,
    /// Unsigned numbers of 2 bits.
    #[value(27)]
    U2,
    /// Unsigned numbers of 4 bits.
    #[value(22)]
    U4,
    /// Unsigned numbers of 8 bits.
    #[value(6)]
    U8,
    /// Unsigned numbers of 16 bits.
    #[value(7)]
    U16,
    /// Unsigned numbers of 32 bits.
    #[value(8)]
    U32,
    /// Unsigned numbers of 64 bits.
    #[value(9)]
    U64,
    /// Fractions of 16 bits.
    #[value(10)]
    F16,
    /// Fractions of 32 bits.
    #[value(11)]
    F32,
    /// Fractions of 64 bits.
    #[value(12)]
    F64,
    /// Fractions of 16 bits with the range of 32.
    #[value(16)]
    Bf16,
    /// Complex numbers of 64 bits.
    #[value(15)]
    C64,
    /// Complex numbers of 128 bits.
    #[value(18)]
    C128,
    /// Orders side effects; holds nothing.
    #[value(17)]
    Token,
    /// What only the runtime knows.
    #[value(14)]
    Opaque,
    /// Fractions of 8 bits: 3 of exponent, 4 of mantissa.
    #[value(29)]
    F8e3m4,
    /// Fractions of 8 bits: 4 of exponent, 3 of mantissa.
    #[value(28)]
    F8e4m3,
    /// Fractions of 8 bits: 4 of exponent, 3 of mantissa, no infinity.
    #[value(20)]
    F8e4m3fn,
    /// Fractions of 8 bits: 4 of exponent, 3 of mantissa, bias 11, no infinity, no negative zero.
    #[value(23)]
    F8e4m3b11fnuz,
    /// Fractions of 8 bits: 4 of exponent, 3 of mantissa, no infinity, no negative zero.
    #[value(25)]
    F8e4m3fnuz,
    /// Fractions of 8 bits: 5 of exponent, 2 of mantissa.
    #[value(19)]
    F8e5m2,
    /// Fractions of 8 bits: 5 of exponent, 2 of mantissa, no infinity, no negative zero.
    #[value(24)]
    F8e5m2fnuz,
    /// Fractions of 8 bits: 8 of exponent, 0 of mantissa, no infinity, no sign.
    #[value(31)]
    F8e8m0fnu,
    /// Fractions of 4 bits: 2 of exponent, 1 of mantissa, no infinity.
    #[value(30)]
    F4e2m1fn,
    /// Fractions of 6 bits: 2 of exponent, 3 of mantissa, no infinity.
    #[value(34, silent_since = 5)]
    F6e2m3fn,
    /// Fractions of 6 bits: 3 of exponent, 2 of mantissa, no infinity.
    #[value(35, silent_since = 5)]
    F6e3m2fn,
    /// Strings of any length.
    #[value(99)]
    String,
}
