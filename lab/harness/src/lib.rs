//! What the commands of the laboratory share: how they are stated and started, where packages come from, how releases are
//! asked, and how verdicts are counted.
//!
//! An oracle holds what Unskew says against what real releases do. Each stands in the crate of its subject (`lab/torch`,
//! `lab/onnx`), with the scripts that it runs in them (`lab/torch/probes`). This crate knows no boundary.
#![forbid(unsafe_code)]

mod answers;
pub mod catalogue;
mod command;
pub mod corpus;
mod deviation;
pub mod device_headers;
pub mod environment;
mod fetch;
pub mod links;
pub mod npm;
mod oracle;
mod package;
mod page;
pub mod pages;
pub mod pjrt_headers;
pub mod published_wheel;
mod subject;
mod tally;
mod today;

pub use answers::Answers;
pub use command::run_command;
pub use deviation::Deviation;
pub use fetch::fetch;
pub use oracle::{Agreement, Oracle, compare};
pub use package::Package;
pub use page::{Page, WritePage};
pub use subject::{NoArguments, Subject};
pub use tally::{Comparison, Prediction, Tally};
pub use today::today;
