//! Renders what Unskew has to say: for people, for scripts, for CI.
//!
//! There is one model and there are many renderers. A [`Report`] holds the pairs that were checked,
//! the parties that were looked at, what was converted, and what could not be read; [`Report::render`] prints it as
//!
//! | [`RenderFormat`] | for | one finding is |
//! | --- | --- | --- |
//! | `full` | people | a block: message, phase, both sides, where, the error that the runtime prints, fix |
//! | `concise` | people and `grep` | a line: `file:12:5: error PT204 message`, without the numbers where a file has no lines |
//! | `json` | scripts | an object of a documented schema with a version: [`json`] |
//! | `sarif` | code scanning | a result of SARIF 2.1.0, the rules being metadata of the tool |
//! | `github` | GitHub Actions | a workflow command: `::error file=...,title=...::message` |
//! | `junit` | other CI servers | a test case of JUnit XML |
//!
//! The text formats carry ANSI styles; whoever prints them strips these where they are not wanted
//! (`anstream` does). Everything reads the same without: no meaning is in a colour alone.
//!
//! Whatever came out of a file is written [`Plain`], so that it begins no line and cannot drive the terminal. What a renderer
//! forgets, [`escaped`] finds: each rendered text passes it, and so does whatever else the command prints.
//!
//! Nothing here decides anything. Whether a pair works was decided by `unskew_core::check`.
//!
//! ```
//! use unskew_core::{Context, Date, Party, Role, check};
//! use unskew_report::{RenderFormat, CheckedPair, Report, Subject};
//!
//! let file = Party::new("net.pt", Role::Artifact, "TorchScript archive");
//! let runtime = Party::new("tensorflow 2.21.0", Role::Runtime, "TensorFlow release");
//! let today = Context::on(Date::constant(2026, 11, 1));
//! let mut report = Report::new(today);
//! report.pairs.push(CheckedPair {
//!     a: Subject::at("models/net.pt", &file),
//!     b: Subject::from_party(&runtime),
//!     verdict: check(&file, &runtime, &today),
//! });
//! let text = report.render(RenderFormat::Github);
//! assert!(text.starts_with("::error file=models/net.pt,title=CO001 nothing-in-common::"));
//! ```
#![forbid(unsafe_code)]

mod concise;
mod conversion;
mod escape;
mod full;
mod github;
mod inventory;
pub mod json;
mod junit;
mod mark;
mod model;
mod page;
mod ranges;
mod render;
mod sarif;
mod sentence;
mod style;
mod tally;

pub use escape::{Medium, error_lines, escaped};
pub use full::{write_finding, write_unjudged};
pub use mark::VerdictMark;
pub use model::{
    CheckedPair, ConversionReport, Location, Look, ReadFailure, Report, Subject, Written, line,
};
pub use page::PAGE_STYLE;
pub use render::RenderFormat;
pub use style::{BAD, DIM, EMPHASIS, GOOD, NOTE, WARN, of_severity};
pub use tally::Tally;
pub use unskew_core::Plain;
