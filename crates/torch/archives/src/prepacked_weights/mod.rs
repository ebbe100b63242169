//! Packed weights of quantized layers: what archives keep of them.
//!
//! An engine has weights in a layout of its own, and no file has that layout. A file has a *state* for each object of a
//! class of packed weights: the tensors that were packed, and the numbers of a convolution.

//!
//! Which releases read a form is data: `data/packed.toml`.

mod conv_params;
pub(crate) mod form_support;
pub(crate) mod prepacked_form;

pub use conv_params::ConvolutionParameters;
pub use prepacked_form::PrepackedForm;
