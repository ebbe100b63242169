//! Quantized tensors, packed weights, and what the engines calculate with them.
//!
//! A quantized tensor is a tensor of integers with a [`Quantizer`](crate::tensor::Quantizer). An operator sees one only if
//! it stands in one of the lists of [`calls`]: what is not there is refused, so that no operator takes the integers for
//! numbers.

mod arithmetic;
mod calls;
pub(super) mod elementwise;
pub(super) mod embedding;
pub(super) mod norms;
mod packed_state;
pub(super) mod packing;
pub(super) mod products;
pub(super) mod recurrent;
pub(super) mod tensors;

pub(super) use calls::call;
pub(crate) use packed_state::packed;
pub(super) use tensors::code;
