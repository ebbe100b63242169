//! The arguments of `scan`.

use clap::{Subcommand, ValueEnum};
use unskew_scan::Shard;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Scan {
    /// Where artifacts lie: folders, caches of the Hugging Face hub, s3://, gs://, az://, https://,
    /// MLflow (mlflow+https://, models:/) and OCI registries (oci://)
    #[arg(required = true, value_name = "URI")]
    pub uris: Vec<String>,
    /// The runtimes: releases, families of them, operator tables
    #[arg(long, required = true, num_args = 1.., value_name = "B")]
    pub with: Vec<String>,
    /// The folder or prefix of Parquet files that rows go to; a scan goes on where the last one ended
    #[arg(long, short, required = true, value_name = "TABLE")]
    pub output: Option<String>,
    /// Do one part of the work: I/N, with I from 1 to N
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    pub shard: Shard,
    /// How many artifacts are judged at once [default: one a processor, 16 for stores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write what is judged back: tags of the versions in MLflow, reports that refer to the manifests in OCI registries
    #[arg(long)]
    pub report: bool,
    #[command(subcommand)]
    pub task: Option<ScanTask>,
}

/// What else is done with tables.
#[derive(Debug, Subcommand)]
pub enum ScanTask {
    /// Ask tables by SQL; all of them are one table called scan
    #[command(after_help = "\
Examples:
  unskew scan query \"select runtime, verdict, count(*) from scan group by 1, 2\" table/
  unskew scan query \"select uri, error from scan where verdict = 'error'\" s3://bucket/table --format json

Needs a command that was built with it: cargo build --release --features query")]
    Query(ScanQuery),
}

#[derive(Debug, clap::Args)]
pub struct ScanQuery {
    /// The query
    pub sql: String,
    /// Parquet files, and folders or prefixes of them
    #[arg(required = true, value_name = "TABLE")]
    pub tables: Vec<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: QueryFormat,
}

/// How the answer of a query is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QueryFormat {
    /// A table for people
    Table,
    /// JSON, one object a line
    Json,
}
