//! Arrays.

use crate::{ArrayElementType, Fill};

/// An array: dense, in row-major order, the lowest byte of an element first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    element: ArrayElementType,
    dims: Vec<u64>,
    bytes: Vec<u8>,
}

/// Bytes that are no array of a shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The size of the shape overflows.
    #[error("no array can be so large: {}[{}]", .0, join(.1))]
    TooLarge(ArrayElementType, Vec<u64>),
    /// There are more or fewer bytes than the shape takes.
    #[error("{}[{}] takes {wanted} bytes: {found}", .element, join(.dims))]
    OtherSize {
        /// The element type of the array.
        element: ArrayElementType,
        /// Sizes from the outermost dimension to the innermost.
        dims: Vec<u64>,
        /// How many bytes the shape takes.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
}

/// Dimensions as in a shape, joined by commas: `2,3`.
pub(crate) fn join(dims: &[u64]) -> String {
    dims.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

impl Array {
    /// The array of these bytes. Of an element of less than a byte only its own bits count.
    ///
    /// # Errors
    /// [`ShapeError`] if the bytes are not as many as the shape takes.
    pub fn new(
        element: ArrayElementType,
        dims: &[u64],
        mut bytes: Vec<u8>,
    ) -> Result<Self, ShapeError> {
        let wanted = size(element, dims)?;
        if bytes.len() != wanted {
            let (dims, found) = (dims.to_vec(), bytes.len());
            return Err(ShapeError::OtherSize { element, dims, wanted, found });
        }
        element.tidy(&mut bytes);
        Ok(Self { element, dims: dims.to_vec(), bytes })
    }

    /// An array with made contents.
    ///
    /// # Errors
    /// [`ShapeError::TooLarge`].
    pub fn filled(element: ArrayElementType, dims: &[u64], fill: Fill) -> Result<Self, ShapeError> {
        let size = size(element, dims)?;
        let mut bytes = Vec::new();
        let too_large = |_| ShapeError::TooLarge(element, dims.to_vec());
        bytes.try_reserve_exact(size).map_err(too_large)?;
        fill.into(element, size / element.bytes(), &mut bytes);
        Ok(Self { element, dims: dims.to_vec(), bytes })
    }

    /// The type of its elements.
    pub fn element(&self) -> ArrayElementType {
        self.element
    }

    /// Its dimensions; none for a scalar.
    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    /// The elements in row-major order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many elements it has.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.element.bytes()
    }

    /// The element at `index`, counted in row-major order.
    pub fn get(&self, index: usize) -> Option<crate::Scalar> {
        let width = self.element.bytes();
        let start = index.checked_mul(width)?;
        let bytes = self.bytes.get(start..start.checked_add(width)?)?;
        Some(self.element.decode(bytes))
    }

    /// The element type and the dimensions as XLA writes them: `f32[2,3]`.
    pub fn shape(&self) -> String {
        format!("{}[{}]", self.element, join(&self.dims))
    }
}

/// How many bytes a shape takes.
fn size(element: ArrayElementType, dims: &[u64]) -> Result<usize, ShapeError> {
    let too_large = || ShapeError::TooLarge(element, dims.to_vec());
    let dims: Option<Vec<usize>> = dims.iter().map(|dim| usize::try_from(*dim).ok()).collect();
    let dims = dims.ok_or_else(too_large)?;
    if dims.contains(&0) {
        return Ok(0);
    }
    let size = dims.iter().try_fold(element.bytes(), |size, dim| size.checked_mul(*dim));
    size.filter(|size| isize::try_from(*size).is_ok()).ok_or_else(too_large)
}
