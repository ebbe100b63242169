//! Operator schemas, and the operator tables of runtimes over time.
//!
//! A model names the operators that it calls; a runtime has a table of those that it knows. A file
//! format version says little about the two: PyTorch's has been 10 since February 2022, while 186
//! public operators went away. So what decides is the table itself:
//!
//! * [`FunctionSchema`]: one operator as `ns::name.overload(Tensor self, *, int dim=0) -> Tensor`, the
//!   schema language of PyTorch, parsed in full: alias annotations, sized lists, optionals, tuples,
//!   dicts, variadics, named returns, and a default before an argument that has none;
//! * [`CallShape`]: what a call gives; [`FunctionSchema::accepts`] says whether it fits, and if not, why;
//! * [`changes`]: what changed between two schemas of one operator, and whom it breaks: programs of the
//!   old schema, or new programs on old runtimes; [`diff`] does so for whole tables;
//! * [`OperatorHistory`]: the tables of all releases as *one* sorted text, each schema once with the
//!   runs of releases that have it; nothing of it is parsed before someone asks for a name;
//! * [`OperatorTable`]: one release of a history;
//! * [`matching`]: which overload a call means, by the types of the values that it gives.
//!
//!
//! No file format is known here: where calls come from is the business of the boundary crates.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_torch_schemas::{CallShape, OperatorHistory};
//!
//! let history = OperatorHistory::from_text(
//!     "#releases\t1.10.2 1.13.1\n\
//!      aten::gelu(Tensor self) -> Tensor\t1.10.2\n\
//!      aten::gelu(Tensor self, *, str approximate='none') -> Tensor\t1.13.1-\n",
//! ).unwrap();
//! let history = Arc::new(history);
//! let call = CallShape { positional: 1, keywords: vec!["approximate".into()] };
//! let old = history.table("1.10.2".parse().unwrap()).unwrap();
//! let new = history.table("1.13.1".parse().unwrap()).unwrap();
//! assert!(!old.overloads("aten::gelu").any(|schema| schema.accepts(&call).is_ok()));
//! assert!(new.overloads("aten::gelu").any(|schema| schema.accepts(&call).is_ok()));
//! ```
#![forbid(unsafe_code)]

mod call;
mod change;
mod history;
pub mod matching;
mod merge;
mod parse;
pub mod rules;
mod schema;
mod table;
mod types;

pub use call::{CallShape, Misfit};
pub use change::{
    OperatorChange, OperatorTableDiff, SchemaChange, SchemaChangeKind, change_rules, changes, diff,
    diff_findings, is_same_type, is_subtype, plain_value,
};
pub use history::{OperatorHistory, SchemaDefinition};
pub use merge::merge;
pub use parse::SchemaError;
pub use schema::{FunctionSchema, SchemaArgument};
pub use table::{OperatorTable, OperatorTableError, OverloadSet};
pub use types::{AliasInfo, SchemaType};
