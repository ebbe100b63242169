//! Definitions of a runtime from release to release: operators of PyTorch, ops of TensorFlow, releases of a catalogue.
//!
//! * [`Rows`]: the definitions of all releases as one sorted text, each once, with the [`Runs`] of releases that have
//!   it; a name is found by halving the text, and what was found is parsed once and [`DefinitionCache`];
//! * [`TableChange`]: what a release changed when its table was added to the text;
//! * [`ChangeRule`]: what a kind of change does to programs, read from a file of rules;
//! * [`MeasuredTable`]: what operators do otherwise by release under one definition, and the [`Effect`] of that.
//!
//! What a definition is, its crate knows; here it is a text that begins with its name.
//!
//! ```
//! use unskew_definitions::Rows;
//!
//! let rows = Rows::from_text(
//!     "#releases\t1.10.2 1.13.1\n\
//!      aten::gelu(Tensor self) -> Tensor\t1.10.2\n\
//!      aten::gelu(Tensor self, *, str approximate='none') -> Tensor\t1.13.1-\n",
//! ).unwrap();
//! assert_eq!(rows.named("aten::gelu").count(), 2);
//! let old = rows.definitions_of("1.10.2".parse().unwrap()).collect::<Vec<_>>();
//! assert_eq!(old, ["aten::gelu(Tensor self) -> Tensor"]);
//! ```
#![forbid(unsafe_code)]

mod change_rule;
mod measured_table;
mod rows;
mod runs;
mod span_table;
mod text;

pub use change_rule::{ChangeRule, in_a_sentence};
pub use measured_table::{BehaviorChange, ChangeEffect, Effect, MeasuredTable, Turns};
pub use rows::{DefinitionCache, DefinitionRow, DefinitionRowsError, Rows, TableChange};
pub use runs::{ReleaseRun, Runs};
pub use span_table::SpanTable;
pub use text::{Blocks, RowsText, TextBlock};
