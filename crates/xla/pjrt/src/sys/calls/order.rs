//! Contents of buffers whose axes lie in another order than row by row.
//!
//! A plug-in copies a buffer to the host as it lies, unless it is told a layout, which the plug-ins of 2025
//! ignore. So it is not told one, and the contents are turned here.

use super::{Handle, buffer};
use crate::host::{Error, host_bytes};
use crate::sys::bindings::PJRT_Buffer;

/// How the contents of a buffer are brought into row-major order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    dims: Vec<usize>,
    /// How many bytes lie between neighbours of each of them in the buffer.
    strides: Vec<usize>,
    /// How many bytes an element has.
    width: usize,
    bytes: usize,
}

/// Whether an order is one of so many axes.
pub(crate) fn names_every_axis_once(order: &[i64], axes: usize) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq((0..).take(axes))
}

impl Turn {
    /// What a buffer needs; none if it is in row-major order already, or the plug-in does not say how it
    /// lies.
    pub(crate) fn from_buffer(of: &Handle<PJRT_Buffer>) -> Result<Option<Self>, Error> {
        let Some(order) = buffer::minor_to_major(of).ok().flatten() else { return Ok(None) };
        if (0..).take(order.len()).eq(order.iter().rev().copied()) {
            return Ok(None);
        }
        let element = buffer::element_type(of)?;
        let dims = buffer::dimensions(of)?;
        let bytes = host_bytes(element, &dims, None)?;
        let width = element.host_bytes().unwrap_or(1);
        let turn = Self::new(&dims, &order, width, bytes);
        turn.map(Some).ok_or(Error::NotAShape("a layout that does not name every axis once"))
    }

    fn new(dims: &[i64], order: &[i64], width: usize, bytes: usize) -> Option<Self> {
        if !names_every_axis_once(order, dims.len()) {
            return None;
        }
        let dims: Vec<usize> = number(dims)?;
        let order = number(order)?;
        let mut strides = vec![0; dims.len()];
        let mut step = width;
        for axis in order {
            *strides.get_mut(axis)? = step;
            step = step.checked_mul(*dims.get(axis)?)?;
        }
        Some(Self { dims, strides, width, bytes })
    }

    /// The contents in row-major order. What is not as large as it must be, which an array in tiles is
    /// not, stays as it is.
    pub(crate) fn turned(&self, data: Vec<u8>) -> Vec<u8> {
        if data.len() != self.bytes || data.is_empty() {
            return data;
        }
        let mut out = Vec::with_capacity(data.len());
        let mut index = vec![0; self.dims.len()];
        while out.len() < self.bytes {
            let at: usize = index.iter().zip(&self.strides).map(|(at, stride)| at * stride).sum();
            let Some(element) = data.get(at..at + self.width) else { return data };
            out.extend_from_slice(element);
            for (at, dim) in index.iter_mut().zip(&self.dims).rev() {
                *at += 1;
                if *at < *dim {
                    break;
                }
                *at = 0;
            }
        }
        out
    }
}

fn number(list: &[i64]) -> Option<Vec<usize>> {
    list.iter().map(|number| usize::try_from(*number).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_rows() {
        let turn = Turn::new(&[2, 3], &[0, 1], 1, 6).unwrap();
        assert_eq!(turn.turned(vec![1, 4, 2, 5, 3, 6]), [1, 2, 3, 4, 5, 6]);
        let three = Turn::new(&[2, 1, 2], &[0, 2, 1], 2, 8).unwrap();
        assert_eq!(three.turned(vec![1, 1, 3, 3, 2, 2, 4, 4]), [1, 1, 2, 2, 3, 3, 4, 4]);
        assert_eq!(turn.turned(vec![1]), [1]);
    }

    #[test]
    fn what_is_no_order_of_the_axes_is_none() {
        for order in [&[0, 0][..], &[0], &[1, 2], &[-1, 0]] {
            assert_eq!(Turn::new(&[2, 3], order, 1, 6), None);
        }
    }
}
