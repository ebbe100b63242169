//! Arrays of every element type that devices have: what they are, how they are printed, where they
//! come from.
//!
//! Devices have element types that no file format of numpy and no type of Rust knows: brain floats,
//! floats of eight, six and four bits, integers of four. Here an array is its type, its dimensions and
//! its bytes, dense and in row-major order, the lowest byte of an element first; an element of less
//! than a byte takes a whole one.
//!
//! * [`ArrayElementType`] names the types and knows their sizes; [`Scalar`] is one element as a number;
//! * [`npy`] reads and writes `.npy` files;
//! * [`Number`] is one that somebody wrote, held against what a type can hold;
//! * [`Fill`] makes contents: zeros, ones, counting, reproducible random numbers;
//! * an [`Array`] prints itself as numpy would.
//!
//! ```
//! use unskew_array::{Array, Fill, ArrayElementType};
//!
//! let array = Array::filled(ArrayElementType::BF16, &[2, 3], Fill::Iota).unwrap();
//! assert_eq!(array.to_string(), "[[0, 1, 2],\n [3, 4, 5]]");
//!
//! let file = unskew_array::npy::write(&array);
//! // numpy has no name for this type: two bytes are all that the file says.
//! let read = unskew_array::npy::read(&file).unwrap();
//! assert_eq!(read.as_type(ArrayElementType::BF16).unwrap(), array);
//! ```
#![forbid(unsafe_code)]

mod array;
mod element;
mod fill;
mod float;
pub mod npy;
mod number;
mod print;

pub use array::{Array, ShapeError};
pub use element::{ArrayElementType, ElementClass, Scalar};
pub use fill::{Fill, ParseFillError};
pub use float::{F16, FloatFormat};
pub use number::{Number, NumberError, ParseNumberError};
