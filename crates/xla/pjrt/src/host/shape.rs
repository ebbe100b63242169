//! Element types, and the memory that arrays of them take on the host.

use super::Error;
use crate::sys::bindings::PJRT_Buffer_Type as ElementType;

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
