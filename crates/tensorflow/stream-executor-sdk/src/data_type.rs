//! The types of tensor elements.

/// The type of the elements of a tensor: `TF_DataType`. A release may have ones that are not named here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataType(pub i32);

impl DataType {
    /// `f32`, a float of 32 bits.
    pub const FLOAT: Self = Self(1);
    /// `f64`, a float of 64 bits.
    pub const DOUBLE: Self = Self(2);
    /// `i32`. By convention of TensorFlow's devices, such tensors lie in host memory.
    pub const INT32: Self = Self(3);
    /// `u8`, one byte without a sign.
    pub const UINT8: Self = Self(4);
    /// `i16`, two bytes with a sign.
    pub const INT16: Self = Self(5);
    /// `i8`, one byte with a sign.
    pub const INT8: Self = Self(6);
    /// Strings of any length, each a `TF_TString`.
    pub const STRING: Self = Self(7);
    /// Real and imaginary part, each an `f32`.
    pub const COMPLEX64: Self = Self(8);
    /// `i64`, eight bytes with a sign.
    pub const INT64: Self = Self(9);
    /// One byte, 0 or 1.
    pub const BOOL: Self = Self(10);
    /// The upper half of an `f32`.
    pub const BFLOAT16: Self = Self(14);
    /// `u16`, two bytes without a sign.
    pub const UINT16: Self = Self(17);
    /// Real and imaginary part, each an `f64`.
    pub const COMPLEX128: Self = Self(18);
    /// A floating-point number of two bytes.
    pub const HALF: Self = Self(19);
    /// A handle, such as a variable's.
    pub const RESOURCE: Self = Self(20);
    /// A value of any C++ type, which C cannot look into.
    pub const VARIANT: Self = Self(21);
    /// `u32`, four bytes without a sign.
    pub const UINT32: Self = Self(22);
    /// `u64`, eight bytes without a sign.
    pub const UINT64: Self = Self(23);

    /// The bytes of an element; none if elements have no size of their own.
    pub const fn bytes(self) -> Option<usize> {
        Some(match self {
            Self::UINT8 | Self::INT8 | Self::BOOL => 1,
            Self::INT16 | Self::UINT16 | Self::HALF | Self::BFLOAT16 => 2,
            Self::FLOAT | Self::INT32 | Self::UINT32 => 4,
            Self::DOUBLE | Self::INT64 | Self::UINT64 | Self::COMPLEX64 => 8,
            Self::COMPLEX128 => 16,
            _ => return None,
        })
    }
}
