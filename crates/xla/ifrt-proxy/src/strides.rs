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

/// A dense array in row-major order, as a place for parts of it.
#[derive(Debug)]
pub struct DenseBlock {
    /// How many bytes lie between neighbours of each axis.
    pub strides: Vec<i64>,
    /// How many bytes it has.
    pub bytes: usize,
    width: usize,
}

impl DenseBlock {
    /// The place of an array.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if it is of elements without a size, or of a size that overflows.
    pub fn whole(element: ElementType, dims: &[i64]) -> Result<Self, Status> {
        let wrong = || Status::invalid(format!("an array of no size: {dims:?}"));
        let width = element.host_bytes().ok_or_else(wrong)?;
        let mut step = i64::try_from(width).map_err(|_| wrong())?;
        let mut strides = Vec::new();
        for dim in dims.iter().rev() {
            strides.push(step);
            step = step.checked_mul(*dim).filter(|_| *dim >= 0).ok_or_else(wrong)?;
        }
        strides.reverse();
        Ok(Self { strides, bytes: usize::try_from(step).map_err(|_| wrong())?, width })
    }

    /// Where in it, in bytes, the element of this index is.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if that overflows.
    pub fn offset(&self, index: &[i64]) -> Result<usize, Status> {
        let sum = index
            .iter()
            .zip(&self.strides)
            .try_fold(0_i64, |sum, (at, stride)| sum.checked_add(at.checked_mul(*stride)?));
        let sum = sum.and_then(|sum| usize::try_from(sum).ok());
        sum.ok_or_else(|| Status::invalid("an index that overflows"))
    }
}

/// Puts a dense array of these dimensions into `data`, which is a [`DenseBlock`], from `origin` on.
///
/// # Errors
/// INVALID_ARGUMENT if it does not fit.
pub fn put(
    block: &DenseBlock,
    origin: &[i64],
    dims: &[i64],
    part: &[u8],
    data: &mut [u8],
) -> Result<(), Status> {
    let row = dims.last().copied().unwrap_or(1);
    let row = usize::try_from(row).unwrap_or(0).saturating_mul(block.width).max(1);
    let mut index = origin.to_vec();
    for values in part.chunks(row) {
        let begin = block.offset(&index)?;
        let place = data.get_mut(begin..begin.saturating_add(values.len()));
        let place = place.ok_or_else(|| Status::invalid("a shard that is not in its array"))?;
        place.copy_from_slice(values);
        // The next row: the last axis is all in this one.
        let axes = index.iter_mut().zip(origin).zip(dims).rev().skip(1);
        for ((at, begin), dim) in axes {
            *at += 1;
            if *at < begin.saturating_add(*dim) {
                break;
            }
            *at = *begin;
        }
    }
    Ok(())
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
    fn parts_make_a_whole() {
        let block = DenseBlock::whole(U8, &[2, 4]).unwrap();
        let mut data = vec![0; block.bytes];
        put(&block, &[0, 0], &[2, 2], &[1, 2, 5, 6], &mut data).unwrap();
        put(&block, &[0, 2], &[2, 2], &[3, 4, 7, 8], &mut data).unwrap();
        assert_eq!(data, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(block.offset(&[1, 1]).unwrap(), 5);
        assert!(put(&block, &[1, 3], &[1, 2], &[0, 0], &mut data).is_err());
        assert!(DenseBlock::whole(U8, &[-1]).is_err());
        assert!(DenseBlock::whole(U8, &[i64::MAX, 2]).is_err());
        assert!(block.offset(&[i64::MAX, 1]).is_err());
        let one = DenseBlock::whole(ElementType::F32, &[]).unwrap();
        let mut data = vec![0; one.bytes];
        put(&one, &[], &[], &[1, 2, 3, 4], &mut data).unwrap();
        assert_eq!(data, [1, 2, 3, 4]);
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
