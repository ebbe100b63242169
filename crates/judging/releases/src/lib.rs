//! The built-in database: what each released PyTorch, TensorFlow, TensorFlow.js, Keras, JAX, ONNX Runtime and onnx
//! provides.
//!
//! A release is named as on a package index: `torch@1.10.2`, or shorter, `torch@1.10`, which is the
//! newest `1.10.x` of the database; [`ReleaseName`] lists what else is understood. [`find`] takes the name of one
//! release; [`select`] also takes a range (`torch>=2.1,<2.4`), the name of a [`Family`] alone, or `all`, and
//! returns every release of it.
//!
//! Every release that was ever published has a name. One that has no row of its own is judged by that of
//! another, and [`Release::stand_in`] says which and why.
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
//! assert!(error.to_string().starts_with("unknown release: torch 99.1"), "{error}");
//! assert!(unskew_releases::find("torhc@2.1").is_err());
//! ```
#![forbid(unsafe_code)]

mod axes;
mod boosters;
pub mod carrier;
mod catalogue;
mod class_names;
mod declared;
mod embedded;
mod exact;
mod families;
mod family;
mod hosts;
mod iree;
pub mod jax;
mod jax_set;
pub mod keras;
mod llama;
mod name;
pub mod named_parties;
mod named_plugins;
pub mod onnx;
mod other_software;
mod peft;
mod published;
mod python_names;
mod release;
mod release_row;
mod scikit_learn;
mod servers;
pub mod tensorflow;
mod tfjs;
mod tokenizers;
pub mod torch;
mod torch_xla;
mod transformers;
pub mod vendor_docs;

pub use axes::{histories, window};
pub use carrier::Carrier;
pub use catalogue::{Defined, OperatorListing, Turnover};
pub use class_names::{packages_of_names, packages_with_classes};
pub use declared::declared_requirements;
pub use exact::{Exact, ExactError, PreRelease};
pub use family::Family;
pub use jax_set::{
    JaxPackage, declared_range, lacking, range_allows, set_finding, set_requirement,
    version_numbers,
};
pub use name::{NameError, ReleaseName, VersionSelector, all, exactly, find, is_meant, select};
pub use named_plugins::named_plugin;
pub use published::Basis;
pub use python_names::{AskedPythonName, NameAbsence, PythonNames};
pub use release::Release;
pub use release_row::{Operator, ReleaseRow};
