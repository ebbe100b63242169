//! Behaviour of operators, release by release: calls made from every schema, run by real releases, and compared.
//!
//! [`plan`] makes calls of every operator of the tables ([`CallForm`]), [`run`] runs them in a release, [`rows`] says
//! between which releases which runs of an operator came out otherwise, and by which conditions on its arguments they can
//! be told. `cargo lab behaviour` does all of it and writes `crates/torch/archives/data/changes.tsv`.

mod arguments;
mod battery;
mod cases;
mod conversions;
mod inputs;
mod measure;
mod rows;
mod shapes;

pub use arguments::ParameterRole;
pub use battery::battery;
pub use cases::{ArgumentPassing, CallForm};
pub use conversions::{InexactConditions, inexact};
pub use measure::{plan, run};
pub use rows::{OperatorRow, covered, rows};
pub use unskew_changes::{
    ChangeEffect, FormOutcome, RunLifetime, RunOutcome, Trajectory, difference, life,
};
