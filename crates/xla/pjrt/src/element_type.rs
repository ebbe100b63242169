//! Element types of arrays, and their sizes.

use crate::ElementType;

impl ElementType {
    /// How many bits an element has; none for a token, and for types that are not known.
    pub const fn bits(self) -> Option<usize> {
        Some(match self {
            Self::S1 | Self::U1 => 1,
            Self::S2 | Self::U2 => 2,
            Self::S4 | Self::U4 | Self::F4E2M1FN => 4,
            Self::F6E2M3FN | Self::F6E3M2FN => 6,
            Self::PRED | Self::S8 | Self::U8 => 8,
            Self::F8E5M2 | Self::F8E4M3FN | Self::F8E4M3B11FNUZ => 8,
            Self::F8E5M2FNUZ | Self::F8E4M3FNUZ | Self::F8E4M3 => 8,
            Self::F8E3M4 | Self::F8E8M0FNU => 8,
            Self::S16 | Self::U16 | Self::F16 | Self::BF16 => 16,
            Self::S32 | Self::U32 | Self::F32 => 32,
            Self::S64 | Self::U64 | Self::F64 | Self::C64 => 64,
            Self::C128 => 128,
            _ => return None,
        })
    }

    /// How many bytes an element takes on the host, where types of less than a byte are not packed;
    /// none for a token, and for types that are not known.
    pub const fn host_bytes(self) -> Option<usize> {
        match self.bits() {
            Some(bits) => Some(bits.div_ceil(8)),
            None => None,
        }
    }

    #[cfg(feature = "host")]
    pub(crate) fn label(self) -> String {
        self.name().map_or_else(|| format!("element type {}", self.0), str::to_owned)
    }
}
