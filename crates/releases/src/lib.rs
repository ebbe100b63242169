//! The built-in database: what each released PyTorch, TensorFlow and JAX provides.
#![forbid(unsafe_code)]

mod row;

pub use row::{Operator, Row};
