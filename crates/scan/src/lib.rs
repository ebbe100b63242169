//! Stores of artifacts, scanned by range reads into a table of verdicts.
//!
//! ```text
//! URI ──▶ Inventory ──▶ Items ──▶ Shard ──▶ what is not in the table yet ──▶ Judge ──▶ Rows ──▶ Parquet parts
//! ```
//!
//! * [`Inventory`]: what has artifacts: a folder, a store's prefix, a cache of the Hugging Face hub ([`inventory`] tells
//!   which a URI names); others implement the trait. An [`InventoryItem`] is one artifact, not yet opened;
//! * [`ArtifactJudge`]: the runtimes and the day; makes the [`VerdictRow`]s of an item. It has artifacts read by other processes
//!   ([`JudgeProcesses`]), each within the budgets of a check. An artifact that cannot be read or is over a budget is a row as
//!   well, and one that makes a reader fall over does not end the scan;
//! * [`VerdictTable`]: the folder or prefix of Parquet files that rows go to, in the schema of [`table_schema`], which has a
//!   version;
//! * [`scan`]: all of it, in parallel;
//!
//! * `query`, with the feature of that name: asks tables by SQL, with DataFusion.
//!
//! A scan costs what the structure of the artifacts costs: directories of archives, headers, graphs. Tensors are not read,
//! so a file of 4 GB costs what one of 4 MB does; [`Summary::bytes`] counts.
//!
//! Each part of a table appears whole or not at all, and holds all rows of its artifacts. So whatever is in the parts is
//! done: a scan that was killed and is started again does what is missing and nothing twice. Scans of several machines go
//! to the same table, each with its [`ScanShard`]: which one an artifact belongs to depends on its key alone.
//!
//! ```
//! use unskew_core::Date;
//! use unskew_scan::{ArtifactJudge, Question, ScanSettings, VerdictTable, inventory, scan};
//!
//! let models = tempfile::tempdir().unwrap();
//! std::fs::write(models.path().join("net.pt"), b"PK\x03\x04 and nothing else").unwrap();
//! let question = Question::new(&["torch@2.1"], Date::constant(2026, 11, 1)).unwrap();
//! let out = tempfile::tempdir().unwrap();
//! let table = VerdictTable::open(out.path().to_str().unwrap(), &question).unwrap();
//! let judge = ArtifactJudge::new(&question).unwrap();
//! let sources = [inventory(models.path().to_str().unwrap()).unwrap()];
//! let summary = scan(&sources, &judge, &table, &ScanSettings::default(), &|_| {}).unwrap();
//! assert_eq!((summary.artifacts, summary.unread), (1, 1));
//! let again = scan(&sources, &judge, &table, &ScanSettings::default(), &|_| {}).unwrap();
//! assert_eq!((again.artifacts, again.done_before), (0, 1));
//! ```
#![forbid(unsafe_code)]

mod columns;
mod counted;
mod error;
mod group;
mod hub;
mod inventory;
mod item;
mod judge;
mod judge_process;
mod local_files;
mod parts;
#[cfg(feature = "query")]
mod query;
mod question;
mod registered;
mod runtimes;
mod scan;
mod shard;
mod table;
mod verdict_row;

pub use columns::{SCHEMA_VERSION, table_schema};
pub use error::ScanError;
pub use inventory::{Inventory, inventory, inventory_of};
pub use item::{InventoryItem, Opener};
pub use judge::ArtifactJudge;
pub use judge_process::{JudgeProcesses, judge_process_main};
#[cfg(feature = "query")]
pub use query::{QueryResult, query, query_of};
pub use question::Question;
pub use scan::{ScanEvent, ScanSettings, Summary, scan};
pub use shard::ScanShard;
pub use table::VerdictTable;
pub use unskew_inspection::Allowance;
pub use verdict_row::{VERDICTS, VerdictReason, VerdictRow};
