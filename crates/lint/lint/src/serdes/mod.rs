//! Locks of `unskew-serdes`: what each type looked like at each version, a line each.
//!
//! `Spec 4 struct { name: text, rank: i32, }` says that this is what version 4 of the family means by a `Spec`.
//! Such a line never changes. The test of a family finds a type that no longer fits its line; what nobody sees but a
//! comparison with the state before is a line that was edited to make the test pass.
//!
//! ```
//! use unskew_source::Files;
//! use unskew_kinds::{InterfaceKind, CompareOptions};
//! use unskew_lint::Serdes;
//!
//! let old = Files::from_iter([("spec.lock", "Spec 4 struct { name: text, }\n")]);
//! let new = Files::from_iter([("spec.lock", "Spec 4 struct { name: text, rank: i32, }\n")]);
//! let found = Serdes.compare(&old, &new, &CompareOptions::default())?;
//! assert_eq!(found.changes[0].finding.rule.code, "SD002");
//! # Ok::<(), unskew_source::NotRead>(())
//! ```

mod lock;
mod serdes_kind;

use lock::Line;
pub use serdes_kind::Serdes;
