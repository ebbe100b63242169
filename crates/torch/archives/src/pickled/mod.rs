//! What a pickle asks of PyTorch by name, and which releases have it.
//!
//! `torch.save` writes the names of functions and classes, and `torch.load` looks them up in the PyTorch that is there. A
//! newer function (`_rebuild_tensor_v3`), a newer argument of an old one, or an attribute that newer code of a class reads
//! (`GELU.approximate`) is missing then, and nothing in the file has a number that would say so.
//!
//! [`PickledObjects`] is what one file asks; [`names`] is the table of what each release has, which `cargo lab harvest
//! torch-pickled==VERSION` makes from the sources in the wheels. `verdict/pickled.rs` holds the one against the other.

pub(crate) mod alternatives;
pub(crate) mod later_attributes;
pub(crate) mod names;
mod objects;

pub(crate) use objects::{PickledObjects, SPARSE, attributes, callee};
