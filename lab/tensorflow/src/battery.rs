//! Graphs, one for each rule by which TensorFlow takes or refuses graphs.
//!
//! Some depend on the version of the TensorFlow that reads them, so they are made for one.

mod graphs;
#[allow(missing_docs, reason = "a writer of messages says by its names what it writes")]
pub mod proto;

pub use graphs::{CASES, graph};
