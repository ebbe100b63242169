//! Arrays in host buffers that do not lie dense and in row-major order.

use unskew_pjrt::ElementType;

use crate::status::Status;

/// The most bytes that a host buffer of strides may span, by the bytes of its array.
const MOST_SPAN: usize = 64;

/// Whether an array with these strides is dense and in row-major order. Those of axes of one element, and
/// of arrays without one, mean nothing.
pub fn dense(element: ElementType, dims: &[i64], strides: &[i64]) -> bool {
    let Some(mut wanted) = element.host_bytes().and_then(|bytes| i64::try_from(bytes).ok()) else {
        return false;
    };
    if dims.len() != strides.len() {
        return false;
    }
    if dims.contains(&0) {
        return true;
    }
    for (dim, stride) in dims.iter().zip(strides).rev() {
        if *dim != 1 && *stride != wanted {
            return false;
        }
        match wanted.checked_mul(*dim) {
            Some(next) => wanted = next,
            None => return false,
        }
    }
    true
}

/// A dense array as a buffer with these strides.
///
/// # Errors
/// INVALID_ARGUMENT if they are negative, not one for each axis, or span far more than the array has.
pub fn spread(
    element: ElementType,
    dims: &[i64],
    strides: &[i64],
    data: &[u8],
) -> Result<Vec<u8>, Status> {
    let width = element.host_bytes().unwrap_or(1);
    let number = |list: &[i64]| -> Option<Vec<usize>> {
        list.iter().map(|number| usize::try_from(*number).ok()).collect()
    };
    let (Some(dims), Some(strides)) = (number(dims), number(strides)) else {
        return Err(Status::invalid("a negative stride of a host buffer"));
    };
    if dims.len() != strides.len() {
        return Err(Status::invalid("not one stride for each axis"));
    }
    if dims.contains(&0) {
        return Ok(Vec::new());
    }
    let span = dims
        .iter()
        .zip(&strides)
        .try_fold(width, |span, (dim, stride)| span.checked_add(stride.checked_mul(dim - 1)?));
    let span = span.filter(|span| *span <= data.len().saturating_mul(MOST_SPAN));
    let span = span.ok_or_else(|| Status::invalid("strides that span too much"))?;
    let mut out = vec![0; span];
    let mut index = vec![0; dims.len()];
    for value in data.chunks_exact(width) {
        let at: usize = index.iter().zip(&strides).map(|(place, stride)| place * stride).sum();
        // The span is that of the last place, so every place is in it.
        if let Some(place) = out.get_mut(at..at + width) {
            place.copy_from_slice(value);
        }
        for (place, dim) in index.iter_mut().zip(&dims).rev() {
            *place += 1;
            if *place < *dim {
                break;
            }
            *place = 0;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const U8: ElementType = ElementType::U8;

    #[test]
    fn row_major_strides_are_dense() {
        assert!(dense(ElementType::F32, &[2, 3], &[12, 4]));
        assert!(!dense(ElementType::F32, &[2, 3], &[4, 8]));
        assert!(dense(ElementType::F32, &[1, 3], &[999, 4]));
        assert!(dense(ElementType::F32, &[0, 3], &[-7, 1]));
        assert!(dense(ElementType::F32, &[], &[]));
        assert!(!dense(ElementType::F32, &[2], &[]));
        assert!(!dense(ElementType::TOKEN, &[2], &[4]));
        assert!(!dense(ElementType::F64, &[i64::MAX, i64::MAX], &[1, 8]));
    }

    #[test]
    fn column_major_strides_transpose() {
        let spread = spread(U8, &[2, 3], &[1, 2], &[1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(spread, [1, 4, 2, 5, 3, 6]);
    }

    #[test]
    fn strides_of_a_client_cannot_hurt() {
        for strides in [&[-1, 1][..], &[1], &[i64::MAX, 1], &[1 << 40, 1]] {
            assert!(spread(U8, &[2, 2], strides, &[0; 4]).is_err(), "{strides:?}");
        }
        assert_eq!(spread(U8, &[2, 2], &[0, 0], &[1, 2, 3, 4]).unwrap(), [4]);
        assert!(spread(U8, &[0, 2], &[1, 1], &[]).unwrap().is_empty());
    }
}
