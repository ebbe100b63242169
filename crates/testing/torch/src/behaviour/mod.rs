//! What operators do, release by release: calls made from every schema, run by real releases, and compared.
//!
//! [`plan`] makes calls of every operator of the tables ([`Form`]), [`run`] runs them in a release, [`rows`] says
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

pub use arguments::Role;
pub use battery::battery;
pub use cases::{Form, How};
pub use conversions::{Inexact, inexact};
pub use measure::{plan, run};
pub use rows::{Row, covered, rows};
pub use unskew_changes::{Life, Outcome, Step, Told, Trajectory, difference, life};
