//! The registry of operator changes: which operators changed and when, what old calls mean to new releases,
//! and new calls to old ones.
//!
//! Three files, the first two as the RFC wants them; functions may stand in a folder of files, too. `operator_versions.yaml` has an entry for each operator
//! that changed in a way that automatic rules do not cover, with a version for each change:
//!
//! ```yaml
//! - func: aten::gelu
//!   version: 10
//!   upgrader: gelu_0_9
//!   schema: "aten::gelu(Tensor self) -> Tensor"
//! ```
//!
//! Files below version 10 mean the schema that stands there. The upgrader is a function of that schema in
//! `operator_upgraders.py`, in TorchScript, which does with today's operators what the old one did.
//!
//! PyTorch's version has been 10 since February 2022, while hundreds of operators went or changed. So a
//! change may be dated by a release instead: `removed_in`, `broken_in` (another schema),
//! `meaning_changed_in` (another result, which no number shows), `added_in`. And it may have *downgraders*:
//! functions of the new schema in `operator_downgraders.py`, each for a range of older releases. The whole
//! form of the files stands in `docs/reference/operator-registry.md`.
//!
//! [`OperatorRegistry::load`] holds the files against each other: every function is there once, and takes and
//! returns what its schema says. [`OperatorRegistry::check`] holds what the functions call against the operators of
//! a release. [`OperatorRegistry::decide`] says what becomes of one call in one release.
//!
//! ```
//! use unskew_torch_operators::{OperatorRegistry, RegistrySources};
//!
//! let versions = r#"
//! - func: aten::gelu
//!   version: 10
//!   upgrader: gelu_0_9
//!   schema: "aten::gelu(Tensor self) -> Tensor"
//! "#;
//! let upgraders = "
//! def gelu_0_9(self: Tensor) -> Tensor:
//!   return torch.gelu(self, approximate='none')
//! ";
//! let registry = OperatorRegistry::load(RegistrySources { versions, upgraders, downgraders: "" }).unwrap();
//! assert!(registry.upgrader("aten::gelu", 9).is_some());
//! assert!(registry.upgrader("aten::gelu", 10).is_none());
//! assert_eq!(registry.current(), 10);
//! ```
//!
//! Source: PyTorch RFC 0017, *Operator Versioning*, "Code changes" and "Downgraders for FC".

#![forbid(unsafe_code)]

mod author;
mod block_reason;
mod calls;
mod change_draft;
mod check;
mod condition;
mod coverage;
mod decide;
mod error;
#[allow(dead_code, reason = "the build script writes what is read here")]
mod files;
mod functions;
mod inline;
mod operator_call;
mod operators;
mod pytorch;
mod registry;
mod registry_change;
pub mod rules;
mod signature;
mod yaml;

pub use author::{NewChange, UpdatedRegistryFiles};
pub use block_reason::BlockReason;
pub use condition::ArgumentCondition;
pub use coverage::{RegistryCoverage, RegistryGap};
pub use decide::{BridgeStep, CallDecision, CallTarget, FileWriter};
pub use error::OperatorRegistryError;
pub use operator_call::{CallFit, OperatorCall};
pub use pytorch::registry;
pub use registry::{BuiltInRegistry, OperatorRegistry, RegistrySources};
pub use registry_change::{Bridge, ChangeStart, RegistryChange, ReleaseSpan};

/// The functions of a registry that stand in several files, as one text.
pub mod function_files {
    pub use crate::files::functions::{functions as read, join, split};
}
