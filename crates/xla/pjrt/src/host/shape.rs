//! Element types, and the memory that arrays of them take on the host.

use super::Error;
use crate::sys::bindings::PJRT_Buffer_Type as ElementType;

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

    pub(crate) fn label(self) -> String {
        self.name().map_or_else(|| format!("element type {}", self.0), str::to_owned)
    }
}

/// How many bytes from its first on an array takes on the host: dense and in row-major order, or by
/// strides in bytes.
///
/// # Errors
/// [`Error::NotAShape`].
pub(crate) fn host_bytes(
    element_type: ElementType,
    dims: &[i64],
    strides: Option<&[i64]>,
) -> Result<usize, Error> {
    let width = element_type.host_bytes();
    let width = width.ok_or(Error::NotAShape("elements without a size"))?;
    let dims: Result<Vec<usize>, _> = dims.iter().map(|&dim| usize::try_from(dim)).collect();
    let dims = dims.map_err(|_| Error::NotAShape("a negative dimension"))?;
    let overflow = Error::NotAShape("a size that overflows");
    let bytes = match strides {
        None => dims.iter().try_fold(width, |size, &dim| size.checked_mul(dim)),
        Some(strides) if strides.len() != dims.len() => {
            return Err(Error::NotAShape("not one stride per dimension"));
        }
        Some(_) if dims.contains(&0) => Some(0),
        Some(strides) => {
            let strides: Result<Vec<usize>, _> =
                strides.iter().map(|&stride| usize::try_from(stride)).collect();
            let strides = strides.map_err(|_| Error::NotAShape("a negative stride"))?;
            dims.iter().zip(strides).try_fold(width, |end, (&dim, stride)| {
                end.checked_add(stride.checked_mul(dim - 1)?)
            })
        }
    };
    bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or(overflow)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_known_type_but_the_token_and_the_invalid_one_has_a_size() {
        for value in 0..64 {
            let known = ElementType(value);
            let sized = known.bits().is_some();
            let wanted = known.name().is_some_and(|name| name != "TOKEN" && name != "INVALID");
            assert_eq!(sized, wanted, "{known:?}");
        }
    }

    #[test]
    fn what_overflows_or_is_negative_is_no_shape() {
        assert!(host_bytes(ElementType::F32, &[i64::MAX, 4], None).is_err());
        assert!(host_bytes(ElementType::F32, &[-1], None).is_err());
        assert!(host_bytes(ElementType::F32, &[2], Some(&[-4])).is_err());
        assert!(host_bytes(ElementType::F32, &[2, 2], Some(&[4])).is_err());
        assert!(host_bytes(ElementType::TOKEN, &[], None).is_err());
        assert_eq!(host_bytes(ElementType::S4, &[3], None), Ok(3));
        assert_eq!(host_bytes(ElementType::F32, &[2, 0], Some(&[i64::MAX, 4])), Ok(0));
    }

    proptest! {
        #[test]
        fn row_major_strides_need_as_much_as_none(dims in prop::collection::vec(1_i64..5, 0..5)) {
            let mut strides = vec![4; dims.len()];
            for at in (1..dims.len()).rev() {
                strides[at - 1] = strides[at] * dims[at];
            }
            prop_assert_eq!(
                host_bytes(ElementType::F32, &dims, Some(&strides)),
                host_bytes(ElementType::F32, &dims, None)
            );
        }
    }
}
