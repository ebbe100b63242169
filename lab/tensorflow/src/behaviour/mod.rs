//! Behaviour of ops, release by release: nodes made from every definition, run by real releases, and compared.
//!
//! [`forms`] makes nodes of every op that computes something ([`NodeForm`]): with every type that its definition allows, and
//! other values of its attributes. [`plans`] finds out which shapes a release takes, [`with_runs`] says what they are run on:
//! NaN, infinities, nothing, zeros, negative, large and equal numbers. [`run`] runs them in a release, [`rows`] says between
//! which releases which runs came out otherwise, and by which attributes of a node that can be told.
//! `cargo lab tf-behaviour` does all of it and writes `crates/tensorflow/models/data/behaviour.tsv`.

mod attribute_boxes;
mod behaviour_row;
mod forms;
mod group;
mod measure;
mod rows;
mod runs;

pub use behaviour_row::BehaviourRow;
pub use forms::{Arg, GivenAttributes, NodeForm, forms};
pub use measure::{InputPlan, plans, run, without_unasked};
pub use rows::{covered, rows};
pub use runs::with_runs;
