//! A scan as a job of [Ballista](https://datafusion.apache.org/ballista/), DataFusion's distributed engine.
//!
//! ```text
//! client ── plan: one partition a shard ──▶ scheduler ── one task a shard ──▶ executor ── parts ──▶ the table
//!    ◀───────────────────────── a row a shard: what was done ────────────────────┘
//! ```
//!
//! A [`Job`] says what `unskew scan` would be told, and in how many shards. For DataFusion it is a table ([`Shards`]) with
//! a row a shard, each a partition of its own; reading it ([`ShardsPlan`]) scans that shard into the table of the scan, which all
//! executors must reach: a prefix of a store, or a folder that they share. What travels through Ballista is only what
//! was done. A task that is lost is started again by Ballista, and goes on where the parts of its shard end, because every
//! part appears whole or not at all; so no row is lost or there twice.
//!
//! * [`scheduler`] and [`executor`] are Ballista's processes, which know this job by the codecs of [`codec`];
//! * [`submit`] runs a job on them and waits.
//!
//! ```
//! use unskew_distributed::Job;
//!
//! let models = tempfile::tempdir().unwrap();
//! std::fs::write(models.path().join("net.pt"), b"PK\x03\x04 and nothing else").unwrap();
//! let table = tempfile::tempdir().unwrap();
//! let job = Job {
//!     uris: vec![models.path().to_str().unwrap().to_owned()],
//!     with: vec!["torch@2.1".to_owned()],
//!     as_of: "2026-11-01".to_owned(),
//!     table: table.path().to_str().unwrap().to_owned(),
//!     shards: 2,
//!     jobs: Some(1),
//! };
//! let done: Vec<_> = (1..=2).map(|shard| job.run(shard).unwrap()).collect();
//! assert_eq!(done.iter().map(|one| one.artifacts).sum::<usize>(), 1);
//! ```

mod cluster;
pub mod codec;
mod columns;
mod job;
mod plan;
mod submit;
mod table;

pub use cluster::{Executor, executor, scheduler};
pub use columns::Done;
pub use job::{Job, judge_in_processes_of};
pub use plan::ShardsPlan;
pub use submit::submit;
pub use table::Shards;
