//! The built-in database: what each released PyTorch, TensorFlow and JAX provides.
//!
//! A release is named as on a package index: `torch@1.10.2`, or shorter, `torch@1.10`, which is the
//! newest `1.10.x` of the database. [`find`] takes such a name; [`select`] also takes the name of a
//! [`Family`] alone, or `all`, and returns all of its releases.
//!
//! The facts were harvested from the real packages. They lie in `data/` as one history per family, so
//! an operator that ten releases share stands there once; they are embedded, and decoded only for the
//! releases that somebody asks for. The [`Party`](unskew_core::Party) of a release is made once per
//! process and shared, so a matrix of a hundred files builds each of its columns once.
//!
//! ```
//! let release = unskew_releases::find("torch@1.10").unwrap();
//! assert_eq!(release.to_string(), "torch@1.10.2");
//! assert_eq!(release.party().name, "torch 1.10.2");
//! let schemas = release.operators("aten::gelu");
//! assert!(schemas[0].text.starts_with("aten::gelu(Tensor self"));
//!
//! let error = unskew_releases::find("torch@99.1").unwrap_err();
//! assert!(error.to_string().starts_with("no torch release 99.1"), "{error}");
//! assert!(unskew_releases::find("torhc@2.1").is_err());
//! ```
#![forbid(unsafe_code)]

mod axes;
mod catalogue;
mod family;
pub mod jax;
mod name;
mod release;
mod row;
pub mod tensorflow;
pub mod torch;

pub use axes::{histories, window};
pub use catalogue::{Defined, Listed, Turnover};
pub use family::Family;
pub use name::{Name, NameError, all, find, select};
pub use release::Release;
pub use row::{Operator, Row};
